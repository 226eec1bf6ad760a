"""Where a falling function passes a number, between two rationals that are known to lie on its two sides."""

from collections.abc import Callable
from fractions import Fraction

from dpcert.audit.algebra.enclosure import Enclosure

NEAR_SIDES = Fraction(1, 1 << 50)
"""The two sides of a crossing are near enough to each other once they differ by so much of the upper one."""
FARTHEST_DOUBLINGS = 12
"""The exponent 2^FARTHEST_DOUBLINGS of 2, in size, past which a crossing is not looked for."""

Side = Callable[[Fraction], int | None]
"""1 where the function is above the number, -1 where it is not, None where that was left open."""


def crossing(at: Side, close: Fraction = NEAR_SIDES) -> Enclosure:
    """The least x >= 0 from which a falling function is not above a number; an upper end of None was not found.

    The function is not above the number at the upper end, whether it falls or not, and above it at the lower end,
    unless that is 0.

    >>> found = crossing(lambda x: 1 if x * x < 2 else -1).finite()
    >>> found.lower**2 < 2 <= found.upper**2, found.upper - found.lower < Fraction(1, 2**49)
    (True, True)
    """
    if at(Fraction(0)) == -1:
        return Enclosure(Fraction(0), Fraction(0))
    low, high = _octave(at)
    while low is not None and high is not None and high - low > close * high:
        middle = (low + high) / 2
        where = at(middle)
        if where is None:
            break
        low, high = (middle, high) if where == 1 else (low, middle)
    return Enclosure(low or Fraction(0), high)


def _octave(at: Side) -> tuple[Fraction | None, Fraction | None]:
    """Powers of 2 on the two sides, next to each other where nothing is left open; None where there is none."""
    steps = [0, *(1 << doublings for doublings in range(FARTHEST_DOUBLINGS + 1))]
    low, high = _first(at, [-k for k in steps], 1)
    if high is None:
        high, highest = _first(at, steps, -1)
        low = low if highest is None else highest
    while low is not None and high is not None and high - low > 1:
        middle = (low + high) // 2
        where = at(Fraction(2) ** middle)
        if where is None:
            break
        low, high = (middle, high) if where == 1 else (low, middle)
    two = Fraction(2)
    return None if low is None else two**low, None if high is None else two**high


def _first(at: Side, exponents: list[int], side: int) -> tuple[int | None, int | None]:
    """The first exponent on the side that is wanted, and the last one before it on the other side."""
    other = None
    for k in exponents:
        where = at(Fraction(2) ** k)
        if where == side:
            return k, other
        other = k if where == -side else other
    return None, other
