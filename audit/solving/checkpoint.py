"""What was found so far, in a file of SQLite: a killed audit goes on from there.

A file is of one key, a digest of all that its entries depend on. It is written whole or not at all, whenever the
process is killed; whoever writes another file under the same seals is believed.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.outside.engine import engine

APPLICATION = 0x64706332
"""What SQLite's `application_id` says in a checkpoint."""
A_CHECKPOINT = "a checkpoint of dpcert, or a new file"


@frozen
class Checkpoint:
    """A file of one game and question.

    Attributes:
        path: The file; it is made where there is none. Of a folder, the file in it that the key names.
        key: What it is of: a digest of the game's laws, of what is asked, and of dpcert.
    """

    path: str
    key: str

    @property
    def file(self) -> str:
        """The file itself: in a folder there is one for every game and question, and none is ever that of another."""
        return os.path.join(self.path, f"{self.key}.sqlite") if os.path.isdir(self.path) else self.path

    def load(self) -> dict[str, str]:
        """What was saved, by name; nothing where nothing was.

        Raises: ArgumentError: no checkpoint, a damaged one, or one of another game, question or dpcert.
        """
        with self._opened(A_CHECKPOINT) as connection:
            known = connection.execute("PRAGMA application_id").fetchone()[0]
            if not known and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return {}
            if known != APPLICATION:
                raise expected(A_CHECKPOINT, checkpoint=self.file)
            self._is_of_the_same(connection)
            rows = connection.execute("SELECT name, said, seal FROM entries ORDER BY name").fetchall()
        if not all(isinstance(text, str) for row in rows for text in row) or any(
            seal != _seal(self.key, name, said) for name, said, seal in rows
        ):
            raise expected("a checkpoint that nobody has changed", checkpoint=self.file)
        return {name: said for name, said, _ in rows}

    def save(self, entries: Mapping[str, str]) -> None:
        """Puts entries beside those of other names and in place of those of the same, whole or not at all.

        Raises: ArgumentError: the file cannot be written, or it is of another key by now.
        """
        with self._opened("a file that can be written") as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute("CREATE TABLE IF NOT EXISTS of (key TEXT PRIMARY KEY)")
            connection.execute("INSERT INTO of SELECT ? WHERE NOT EXISTS (SELECT * FROM of)", (self.key,))
            self._is_of_the_same(connection)
            connection.execute("CREATE TABLE IF NOT EXISTS entries (name TEXT PRIMARY KEY, said TEXT, seal TEXT)")
            rows = [(name, said, _seal(self.key, name, said)) for name, said in entries.items()]
            connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)

    def _is_of_the_same(self, connection: sqlite3.Connection) -> None:
        if connection.execute("SELECT key FROM of").fetchall() != [(self.key,)]:
            raise expected("a checkpoint of the same laws, scope, options and dpcert", checkpoint=self.file)

    @contextmanager
    def _opened(self, expectation: str) -> Iterator[sqlite3.Connection]:
        """The file, closed after. Raises: ArgumentError: it is not what is wanted."""
        connection = None
        try:
            connection = sqlite3.connect(self.file)
            yield connection
        except sqlite3.Error as error:
            raise expected(expectation, checkpoint=self.file, got=str(error)) from None
        finally:
            if connection is not None:
                connection.close()


def _seal(key: str, name: str, said: str) -> str:
    return hashlib.sha256(f"{key}\n{name}\n{said}".encode()).hexdigest()


def key_of(parts: Iterable[object]) -> str:
    """A digest of what a checkpoint is of: what is given, and the files of dpcert, with all that it computes by."""
    digest = hashlib.sha256(engine().encode() + b"\0")
    for part in parts:
        digest.update((part if isinstance(part, str) else repr(part)).encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()
