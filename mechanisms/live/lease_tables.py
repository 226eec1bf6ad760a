"""What a lease file holds: events, bins and a header, a seal on every row, and the checks that notice an edit."""

import ast
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dpcert.audit.errors import DpcertError, expected, one_line

APPLICATION = 0x64706C31
"""What SQLite's `application_id` says in a lease."""
VERSION = 1
"""What SQLite's `user_version` says: the format, and what the numbers of a state mean."""
TABLES = (
    "CREATE TABLE header (fields TEXT NOT NULL, seal TEXT NOT NULL)",
    "CREATE TABLE events (number INTEGER PRIMARY KEY, event TEXT NOT NULL, seal TEXT NOT NULL)",
    "CREATE TABLE bins (number INTEGER PRIMARY KEY, round INTEGER NOT NULL, length INTEGER NOT NULL, "
    "seal TEXT NOT NULL)",
)
_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class LeaseError(DpcertError):
    """A lease that cannot be resumed: in use, used before, of another run or version, or changed by hand."""


@dataclass(frozen=True)
class Header:
    """The numbers of a run.

    Attributes:
        name: Told by chance when the lease was made; a copy has the same.
        mechanism: The mechanism with its parameters.
        turn: Told by chance whenever the lease is resumed.
        noted: The turn that this machine's register last said it knows.
        state: The mechanism's state, as text.
        rounds: Events taken so far.
        bins: Bins emitted so far.
        acknowledged: Bins that have arrived; they and their events are forgotten.
        forgotten: Events of those bins. The events behind them are those of the bins left, and then those that wait.
    """

    name: str
    mechanism: str
    turn: str
    noted: str
    state: str
    rounds: int = 0
    bins: int = 0
    acknowledged: int = 0
    forgotten: int = 0


def make(connection: sqlite3.Connection, header: Header) -> None:
    """Writes the tables of a run that has not begun; within a transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    for table in TABLES:
        connection.execute(table)
    fields = _JSON.encode(asdict(header))
    connection.execute("INSERT INTO header VALUES (?, ?)", (fields, _seal(fields)))


def put_header(connection: sqlite3.Connection, header: Header) -> None:
    """Replaces the header."""
    fields = _JSON.encode(asdict(header))
    connection.execute("UPDATE header SET fields = ?, seal = ?", (fields, _seal(fields)))


def add_events(connection: sqlite3.Connection, name: str, first: int, events: Iterable[str]) -> None:
    """Adds events, as texts, numbered from `first`."""
    rows = ((number, event, _seal(name, number, event)) for number, event in enumerate(events, first))
    connection.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)


def add_bins(connection: sqlite3.Connection, name: str, bins: Sequence[tuple[int, int, int]]) -> None:
    """Adds bins, as number, round and length."""
    rows = ((*row, _seal(name, *row)) for row in bins)
    connection.executemany("INSERT INTO bins VALUES (?, ?, ?, ?)", rows)


def read_all(connection: sqlite3.Connection) -> tuple[Header, list[str], list[tuple[int, int, int]]]:
    """Header, events (as texts) and bins (number, round, length).

    Raises: LeaseError: what is wrong with it, to be read after the path. sqlite3.Error: no SQLite file.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise LeaseError("which holds something else")
    if version != VERSION:
        raise LeaseError(f"of version {version}, where {VERSION} is read")
    if tuple(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master ORDER BY rowid")) != TABLES:
        raise LeaseError("whose tables were changed by hand")
    headers = connection.execute("SELECT fields, seal FROM header").fetchall()
    if len(headers) != 1 or headers[0][1] != _seal(headers[0][0]):
        raise LeaseError("whose header was changed by hand")
    header = Header(**json.loads(headers[0][0]))
    bins = connection.execute("SELECT number, round, length, seal FROM bins ORDER BY number").fetchall()
    _check("bins", header, header.acknowledged, header.bins, bins)
    events = connection.execute("SELECT number, event, seal FROM events ORDER BY number").fetchall()
    _check("events", header, header.forgotten, header.rounds, events)
    return header, [event for _, event, _ in events], [(number, at, length) for number, at, length, _ in bins]


def _check(table: str, header: Header, before: int, last: int, rows: list[tuple[Any, ...]]) -> None:
    """All numbers are there, and every row fits its seal."""
    if [number for number, *_ in rows] != list(range(before + 1, last + 1)):
        raise LeaseError(f"whose {table} were changed by hand: one is missing, or there is one too many")
    for *row, seal in rows:
        if seal != _seal(header.name, *row):
            raise LeaseError(f"whose {table} were changed by hand, number {row[0]}")


def _seal(*parts: object) -> str:
    """A digest that an edit by hand does not fit. It has no key: whoever means to can write another."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def state_text(state: object) -> str:
    """A state of numbers, texts, tuples and None as text. Raises: LeaseError: a state of anything else."""
    try:
        text = repr(state)
        if ast.literal_eval(text) == state:
            return text
    except (ValueError, SyntaxError):
        pass
    raise LeaseError(f"Expected a state of numbers, texts, tuples and None but got a {type(state).__name__} with more")


def state_of(text: str) -> Any:
    """The state that `state_text` wrote."""
    return ast.literal_eval(text)


def event_text(event: object) -> tuple[str, Any]:
    """An event as JSON, and the event that is read back, which later changes of the first one do not reach.

    Raises: ArgumentError: it is no JSON value, or comes back as another one: a tuple would, and a key that is no text.
    """
    try:
        text = _JSON.encode(event)
        kept = json.loads(text)
        if kept == event:
            return text, kept
    except (TypeError, ValueError, RecursionError):
        pass
    raise expected("an event that JSON gives back as it was", event=event)


def shown(path: object) -> str:
    """A path for an error."""
    return f"path={one_line(str(path))}"
