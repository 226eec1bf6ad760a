"""Rényi divergences and Gaussian curves of a power function, enclosed; are rho-zCDP and mu-GDP kept?"""

from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import PRECISION_BITS, Enclosure, ball, finite, logarithm
from dpcert.audit.algebra.power import Order, PowerFunction
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen

MOST_PRECISION_BITS = 65_536
"""Bits of precision past which a divergence of an enormous order is left open."""
MOST_INTERVALS = 2_000
"""Intervals of orders looked at before a comparison for all of them is left open."""


def renyi(power: PowerFunction, order: Fraction) -> Enclosure:
    """D_alpha, the larger of both orders of worlds, for a rational order alpha > 1; in nats, infinite as None.

    Source: paper.tex, sec:prefixsum_factor (zCDP and RDP).

    >>> renyi(PowerFunction.identity(), Fraction(2)).upper
    Fraction(0, 1)
    """
    if order <= 1:
        raise expected("an order above 1", order=order)
    sides = [_one_way(side, order) for side in (power, power.reversed())]
    lows, highs = [side.lower for side in sides], [side.upper for side in sides]
    low = None if None in lows else max(end for end in lows if end is not None)
    return Enclosure(low, None if None in highs else max(end for end in highs if end is not None))


def _one_way(power: PowerFunction, order: Fraction) -> Enclosure:
    """D_alpha(world 1, world 0); from 0 to infinity where it was not computed."""
    if any(not a for a, b in power.segments if b):
        return Enclosure(None, None)
    shared = [(a, b) for a, b in power.segments if b]

    def value() -> arb:
        logs = [ball(a).log() + ball(order) * (ball(b) / ball(a)).log() for a, b in shared]
        largest = arb(max(one.mid() for one in logs))  # taken out of the sum, so that no power is out of range
        return (largest + sum(((one - largest).exp() for one in logs), arb(0)).log()) / ball(order - 1)

    bits = PRECISION_BITS + sum(side.bit_length() for side in order.as_integer_ratio())
    found = finite(value, bits=min(bits, MOST_PRECISION_BITS))
    if found is None or found.lower is None:
        return Enclosure(Fraction(0), None)
    return Enclosure(max(Fraction(0), found.lower), found.upper)


@frozen(slots=True)
class ClaimOnCurve:
    """Whether a claim about a curve is kept; None where it was not decided. `at` is where it is exceeded."""

    kept: bool | None
    at: Fraction | None = None
    value: Fraction | None = None


def concentrated(power: PowerFunction, rho: Fraction) -> ClaimOnCurve:
    """rho-zCDP: D_alpha <= rho alpha for every real alpha > 1, in both orders. `at` is an order alpha that exceeds it.

    D_alpha never falls as alpha grows, so D_b <= rho a settles all orders from a to b, and from D_infinity / rho on
    nothing is left to check.
    """
    if power == PowerFunction.identity():
        return ClaimOnCurve(True)
    ratios = [one for side in (power, power.reversed()) if (one := side.largest_ratio) is not None]
    if len(ratios) < 2 or rho == 0:
        return ClaimOnCurve(False, Fraction(2), renyi(power, Fraction(2)).lower)
    infinity = logarithm(max(ratios)).finite().upper
    intervals = [(Fraction(1), max(Fraction(2), infinity / rho))]
    for _ in range(MOST_INTERVALS):
        if not intervals:
            return ClaimOnCurve(True)
        low, high = intervals.pop()
        found = renyi(power, high)
        if found.lower is not None and found.lower > rho * high:
            return ClaimOnCurve(False, high, found.lower)
        if found.upper is None or found.upper > rho * low:
            middle = (low + high) / 2
            intervals += [(middle, high), (low, middle)]
    return ClaimOnCurve(None)


@frozen(slots=True)
class Corner:
    """A vertex of a curve, and a slope and order of worlds at which an adversary attains it."""

    vertex: tuple[Fraction, Fraction]
    exp_epsilon: Fraction
    order: Order


def gaussian(power: PowerFunction, mu: Fraction) -> tuple[bool | None, Corner | None]:
    """mu-GDP: the curve lies under Phi(Phi^-1(alpha) + mu); with the corner that lies above it, where one does.

    A concave curve with straight pieces lies under a concave one where its corners do.
    Source: paper.tex, sec:prefixsum_factor (f_mu).
    """
    doubt = False
    for i, (x, y) in enumerate(power.vertices[1:-1], 1):
        above = True if x == 0 or y == 1 else _above(x, y, mu)
        if above:
            return False, _corner(power, i)
        doubt = doubt or above is None
    return (None if doubt else True), None


def _above(x: Fraction, y: Fraction, mu: Fraction) -> bool | None:
    """Whether Phi^-1(y) - Phi^-1(x) > mu; None where the balls overlap at the highest precision tried."""
    for bits in (PRECISION_BITS, 4 * PRECISION_BITS):
        shift = finite(lambda: quantile(y) - quantile(x), bits=bits)
        if shift is not None and shift.lower is not None and shift.lower > mu:
            return True
        if shift is not None and shift.upper is not None and shift.upper <= mu:
            return False
    return None


def quantile(level: Fraction) -> arb:
    """Phi^-1(level), of a level strictly between 0 and 1 and however near to them, as a ball.

    The shorter tail is inverted, which keeps its relative precision where level - 1/2 would lose it.
    """
    if 2 * level > 1:
        return arb(2).sqrt() * ball(2 * (1 - level)).erfcinv()
    return -arb(2).sqrt() * ball(2 * level).erfcinv()


def _corner(power: PowerFunction, i: int) -> Corner:
    """Vertex i lies between segments i - 1 and i; any slope between theirs leads to it."""
    (a, b), (c, d) = power.segments[i - 1], power.segments[i]
    flatter = d / c
    slope = flatter + 1 if a == 0 else (b / a + flatter) / 2
    if slope >= 1:
        return Corner(power.vertices[i], slope, "1-0")
    return Corner(power.vertices[i], 1 / slope, "0-1")
