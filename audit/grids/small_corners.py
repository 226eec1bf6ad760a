"""Curves that keep what is next to nothing: corners are moved along lines, and counted from the end they are near."""

from collections.abc import Collection, Iterable
from fractions import Fraction
from itertools import pairwise

from dpcert.audit.algebra.power import Point, PowerFunction
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.root import BITS_KEPT, STEEP_BITS, crossing, edges_of, hull, round_down, round_up

Line = tuple[Fraction, Fraction]
MOST_BITS_KEPT = 1 << 14
"""Bits behind the point of a corner, at most: what is smaller than 2^-16384 is not told from 0."""


@frozen
class _Raised:
    """A line y = 1 - s + r + s x at s < 1, or y = r + s x at the others, r being next to nothing or not."""

    slope: Fraction
    rest: Fraction

    @property
    def value(self) -> Fraction:
        """Its y at x = 0."""
        return self.rest + max(Fraction(0), 1 - self.slope)


def above_small(lines: Collection[Line]) -> PowerFunction:
    """The curve under lines y = value + slope x, of which some leave next to nothing open, corners moved outward.

    A corner moves along the steeper of its two lines where that is steeper than 1, or along the other one: what they
    leave open stays as it is, 0 as well.
    """
    bits = BITS_KEPT + max((_size(slope) for slope, _ in lines if slope), default=0)
    least = {s: round_up(v - max(Fraction(0), 1 - s), BITS_KEPT) for s, v in sorted(lines, reverse=True)}
    raised = [_Raised(slope, rest) for slope, rest in least.items()]
    edges = edges_of([*((one.slope, one.value) for one in raised), (Fraction(0), Fraction(1))])
    corners = [(Fraction(0), edges[0][1])]
    for one, other in pairwise(edges):
        x, more = crossing(one, other), 0
        if one[0] > 1 > other[0] > 0:  # it is moved along a line that is steep for the other one
            more = -_ln2(other[1] - (1 - other[0]))
        corners.append(_moved(one, other, x, bits + more))
    return PowerFunction.from_vertices(hull(point for point in corners if point[0] < 1))


def _moved(one: Line, other: Line, x: Fraction, bits: int) -> Point:
    """The corner of two lines, the steeper one first, moved along one of them."""
    y = one[0] * x + one[1]
    if not other[0]:
        return 1 - round_up(1 - x, bits), Fraction(1)
    if one[0] > 1:
        at = round_up(x, bits)
        moved = at, one[0] * at + one[1]
    else:
        below = round_up(1 - y, bits)
        moved = (1 - below - other[1]) / other[0], 1 - below
    if moved[0] >= 0 and moved[1] <= 1:
        return moved
    return round_down(x, bits), min(Fraction(1), round_up(y, bits))


def _ln2(rest: Fraction) -> int:
    """ln 2 of a number below 1, about; no less than that of what is kept at all."""
    return (
        max(rest.numerator.bit_length() - rest.denominator.bit_length(), -MOST_BITS_KEPT) if rest else -MOST_BITS_KEPT
    )


def _size(slope: Fraction) -> int:
    return max(0, abs(slope.numerator.bit_length() - slope.denominator.bit_length()) - STEEP_BITS)


def below_small(points: Iterable[Point]) -> PowerFunction:
    """The curve through attained points, corners moved inward by a part of what they lie apart from the nearer end."""
    return PowerFunction.from_vertices(hull(_inward(x, y) for x, y in points))


def _inward(x: Fraction, y: Fraction) -> Point:
    bits = 2 * BITS_KEPT
    if x + y <= 1:
        return round_up(x, bits), round_down(y, bits)
    return 1 - round_down(1 - x, bits), 1 - round_up(1 - y, bits)
