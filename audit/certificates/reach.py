"""The slopes at which the curve of a value counts: those that the requested e^epsilon lead to, through every move."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, isqrt

from dpcert.audit.certificates.heights import Ray
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look
from dpcert.audit.solving.adaptive import Solution, Value

MOST_RAYS = 30_000
"""Slopes of one value past which its curve in a certificate is kept at every slope."""


@frozen
class RequestedRays:
    """Where a certificate has to be near the truth.

    Attributes:
        rays: Per value, the slopes that count; None where they are too many to be listed.
        shares: Per value, which part of what may be lost on the way to the root it may lose by itself; along every
            way from the root these add up to at most 1.
    """

    rays: Sequence[set[Ray] | None]
    shares: Sequence[Fraction]

    @classmethod
    def of(cls, solution: Solution, exp_epsilons: Iterable[Fraction], mirror: dict[int, int]) -> "RequestedRays":
        """That of a solved game, whose values have mirrors."""
        ends = {ray for e in exp_epsilons for ray in ((e.numerator, e.denominator), (e.denominator, e.numerator))}
        rays = _rays(solution.values, solution.value_of[0][0], ends, mirror)
        return cls(rays, _shares(solution, rays, mirror))


def _rays(values: Sequence[Value], root: int, ends: set[Ray], mirror: dict[int, int]) -> list[set[Ray] | None]:
    slopes: list[set[Ray] | None] = [set() for _ in values]
    slopes[root] = ends
    for number in range(len(values) - 1, 0, -1):
        twin = mirror.get(number, number)
        if twin < number:
            slopes[twin] = _both(
                slopes[twin], None if slopes[number] is None else {(b, a) for a, b in slopes[number] or ()}
            )
        steps = {
            (v, k0 * d1 // common, k1 * d0 // common)
            for d0, d1, runs in values[number].options
            for v, k0, k1 in runs
            if v and k0 and k1
            for common in (gcd(k0 * d1, k1 * d0),)
        }
        here = slopes[number]
        for v, p, q in steps:
            look(1 if here is None else len(here))
            slopes[v] = _both(slopes[v], None if here is None else {_lowest(a * p, b * q) for a, b in here})
    return slopes


def _both(some: set[Ray] | None, more: set[Ray] | None) -> set[Ray] | None:
    if some is None or more is None:
        return None
    together = some | more
    return together if len(together) <= MOST_RAYS else None


def _lowest(a: int, b: int) -> Ray:
    common = gcd(a, b)
    return a // common, b // common


def _shares(solution: Solution, rays: Sequence[set[Ray] | None], mirror: dict[int, int]) -> list[Fraction]:
    """Rounds in which curves are long get the most; how long is guessed from the slopes before and after."""
    rounds = len(solution.levels)
    widths = [max((_count(rays[v]) for v in solution.value_of[t]), default=1) for t in range(rounds)]
    weights = [isqrt(min(one, other)) + 1 for one, other in zip(widths, reversed(widths), strict=True)]
    shares = [Fraction(1)] * len(solution.values)
    for weight, numbers in zip(weights, solution.value_of, strict=False):
        for v in numbers:
            shares[v] = min(shares[v], Fraction(weight, sum(weights)))
    for v, twin in mirror.items():
        shares[v] = shares[twin] = min(shares[v], shares[twin])
    return shares


def _count(rays: set[Ray] | None) -> int:
    return MOST_RAYS if rays is None else len(rays)
