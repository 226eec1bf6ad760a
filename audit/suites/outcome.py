"""What became of a case: its record, or the line that says why there is none, held against what it has to come to."""

from collections.abc import Mapping
from typing import Any

from dpcert.audit.finding import BAD_INPUT, EXIT_STATUS, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.suites.case import Case, Status

PASSED = "passed"
FAILED = "failed"
OPEN = "undecided"
ERROR = "error"
NOT_RUN = "not run"


@frozen
class CaseOutcome:
    """One case, audited.

    Attributes:
        case: What was asked.
        document: Its record; None where there is none.
        error: Why there is none, in one line.
        status: The exit status that the audit alone would have ended with.
        run: Whether it was begun, and not interrupted before anything was decided.
        milliseconds: How long it took.
        certificate: Its certificate, where one was asked for.
        uncertified: Why there is none, where one was asked for, in one line.
        kept: Whether it is from a run before, and nothing was solved for it.
    """

    case: Case
    document: Mapping[str, Any] | None = None
    error: str = ""
    status: int = 0
    run: bool = True
    milliseconds: int = 0
    certificate: str = ""
    uncertified: str = ""
    kept: bool = False

    @property
    def seconds(self) -> str:
        """How long it took, in seconds with one decimal."""
        return f"{(self.milliseconds + 50) // 1_000}.{(self.milliseconds + 50) % 1_000 // 100}"

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of its record."""
        return None if self.document is None else Verdict(self.document["verdict"])

    @property
    def result(self) -> str:
        """PASSED, FAILED, OPEN (it came to no decision), ERROR or NOT_RUN."""
        if self.verdict is None:
            return ERROR if self.run else NOT_RUN
        if self.case.status.met(self.verdict):
            return PASSED
        return OPEN if self.verdict is Verdict.UNDECIDED else FAILED

    @property
    def exit_status(self) -> int:
        """0 as it should be, 1 otherwise decided, 2 not to be asked, 3 not decided."""
        if self.result == ERROR:
            return self.status or BAD_INPUT
        return {PASSED: 0, FAILED: 1, OPEN: 3, NOT_RUN: 3}[self.result]

    @property
    def expected(self) -> str:
        """The verdict that it has to come to, in words."""
        return "any verdict" if self.case.status is Status.ANY else self.case.status.value.upper()


def exit_status(statuses: list[int]) -> int:
    """That of all: refuted before bad input before undecided before holds."""
    return next((status for status in (1, BAD_INPUT, EXIT_STATUS[Verdict.UNDECIDED]) if status in statuses), 0)
