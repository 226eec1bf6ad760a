"""A lease: the state of one live run on disk, written before anything is handed out, resumed once."""

import ast
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from dpcert.audit.errors import DpcertError, OutputError, one_line

T = TypeVar("T")
FORMAT = "dpcert.lease/1"
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE waiting (number INTEGER PRIMARY KEY, event TEXT NOT NULL, seal TEXT NOT NULL);
CREATE TABLE handed (number INTEGER PRIMARY KEY, bin TEXT NOT NULL);
"""


class LeaseError(DpcertError):
    """A lease that cannot be resumed: in use, used before, of another run or version, or changed by hand."""


@dataclass(frozen=True)
class Saved:
    """What a lease holds: the mechanism's state, the events waiting, and the bins nobody has acknowledged.

    Attributes:
        rounds: Events taken so far.
        bins: Bins emitted so far.
        state: The kernel's state.
        waiting: Events that no bin has taken yet, oldest first.
        handed: By number, how each bin was described that was handed out and not yet acknowledged.
    """

    rounds: int
    bins: int
    state: Any
    waiting: tuple[Any, ...]
    handed: dict[int, Any]


class Lease:
    """One file that one run owns. Use `create` or `resume`, then `commit` every round before its bin is shown.

    The file holds events and the hidden state in the clear: whoever reads it learns the inputs and can take the noise
    off what was released. It is readable by its owner alone, and is as secret as the inputs.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, epoch: int, seal: str) -> None:
        self._path, self._connection, self._epoch, self._seal = path, connection, epoch, seal

    @classmethod
    def create(cls, path: str | Path, mechanism: str, state: Any) -> "Lease":
        """A new lease for a run that has not begun. Raises: LeaseError: the file is there already."""
        place = Path(path)
        try:
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            raise LeaseError(f"Expected no file yet but got path={one_line(str(place))}, which is there") from None
        except OSError as error:
            raise OutputError(
                f"Expected a writable file but got path={one_line(str(place))} ({error.strerror})"
            ) from None
        name = hashlib.sha256(os.urandom(32)).hexdigest()
        connection = _connected(place)

        def write() -> None:
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(_TABLES)
            connection.execute("BEGIN IMMEDIATE")
            meta = {
                "format": FORMAT,
                "name": name,
                "mechanism": mechanism,
                "epoch": "0",
                "rounds": "0",
                "bins": "0",
                "start": name,
            }
            connection.executemany("INSERT INTO meta VALUES (?, ?)", [*meta.items(), ("state", written(state))])
            _sealed(connection)
            connection.execute("COMMIT")

        _durable(place, write)
        lease = cls(place, connection, 0, name)
        lease._take(name)
        return lease

    @classmethod
    def resume(cls, path: str | Path, mechanism: str) -> tuple["Lease", Saved]:
        """The lease of a run that ended, taken over, and what it holds.

        Raises: LeaseError: no lease, another version's, another mechanism's, one changed by hand, one that a live run
        holds, or a copy of a state that was resumed before.
        """
        place = Path(path)
        if not place.is_file():
            raise LeaseError(f"Expected a lease but got path={one_line(str(place))}, which is no file")
        connection = _connected(place)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            meta = dict(connection.execute("SELECT name, value FROM meta"))
            _checked(place, connection, meta, mechanism)
            events = connection.execute("SELECT number, event, seal FROM waiting ORDER BY number").fetchall()
            handed = dict(connection.execute("SELECT number, bin FROM handed ORDER BY number"))
        except sqlite3.OperationalError as error:
            connection.close()
            raise LeaseError(_in_use(place) if "locked" in str(error) else _no_lease(place)) from None
        except sqlite3.DatabaseError:
            connection.close()
            raise LeaseError(_no_lease(place)) from None
        lease = cls(place, connection, int(meta["epoch"]), events[-1][2] if events else meta["start"])
        lease._take(meta["name"])
        waiting = tuple(json.loads(event) for _, event, _ in events)
        bins = {number: json.loads(described) for number, described in handed.items()}
        return lease, Saved(int(meta["rounds"]), int(meta["bins"]), read(meta["state"]), waiting, bins)

    def _take(self, name: str) -> None:
        """Marks the state as resumed, in the file and beside it, before anything is drawn from it."""
        used = _register(name)
        if used is not None and used > self._epoch:
            self._connection.close()
            raise LeaseError(
                f"Expected a state that was not resumed before but got path={one_line(str(self._path))}: "
                "two continuations would noise the same sums twice"
            )
        self._epoch += 1
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")

        def write() -> None:
            self._connection.execute("BEGIN EXCLUSIVE")
            self._set("epoch", self._epoch)
            _sealed(self._connection)
            self._connection.execute("COMMIT")

        _durable(self._path, write)
        _register(name, self._epoch)

    def commit(self, state: Any, rounds: int, appended: Iterable[Any], bins: Iterable[tuple[int, int, Any]]) -> None:
        """Makes one or more rounds durable; only then may their bins be handed out.

        Args:
            state: The kernel's state after them.
            rounds: Events taken so far, those included.
            appended: The events of these rounds.
            bins: (number, length, description) of every bin that they emit; it takes the oldest waiting events.
        Raises: OutputError: the disk refuses; nothing of these rounds is kept, and nothing of them may be shown.
        """

        def write() -> None:
            self._connection.execute("BEGIN")
            seal, first = self._seal, None
            new = list(appended)
            rows = []
            for number, event in enumerate(new, rounds - len(new) + 1):
                text = json.dumps(event, separators=(",", ":"))
                seal = _seal(seal, number, text)
                rows.append((number, text, seal))
            self._connection.executemany("INSERT INTO waiting VALUES (?, ?, ?)", rows)
            for number, length, description in bins:
                described = json.dumps(description, separators=(",", ":"))
                self._connection.execute("INSERT INTO handed VALUES (?, ?)", (number, described))
                first = self._drop(length)
                self._set("bins", number)
            if first is not None:
                self._set("start", first)
            self._set("state", written(state))
            self._set("rounds", rounds)
            _sealed(self._connection)
            self._connection.execute("COMMIT")
            self._seal = seal

        _durable(self._path, write, self._connection)

    def acknowledge(self, number: int) -> None:
        """Forgets the bins up to `number`: whoever took them will not ask again."""

        def write() -> None:
            self._connection.execute("BEGIN")
            self._connection.execute("DELETE FROM handed WHERE number <= ?", (number,))
            _sealed(self._connection)
            self._connection.execute("COMMIT")

        _durable(self._path, write, self._connection)

    def close(self) -> None:
        """Ends the run; its state may be resumed, once."""
        self._connection.close()

    def _drop(self, count: int) -> str:
        """Takes the oldest waiting events out; the seal of the last of them."""
        oldest = "SELECT number, seal FROM waiting ORDER BY number LIMIT ?"
        taken = self._connection.execute(oldest, (count,)).fetchall()
        if len(taken) != count:
            raise LeaseError(f"Expected {count} waiting events but got {len(taken)}")
        self._connection.execute("DELETE FROM waiting WHERE number <= ?", (taken[-1][0],))
        return str(taken[-1][1])

    def _set(self, name: str, value: Any) -> None:
        self._connection.execute("UPDATE meta SET value = ? WHERE name = ?", (str(value), name))


def written(state: Any) -> str:
    """A state of numbers, texts, tuples and None as text. Raises: LeaseError: a state of anything else."""
    text = repr(state)
    try:
        if ast.literal_eval(text) == state:
            return text
    except (ValueError, SyntaxError):
        pass
    raise LeaseError(f"Expected a state of numbers, texts, tuples and None but got {one_line(text)}")


def read(text: str) -> Any:
    """The state that `written` wrote."""
    return ast.literal_eval(text)


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=0, isolation_level=None)


def _durable(path: Path, write: Callable[[], None], connection: sqlite3.Connection | None = None) -> None:
    """Runs a transaction; what the disk refuses is undone and named."""
    try:
        write()
    except sqlite3.OperationalError as error:
        if connection is not None and connection.in_transaction:
            connection.execute("ROLLBACK")
        if "locked" in str(error):
            raise LeaseError(_in_use(path)) from None
        raise OutputError(
            f"Expected a disk that takes the lease but got path={one_line(str(path))} ({error})"
        ) from None


def _in_use(path: Path) -> str:
    return f"Expected a lease that no run holds but got path={one_line(str(path))}, which is in use"


def _no_lease(path: Path) -> str:
    return f"Expected a lease but got path={one_line(str(path))}, which holds something else"


def _checked(path: Path, connection: sqlite3.Connection, meta: dict[str, str], mechanism: str) -> None:
    """Refuses a lease of another version or mechanism, or one whose contents do not fit their seals."""
    where = f"path={one_line(str(path))}"
    if meta.get("format") != FORMAT:
        raise LeaseError(
            f"Expected a lease of format {FORMAT} but got {where} of {one_line(meta.get('format', 'none'))}"
        )
    seal = meta.get("start", "")
    for number, event, own in connection.execute("SELECT number, event, seal FROM waiting ORDER BY number"):
        seal = _seal(seal, number, event)
        if seal != own:
            raise LeaseError(f"Expected a lease as it was written but got {where}, changed at event {number}")
    if meta.get("seal") != _whole(connection):
        raise LeaseError(f"Expected a lease as it was written but got {where}, changed by hand")
    if meta["mechanism"] != mechanism:
        raise LeaseError(f"Expected a lease of {one_line(mechanism)} but got {where} of {one_line(meta['mechanism'])}")


def _seal(before: str, number: int, text: str) -> str:
    return hashlib.sha256(f"{before} {number} {text}".encode()).hexdigest()


def _sealed(connection: sqlite3.Connection) -> None:
    """Writes the seal of everything but the waiting events, which are sealed one by one."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('seal', ?)", (_whole(connection),))


def _whole(connection: sqlite3.Connection) -> str:
    meta = connection.execute("SELECT name, value FROM meta WHERE name != 'seal' ORDER BY name").fetchall()
    last = connection.execute("SELECT seal FROM waiting ORDER BY number DESC LIMIT 1").fetchone()
    handed = connection.execute("SELECT number, bin FROM handed ORDER BY number").fetchall()
    return hashlib.sha256(repr((meta, last, handed)).encode()).hexdigest()


def _register(name: str, epoch: int | None = None) -> int | None:
    """The epoch up to which this machine resumed a lease; with `epoch`, notes that it did so again."""
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "dpcert"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(sqlite3.connect(folder / "leases.sqlite", timeout=10, isolation_level=None)) as known:
            known.execute("PRAGMA synchronous = FULL")
            known.execute("CREATE TABLE IF NOT EXISTS used (name TEXT PRIMARY KEY, epoch INTEGER NOT NULL)")
            if epoch is not None:
                note = (
                    "INSERT INTO used VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET epoch = max(epoch, excluded.epoch)"
                )
                known.execute(note, (name, epoch))
            found = known.execute("SELECT epoch FROM used WHERE name = ?", (name,)).fetchone()
    except (OSError, sqlite3.Error) as error:
        raise OutputError(
            f"Expected a folder for states resumed before but got path={one_line(str(folder))} ({error})"
        ) from None
    return None if found is None else int(found[0])
