"""The three moves on chains, in integers over one denominator per world.

A chain is a power function written as its segments: the atoms (mass in world 0, mass in world 1), by falling
likelihood ratio. This module is exact and works at any size; `envelope` does the same work faster on long chains.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate, pairwise
from math import lcm

from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look

KEY_BITS = 64
"""Bits of the integer key by which segments are sorted; equal keys are settled by exact cross-multiplication."""
WORDS = 512
"""Bits of a total for which its arithmetic takes as long as all the rest."""


@frozen(slots=True)
class Chain:
    """Segments with strictly falling mass1 / mass0, each list as long as there are segments.

    The masses of world b are integers that sum to total_b, which stands for probability 1. A segment of mass0 0
    (an outcome that world 0 never produces) comes first, one of mass1 0 last.
    """

    mass0: Sequence[int]
    mass1: Sequence[int]
    total0: int
    total1: int

    def __len__(self) -> int:
        return len(self.mass0)

    def __hash__(self) -> int:
        return hash((self.total0, self.total1, len(self), self.mass0[0], self.mass1[0], self.mass0[-1]))

    def reversed(self) -> "Chain":
        """The same experiment with the worlds swapped: Pow(Q‖P) from Pow(P‖Q)."""
        return Chain(tuple(self.mass1[::-1]), tuple(self.mass0[::-1]), self.total1, self.total0)

    def vertices(self) -> Iterator[tuple[int, int]]:
        """The integer vertices from (0, 0) to (total0, total1)."""
        yield 0, 0
        yield from zip(accumulate(self.mass0), accumulate(self.mass1), strict=True)

    def graph(self) -> list[tuple[int, int]]:
        """The vertices of the power function itself: strictly rising in x, from x = 0 to total0."""
        corners = list(self.vertices())
        return corners[1:] if self.mass0[0] == 0 else corners


Run = tuple[int, int, Chain]
"""A chain with the integer weights that its two worlds are scaled by: one outcome of a release."""

IDENTITY = Chain((1,), (1,), 1, 1)


def ordered(mass0: Sequence[int], mass1: Sequence[int], total0: int, total1: int) -> Chain:
    """The chain of unordered atoms; atoms of equal likelihood ratio are added up, empty ones dropped."""
    _, keys = ratio_keys(mass0, mass1, total0, total1)
    out0: list[int] = []
    out1: list[int] = []
    group: list[tuple[int, int]] = []
    last: int | None = None
    for i in sorted(range(len(keys)), key=keys.__getitem__, reverse=True):
        if keys[i] != last:
            _settle(group, out0, out1)
            group = []
            last = keys[i]
        group.append((mass0[i], mass1[i]))
    _settle(group, out0, out1)
    return Chain(tuple(out0), tuple(out1), total0, total1)


def ratio_keys(mass0: Sequence[int], mass1: Sequence[int], total0: int, total1: int) -> tuple[int, list[int]]:
    """(shift, keys): floor(mass1 / mass0 * 2^shift) per atom, an infinite ratio above all others.

    Unequal keys order the ratios; equal keys decide nothing.
    """
    shift = KEY_BITS + max(0, total0.bit_length() - total1.bit_length())
    infinite = (total1 << shift) + 1
    return shift, [(b << shift) // a if a else infinite for a, b in zip(mass0, mass1, strict=True)]


def falling(s: tuple[int, int], t: tuple[int, int]) -> int:
    """Negative if s has the larger likelihood ratio."""
    return t[1] * s[0] - s[1] * t[0]


def _settle(group: list[tuple[int, int]], out0: list[int], out1: list[int]) -> None:
    """Appends atoms whose rounded ratios agree, in exact order, equal ratios merged."""
    if len(group) > 1:
        group = sorted(group, key=cmp_to_key(falling))
    start = len(out0)
    for a, b in group:
        if not a and not b:
            continue
        if len(out0) > start and b * out0[-1] == out1[-1] * a:
            out0[-1] += a
            out1[-1] += b
        else:
            out0.append(a)
            out1.append(b)


def release(runs: Sequence[Run], total0: int, total1: int) -> Chain:
    """The chain of one release: each outcome's chain scaled by its weights, all merged by slope (defn:power)."""
    if len(runs) == 1:
        k0, k1, only = runs[0]
        return Chain(tuple(k0 * a for a in only.mass0), tuple(k1 * b for b in only.mass1), total0, total1)
    look(sum(len(chain) for _, _, chain in runs) * (1 + total0.bit_length() // WORDS))
    mass0 = [k0 * a for k0, _, chain in runs for a in chain.mass0]
    mass1 = [k1 * b for _, k1, chain in runs for b in chain.mass1]
    return ordered(mass0, mass1, total0, total1)


@frozen(slots=True)
class HullChoice:
    """Which option attains a hull, by slope: `first` for the steepest, then option o once (dx, dy, o)'s edge is passed.

    Switches come by falling slope dy / dx.
    """

    first: int
    switches: tuple[tuple[int, int, int], ...] = ()

    def at(self, p: int, q: int) -> int:
        """An option that attains the hull's support at slope p / q: max of y q - x p over its vertices."""
        option = self.first
        for dx, dy, after in self.switches:
            if dy * q <= dx * p:
                break
            option = after
        return option

    def reversed(self, number_of: Sequence[int]) -> "HullChoice":
        """The choice with the worlds swapped; option o is then number number_of[o]."""
        options = [self.first, *(after for _, _, after in self.switches)]
        switches = tuple(
            (dy, dx, number_of[before]) for (dx, dy, _), before in zip(self.switches, options, strict=False)
        )
        return HullChoice(number_of[options[-1]], switches[::-1])


def hull(chains: Sequence[Chain]) -> tuple[Chain, HullChoice]:
    """The upper concave hull of chains over the same totals: the adversary's choice (defn:power_sup)."""
    if len(chains) == 1:
        return chains[0], HullChoice(0)
    graphs = [dict(chain.graph()) for chain in chains]
    highest: dict[int, int] = {}
    for graph in graphs:
        look()
        for x, y in graph.items():
            if y > highest.get(x, -1):
                highest[x] = y
    corners: list[tuple[int, int]] = []
    for x in sorted(highest):
        corner = x, highest[x]
        while len(corners) > 1 and not _turns_right(corners[-2], corners[-1], corner):
            corners.pop()
        corners.append(corner)
    choice = _choice(corners, graphs)
    if corners[0][1]:
        corners.insert(0, (0, 0))
    steps = list(pairwise(corners))
    mass0, mass1 = tuple(q[0] - p[0] for p, q in steps), tuple(q[1] - p[1] for p, q in steps)
    return Chain(mass0, mass1, *corners[-1]), choice


def _choice(corners: Sequence[tuple[int, int]], graphs: Sequence[dict[int, int]]) -> HullChoice:
    """The owners of the hull's vertices; an option is kept for as long as it has the next vertex too."""
    before, *rest = corners
    first = owner = _owner(before, graphs)
    switches = []
    for corner in rest:
        if graphs[owner].get(corner[0]) != corner[1]:
            look()
            owner = _owner(corner, graphs)
            switches.append((corner[0] - before[0], corner[1] - before[1], owner))
        before = corner
    return HullChoice(first, tuple(switches))


def _owner(corner: tuple[int, int], graphs: Sequence[dict[int, int]]) -> int:
    """The first option that has a vertex."""
    return next(i for i, graph in enumerate(graphs) if graph.get(corner[0]) == corner[1])


def _turns_right(p: tuple[int, int], q: tuple[int, int], r: tuple[int, int]) -> bool:
    """Whether q stands strictly above the line from p to r."""
    return (q[1] - p[1]) * (r[0] - q[0]) > (r[1] - q[1]) * (q[0] - p[0])


def rescaled(chain: Chain, total0: int, total1: int) -> Chain:
    """The same chain over other totals, multiples of its own."""
    if (chain.total0, chain.total1) == (total0, total1):
        return chain
    return release([(total0 // chain.total0, total1 // chain.total1, chain)], total0, total1)


def over_common_totals(chains: Sequence[Chain]) -> list[Chain]:
    """The same chains over the least totals that all of them can be written over."""
    total0 = lcm(*(chain.total0 for chain in chains))
    total1 = lcm(*(chain.total1 for chain in chains))
    return [rescaled(chain, total0, total1) for chain in chains]


def surplus(chain: Chain, p: int, q: int) -> int:
    """sum over atoms of max(0, p mass0 - q mass1): the adversary's best guess for world 0 at slope p : q."""
    first = bisect_left(range(len(chain)), True, key=lambda i: p * chain.mass0[i] > q * chain.mass1[i])
    return p * sum(chain.mass0[first:]) - q * sum(chain.mass1[first:])


def least_slope(chain: Chain, delta: Fraction) -> Fraction | None:
    """The least e with sum max(0, P - e Q) <= delta, which may lie below 0; None where no finite one will do.

    The sum runs over the segments from the last one backwards.
    """
    share = delta * chain.total0
    sum0 = sum1 = 0
    for a, b in zip(reversed(chain.mass0), reversed(chain.mass1), strict=True):
        if b and (sum0 * b - sum1 * a) * share.denominator > share.numerator * b:
            break
        sum0 += a
        sum1 += b
    return (sum0 - share) * chain.total1 / (sum1 * chain.total0) if sum1 else None


def extremes(chain: Chain) -> tuple[tuple[int, int], tuple[int, int]]:
    """(mass0, mass1) of the first and of the last segment: the largest and the smallest likelihood ratio."""
    return (chain.mass0[0], chain.mass1[0]), (chain.mass0[-1], chain.mass1[-1])


def below(lower: Chain, upper: Chain) -> bool:
    """Whether `lower` <= `upper` everywhere; both over the same totals."""
    corners = upper.graph()
    at = 1
    for x, y in lower.graph():
        while corners[at][0] < x:
            at += 1
        (x0, y0), (x1, y1) = corners[at - 1], corners[at]
        if (y - y0) * (x1 - x0) > (y1 - y0) * (x - x0):
            return False
    return True
