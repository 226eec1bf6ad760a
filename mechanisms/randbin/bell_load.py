"""Loads of RandBin with bell-shaped laws: symmetric on [U..2U], exact, from the restricted Gaussian to tapered ones."""

from fractions import Fraction
from functools import lru_cache

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.enclosure import ball, enclosed
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.mechanisms.noise.geometric import even

LOAD_BITS = 96
"""Weights are multiples of 2^-LOAD_BITS of the one in the middle."""


@lru_cache(maxsize=64)
def bell_load(level: int, slope: Fraction, curvature: Fraction, taper: Fraction = Fraction(0)) -> Pmf[int]:
    """The law of 3U/2 + k, |k| <= U/2, with weights near e^(-slope |k| - curvature k^2/2) (1 - |k|/(U/2 + 1))^taper.

    With slope and taper 0 it is the Gaussian of variance 1 / curvature, restricted to the integers of [-U/2..U/2]; with
    curvature and taper 0 the geometric law, restricted. The rounded weights are the law: exact curves are those of it.

    Args:
        level: U, even.
        slope, curvature, taper: At least 0, dimensionless (per event, per squared event, none).

    >>> law = bell_load(4, Fraction(0), Fraction(1))
    >>> [round(1000 * law.probability(z)) for z in range(4, 9)]
    [54, 244, 403, 244, 54]
    """
    half = even(level) // 2
    for name, value in (("slope", slope), ("curvature", curvature), ("taper", taper)):
        if value < 0:
            raise expected(f"a {name} of at least 0", **{name: value})
    weights = {k: _weight(k, half, slope, curvature, taper) for k in range(half + 1)}
    return from_weights({3 * half + k: weights[abs(k)] for k in range(-half, half + 1)})


def _weight(k: int, half: int, slope: Fraction, curvature: Fraction, taper: Fraction) -> int:
    """The weight of +-k, at least 1."""
    left = Fraction(half + 1 - k, half + 1)
    exponent = -slope * k - curvature * k * k / 2
    weight = enclosed(lambda: (ball(exponent) + ball(taper) * ball(left).log()).exp()).finite()
    return max(1, int(weight.lower * 2**LOAD_BITS))
