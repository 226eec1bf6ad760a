"""The audits of one run of tests: held against a baseline as they are made, and written together at its end."""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dpcert.audit.errors import ArgumentError
from dpcert.audit.exchange import index
from dpcert.audit.exchange.asserting import Auditor, NotShown, told
from dpcert.audit.exchange.checks import Check, CheckedCase, checked
from dpcert.audit.exchange.kept import KeptAudits
from dpcert.audit.exchange.place import place_of
from dpcert.audit.suites import baseline, journal
from dpcert.audit.suites.case import Suite
from dpcert.audit.suites.findings import DELTA, Key, findings, key
from dpcert.audit.suites.outcome import CaseOutcome

PAGE = "index.html"
RECORD = "audits.jsonl"
OF_ONE_TEST = (DELTA, "requirement")
"""Findings that one test asks for, and another one of the same mechanism need not."""


@dataclass
class AuditedRun:
    """What was audited so far.

    Args:
        report: The folder of the report; None for none.
        path: The baseline; None for none.
        update: Whether it is written at the end.
        lines: What it holds.
        outcomes: Every audit, with the checks that were made of it.
        said: What the end of the run says.
        audits: What was audited before, and need not be again.
    """

    report: str | None = None
    path: str | None = None
    update: bool = False
    lines: Mapping[Key, str] = field(default_factory=dict)
    outcomes: list[tuple[CaseOutcome, list[Check]]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    audits: KeptAudits = field(default_factory=KeptAudits)

    @classmethod
    def begun(cls, report: str | None, path: str | None, update: bool, folder: Path | None = None) -> "AuditedRun":
        """A run that nothing was audited in; `folder` is where audits are kept. Raises: ArgumentError: no baseline."""
        audits = KeptAudits(folder)
        if path is None:
            if update:
                raise ArgumentError("Expected --dpcert-baseline FILE with --dpcert-update-baseline but got none")
            return cls(report, audits=audits)
        return cls(report, path, update, baseline.load(path, "--dpcert-update-baseline", new=update), audits=audits)

    def auditor(self, test: str) -> Auditor:
        """What a test audits with."""
        return Auditor(
            test, lambda outcome, checks: self.outcomes.append((outcome, checks)), self._compare, self.audits
        )

    def _compare(self, outcome: CaseOutcome) -> None:
        """Raises: NotShown: a finding of the audit is worse than in the baseline."""
        __tracebackhide__ = True
        worse = list(baseline.worse(self._changes([outcome])))
        if worse:
            one = worse[0]
            failed = next(check for check in checked(outcome, worse).checks if check.rule == "BASELINE")
            more = f", and {len(worse) - 1} more" if len(worse) > 1 else ""
            expected = f"no worse {one.key.finding} than in {self.path}{more}"
            raise NotShown(told(outcome, replace(failed, name=expected)))

    def _changes(self, outcomes: Sequence[CaseOutcome]) -> list[baseline.Change]:
        if self.path is None:
            return []
        now = baseline.together(findings(one) for one in outcomes)
        cases = {key(one.case) for one in outcomes}
        there = cases | {replace(line, finding="") for line in self.lines}  # a run may be of some tests alone
        changed = baseline.changes(self.lines, now, cases, there)
        return [one for one in changed if one.after or not one.key.finding.startswith(OF_ONE_TEST)]

    def pack(self) -> bytes:
        """What another process takes up by `add`."""
        return pickle.dumps((self.outcomes, self.audits.taken))

    def add(self, packed: bytes) -> None:
        """Takes up what a worker of the same run found."""
        made, taken = pickle.loads(packed)
        self.outcomes += made
        self.audits.taken += taken

    def write(self) -> None:
        """The report and the baseline."""
        outcomes = [outcome for outcome, _ in self.outcomes]
        if self.report is not None:
            folder = Path(self.report)
            folder.mkdir(parents=True, exist_ok=True)
            cases = sorted(map(self._checked, range(len(self.outcomes))), key=lambda one: one.outcome.case.name)
            whole = Suite("pytest", tuple(one.outcome.case for one in cases))
            for name, text in index.pages(cases):
                (folder / name).write_text(text, encoding="utf-8")
            spent = sum(one.milliseconds for one in outcomes)
            page = index.index("dpcert: audits of a test run", cases, [], ".", spent)
            (folder / PAGE).write_text(page, encoding="utf-8")
            (folder / RECORD).write_text(journal.whole(whole, [one.outcome for one in cases]), encoding="utf-8")
            self.said.append(f"{len(cases)} audits: {self.report}/{PAGE}")
        changed = self._changes(outcomes)
        if self.path is not None and self.update:
            kept = baseline.updated(self.lines, changed, ())
            Path(self.path).write_text(baseline.written(kept), encoding="utf-8")
            self.said.append(f"{len(kept)} findings: {self.path}")

    def summary(self) -> list[str]:
        """What the end of the run says."""
        taken = self.audits.taken
        where = f"{taken} of {len(self.outcomes)} audits were taken from pytest's cache; --cache-clear makes them anew"
        return [*self.said, *([where] if taken else [])]

    def _checked(self, number: int) -> CheckedCase:
        outcome, checks = self.outcomes[number]
        return CheckedCase(outcome, place_of(outcome), tuple(checks) or checked(outcome).checks)
