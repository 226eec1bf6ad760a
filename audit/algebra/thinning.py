"""Curves with few vertices on or above a given power function, or on or below it: thinning on the safe side."""

from bisect import bisect_left
from fractions import Fraction
from itertools import accumulate, pairwise

from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.power import Point, PowerFunction

Corner = tuple[int, int]


def outer(power: PowerFunction, most: int) -> tuple[Point, ...]:
    """Vertices of the least power function above `power` that has at most `most` of its edges, and no other.

    The edges are chosen by mass and by rank. The vertices are crossings of supporting lines, so the curve is exact
    where neighbouring edges were both chosen; one of at most that many segments comes back as it is. No common
    denominator is sought, for it would be huge.
    """
    chain = power.chain
    if len(chain) <= most:
        return power.vertices
    corners = list(chain.vertices())
    chosen = _chosen(chain, most)
    inner = [_crossing(chain, corners, i, j) for i, j in pairwise(chosen)]
    start, end = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))
    return start, *((x / chain.total0, y / chain.total1) for x, y in inner), end


def inner(power: PowerFunction, most: int) -> tuple[Point, ...]:
    """At most `most` + 1 vertices of `power` itself: the curve through them lies on or below it."""
    chain = power.chain
    if len(chain) <= most:
        return power.vertices
    corners = list(chain.vertices())
    kept = sorted({0, *(i + 1 for i in _chosen(chain, most))})
    return tuple((Fraction(x, chain.total0), Fraction(y, chain.total1)) for x, y in (corners[i] for i in kept))


def _chosen(chain: Chain, most: int) -> list[int]:
    """Edge numbers: the first, the last, half of the rest evenly by rank and half evenly by mass of both worlds."""
    last, half = len(chain) - 1, max(1, most // 2 - 2)
    by_rank = {i * last // half for i in range(half + 1)}
    mass = list(accumulate(a * chain.total1 + b * chain.total0 for a, b in zip(chain.mass0, chain.mass1, strict=True)))
    by_mass = {min(last, bisect_left(mass, i * mass[-1] // half)) for i in range(half)}
    beside_the_ends = {1, last - 1}  # they fix how much mass a single world has
    return sorted(by_rank | by_mass | beside_the_ends)


def _crossing(chain: Chain, corners: list[Corner], i: int, j: int) -> tuple[Fraction, Fraction]:
    """Where the lines through edges i < j meet."""
    (px, py), (qx, qy) = corners[i + 1], corners[j]
    ax, ay, bx, by = chain.mass0[i], chain.mass1[i], chain.mass0[j], chain.mass1[j]
    along = Fraction((qx - px) * by - (qy - py) * bx, ax * by - ay * bx)
    return px + along * ax, py + along * ay
