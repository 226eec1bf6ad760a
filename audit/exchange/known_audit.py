"""One audit of a test, as far as it is known from before: whether it may be kept, and under what it is found again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit.budget import Budget
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.exchange import kept
from dpcert.audit.exchange.kept import KeptAudits, KeptRecord
from dpcert.audit.finding import Verdict
from dpcert.audit.identity import held
from dpcert.audit.kernels.label import exactly
from dpcert.audit.outside.watching import files_read
from dpcert.audit.records.assembled import Examination
from dpcert.audit.records.reached import reached
from dpcert.audit.records.record import Record
from dpcert.audit.records.unchanged import PART_OF_AUDIT, laws_now, name_of_audit, reliable, stands_as_before
from dpcert.audit.relations.adjacency import ADJACENCIES
from dpcert.audit.verdicts.requirements import Judgement, Requirements

SCOPE = ("horizon", "hops", "challenge_round", "exp_epsilons", "epsilons", "deltas")
"""Options that are about the question."""
OPTIONS = {*SCOPE, "game", "adjacency", "target", "parameters"}
"""Options with which an audit may be kept: an audit depends on nothing else."""


@dataclass
class KnownAudit:
    """An audit that may be kept.

    Args:
        mechanism: What is audited.
        options: All arguments of the audit, with those that were not given as they are by default.
        audits: Where it is kept.
        name: What it is known by there.
        kept: What is kept of it; None as long as nothing is.
        files: How many files code of users had read when it was named.
    """

    mechanism: object
    options: Mapping[str, Any]
    audits: KeptAudits
    name: str
    kept: KeptRecord | None = None
    files: int = field(default_factory=files_read)

    def record(self) -> Record | None:
        """The record from before, where nothing that it depends on has changed; else None."""
        candidate = self.audits.find(self.name)
        record = None if candidate is None else candidate.record
        if candidate is None or record is None or not self._is_of_now(candidate.laws, record):
            return None
        self.kept = candidate
        self.audits.taken += 1
        return record

    def keep(self, examination: Examination, nanoseconds: int) -> None:
        """Keeps an audit that was just made, where it is one to rely on and it pays."""
        if nanoseconds < kept.LEAST_KEPT * 10**6 or not reliable(examination) or files_read() != self.files:
            return
        laws = self._laws(Budget(allowed=nanoseconds // PART_OF_AUDIT))
        if laws is not None:
            self.kept = KeptRecord(laws, examination.record.to_json())
            self.audits.keep(self.name, self.kept, nanoseconds // 10**6)

    def compare(self, examination: Examination) -> None:
        """Holds an audit that was made only now, for what is asked of it, against what was taken up before.

        Raises: ArgumentError: the mechanism, or a value that its code reads, has changed in between.
        """
        if self.kept is None or _answers(self.kept.record) == _answers(examination.record):
            return
        self.audits.forget(self.name)
        self.kept = None
        target = examination.record.document["target"]
        raise ArgumentError(
            f"Expected {one_line(str(target))} as it was when it was audited, but it has changed since: ask what has "
            "to hold before it is changed; the audit is made anew in the next run"
        )

    def held(self, asked: Requirements) -> Mapping[str, Any] | None:
        """The finding of a requirement that is known to hold."""
        return None if self.kept is None else self.kept.held.get(_key(asked))

    def hold(self, asked: Requirements, found: Judgement) -> None:
        """Keeps a requirement that was just seen to hold."""
        if self.kept is not None and found.finding.verdict is Verdict.HOLDS:
            self.kept = self.kept.holding(_key(asked), found.document())
            self.audits.hold(self.name, self.kept)

    def _is_of_now(self, laws: str, record: Record) -> bool:
        given = self.options.get("parameters") or {}
        return stands_as_before(self.mechanism, given, record.document) and self._laws(Budget()) == laws

    def _laws(self, budget: Budget) -> str | None:
        scope = {key: self.options[key] for key in SCOPE}
        return laws_now(self.mechanism, self.options.get("adjacency"), scope, budget)


def known_audit(
    mechanism: object, options: Mapping[str, Any], bounds: Mapping[str, Any], audits: KeptAudits
) -> KnownAudit | None:
    """An audit that may be kept, and what it is known by; None for any other. Nothing of the mechanism is called.

    Not kept are audits with a bound on their time, over every horizon, of the neighbour-preserving game, on a relation
    of one's own; and those of code that leads to what cannot be looked into.
    """
    horizon, adjacency = options.get("horizon"), options.get("adjacency")
    plain = (
        set(options) <= OPTIONS
        and bounds.get("max_seconds") is None
        and options.get("game", "paired") == "paired"
        and (adjacency is None or (type(adjacency) is str and adjacency in ADJACENCIES))
        and (horizon is None or type(horizon) is int)
        and all(type(options[key]) in (tuple, list) for key in ("exp_epsilons", "epsilons", "deltas"))
    )
    code = reached(mechanism) if plain else None
    name = None if code is None else name_of_audit(code, {**options, **bounds})
    return None if name is None else KnownAudit(mechanism, options, audits, name)


def _answers(record: Record) -> str:
    """A record without when and where it was made, and what the mechanism tells of itself besides."""
    beside: dict[str, Any] = {"provenance": {}, "location": {}, "sections": []}
    return Record({**record.document, **beside}).to_json()


def _key(asked: Requirements) -> str:
    return exactly(held(asked, copying=True))
