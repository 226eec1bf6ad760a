"""Does the fixed-stream guarantee lift to adaptive adversaries? The whole curve, and pure epsilon."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from dpcert.audit.bracket import Bracket
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.power import ORDERS, Order, PowerFunction
from dpcert.audit.rational import decimal, text

MOST_SLOPES = 64
NO_PURE = "There is no pure guarantee: some release rules a world out,"
PERFECT = "Both bounds are the perfect curve already: fixed streams tell the worlds apart for sure."


@dataclass(frozen=True, slots=True)
class Gap:
    """A slope and order at which adaptive adversaries win more than fixed streams do."""

    exp_epsilon: Fraction
    order: Order
    fixed_stream: Fraction
    adaptive: Fraction

    @property
    def size(self) -> Fraction:
        """adaptive - fixed_stream, a probability."""
        return self.adaptive - self.fixed_stream


def gap_at(adaptive: PowerFunction, fixed: PowerFunction, exp_epsilon: Fraction, order: Order) -> Gap:
    """Both hockey-stick values at one slope and order."""
    return Gap(exp_epsilon, order, fixed.hockey_stick(exp_epsilon, order), adaptive.hockey_stick(exp_epsilon, order))


def find_gap(adaptive: Bracket, fixed: Bracket, exp_epsilons: Iterable[Fraction]) -> Gap | None:
    """The largest sure gap among the given e^epsilon; without one there, among slopes at which either profile bends."""
    reached, allowed = adaptive.lower, fixed.upper
    if reached == allowed or reached <= allowed:
        return None
    found = _largest_gap(reached, allowed, exp_epsilons)
    for most in (MOST_SLOPES, None):
        found = found or _largest_gap(reached, allowed, _bends(allowed, reached, most))
    if found is None:
        raise RuntimeError("one curve above another without a slope at which it is")
    return found


def _largest_gap(adaptive: PowerFunction, fixed: PowerFunction, slopes: Iterable[Fraction]) -> Gap | None:
    gaps = [gap_at(adaptive, fixed, e, order) for e in sorted(slopes) for order in ORDERS]
    best = max(gaps, key=lambda gap: gap.size, default=None)
    return best if best is not None and best.size > 0 else None


def _bends(fixed: PowerFunction, adaptive: PowerFunction, most: int | None) -> set[Fraction]:
    """e^epsilon >= 1 at which either privacy profile bends, thinned to about `most` for each."""
    bends = {Fraction(1)}
    for power in (fixed, adaptive):
        c = power.chain
        step = 1 if most is None else max(1, len(c) // most)
        inner = [(c.mass0[i] * c.total1, c.mass1[i] * c.total0) for i in range(0, len(c), step)]
        bends |= {Fraction(max(a, b), min(a, b)) for a, b in inner if a and b}
    return bends


def equal_from(adaptive: PowerFunction, fixed: PowerFunction) -> Fraction | None:
    """The least e^epsilon >= 1 from which both privacy profiles agree, in both orders; None if they never do."""
    ends = [_tail(adaptive, fixed), _tail(adaptive.reversed(), fixed.reversed())]
    finite = [end for end in ends if end is not None]
    return max(Fraction(1), *finite) if len(finite) == len(ends) else None


def _tail(f: PowerFunction, g: PowerFunction) -> Fraction | None:
    """The largest mass0 / mass1 among the first segments that differ, counted from the end of both chains."""
    i = 1
    while i <= min(len(f.chain), len(g.chain)) and _segment(f, i) == _segment(g, i):
        i += 1
    differing = [_segment(h, i) for h in (f, g) if i <= len(h.chain)]
    if any(b == 0 for _, b in differing):
        return None
    return max((a / b for a, b in differing), default=Fraction(0))


def _segment(power: PowerFunction, i: int) -> tuple[Fraction, Fraction]:
    c = power.chain
    return Fraction(c.mass0[-i], c.total0), Fraction(c.mass1[-i], c.total1)


def curve(adaptive: Bracket, fixed: Bracket, gap: Gap | None, scope: str, unfinished: str) -> Finding:
    """lifts.curve: is the adaptive curve the fixed-stream curve? Decided by exhaustion of the scope.

    `gap` is one between what adaptive adversaries surely reach and what fixed streams surely do not exceed.
    """
    if gap is not None:
        return _refuted(adaptive, fixed, gap, scope)
    if adaptive.exact and fixed.exact:
        detail = "Adaptive adversaries learn no more than fixed streams do, at any epsilon."
        if fixed.lower.total_variation == 1:  # so that even a game that was cut short is decided
            detail += f" {PERFECT}"
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)
    return Finding(Verdict.UNDECIDED, None, scope, unfinished)


def by_theorem(rung: str, certificate: Finding) -> Finding:
    """lifts.curve from a certificate: conditions 1 to 3 of Checklist 1, and a rung of its ladder.

    Source: paper.tex, thm:noise-ind-DP; claims 69, 70 and 107.
    """
    detail = f"Adaptive adversaries learn no more than fixed streams do, at any epsilon: by theorem, from rung {rung}."
    if certificate.scope.startswith("every round"):
        detail += f" In {certificate.scope}."
    return Finding(Verdict.HOLDS, certificate.method, certificate.scope, detail)


def no_certificate(scope: str) -> Finding:
    """lifts.curve for every horizon, where only one was computed."""
    detail = "No certificate for every horizon was found; over the rounds that were computed there is no gap."
    return Finding(Verdict.UNDECIDED, None, scope, detail)


def _refuted(adaptive: Bracket, fixed: Bracket, gap: Gap, scope: str) -> Finding:
    agree = equal_from(adaptive.lower, fixed.upper) if adaptive.exact and fixed.exact else None
    detail = (
        f"At e^epsilon = {text(gap.exp_epsilon)} adaptive adversaries reach delta {text(gap.adaptive)}, "
        f"fixed streams {text(gap.fixed_stream)}."
    ) + ("" if agree is None else f" From e^epsilon = {text(agree)} on the two agree.")
    witness = {
        "exp_epsilon": text(gap.exp_epsilon),
        "order": gap.order,
        "fixed_stream": text(gap.fixed_stream),
        "adaptive": text(gap.adaptive),
        "gap": text(gap.size),
        "equal_from": None if agree is None else text(agree),
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


def pure(adaptive: Bracket, fixed: Bracket, scope: str) -> Finding:
    """lifts.pure: does a pure-epsilon guarantee lift? By theorem for every causal mechanism; here checked as well.

    Source: claim 71, beyond the paper.
    """
    theorem = "as it must be for every causal mechanism."
    if not (adaptive.exact and fixed.exact):
        detail = f"The largest likelihood ratio is the same for adaptive adversaries and fixed streams, {theorem}"
        return Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, scope, detail)
    largest = adaptive.lower.largest_ratio
    if largest != fixed.lower.largest_ratio:
        raise RuntimeError("two largest likelihood ratios where theory allows one")
    ratio = NO_PURE if largest is None else f"The largest likelihood ratio is {_short(largest)}"
    detail = f"{ratio} for adaptive adversaries and fixed streams alike, {theorem}"
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail, {"largest_ratio": _ratio(largest)})


def _short(value: Fraction) -> str:
    """A ratio in a sentence; a whole number of very many digits as a decimal."""
    return f"about {decimal(value)}" if value.denominator == 1 and value >= 10**24 else text(value)


def _ratio(value: Fraction | None) -> str:
    return "infinite" if value is None else text(value)
