"""How far above the truth a curve in a certificate may be, value by value and slope by slope.

Write V(a, b) for what can still be gained, and R = (b - V(a, b)) / min(a, b), from 0 to 1, for what adversaries must
miss. R is the least, over moves, of the mean of R over outcomes, by the weights min(a k0, b k1) / min(a, b), which sum
to at most 1. So a move that misses more than the best one by a margin may be bounded worse by just that margin; and
an outcome of little weight may be bounded worse than one of much weight. What is left over from the root is passed down
along all moves; where it is more than what every curve is off by anyway, nothing is asked of the slope.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, isqrt

from dpcert.audit.algebra.chain import Chain
from dpcert.audit.certificates.heights import Heights, Ray
from dpcert.audit.certificates.unsolved import Choosing
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look
from dpcert.audit.solving.adaptive import Option

TOLERANCE_UNIT = 1 << 160
"""What stands for min(a, b) in tolerances."""
TOLERATED_ANYWAY = TOLERANCE_UNIT // 30_000
"""What every curve may be off by at slopes of which nothing is asked, as long as the gap is less."""
MOST_SLOPES_ASKED = 3
"""Slopes per segment of the exact curve past which the same is asked of all slopes."""
WEIGHT_ROOT_BITS = 32
"""Bits after the point of square roots of weights, rounded up."""


@frozen
class Tolerances:
    """What a curve may lose by itself, in units of min(a, b) / TOLERANCE_UNIT.

    Attributes:
        everywhere: Per value, at any slope.
        at: Per value, at slopes where it is less.
    """

    everywhere: Sequence[int]
    at: Sequence[Mapping[Ray, int]]


class LeftOver:
    """What is left over in a solved game, on its way from the root.

    Args:
        values: The values; options lead to earlier ones.
        root: The number of the root's.
        mirror: The value that is the same with the worlds swapped, where there is one.
        room: What the bound on the root may exceed the truth by, at slopes; in units of min(a, b).
        curves: The exact curve of every value; empty where there are none, and all slopes are asked the same.
    """

    def __init__(
        self,
        values: Sequence[Choosing],
        root: int,
        mirror: Mapping[int, int],
        room: Mapping[Ray, Fraction],
        curves: Sequence[Chain],
    ) -> None:
        self._values, self._mirror, self._curves = values, mirror, curves
        self._depth = _depths(values)
        rooms = {ray: int(TOLERANCE_UNIT * most) for ray, most in room.items()}
        least = min(rooms.values()) // max(self._depth[root], 1)
        step = max(TOLERATED_ANYWAY, least) if curves else least
        self._everywhere = [step * depth for depth in self._depth]
        self._at: list[dict[Ray, int]] = [{} for _ in values]
        self._heights: dict[int, Heights] = {}
        if curves:
            self._at[root] = {ray: most for ray, most in rooms.items() if most < self._everywhere[root]}

    def tolerances(self) -> Tolerances:
        """What each curve keeps for itself of what comes to it."""
        for number in range(len(self._values) - 1, 0, -1):
            self._pass_on(number)
            self._heights.pop(number, None)
        shares = [max(depth, 1) for depth in self._depth]
        own = [{ray: most // n for ray, most in at.items()} for at, n in zip(self._at, shares, strict=True)]
        return Tolerances([most // n for most, n in zip(self._everywhere, shares, strict=True)], own)

    def _pass_on(self, number: int) -> None:
        twin, here = self._mirror.get(number, number), self._at[number]
        if twin < number:
            self._everywhere[twin] = min(self._everywhere[twin], self._everywhere[number])
            for (a, b), most in here.items():
                self._ask(twin, (b, a), most)
            return
        if len(here) > MOST_SLOPES_ASKED * len(self._curves[number] if self._curves else ()):
            self._everywhere[number] = min(here.values())
            here.clear()
        depth, options = self._depth[number], self._values[number].options
        for v in {v for _, _, runs in options for v, _, _ in runs}:
            self._everywhere[v] = min(self._everywhere[v], self._everywhere[number] * (depth - 1) // depth)
        for ray, most in here.items():
            look()
            loss = self._missed(number, ray) + 1
            for option in options:
                self._pass_to(option, ray, most * (depth - 1) // depth, loss)

    def _pass_to(self, option: Option, ray: Ray, most: int, loss: int) -> None:
        """What is left for the outcomes of a move."""
        d0, d1, _ = option
        whole, after = min(ray) * d0 * d1, list(_after(option, ray))
        margin = sum(self._missed(v, there) * weight for v, there, weight in after) // whole - loss
        roots = [isqrt((weight << 2 * WEIGHT_ROOT_BITS) // whole) + 1 for _, _, weight in after]
        below = sum(root for root, (v, _, _) in zip(roots, after, strict=True) if v)
        for root, (v, there, _) in zip(roots, after, strict=True):
            if v:
                self._ask(v, there, (most + max(0, margin) << 2 * WEIGHT_ROOT_BITS) // (root * below))

    def _ask(self, number: int, ray: Ray, most: int) -> None:
        at = self._at[number]
        if most < at.get(ray, self._everywhere[number]):
            at[ray] = most

    def _missed(self, number: int, ray: Ray) -> int:
        """R, times TOLERANCE_UNIT."""
        if number == 0:
            return TOLERANCE_UNIT
        heights = self._heights.get(number)
        if heights is None:
            heights = self._heights[number] = Heights(self._curves[number])
        return (ray[1] * heights.unit - heights.of(ray)) * TOLERANCE_UNIT // (min(ray) * heights.unit)


def _after(option: Option, ray: Ray) -> Iterator[tuple[int, Ray, int]]:
    """Value, slope and weight of each outcome that is possible in both worlds."""
    (a, b), (d0, d1, runs) = ray, option
    for v, k0, k1 in runs:
        p, q = a * k0 * d1, b * k1 * d0
        if p and q:
            common = gcd(p, q)
            yield v, (p // common, q // common), min(p, q)


def _depths(values: Sequence[Choosing]) -> list[int]:
    """How many rounds each value is worth at most."""
    depths: list[int] = []
    for value in values:
        depths.append(max((1 + depths[v] for _, _, runs in value.options for v, _, _ in runs), default=0))
    return depths
