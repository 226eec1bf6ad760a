"""A ball at rising precision: until it is narrow, or until it lies on one side of a number."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import PRECISION_BITS, TINY, Enclosure, finite
from dpcert.audit.algebra.rational import MOST_BITS

MOST_BALL_BITS = 16_384
"""Bits of precision past which a Gaussian number stays as wide as it is, and a comparison with it is left open."""
VAST = arb(2) ** MOST_BITS
"""A ball that may reach so far says nothing, and its ends are not written out."""
NARROW = Fraction(1, 1 << 64)
"""A ball is narrow once its width is so much of its lower end."""


def narrow(compute: Callable[[], arb], least: Fraction = Fraction(0), most: Fraction | None = None) -> Enclosure:
    """The ends of a ball, narrow where MOST_BALL_BITS allow.

    Args:
        compute: Makes the ball at the precision that is set.
        least: What the number is known to be at least.
        most: What it is known to be at most.

    >>> narrow(lambda: arb(2).sqrt()).finite().lower ** 2 < 2
    True
    """
    best = Enclosure(least, most)
    for found in _at_rising_bits(compute):
        best = _within(found, best)
        if _is_narrow(best):
            break
    return best


def side(compute: Callable[[], arb], number: Fraction) -> int | None:
    """1 where the ball lies above a number, -1 where it lies at or below it; None where MOST_BALL_BITS leave it open.

    >>> side(lambda: arb(2).sqrt(), Fraction(3, 2)), side(lambda: arb(2), Fraction(2))
    (-1, -1)
    """
    for found in _at_rising_bits(compute):
        if found.lower is not None and found.lower > number:
            return 1
        if found.upper is not None and found.upper <= number:
            return -1
    return None


def _at_rising_bits(compute: Callable[[], arb]) -> Iterator[Enclosure]:
    """Enclosures of less than VAST, each at twice the precision of the one before."""

    def ball() -> arb:
        value = compute()
        return value if abs(value) < VAST else arb("nan")

    bits = PRECISION_BITS
    while bits <= MOST_BALL_BITS:
        found = finite(ball, bits=bits)
        if found is not None:
            yield found
        bits *= 2


def _within(found: Enclosure, known: Enclosure) -> Enclosure:
    """What both enclosures say; one that says that a bound is passed keeps to it."""
    lowers = [end for end in (found.lower, known.lower) if end is not None]
    uppers = [end for end in (found.upper, known.upper) if end is not None]
    return Enclosure(max(lowers) if lowers else None, min(uppers) if uppers else None)


def _is_narrow(ends: Enclosure) -> bool:
    if ends.lower is None or ends.upper is None:
        return False
    return ends.upper - ends.lower <= abs(ends.lower) * NARROW or (ends.lower == 0 and ends.upper <= TINY)
