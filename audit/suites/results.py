"""Results of cases that need not be found again: a file of SQLite in the folder of `--cache`, a row for each.

A row is known by the mechanism's code and the values that it reaches, by everything that the case asks, and by dpcert
itself (`records/unchanged`); it is taken up where every law in scope, asked for anew, is what it was. What cannot be
known like that is found each time. A file that is no such file, or is damaged, has no rows.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from typing import Any

from dpcert.audit.budget import Budget
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.targets import Target
from dpcert.audit.outside.watching import files_read
from dpcert.audit.records.assembled import Examination
from dpcert.audit.records.reached import reached
from dpcert.audit.records.unchanged import PART_OF_AUDIT, laws_now, name_of_audit, reliable, stands_as_before
from dpcert.audit.relations.adjacency import ADJACENCIES
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.outcome import CaseOutcome

RESULTS = "results.sqlite"
"""The file in the folder of a cache."""
RESULTS_OF_DPCERT = 0x64706333
"""What SQLite's `application_id` says in it."""
MOST_RESULTS = 10_000
"""Results in one file past which the oldest go."""
PATIENCE_FOR_OTHERS = 30
"""Seconds that a process waits for others to have written theirs; a result that is late is not kept."""
APART = frozenset({"name", "status", "context", "max_seconds", "checkpoint", "cache", "folder", "command", "sampling"})
"""What of a case its result does not depend on: an audit that came to its end would have done so in more time too."""
_TOLD = ("document", "status", "certificate", "uncertified")


@frozen
class KnownCase:
    """A case whose result may be kept.

    Attributes:
        case: What is asked.
        target: What is audited.
        name: What its result is known by.
        files: How many files code of users had read when it was named.
    """

    case: Case
    target: Target
    name: str
    files: int

    def outcome(self) -> CaseOutcome | None:
        """The result from before, without its context, where nothing that it depends on has changed; else None."""
        row = _read(self._file, self.name)
        if row is None:
            return None
        laws, said = row
        arguments = self.target.parameters or {}
        if not stands_as_before(self.target.mechanism, arguments, said["document"]) or self._laws(Budget()) != laws:
            return None
        return CaseOutcome(self.case, **{key: said[key] for key in _TOLD}, kept=True)

    def keep(self, examination: Examination, certificate: str, uncertified: str, nanoseconds: int) -> None:
        """Keeps what was just found, where it is to be relied on and its laws are asked for in half of the time.

        Where more time could have found more, it is not: time is bounded, and half of it was needed. Nor is it where
        the mechanism read a file, which may be another one by the next run.
        """
        laws, bound = None, self.case.max_seconds
        alone = reliable(examination) and files_read() == self.files
        if alone and (bound is None or 2 * nanoseconds <= bound * 10**9):
            laws = self._laws(Budget(allowed=nanoseconds // PART_OF_AUDIT))
        if laws is not None:
            record = examination.record
            said = dict(zip(_TOLD, (record.document, record.exit_status, certificate, uncertified), strict=True))
            with suppress(TypeError, ValueError):  # a number of very many digits has no text there
                _write(self._file, self.name, laws, json.dumps(said))

    @property
    def _file(self) -> str:
        return os.path.join(self.case.cache, RESULTS)

    def _laws(self, budget: Budget) -> str | None:
        case = self.case
        scope = {
            "horizon": case.horizon,
            "hops": case.hops,
            "challenge_round": case.challenge_round,
            "exp_epsilons": case.exp_epsilons,
            "epsilons": case.epsilons,
            "deltas": case.deltas,
        }
        return laws_now(self.target.mechanism, case.adjacency, scope, budget)


def known_case(case: Case, target: Target) -> KnownCase | None:
    """A case with what its result is known by; None where there is nothing to keep it, or nothing that it is known by.

    So it is over every horizon, in the neighbour-preserving game, with a relation of one's own, and for code that leads
    to what cannot be looked into. Nothing of the mechanism is called.
    """
    plain = (
        bool(case.cache)
        and case.game == "paired"
        and not case.command
        and case.tier != "sampled"
        and (case.adjacency is None or case.adjacency in ADJACENCIES)
        and (case.horizon is None or type(case.horizon) is int)
    )
    code = reached(target.mechanism) if plain else None
    if code is None:
        return None
    asked = {one.name: getattr(case, one.name) for one in fields(Case) if one.name not in APART}
    name = name_of_audit(code, {**asked, "parameters": dict(case.parameters), "target of": target.name})
    return None if name is None else KnownCase(case, target, name, files_read())


def _seal(name: str, laws: str, said: str) -> str:
    return hashlib.sha256(f"{name}\n{laws}\n{said}".encode(errors="surrogatepass")).hexdigest()


def _read(file: str, name: str) -> tuple[str, Mapping[str, Any]] | None:
    """The digest of the laws and what was said under a name; None where nothing whole is."""
    if not os.path.exists(file):
        return None
    with suppress(sqlite3.Error, ValueError), _opened(file) as connection:
        row = connection.execute("SELECT laws, said, seal FROM results WHERE name = ?", (name,)).fetchone()
        if row is not None and row[2] == _seal(name, row[0], row[1]):
            said = json.loads(row[1])
            return (row[0], said) if isinstance(said, dict) and said.keys() >= set(_TOLD) else None
    return None


def _write(file: str, name: str, laws: str, said: str) -> None:
    """Puts a row there, whole or not at all; or none, where the file cannot be written or is something else."""
    with suppress(sqlite3.Error), _opened(file) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        known = connection.execute("PRAGMA application_id").fetchone()[0]
        if known != RESULTS_OF_DPCERT and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return
        connection.execute(f"PRAGMA application_id = {RESULTS_OF_DPCERT}")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS results (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, "
            "laws TEXT, said TEXT, seal TEXT)"
        )
        row = name, laws, said, _seal(name, laws, said)
        connection.execute("INSERT OR REPLACE INTO results (name, laws, said, seal) VALUES (?, ?, ?, ?)", row)
        connection.execute("DELETE FROM results WHERE number <= (SELECT max(number) FROM results) - ?", (MOST_RESULTS,))


@contextmanager
def _opened(file: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, timeout=PATIENCE_FOR_OTHERS, isolation_level=None)) as connection:
        yield connection
