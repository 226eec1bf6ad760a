"""A lease: the state of one live run on disk, written before anything is handed out, resumed once."""

import json
import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpcert.audit.errors import OutputError, expected
from dpcert.mechanisms.live import lease_register, lease_tables
from dpcert.mechanisms.live.durable import locked, name_kept
from dpcert.mechanisms.live.lease_tables import Header, LeaseError, shown, state_of, state_text

_DRAFT = ".dpcert-lease-"


@dataclass(frozen=True)
class LeaseContents:
    """What a lease holds: the mechanism's state, the events that wait, and the bins that nobody acknowledged.

    Attributes:
        state: The mechanism's state.
        rounds: Events taken so far.
        bins: Bins emitted so far.
        waiting: Events that no bin has taken yet, oldest first.
        undelivered: Number, round, oldest event's round and events of every bin emitted and not acknowledged.
    """

    state: Any
    rounds: int
    bins: int
    waiting: tuple[Any, ...]
    undelivered: tuple[tuple[int, int, int, tuple[Any, ...]], ...]


class Lease:
    """One file that one run owns: `create` makes it, `resume` takes it, `commit` comes before every bin is shown.

    The file holds the events and the hidden state in the clear: whoever reads it learns the inputs, and can take the
    noise off what was released. Its owner alone can read it. What it says is durable when a call returns: SQLite syncs
    its journal and the file. A run that dies between two calls leaves a lease that is resumed as of the last commit.
    """

    def __init__(self, path: Path, held: ExitStack, connection: sqlite3.Connection, header: Header) -> None:
        self._path, self._held, self._connection, self._header = path, held, connection, header
        self._process = os.getpid()

    @staticmethod
    def create(path: str | Path, mechanism: str, state: Any) -> None:
        """Makes the lease of a run that has not begun. It appears under its name when it is whole.

        Raises: LeaseError: the file is there already, or the state cannot be written. OutputError: the disk refuses.
        """
        place, turn = Path(path), secrets.token_hex(16)
        header = Header(secrets.token_hex(16), mechanism, turn, turn, state_text(state))
        draft = place.parent / f"{_DRAFT}{secrets.token_hex(8)}"
        try:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            connection = _connected(draft)
            try:
                with _transaction(connection):
                    lease_tables.make(connection, header)
            finally:
                connection.close()
            os.link(draft, place)
            name_kept(place)
        except FileExistsError:
            raise LeaseError(f"Expected no file yet but got {shown(place)}, which is there") from None
        except (OSError, ValueError, sqlite3.Error) as error:
            raise OutputError(f"Expected a place for a new lease but got {shown(place)} ({_why(error)})") from None
        finally:
            with suppress(OSError, ValueError):
                draft.unlink()

    @classmethod
    def resume(cls, path: str | Path, mechanism: str) -> tuple["Lease", LeaseContents]:
        """The lease of a run that ended or has not begun, taken over, and what it holds.

        Raises: LeaseError: no lease, another version's, another mechanism's, one changed by hand, one that a live run
        holds, or a state that was resumed before. OutputError: the disk refuses.
        """
        place = Path(path)
        _private(place)
        with ExitStack() as resources:
            try:
                resources.callback(os.close, locked(place))
                connection = resources.enter_context(closing(_connected(place)))
                with _transaction(connection, "BEGIN EXCLUSIVE"):  # and locked until it is closed
                    header, events, bins = lease_tables.read_all(connection)
                    if header.mechanism != mechanism:
                        raise LeaseError(f"of {header.mechanism}, where {mechanism} was to go on")
                    after = lease_register.known(header)
                    header = replace(header, turn=secrets.token_hex(16), noted=after)
                    lease_tables.put_header(connection, header)
                lease_register.note(header, after)
            except LeaseError as error:
                raise LeaseError(f"Expected a lease to go on with but got {shown(place)}, {error}") from None
            except (OSError, sqlite3.Error) as error:
                raise _refusal(place, error) from None
            saved = _saved(header, events, bins)
            return cls(place, resources.pop_all(), connection, header), saved

    def commit(self, state: Any, events: Sequence[str], bins: Sequence[tuple[int, int, int]]) -> None:
        """Makes rounds durable; only then may their bins be handed out.

        Args:
            state: The mechanism's state after them.
            events: Their events, as JSON, in order.
            bins: Number, round and length of every bin that leaves in them; bins take the oldest events.
        Raises: OutputError: the disk refuses; nothing of these rounds may be shown. LeaseError: a copy of this lease
        was resumed while this run was on. After either the lease has to be closed.
        """
        before = self._header
        header = replace(
            before,
            state=state_text(state),
            rounds=before.rounds + len(events),
            bins=before.bins + len(bins),
        )
        with self._written(header):
            lease_tables.add_events(self._connection, header.name, before.rounds + 1, events)
            lease_tables.add_bins(self._connection, header.name, bins)
        if bins:
            try:
                lease_register.note(header, header.turn)
            except LeaseError as error:
                raise LeaseError(f"Expected a lease of one run but got {shown(self._path)}, {error}") from None

    def acknowledge(self, number: int) -> None:
        """Forgets the bins up to `number`, and their events: whoever took them will not ask again."""
        before = self._header
        if number > before.bins:
            raise expected(f"the number of a bin that left, at most {before.bins}", number=number)
        if number <= before.acknowledged:
            return
        of_these = "SELECT sum(length) FROM bins WHERE number <= ?"
        try:
            (events,) = self._connection.execute(of_these, (number,)).fetchone()
        except sqlite3.Error as error:
            raise _refusal(self._path, error) from None
        header = replace(before, acknowledged=number, forgotten=before.forgotten + events)
        with self._written(header):
            self._connection.execute("DELETE FROM bins WHERE number <= ?", (number,))
            self._connection.execute("DELETE FROM events WHERE number <= ?", (header.forgotten,))

    def close(self) -> None:
        """Ends the run; its state may be resumed, once."""
        self._held.close()

    @contextmanager
    def _written(self, header: Header) -> Iterator[None]:
        """A transaction that ends with this header."""
        if os.getpid() != self._process:
            raise LeaseError(f"Expected the process that opened the lease but got one forked from it, {os.getpid()}")
        try:
            with _transaction(self._connection):
                yield
                lease_tables.put_header(self._connection, header)
        except sqlite3.Error as error:
            raise _refusal(self._path, error) from None
        self._header = header


def _saved(header: Header, texts: list[str], bins: list[tuple[int, int, int]]) -> LeaseContents:
    events = tuple(map(json.loads, texts))
    pending, at = [], 0
    for number, left, length in bins:
        pending.append((number, left, header.forgotten + at + 1, events[at : at + length]))
        at += length
    return LeaseContents(state_of(header.state), header.rounds, header.bins, events[at:], tuple(pending))


def _connected(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there; what is deleted is overwritten, and locks stay until it is closed."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0, isolation_level=None, check_same_thread=False
    )
    try:
        _set(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _set(connection: sqlite3.Connection) -> None:
    for setting in ("locking_mode = EXCLUSIVE", "journal_mode = DELETE", "synchronous = EXTRA", "secure_delete = ON"):
        connection.execute(f"PRAGMA {setting}")


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """All of it or nothing."""
    try:
        connection.execute(begin)
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # where the disk refuses this too, the next to open the file undoes it
            connection.execute("ROLLBACK")
        raise


def _private(path: Path) -> None:
    """Refuses what is no file, or a file that others than its owner can read."""
    if not os.path.isfile(path):
        raise LeaseError(f"Expected a lease but got {shown(path)}, which is no file")
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        raise LeaseError(f"Expected a lease for its owner's eyes alone but got {shown(path)}, mode={mode:03o}")
    if path.stat().st_nlink > 1:  # whoever made it died before the name it was made under was gone
        for draft in path.parent.glob(f"{_DRAFT}*"):
            if draft.samefile(path):
                draft.unlink()


def _refusal(path: Path, error: sqlite3.Error | OSError) -> LeaseError | OutputError:
    """What an error means for a lease."""
    if isinstance(error, BlockingIOError) or "locked" in str(error):
        return LeaseError(f"Expected a lease that no run holds but got {shown(path)}, which is in use")
    if "not a database" in str(error) or "malformed" in str(error):
        return LeaseError(f"Expected a lease to go on with but got {shown(path)} ({error})")
    return OutputError(f"Expected a disk that takes the lease but got {shown(path)} ({_why(error)})")


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
