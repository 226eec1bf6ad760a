"""What outcomes come to, check by check: one a condition, a requirement, a changed line of a baseline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from dpcert.audit.algebra.rational import parse
from dpcert.audit.errors import one_line
from dpcert.audit.exchange.place import SourcePlace, place_of
from dpcert.audit.finding import Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.records.command_case import is_command_case
from dpcert.audit.render.tree import chosen
from dpcert.audit.suites.case import Status
from dpcert.audit.suites.findings import key
from dpcert.audit.suites.outcome import NOT_RUN, PASSED, CaseOutcome

if TYPE_CHECKING:
    from dpcert.audit.suites.baseline import Change

NO_GAP = "NO_GAP"
REQUIREMENT = "REQUIREMENT"
EXPECTED = "EXPECTED_VERDICT"
BASELINE = "BASELINE"
AUDIT = "AUDIT"
MOST_MOVES = 3
"""Moves of an adversary that a message shows."""


class Result(StrEnum):
    """What a check comes to; ASIDE is what does not hold and was not asked for."""

    PASSED = "passed"
    FAILED = "failed"
    OPEN = "undecided"
    ERROR = "error"
    ASIDE = "aside"


@frozen
class Check:
    """One check of one case.

    Attributes:
        rule: What kind of check: an item of Checklist 1, or one of the names above.
        name: What is checked, in words.
        result: What it comes to.
        detail: Why, in one line.
        witness: What shows it, in a few lines.
    """

    rule: str
    name: str
    result: Result
    detail: str
    witness: tuple[str, ...] = ()

    @property
    def bad(self) -> bool:
        """Whether it is not as it should be: failed, not decided, or not to be asked."""
        return self.result in (Result.FAILED, Result.ERROR, Result.OPEN)


@frozen
class CheckedCase:
    """A case with its checks.

    Attributes:
        outcome: What became of it.
        place: Where the law stands, as far as it is known.
        checks: All of its checks.
    """

    outcome: CaseOutcome
    place: SourcePlace | None
    checks: tuple[Check, ...]

    @property
    def worst(self) -> Result:
        """That of its checks, the worst first."""
        results = [check.result for check in self.checks]
        return next((r for r in (Result.FAILED, Result.ERROR, Result.OPEN) if r in results), Result.PASSED)


def checked(outcome: CaseOutcome, changes: "Sequence[Change]" = ()) -> CheckedCase:
    """The checks of a case, those of its lines in a baseline among them."""
    made = [*_checks(outcome), *(_of_change(one, outcome) for one in changes if one.worse)]
    return CheckedCase(outcome, place_of(outcome), tuple(made))


def vanished(change: "Change") -> Check:
    """A line of a baseline whose case is not there any more."""
    k = change.key
    where = one_line(f"{k.target} with {k.parameters} ({k.scope})", 200)
    return Check(BASELINE, f"baseline: {k.finding}", Result.FAILED, f"{where}: {change.moved}")


def _checks(outcome: CaseOutcome) -> Iterator[Check]:
    document, case = outcome.document, outcome.case
    if document is None:
        result = Result.OPEN if outcome.result == NOT_RUN else Result.ERROR
        yield Check(AUDIT, "the audit itself", result, outcome.error)
        return
    control = case.status is not Status.HOLDS
    if control:
        result = Result.PASSED if outcome.result == PASSED else _missed(outcome)
        came = f"expected {outcome.expected}, came to {document['verdict']}"
        yield Check(EXPECTED, f"comes to {outcome.expected}", result, came, adversary(document))
    mandatory = not control
    for one in document["requirements"]:
        result = _found(one, mandatory)
        yield Check(REQUIREMENT, one["requirement"], result, one["detail"], _witness(result, document))
    if is_command_case(document):
        yield from (_of_entry(entry, mandatory) for entry in document["checklist"])  # its verdict is over them, too
        return
    gap = document["bound"] or document["lifts"]["curve"]
    result = _found(gap, mandatory and not document["requirements"])
    name = "the exact curve keeps to its bound" if document["bound"] else "adaptive adversaries gain nothing"
    yield Check(NO_GAP, name, result, gap["detail"], _witness(result, document))
    for entry in document["checklist"]:
        yield _of_entry(entry, mandatory and case.requirements.certified)


def _of_entry(entry: Mapping[str, Any], mandatory: bool) -> Check:
    return Check(entry["item"], f"Checklist 1: {entry['item']}", _found(entry, mandatory), entry["detail"])


def _found(finding: Mapping[str, Any], mandatory: bool) -> Result:
    verdict = Verdict(finding["verdict"])
    if verdict is Verdict.HOLDS:
        return Result.PASSED
    if not mandatory:
        return Result.ASIDE
    return Result.FAILED if verdict is Verdict.REFUTED else Result.OPEN


def _missed(outcome: CaseOutcome) -> Result:
    return Result.OPEN if outcome.verdict is Verdict.UNDECIDED else Result.FAILED


def _of_change(change: "Change", outcome: CaseOutcome) -> Check:
    shown = outcome.document is not None and change.exp_epsilon is not None
    witness = adversary(outcome.document, change.exp_epsilon) if shown and outcome.document is not None else ()
    return Check(BASELINE, f"baseline: {change.key.finding}", Result.FAILED, change.moved, witness)


def _witness(found: Result, document: Mapping[str, Any]) -> tuple[str, ...]:
    return adversary(document) if found is Result.FAILED else ()


def adversary(document: Mapping[str, Any], exp_epsilon: str | None = None) -> tuple[str, ...]:
    """The adversary that shows most, in at most five lines; at one e^eps, where that is named."""
    if is_command_case(document):
        return tuple(one_line(line, 200) for line in document["shown_by"][: MOST_MOVES + 2])
    strategy = chosen(document)
    if exp_epsilon is not None:
        at = [one for one in document["adaptive"]["strategies"] if one["exp_epsilon"] == exp_epsilon]
        strategy = max(at, key=lambda one: parse(one["delta"], "delta"), default=None)
    if strategy is None:
        return ()
    reached = f"An adversary reaches delta {one_line(strategy['delta'], 60)} at e^eps = {strategy['exp_epsilon']}"
    nodes = strategy["nodes"]
    lines = [f"{reached} (order {strategy['order']}):" if nodes else f"{reached}."]
    for node in nodes[:MOST_MOVES]:
        pair = " or ".join(dict.fromkeys(one_line(x, 40) for x in node["pair"]))
        seen = ", ".join(_way(branch) for branch in node["branches"][:4])
        lines.append(one_line(f"  round {node['round']}, node {node['id']}: submits {pair}; sees {seen}", 200))
    if len(nodes) > MOST_MOVES:
        lines.append(f"  and {len(nodes) - MOST_MOVES} more moves, in the record")
    return tuple(lines)


def _way(branch: Mapping[str, Any]) -> str:
    ends = "bets" if branch["in_event"] else "does not bet"
    goes = ends if branch["next"] is None else f"to node {branch['next']}"
    return f"{one_line(branch['observation'], 30)}: {goes}"


def of_case(changes: "Sequence[Change]", outcome: CaseOutcome) -> "list[Change]":
    """The changes that are about one case."""
    own = key(outcome.case)
    return [one for one in changes if replace(one.key, finding="") == own]
