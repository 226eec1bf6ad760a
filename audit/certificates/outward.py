"""Curves of few, short numbers on or above a chain: how far above, in units of probability, is said beforehand."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from math import ceil

from dpcert.audit.algebra.chain import Chain
from dpcert.audit.certificates.heights import Heights, Ray
from dpcert.audit.certificates.tolerances import TOLERANCE_UNIT
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look

Corner = tuple[int, int]
Crossing = tuple[int, int, int]
"""x and y over a common denominator, which comes third."""


@frozen
class Outward:
    """Thinning on the safe side.

    At a slope that counts, the curve that comes out allows at most a min(a, b) share / `within` and 2 (a + b) / `grid`
    more than the one that goes in. Such an excess does not grow on the way to the root, where those of all rounds add
    up: outcomes have probabilities that sum to 1 in either world.

    Attributes:
        within: One over what may be lost by leaving out edges, in all rounds together.
        grid: What stands for probability 1 in the curves that come out.
    """

    within: int
    grid: int

    @classmethod
    def of_gap(cls, gap: Fraction, rounds: int, exp_epsilon: Fraction) -> "Outward":
        """One that raises delta by less than the gap at every e^epsilon up to this one, over so many rounds."""
        within = -(-2 * gap.denominator // gap.numerator)
        return cls(within, 1 << int(2 * rounds * within * (exp_epsilon + 1)).bit_length())

    def of(self, chain: Chain, share: Fraction, rays: Iterable[Ray] | None = None) -> Chain:
        """A curve on or above a chain, its corners rounded outward.

        Args:
            chain: What it is to bound.
            share: How much of what may be lost may be lost here.
            rays: The slopes that count; None for all.
        """
        live = chain if rays is None else self._rounded(live_corners(chain, rays), chain)
        edges = _ThinnedEdges(live, ceil(self.within / share))
        return self._rounded((edges.crossing(i, j) for i, j in pairwise(edges.chosen())), live)

    def near(self, chain: Chain, everywhere: int, at: Mapping[Ray, int]) -> Chain:
        """A curve on or above a chain, at most so much above it, and a little for rounding.

        Args:
            chain: What it is to bound.
            everywhere: How far above it may be at any slope, in units of min(a, b) / TOLERANCE_UNIT.
            at: The same, at slopes where it is less.
        """
        half = everywhere // 2
        heights, edges = Heights(chain), _ThinnedEdges(chain, -(-TOLERANCE_UNIT // half) if half else 0)
        first = dict.fromkeys(heights.slopes(edges.chosen() if half else [*range(len(chain))]), half)
        return self._rounded(live_corners(chain, _knots(heights, {**first, **at})), chain)

    def _rounded(self, crossings: Iterable[Crossing], chain: Chain) -> Chain:
        """The curve with these corners, in the units of a chain, between (0, 0) and the end."""
        grid, t0, t1 = self.grid, chain.total0, chain.total1
        corners = [(x * grid // (t0 * below), min(grid, -(-y * grid // (t1 * below)))) for x, y, below in crossings]
        outline: list[Corner] = [(0, 0)]
        for corner in [*corners, (grid, grid)]:
            if corner[0] <= outline[-1][0] and corner[1] <= outline[-1][1]:
                continue
            while len(outline) > 1 and _not_above(outline[-2], outline[-1], corner):
                outline.pop()
            outline.append(corner)
        steps = list(pairwise(outline))
        mass0, mass1 = tuple(q[0] - p[0] for p, q in steps), tuple(q[1] - p[1] for p, q in steps)
        return Chain(mass0, mass1, grid, grid)


def live_corners(chain: Chain, rays: Iterable[Ray]) -> list[Crossing]:
    """Corners, but for both ends, of a curve on or above a chain that is as high as it at some slopes.

    Between two neighbouring slopes that count, one segment of the chain stays; of several, none does: the lines that
    touch the chain at the two slopes are drawn on to where they meet.

    Args:
        chain: The chain.
        rays: Slopes that count.
    """
    mass0, mass1 = [int(a) for a in chain.mass0], [int(b) for b in chain.mass1]
    sum0, sum1 = [0, *accumulate(mass0)], [0, *accumulate(mass1)]
    t0, t1, last = chain.total0, chain.total1, len(mass0)
    ordered = sorted(rays, key=lambda ray: Fraction(ray[1], ray[0]))
    corners: list[Crossing] = []
    at, ray, along = 0, (1, 0), False
    for a, b in [*ordered, (0, 1)]:
        look()
        end, p, q = at, a * t1, b * t0
        while end < last and q * mass1[end] > p * mass0[end]:
            end += 1
        before, along = along, end > at + 1
        if not (before and along) and (before or end > at):
            corners.append((sum0[at], sum1[at], 1))
        if along:
            (ax, ay), (bx, by) = (ray[1] * t0, ray[0] * t1), (q, p)
            below = ay * bx - ax * by
            across = (sum1[end] - sum1[at]) * bx - (sum0[end] - sum0[at]) * by
            corners.append((sum0[at] * below + across * ax, sum1[at] * below + across * ay, below))
        elif end > at:
            corners.append((sum0[end], sum1[end], 1))
        at, ray = end, (a, b)
    return corners


def _knots(heights: Heights, most: Mapping[Ray, int]) -> list[Ray]:
    """As few of some slopes as will do, such that lines from each to the next are as near to a chain as is asked.

    The line from a knot to a slope is near enough if it rises no faster than those to the highest point allowed at
    every slope between. A chain bends upwards, so that once a line is too high all later ones are: each knot is the
    last that can follow.
    """
    knot, steepest = _Knot((1, 0), 0), (1, 0)
    knots: list[_Knot] = []
    before = knot
    for ray in [*sorted(most, key=lambda ray: Fraction(ray[1], ray[0])), (0, 1)]:
        look()
        here = heights.of(ray)
        rise, turn = knot.rise(ray, here)
        if rise * steepest[1] > steepest[0] * turn:
            knots.append(before)
            knot, steepest = before, (1, 0)
            rise, turn = knot.rise(ray, here)
        higher = knot.ray[0] * min(ray) * heights.unit * most.get(ray, 0)
        allowed = rise * TOLERANCE_UNIT + higher, turn * TOLERANCE_UNIT
        if allowed[0] * steepest[1] < steepest[0] * allowed[1]:
            steepest = allowed
        before = _Knot(ray, here)
    return [knot.ray for knot in knots]


@frozen
class _Knot:
    """A slope, and how high a chain is there."""

    ray: Ray
    height: int

    def rise(self, ray: Ray, height: int) -> tuple[int, int]:
        """How fast the line from here to a later slope rises: by so much, in so much of a turn."""
        return self.ray[0] * height - self.height * ray[0], _across(self.ray, ray)


def _across(left: Ray, right: Ray) -> int:
    """How far the one turns from the other: above 0 where b / a rises."""
    return left[0] * right[1] - left[1] * right[0]


def _not_above(p: Corner, q: Corner, r: Corner) -> bool:
    """Whether q is not strictly above the line from p to r."""
    return (q[1] - p[1]) * (r[0] - q[0]) <= (r[1] - q[1]) * (q[0] - p[0])


class _ThinnedEdges:
    """The edges of a chain, and how far above it the crossing of two of them is."""

    def __init__(self, chain: Chain, within: int) -> None:
        self._mass0, self._mass1 = [int(a) for a in chain.mass0], [int(b) for b in chain.mass1]
        self._sum0, self._sum1 = [0, *accumulate(self._mass0)], [0, *accumulate(self._mass1)]
        self._totals = chain.total0, chain.total1
        self._within = within

    def chosen(self) -> list[int]:
        """Numbers of edges, the first and the last among them, of which neighbours cross near enough to the chain.

        Each is the last that may follow the one before it, since those after it cross farther away.
        """
        last, numbers = len(self._mass0) - 1, [0]
        while numbers[-1] < last:
            look()
            at, step = numbers[-1], 1
            while at + step <= last and self._near(at, at + step):
                step *= 2
            open_ = range(at + step // 2, min(at + step, last + 1))  # the first of them is near, what follows is not
            numbers.append(open_[bisect_left(open_, True, key=partial(self._far, at)) - 1])
        return numbers

    def crossing(self, i: int, j: int) -> Crossing:
        """Where the lines through edges i < j meet: x and y over a common denominator, which comes third."""
        px, py, qx, qy = self._sum0[i + 1], self._sum1[i + 1], self._sum0[j], self._sum1[j]
        if j == i + 1:
            return px, py, 1
        ax, ay, bx, by = self._mass0[i], self._mass1[i], self._mass0[j], self._mass1[j]
        below, along = ay * bx - ax * by, (qy - py) * bx - (qx - px) * by
        return px * below + along * ax, py * below + along * ay, below

    def _far(self, i: int, j: int) -> bool:
        """Whether the crossing is out of reach."""
        return not self._near(i, j)

    def _near(self, i: int, j: int) -> bool:
        """Whether the crossing is within reach: upwards where the chain is steep, to the left where it is flat."""
        if j == i + 1:
            return True
        x, y, below = self.crossing(i, j)
        (t0, t1), mass0, mass1 = self._totals, self._mass0, self._mass1
        if mass1[i] * t0 > mass0[i] * t1:
            at = max(bisect_left(self._sum0, -(-x // below), i, j + 1), 1)
            a, b = mass0[at - 1], mass1[at - 1]
            height = self._sum1[at] * a * below - (self._sum0[at] * below - x) * b
            if a and (y * a - height) * self._within > t1 * below * a:
                return False
            if not a and (y - self._sum1[at] * below) * self._within > t1 * below:
                return False
        if mass1[j] * t0 >= mass0[j] * t1:
            return True
        at = max(bisect_left(self._sum1, -(-y // below), i, j + 1), 1)
        a, b = mass0[at - 1], mass1[at - 1]
        across = self._sum0[at] * b * below - (self._sum1[at] * below - y) * a
        return (across - x * b) * self._within <= t0 * below * b
