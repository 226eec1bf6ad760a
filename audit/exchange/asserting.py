"""Audits in a test: what has to hold is asked in a sentence, and a failure says what was expected and what came."""

import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Self

from dpcert.audit.algebra.rational import exact, text, written
from dpcert.audit.budget import Budget
from dpcert.audit.errors import ArgumentError, DpcertError, expected
from dpcert.audit.examine import examination
from dpcert.audit.exchange.checks import Check, Result, adversary
from dpcert.audit.exchange.kept import KeptAudits
from dpcert.audit.exchange.known_audit import KnownAudit, known_audit
from dpcert.audit.exchange.place import place_of
from dpcert.audit.finding import Verdict
from dpcert.audit.kernels import targets
from dpcert.audit.records.assembled import Examination
from dpcert.audit.records.record import Record
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.outcome import CaseOutcome
from dpcert.audit.verdicts.requirements import Requirements, check, claim, required_delta

Number = Fraction | int | str
Found = Callable[[CaseOutcome, list[Check]], None]


class NotShown(AssertionError):
    """What was required and does not hold, or is not decided."""


class MechanismAudit:
    """One audit in a test, and what may be required of it; each `require_…` returns the audit itself.

    Attributes:
        record: What was found, as `dpcert.examine` gives it.
    """

    def __init__(
        self,
        outcome: CaseOutcome,
        record: Record,
        examine: Callable[[], Examination],
        earlier: KnownAudit | None,
    ) -> None:
        self.record = record
        self.outcome = outcome
        self.checks: list[Check] = []
        self._examined = examine
        self._known = earlier

    def require_certified(self) -> Self:
        """Every condition of Checklist 1 holds. Raises: NotShown: one does not, or is not decided."""
        __tracebackhide__ = True
        return self._require(lambda: Requirements(certified=True))

    def require_no_gap(self) -> Self:
        """Adaptive adversaries gain nothing. Raises: NotShown: they do, or it is not decided."""
        __tracebackhide__ = True
        return self._require(lambda: Requirements(no_gap=True))

    def require_delta(self, *, exp_epsilon: Number, delta: Number) -> Self:
        """delta at e^epsilon is at most so much against adaptive adversaries; numbers are exact, or texts.

        Raises: NotShown: it is more, or it is not decided. ArgumentError: no such numbers.
        """
        __tracebackhide__ = True
        return self._require(lambda: Requirements((required_delta(_at_most(exp_epsilon, delta)),)))

    def require_claim(
        self, *, epsilon: Number | None = None, delta: Number = 0, rho: Number | None = None, mu: Number | None = None
    ) -> Self:
        """It is (epsilon, delta)-DP, or rho-zCDP, or mu-GDP, against adaptive adversaries.

        Raises: NotShown: it is not, or it is not decided. ArgumentError: none of the three, or several.
        """
        __tracebackhide__ = True
        return self._require(lambda: Requirements((claim(_claimed(epsilon, delta, rho, mu)),)))

    def _require(self, make: Callable[[], Requirements]) -> Self:
        __tracebackhide__ = True
        try:
            failure = self._failed(make())
        except DpcertError as error:
            raise error.with_traceback(None) from None  # of which only the test's own line is of interest
        if failure is not None:
            raise NotShown(told(self.outcome, failure))
        return self

    def _failed(self, requirements: Requirements) -> Check | None:
        """The check of what is asked, where it does not hold; it is kept in any case."""
        before = None if self._known is None else self._known.held(requirements)
        if before is not None:
            self.checks.append(Check("REQUIREMENT", before["requirement"], Result.PASSED, before["detail"], ()))
            return None
        examination = self._examined()
        if not examination.named:
            name = self.record["target"]
            raise expected(f"a horizon with what is required: {name} names none of its own", horizon=None)
        if self.record["game"] == "npp" and requirements.certified:
            raise ArgumentError("Expected no require_certified in the npp game: Checklist 1 is about paired games")
        (outcome,), verdict = check(requirements, examination.knowledge)
        if self._known is not None:
            self._known.hold(requirements, outcome)
        results = {Verdict.HOLDS: Result.PASSED, Verdict.REFUTED: Result.FAILED, Verdict.UNDECIDED: Result.OPEN}
        shown: tuple[str, ...] = ()
        if verdict is Verdict.REFUTED:
            shown = _adversary_of(examination, outcome.exp_epsilon)
        shown_check = Check("REQUIREMENT", outcome.name, results[verdict], outcome.finding.detail, shown)
        self.checks.append(shown_check)
        return None if verdict is Verdict.HOLDS else shown_check


class Auditor:
    """What the fixture `dpcert` is.

    Args:
        name: What its audits are called in reports: the test's own id.
        found: Takes each audit, with the checks that are made of it later on.
        compare: Held against a baseline: raises NotShown where an audit is worse.
        audits: What was audited before, and need not be again.
    """

    def __init__(
        self, name: str, found: Found, compare: Callable[[CaseOutcome], None], audits: KeptAudits | None = None
    ) -> None:
        self._name = name
        self._found = found
        self._compare = compare
        self._audits = KeptAudits() if audits is None else audits
        self._count = 0

    def audit(self, mechanism: object, **options: Any) -> MechanismAudit:
        """The exact privacy of a mechanism, or of a target by its name, with what may be required of it.

        Args:
            mechanism: As for `dpcert.examine`, or a target as on the command line.
            options: `horizon` and all else that `dpcert.examine` takes; `max_positions`, `max_seconds`; `params` for a
                target by name.
        Raises: DpcertError: what cannot be audited. NotShown: it is worse than the baseline.
        """
        __tracebackhide__ = True
        try:
            return self._audited(mechanism, dict(options))
        except (DpcertError, NotShown) as error:
            raise error.with_traceback(None) from None  # of which only the test's own line is of interest

    def _audited(self, mechanism: object, options: dict[str, Any]) -> MechanismAudit:
        params = {key: str(value) for key, value in options.pop("params", {}).items()}
        bounds = {key: options.pop(key, None) for key in ("max_positions", "max_seconds")}
        if isinstance(mechanism, str):
            target = targets.find(mechanism, params)
            mechanism, options = target.mechanism, {"target": target.name, "parameters": target.parameters} | options
        whole = _with_defaults(options)
        earlier = known_audit(mechanism, whole, bounds, self._audits)

        @cache
        def examined() -> Examination:
            started = time.monotonic_ns()
            audit = examination(mechanism, budget=Budget(**bounds), **whole)
            if earlier is not None and earlier.kept is None:
                earlier.keep(audit, time.monotonic_ns() - started)
            elif earlier is not None:
                earlier.compare(audit)
            return audit

        record = (earlier.record() if earlier is not None else None) or examined().record

        self._count += 1
        name = self._name if self._count == 1 else f"{self._name} #{self._count}"
        outcome = CaseOutcome(_case(name, record, options, bounds), record.document)
        audit = MechanismAudit(outcome, record, examined, earlier)
        self._found(outcome, audit.checks)
        self._compare(outcome)
        return audit


def _adversary_of(examination: Examination, exp_epsilon: Fraction | None) -> tuple[str, ...]:
    """The adversary that shows most in an audit; at a slope that nobody asked for before, extracted from it now."""
    document: Mapping[str, Any] = examination.record.document
    if exp_epsilon is None:
        return adversary(document)
    strategies = document["adaptive"]["strategies"]
    at = text(exp_epsilon)
    if all(strategy["exp_epsilon"] != at for strategy in strategies):
        strategies = examination.facts.strategies([exp_epsilon])
    return adversary({**document, "adaptive": {**document["adaptive"], "strategies": strategies}}, at)


def told(outcome: CaseOutcome, failure: Check) -> str:
    """A failure as an assertion tells it: expected, got, the adversary, and where the law stands."""
    document = outcome.document or {}
    scope = document["scope"]["text"]
    lines = [
        f"Expected {failure.name} of {document['target']} ({scope})",
        f"     but {failure.result.value}: {failure.detail}",
        *failure.witness,
    ]
    place = place_of(outcome)
    if place is not None:
        lines.append(f"The law stands at {place.file}:{place.line}.")
    return "\n".join(lines)


def _with_defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `examine`, those that were not given as it has them."""
    from dpcert.audit.defaults import DEFAULT_EXP_EPSILONS

    usual = {"horizon": None, "hops": 1, "challenge_round": None, "exp_epsilons": DEFAULT_EXP_EPSILONS}
    return {**usual, "epsilons": (), "deltas": (), **options}


def _case(name: str, record: Record, options: Mapping[str, Any], bounds: Mapping[str, Any]) -> Case:
    """The case that a baseline knows an audit by."""
    scope = {key: options[key] for key in ("horizon", "game", "hops", "challenge_round") if key in options}
    adjacency = options.get("adjacency")
    known = adjacency if isinstance(adjacency, str) or adjacency is None else record["scope"]["adjacency"]
    target = record["target"]
    return Case(name, target, target, record["parameters"], adjacency=known, relation=known, **scope, **bounds)


def _at_most(exp_epsilon: Number, delta: Number) -> str:
    return f"{_text(exp_epsilon, 'exp_epsilon')}:{_text(delta, 'delta')}"


def _claimed(epsilon: Number | None, delta: Number, rho: Number | None, mu: Number | None) -> str:
    """The claim as it is written. Raises: ArgumentError: none of the three, or several."""
    given = {name: value for name, value in (("eps", epsilon), ("rho", rho), ("mu", mu)) if value is not None}
    if len(given) != 1:
        raise expected("one of epsilon, rho and mu", **given)
    ((name, value),) = given.items()
    return f"{name}={_text(value, name)}" + (f",delta={_text(delta, 'delta')}" if name == "eps" else "")


def _text(value: Number, name: str) -> str:
    return text(written(value, name) if isinstance(value, str) else exact(value, name))
