"""Which turn of each lease this machine knows last: by it, a second resumption of the same state is refused.

The register lies in the user's state folder. It holds, for every lease, two random numbers and how many bins left:
no event, and nothing of the noise.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from platformdirs import user_state_path

from dpcert.audit.errors import OutputError
from dpcert.mechanisms.live.durable import name_kept
from dpcert.mechanisms.live.lease_tables import Header, LeaseError, shown

_TABLE = "CREATE TABLE IF NOT EXISTS turns (name TEXT PRIMARY KEY, turn TEXT NOT NULL, bins INTEGER NOT NULL)"
_NOTE = (
    "INSERT INTO turns VALUES (?, ?, ?) "
    "ON CONFLICT (name) DO UPDATE SET turn = excluded.turn, bins = max(bins, excluded.bins)"
)
SECOND = "whose state was resumed before, here or in a copy: two continuations would noise the same sums twice"


def known(header: Header) -> str:
    """The turn that the next one follows. Raises: LeaseError: this state, or a later one, was resumed before."""
    with _register() as connection:
        return _follows(connection, header)


def note(header: Header, after: str) -> None:
    """Notes a turn and its bins, durably, before anything of them is handed out.

    Args:
        header: The turn, and how many bins left.
        after: The turn that it follows, as `known` gave it, or the same turn.
    Raises: LeaseError: another turn was noted since. OutputError: the register cannot be written.
    """
    with _register() as connection:
        connection.execute("BEGIN IMMEDIATE")
        found = connection.execute("SELECT turn FROM turns WHERE name = ?", (header.name,)).fetchone()
        if found is not None and found[0] not in (after, header.turn):
            raise LeaseError(SECOND)
        connection.execute(_NOTE, (header.name, header.turn, header.bins))
        connection.execute("COMMIT")


def _follows(connection: sqlite3.Connection, header: Header) -> str:
    found = connection.execute("SELECT turn, bins FROM turns WHERE name = ?", (header.name,)).fetchone()
    if found is None:
        return header.turn
    turn, bins = found
    if turn not in (header.turn, header.noted) or header.bins < bins:
        raise LeaseError(SECOND)
    return str(turn)


def folder() -> Path:
    """Where the register lies: in the state folder that the system has for a user, $XDG_STATE_HOME/dpcert on Linux."""
    return user_state_path("dpcert", appauthor=False)


@contextmanager
def _register() -> Iterator[sqlite3.Connection]:
    try:
        place = folder()
        if not place.is_dir():
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            name_kept(place)
        with closing(sqlite3.connect(place / "leases.sqlite", timeout=60, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute(_TABLE)
            yield connection
    except (OSError, RuntimeError, sqlite3.Error) as error:
        raise OutputError(
            f"Expected a register of leases that can be read and written but got {_where()} ({error})"
        ) from None


def _where() -> str:
    try:
        return shown(folder())
    except RuntimeError:
        return "no home folder"
