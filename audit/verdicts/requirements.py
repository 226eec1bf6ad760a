"""What the caller asks to hold: claimed privacy against computed, no gap, a certified mechanism."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.enclosure import exponential, logarithm
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import parse, text, written
from dpcert.audit.algebra.slope import Slope, slope
from dpcert.audit.checklist.conditions import Entry
from dpcert.audit.errors import expected, one_line
from dpcert.audit.finding import Finding, FindingDocument, Method, Verdict, unless, worst
from dpcert.audit.frozen import frozen
from dpcert.audit.verdicts.families import Concentration, Gaussian, StreamTrials

EVERY_HORIZON = "every horizon"
VACUOUS = "nothing can happen in this scope, both worlds release by the same laws; a wider one may tell."
SIMPLE = (1, 10, 100, 1_000, 10_000, 1_000_000)
"""Denominators tried, in turn, for a rational e^epsilon at which an excess shows."""


@frozen
class AtMost:
    """delta at most `delta` against adaptive adversaries, at a rational e^epsilon or at a decimal epsilon."""

    name: str
    delta: Fraction
    exp_epsilon: Slope | None = None
    epsilon: Fraction | None = None


Claimed = AtMost | Concentration | Gaussian


@frozen
class Requirements:
    """Everything that an audit has to show; nothing asked means that adaptive adversaries gain nothing.

    Args:
        bounds: What `claim` and `required_delta` give.
        no_gap: Whether adaptive adversaries may gain nothing.
        certified: Whether every condition of Checklist 1 has to hold.
        slack: An excess of delta that is let pass; a probability.
    Raises: ArgumentError: a slack below 0.
    Source: none; ours.

    >>> from dpcert import Requirements, claim
    >>> Requirements((claim("eps=1,delta=1e-3"),), certified=True).given
    True
    """

    bounds: tuple[Claimed, ...] = ()
    no_gap: bool = False
    certified: bool = False
    slack: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.slack < 0:
            raise expected("a slack of at least 0", slack=self.slack)

    @property
    def given(self) -> bool:
        """Whether anything was asked for."""
        return bool(self.bounds) or self.no_gap or self.certified


class RequirementDocument(FindingDocument):
    """A requirement as it stands in a record."""

    requirement: str


@frozen
class Judgement:
    """One requirement, what was found, and the e^epsilon whose adversary shows an excess."""

    name: str
    finding: Finding
    exp_epsilon: Fraction | None = None

    def document(self) -> RequirementDocument:
        """The requirement as it stands in a record."""
        return {"requirement": self.name, **self.finding.document()}


def required_delta(asked: str) -> AtMost:
    """delta at most D at e^epsilon = Q, of a text `Q:D`.

    Args:
        asked: A rational of at least 1, dimensionless, and a probability, with a colon between them.
    Returns: A bound for `Requirements`.
    Raises: ArgumentError: another text.
    Source: paper.tex, defn:power.

    >>> required_delta("3:1/100").delta
    Fraction(1, 100)
    """
    at, colon, delta = asked.partition(":")
    if not colon:
        raise expected("Q:D, a rational e^epsilon and a delta", require_delta=asked)
    e = slope(written(at, "require_delta"), require_delta=asked)
    name = f"delta <= {_brief(delta)} at e^epsilon = {_brief(at)}"
    return AtMost(name, _probability(delta, require_delta=asked), exp_epsilon=e)


def claim(asked: str) -> Claimed:
    """A claimed guarantee, of a text `eps=E,delta=D`, `rho=R` or `mu=M`.

    Args:
        asked: The text; numbers are decimal or rational, epsilon in nats; delta is 0 if it is left out.
    Returns: A bound for `Requirements`.
    Raises: ArgumentError: another text.
    Source: paper.tex, defn:power; rho and mu as in the reference on claims of the documentation.

    >>> claim("eps=1,delta=1e-3").epsilon
    Fraction(1, 1)
    >>> claim("rho=1/2").name
    '1/2-zCDP'
    """
    pairs = [tuple(map(str.strip, part.partition("="))) for part in asked.split(",")]
    parts = {name: value for name, _, value in pairs}
    each_once = len(parts) == len(pairs) and all(equals for _, equals, _ in pairs)
    if not each_once or set(parts) not in ({"eps"}, {"eps", "delta"}, {"rho"}, {"mu"}):
        raise expected("eps=E,delta=D or rho=R or mu=M, each part once,", claim=asked)
    name, value = next((n, v) for n, v in parts.items() if n != "delta")
    number = written(value, "claim")
    if not 0 <= number <= 10**4:
        raise expected(f"{name} from 0 to 10000", claim=asked)
    if name == "rho":
        return Concentration(f"{_brief(value)}-zCDP", number)
    if name == "mu":
        return Gaussian(f"{_brief(value)}-GDP", number)
    delta = parts.get("delta", "0")
    return AtMost(f"({_brief(value)}, {_brief(delta)})-DP", _probability(delta, claim=asked), epsilon=number)


def _brief(number: str) -> str:
    return one_line(number.strip(), 60)


def _probability(delta: str, **asked: str) -> Fraction:
    d = written(delta, "delta")
    if not 0 <= d <= 1:
        raise expected("delta in [0, 1]", **asked)
    return d


class Longer(StreamTrials, Protocol):
    """The curve at one horizon, with fixed streams that make it up."""

    @property
    def horizon(self) -> int:
        """Rounds."""
        ...

    @property
    def power(self) -> PowerFunction:
        """The curve of all adversaries."""
        ...

    def challenge(self, exp_epsilon: Fraction) -> dict[str, Any]:
        """The streams that reach most at a slope, in few words."""
        ...


@frozen
class Knowledge:
    """What was found, as far as requirements are held against it.

    Attributes:
        adaptive: The curve of adaptive adversaries. Where every horizon is asked about and no theorem gives the curve,
            its upper bound is perfect.
        curve: lifts.curve.
        scope: The scope in words.
        certified_in: The scope of Checklist 1, in words.
        entries: Checklist 1.
        trials: Fixed streams, each with its curve.
        by_theorem: Whether the curve is that of every horizon, or of more rounds than were played.
        unknown: Stands for the curves of something that is no mechanism; Checklist 1 stands all the same.
        doubt: Stands for whatever would hold, where not all that may outlive a run was looked at.
        vacuous: Why nothing can happen in scope, where that is so.
        missing: Why no theorem bounds what is reached over every horizon, where that was asked.
        longer: Longer horizons with their curves, tried against claims about every horizon.
        ratio_above: A horizon, with its streams, at which some likelihood ratio is above e^epsilon.
        proven: An upper bound of delta at e^epsilon at any size, where dpcert itself proves the mechanism.
    """

    adaptive: Bracket
    curve: Finding
    scope: str
    certified_in: str = ""
    entries: Sequence[Entry] = ()
    trials: StreamTrials | None = None
    by_theorem: bool = False
    unknown: Finding | None = None
    doubt: Finding | None = None
    vacuous: str = ""
    missing: str = ""
    longer: Callable[[], Iterable[Longer]] = tuple
    ratio_above: Callable[[Fraction], dict[str, Any] | None] = lambda _: None
    proven: Callable[[Fraction], Fraction | None] = lambda _: None


def check(requirements: Requirements, knowledge: Knowledge) -> tuple[tuple[Judgement, ...], Verdict]:
    """Every requirement against what was found, and the verdict of the audit: without any, that of lifts.curve."""
    if not requirements.given:
        return (), knowledge.curve.verdict
    outcomes = [_claimed(bound, requirements.slack, knowledge) for bound in requirements.bounds]
    if requirements.no_gap:
        outcomes.append(
            _unless_vacuous(
                Judgement("no gap between adaptive adversaries and fixed streams", knowledge.curve), knowledge
            )
        )
    if requirements.certified:
        outcome = Judgement(
            "every condition of Checklist 1", _certified(knowledge.entries, knowledge.certified_in or knowledge.scope)
        )
        outcomes.append(_unless_vacuous(outcome, knowledge))
    outcomes = [replace(checked, finding=unless(checked.finding, knowledge.doubt)) for checked in outcomes]
    return tuple(outcomes), worst([checked.finding.verdict for checked in outcomes])


def _unless_vacuous(outcome: Judgement, knowledge: Knowledge) -> Judgement:
    """What holds only because nothing can happen is left open."""
    if not knowledge.vacuous or outcome.finding.verdict is not Verdict.HOLDS:
        return outcome
    detail = f"Not decided: {knowledge.vacuous}"
    return replace(outcome, finding=Finding(Verdict.UNDECIDED, None, knowledge.scope, detail))


def _claimed(bound: Claimed, slack: Fraction, knowledge: Knowledge) -> Judgement:
    """A bound on what is reached: by the curve, by the mechanism's own proof, or against longer and longer horizons."""
    if knowledge.unknown is not None:
        return Judgement(bound.name, knowledge.unknown)
    outcome = _unless_vacuous(_bound(bound, knowledge.adaptive, slack, knowledge.scope, knowledge.trials), knowledge)
    if outcome.finding.verdict is Verdict.HOLDS and knowledge.by_theorem:
        return replace(outcome, finding=replace(outcome.finding, method=Method.SYMBOLIC))
    if outcome.finding.verdict is not Verdict.UNDECIDED:
        return outcome
    if isinstance(bound, AtMost) and (own := _proven(bound, knowledge)) is not None:
        return own
    if isinstance(bound, AtMost) and (pure := _never_pure(bound, slack, knowledge)) is not None:
        return pure
    for longer in knowledge.longer():
        longer_outcome = _bound(bound, exactly(longer.power), slack, EVERY_HORIZON, longer)
        if longer_outcome.finding.verdict is Verdict.REFUTED:
            witness = {"horizon": longer.horizon} | dict(longer_outcome.finding.witness)
            if longer_outcome.exp_epsilon is not None:
                witness |= longer.challenge(longer_outcome.exp_epsilon)
            detail = f"{longer_outcome.finding.detail} That is over {longer.horizon} rounds, by theorem."
            return Judgement(
                bound.name, replace(longer_outcome.finding, method=Method.SYMBOLIC, detail=detail, witness=witness)
            )
    if not knowledge.missing:
        return outcome
    return replace(
        outcome, finding=replace(outcome.finding, detail=f"{outcome.finding.detail} Here {knowledge.missing}.")
    )


def _never_pure(bound: AtMost, slack: Fraction, knowledge: Knowledge) -> Judgement | None:
    """A pure claim about every horizon that a likelihood ratio exceeds at some; None where it is not, or not pure."""
    if bound.delta > 0 or slack > 0:
        return None
    epsilon = bound.epsilon if bound.exp_epsilon is None else logarithm(bound.exp_epsilon).upper
    witness = knowledge.ratio_above(epsilon or Fraction(0))
    if witness is None:
        return None
    ratio = f"the logarithm of the likelihood ratio reaches at least {down(parse(witness['log_ratio'], 'log_ratio'))}"
    detail = f"Exceeded: over {witness['horizon']} rounds {ratio}, by theorem."
    return Judgement(bound.name, Finding(Verdict.REFUTED, Method.SYMBOLIC, EVERY_HORIZON, detail, witness))


def _proven(bound: AtMost, knowledge: Knowledge) -> Judgement | None:
    """A claim that follows from what dpcert proves of the mechanism at any size; None where it does not."""
    e = bound.exp_epsilon or exponential(bound.epsilon or Fraction(0)).lower
    delta = None if e is None else knowledge.proven(max(e, Fraction(1)))
    if delta is None or delta > bound.delta:
        return None
    proof = "the mechanism's own certificate, whose steps the ledger of claims proves, gives a delta of at most"
    detail = f"Kept at any size: {proof} {_shown(delta)}."
    return Judgement(bound.name, Finding(Verdict.HOLDS, Method.SYMBOLIC, "any size", detail))


def _bound(bound: Claimed, adaptive: Bracket, slack: Fraction, scope: str, tried: StreamTrials | None) -> Judgement:
    if isinstance(bound, AtMost):
        return _at_most(bound, adaptive, slack, scope)
    return Judgement(bound.name, *bound.checked(adaptive, tried, scope))


def _at_most(bound: AtMost, adaptive: Bracket, slack: Fraction, scope: str) -> Judgement:
    """Kept with room to spare, exceeded by how much, exceeded within the slack, or open."""
    low, high = _between(adaptive.lower, adaptive.upper, bound)
    if high <= bound.delta:
        detail = f"Kept: delta is at most {_shown(high)}, {_shown(bound.delta - high, down)} below what is claimed."
        return Judgement(bound.name, Finding(Verdict.HOLDS, _method(bound), scope, detail))
    excess = low - bound.delta
    if excess > 0 and (excess > slack or high - bound.delta <= slack):
        exp_epsilon = bound.exp_epsilon or _simple_slope(adaptive.lower, bound)
        witness = {"delta": text(low), "excess": text(excess), "exp_epsilon": text(exp_epsilon)}
        if excess <= slack:
            detail = f"Exceeded by {_shown(excess)}, which the slack of {_shown(slack)} lets pass."
            let_pass = witness | {"slack": text(slack)}
            return Judgement(bound.name, Finding(Verdict.HOLDS, _method(bound), scope, detail, let_pass), exp_epsilon)
        detail = f"Exceeded by {_shown(excess)}: an adversary reaches delta {_shown(low)}."
        return Judgement(bound.name, Finding(Verdict.REFUTED, _method(bound), scope, detail, witness), exp_epsilon)
    detail = f"Open: delta lies between {_shown(low, down)} and {_shown(high)}."
    return Judgement(bound.name, Finding(Verdict.UNDECIDED, None, scope, detail))


def _between(lower: PowerFunction, upper: PowerFunction, bound: AtMost) -> tuple[Fraction, Fraction]:
    """Bounds of the adaptive delta at the slope of a requirement."""
    if bound.exp_epsilon is not None:
        return lower.delta(bound.exp_epsilon), upper.delta(bound.exp_epsilon)
    epsilon = bound.epsilon or Fraction(0)
    low, high = lower.delta_at(epsilon).lower, upper.delta_at(epsilon).upper
    return low or Fraction(0), Fraction(1) if high is None else high


def _simple_slope(power: PowerFunction, bound: AtMost) -> Fraction:
    """A rational at or above e^epsilon, as simple as can be, at which delta still exceeds the claim."""
    top = exponential(bound.epsilon or Fraction(0)).finite().upper
    for denominator in SIMPLE:
        slope = Fraction(-((-top * denominator) // 1), denominator)
        if power.delta(slope) > bound.delta:
            return slope
    return top


def _method(bound: AtMost) -> Method:
    return Method.EXHAUSTIVE if bound.exp_epsilon is not None else Method.ENCLOSED


def _certified(entries: Sequence[Entry], scope: str) -> Finding:
    """All five conditions of Checklist 1; where one fails, its witness."""
    verdict = worst([entry.finding.verdict for entry in entries])
    conditions = [entry.item.value for entry in entries if entry.finding.verdict is not Verdict.HOLDS]
    if not conditions:
        rung = next((entry.rung for entry in entries if entry.rung is not None), "")
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, f"All five conditions hold, STABLE_COST by {rung}.")
    method = Method.EXHAUSTIVE if verdict is Verdict.REFUTED else None
    witness = next((e.finding.witness for e in entries if e.finding.verdict is Verdict.REFUTED), {})
    return Finding(verdict, method, scope, f"Not held: {', '.join(conditions)}.", witness)


def _shown(value: Fraction, rounded: Callable[[Fraction], str] = up) -> str:
    """A number in a sentence: exact while it is short, else rounded up; down where it is a margin or a lower end."""
    short = text(value)
    return short if len(short) <= 24 else f"about {rounded(value)}"
