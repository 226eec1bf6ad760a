"""What was found so far, in a file of SQLite: a killed audit goes on from its last grid."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.enclosed.refining import Closing, Side
from dpcert.audit.errors import expected

APPLICATION = 0x64706332
"""What SQLite's `application_id` says in a checkpoint."""


@dataclass(frozen=True)
class Checkpoint:
    """A file of one game and question.

    Attributes:
        path: The file; it is made where there is none.
        key: What it is of: a digest of the game's laws and of what is asked.
    """

    path: str
    key: str

    def load(self) -> dict[str, Any] | None:
        """What was saved last; None where nothing was.

        Raises: ArgumentError: no checkpoint, a damaged one, or one of another game or question.
        """
        try:
            with sqlite3.connect(self.path) as connection:
                known = connection.execute("PRAGMA application_id").fetchone()[0]
                if not known and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    return None
                if known != APPLICATION:
                    raise expected("a checkpoint of dpcert, or a new file", checkpoint=self.path)
                row = connection.execute("SELECT key, said, seal FROM bounds").fetchone()
        except sqlite3.Error as error:
            raise expected("a checkpoint of dpcert, or a new file", checkpoint=self.path, got=str(error)) from None
        finally:
            if "connection" in locals():
                connection.close()
        if row is None:
            return None
        key, said, seal = row
        if key != self.key:
            raise expected("a checkpoint of the same laws, scope and gap", checkpoint=self.path)
        if seal != _seal(key, said):
            raise expected("a checkpoint that nobody has changed", checkpoint=self.path)
        document: dict[str, Any] = json.loads(said)
        return document

    def save(self, document: dict[str, Any]) -> None:
        """Puts a document in place of the last one, whole or not at all."""
        said = json.dumps(document)
        connection = sqlite3.connect(self.path)
        try:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute("CREATE TABLE IF NOT EXISTS bounds (key TEXT, said TEXT, seal TEXT)")
                connection.execute("DELETE FROM bounds")
                connection.execute("INSERT INTO bounds VALUES (?, ?, ?)", (self.key, said, _seal(self.key, said)))
        except sqlite3.Error as error:
            raise expected("a file that can be written", checkpoint=self.path, got=str(error)) from None
        finally:
            connection.close()


def _seal(key: str, said: str) -> str:
    return hashlib.sha256(f"{key}\n{said}".encode()).hexdigest()


def key_of(parts: Iterable[object]) -> str:
    """A digest of what a checkpoint is of."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode() + b"\0")
    return digest.hexdigest()


def said_of(steps: int, closing: Sequence[Closing]) -> dict[str, Any]:
    """All parts as JSON values."""
    return {
        "steps": steps,
        "parts": [
            {
                "slopes": [text(s) for s in one.bounding.slopes],
                "lines": [[text(s), text(v)] for s, v in one.lines],
                "points": sorted([text(x), text(y)] for x, y in one.points),
                "upper": _side(one.upper),
                "lower": _side(one.lower),
            }
            for one in closing
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    steps = [step.hex() for step in side.steps]
    return {"steps": steps, "values": [[text(v) for v in row] for row in side.values], "done": side.done}


def restore(document: dict[str, Any], closing: Sequence[Closing]) -> int:
    """Puts what was saved into the parts of the same game; the number of grids."""
    for one, said in zip(closing, document["parts"], strict=True):
        one.bounding.slopes = tuple(_rational(s) for s in said["slopes"])
        one.lines = [(_rational(s), _rational(v)) for s, v in said["lines"]]
        one.points = {(_rational(x), _rational(y)) for x, y in said["points"]}
        one.upper, one.lower = _restored(said["upper"]), _restored(said["lower"])
    return int(document["steps"])


def _restored(said: dict[str, Any]) -> Side:
    steps = [float.fromhex(step) for step in said["steps"]]
    return Side(steps, [tuple(_rational(v) for v in row) for row in said["values"]], said["done"])


def _rational(said: str) -> Fraction:
    return parse(said, "checkpoint")
