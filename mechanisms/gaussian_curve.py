"""The curve of Gaussian noise, and of prefix sums clipped around it, as chains of rational points that lie above."""

from fractions import Fraction
from itertools import pairwise

from dpcert.audit.errors import expected
from dpcert.audit.power import PowerFunction
from dpcert.mechanisms.gaussian_profile import gaussian_delta

TANGENTS = 32
"""Slopes above 1 at which the curve is touched; as many below."""
FARTHEST = 8
"""The largest log-slope, in multiples of max(mu, mu^2)."""

Line = tuple[Fraction, Fraction]
"""(intercept, slope)."""


def gaussian_power(mu_squared: Fraction, extra: Fraction = Fraction(0)) -> PowerFunction:
    """At least the power min(1, f + extra), f that of N(0, 1) against N(mu, 1): the least of rational tangents to it.

    Args:
        mu_squared: mu^2, positive.
        extra: What is added to every delta of f, as clipping does; from 0 to below 1.
    Source: claims 95; th:prefix_sum, with claims 82, for the addition.

    >>> f = gaussian_power(Fraction(1))
    >>> 0 < f.delta(2) - gaussian_delta(Fraction(2), Fraction(1)).lower < Fraction(1, 200)
    True
    """
    if not 0 <= extra < 1:
        raise expected("an addition from 0 to below 1", extra=extra)
    lines = [(_upper(a, mu_squared) + extra, a) for a in _slopes(mu_squared)]
    corners = [(Fraction(0), lines[0][0]), *_meetings(lines), ((1 - lines[-1][0]) / lines[-1][1], Fraction(1))]
    inside = [(x, y) for x, y in corners if x < 1 and y <= 1]
    vertices = [(Fraction(0), Fraction(0)), *inside]
    return PowerFunction.from_vertices([*vertices, (Fraction(1), Fraction(1))])


def _slopes(mu_squared: Fraction) -> list[Fraction]:
    """Slopes from the steepest down, symmetric around 1 as logarithms."""
    root = Fraction(int((mu_squared * 2**64).__floor__()) ** 0.5) / 2**32  # which slopes are taken is free
    most = float(FARTHEST * max(root, mu_squared))
    above = [Fraction(2.0 ** min(300.0, most * k / TANGENTS * 1.4427)) for k in range(1, TANGENTS + 1)]
    return [*reversed(above), Fraction(1), *(1 / a for a in above)]


def _upper(slope: Fraction, mu_squared: Fraction) -> Fraction:
    upper = gaussian_delta(slope, mu_squared).upper
    assert upper is not None
    return max(Fraction(0), upper)


def _meetings(lines: list[Line]) -> list[tuple[Fraction, Fraction]]:
    """Where each line crosses the next."""
    crossings = []
    for (d, a), (e, b) in pairwise(lines):
        x = (e - d) / (a - b)
        crossings.append((x, d + a * x))
    return crossings
