"""The curve of Gaussian noise, and of prefix sums clipped around it, as chains of rational points that lie above."""

from fractions import Fraction
from itertools import accumulate, repeat
from math import isqrt
from operator import mul

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.errors import expected
from dpcert.mechanisms.noise.gaussian_profile import gaussian_delta

TANGENTS = 64
"""Slopes above 1 at which the curve is touched; as many below."""
FARTHEST = 8
"""How many deviations of the log-likelihood ratio, from its mean, the steepest slope is away."""

SLOPE_SHARES = 2**32
"""Slopes above 1 are multiples of its inverse: which ones are taken is free."""
STEEPEST = 2**200
"""Slopes past it are not tried."""
START, END = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))
Line = tuple[Fraction, Fraction]
"""(intercept, slope)."""


def gaussian_power(
    mu_squared: Fraction, extra: Fraction = Fraction(0), distance: Fraction = Fraction(0)
) -> PowerFunction:
    """At least f, the power of N(0, 1) against N(mu, 1), with `extra` on every delta: the least of rational tangents.

    Args:
        mu_squared: mu^2, positive.
        extra: What is added to every delta of f, in both orders of worlds, as clipping does; from 0 to 1. At a slope
            a below 1 the other order's bound is the better one: it adds a times as much.
        distance: How far, in total variation, either world may be from what f is of.
    Source: claims 95; th:prefix_sum, with claims 82, for the addition.

    >>> f = gaussian_power(Fraction(1))
    >>> 0 < f.delta(2) - gaussian_delta(Fraction(2), Fraction(1)).lower < Fraction(1, 200)
    True
    """
    if not 0 <= extra <= 1:
        raise expected("an addition from 0 to 1", extra=extra)
    lines = _lowest(
        [
            *(
                (_upper(a, mu_squared) + min(a, Fraction(1)) * extra + (1 + a) * distance, a)
                for a in _slopes(mu_squared)
            ),
            (Fraction(1), Fraction(0)),
        ]
    )
    corners = [(x, d + a * x) for (d, a), x in zip(lines, map(_meeting, lines, lines[1:]), strict=False)]
    return PowerFunction.from_vertices([START, (Fraction(0), lines[0][0]), *corners, END])


def _slopes(mu_squared: Fraction) -> list[Fraction]:
    """Slopes from the steepest down, symmetric around 1 as logarithms."""
    mu = Fraction(isqrt(mu_squared * SLOPE_SHARES**2 // 1), SLOPE_SHARES)
    step = (mu_squared / 2 + FARTHEST * mu) / TANGENTS
    grown = accumulate(repeat(1 + step, TANGENTS), mul)
    rounded = {Fraction(round(a * SLOPE_SHARES), SLOPE_SHARES) for a in grown if a <= STEEPEST}
    above = sorted(a for a in rounded if a > 1)
    return [*reversed(above), Fraction(1), *(1 / a for a in above)]


def _upper(slope: Fraction, mu_squared: Fraction) -> Fraction:
    return max(Fraction(0), gaussian_delta(slope, mu_squared).finite().upper)


def _lowest(lines: list[Line]) -> list[Line]:
    """Those that are somewhere the lowest, of lines from the steepest on."""
    envelope: list[Line] = []
    for line in lines:
        while envelope and line[0] <= envelope[-1][0]:
            envelope.pop()
        while len(envelope) > 1 and _meeting(envelope[-1], line) <= _meeting(envelope[-2], envelope[-1]):
            envelope.pop()
        envelope.append(line)
    return envelope


def _meeting(steep: Line, flat: Line) -> Fraction:
    """Where two lines cross."""
    return (flat[0] - steep[0]) / (steep[1] - flat[1])
