"""Curves of few segments that touch a chain at the slopes that count: exact there, and nowhere below it."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import accumulate, pairwise

from dpcert.audit.algebra.chain import Chain
from dpcert.audit.certificates.heights import Ray
from dpcert.audit.limits import look

Corner = tuple[int, int]
"""x and y, in the units of a chain."""


def touching(chain: Chain, rays: Iterable[Ray]) -> Chain:
    """A curve on or above a chain, in its units, as high as it at some slopes.

    The corners that the chain has at the slopes stay. Between two of them that are far apart, its segments give way to
    two, which meet near where the first and the last of them would. Where they would rise above the lines that touch
    the chain at either slope, all of its segments stay.

    Args:
        chain: What it is to bound.
        rays: The slopes that count, a : b, neither of them 0.

    >>> line = Chain((1, 1, 1, 1, 1), (16, 8, 4, 2, 1), 5, 31)
    >>> touching(line, [(1, 3)])
    Chain(mass0=(1, 2, 1, 1), mass1=(22, 6, 2, 1), total0=5, total1=31)
    """
    mass0, mass1 = [int(m) for m in chain.mass0], [int(m) for m in chain.mass1]
    corners = list(zip([0, *accumulate(mass0)], [0, *accumulate(mass1)], strict=True))
    outline, at, before = [corners[0]], 0, (chain.total1, 0)
    for a, b in [*sorted(rays, key=lambda ray: Fraction(ray[1], ray[0])), (0, 1)]:
        look()
        end, (p, q) = at, (a * chain.total1, b * chain.total0)
        while end < len(mass0) and q * mass1[end] > p * mass0[end]:
            end += 1
        outline += _arc(corners[at : end + 1], before, (p, q))
        at, before = end, (p, q)
        if end < len(mass0) and q * mass1[end] == p * mass0[end]:
            at += 1
            outline.append(corners[at])
    segments = list(_merged(outline + corners[at + 1 :]))
    return Chain(tuple(x for x, _ in segments), tuple(y for _, y in segments), chain.total0, chain.total1)


def _arc(corners: list[Corner], before: Ray, after: Ray) -> list[Corner]:
    """What leads from the first corner to the others; the lines that touch there are given by their slopes."""
    if len(corners) <= 3:
        return corners[1:]
    (first, second), (last_but_one, last) = corners[:2], corners[-2:]
    ax, ay, bx, by = second[0] - first[0], second[1] - first[1], last[0] - last_but_one[0], last[1] - last_but_one[1]
    turn = ay * bx - ax * by
    along = (last[1] - first[1]) * bx - (last[0] - first[0]) * by
    x, y = (first[0] * turn + along * ax) // turn, -(-(first[1] * turn + along * ay) // turn)
    low = all(q * (y - c[1]) <= p * (x - c[0]) for (p, q), c in ((before, first), (after, last)))
    return [(x, y), last] if low else corners[1:]


def _merged(outline: list[Corner]) -> Iterator[Corner]:
    """The segments between corners, those of one slope as one."""
    across, up = 0, 0
    for here, there in pairwise(outline):
        x, y = there[0] - here[0], there[1] - here[1]
        if (across or up) and across * y != up * x:
            yield across, up
            across, up = 0, 0
        across, up = across + x, up + y
    yield across, up
