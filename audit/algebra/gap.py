"""The largest gap between what adaptive adversaries reach and what fixed streams allow."""

from collections.abc import Iterable
from fractions import Fraction

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import ORDERS, Order, PowerFunction
from dpcert.audit.frozen import frozen

MOST_GAP_SLOPES = 64
"""Slopes at which a gap is looked for first; where none shows there, at all of them."""


@frozen(slots=True)
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
    lower, upper = adaptive.lower, fixed.upper
    if lower == upper or lower <= upper:
        return None
    gap = _largest_gap(lower, upper, exp_epsilons)
    for most in (MOST_GAP_SLOPES, None):
        gap = gap or _largest_gap(lower, upper, _bends(upper, lower, most))
    if gap is None:
        raise RuntimeError("one curve above another without a slope at which it is")
    return gap


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
