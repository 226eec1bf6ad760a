"""Buffers whose sums are near those of the square root of the prefix sums, as many as are asked for."""

from fractions import Fraction
from math import exp, expm1, log, pi, sqrt

from dpcert.audit.errors import expected
from dpcert.mechanisms.aggregators.buffered_sums import BUFFER_BITS, DECAY_BITS, BufferedSums, buffered_sums
from dpcert.mechanisms.aggregators.core import WORD_LIMIT

MOST_NEAR_BUFFERS = 8
"""Buffers of such sums at most."""
FASTEST = 2.0
"""The fastest decay of a buffer, in nats a round."""


def near_square_root(buffers: int, rounds: int, dimension: int, largest: int) -> BufferedSums:
    """c_k near the square root's, which is the integral of e^(-kx) / (pi sqrt(e^x - 1)) over x > 0.

    It is cut into steps of one ratio, from 1 / T to FASTEST, or from the slowest decay that words of 64 bits allow.
    Sensitivity and noise are those of the rounded coefficients, however near they are.

    Args:
        buffers: How many.
        rounds, dimension, largest: As of `BufferedSums`.
    Raises: ArgumentError: a parameter outside its domain.

    >>> len(near_square_root(4, 100, 3, 1000).scales)
    4
    """
    if not 1 <= buffers <= MOST_NEAR_BUFFERS:
        raise expected(f"from 1 to {MOST_NEAR_BUFFERS} buffers", buffers=buffers)
    reach = min(rounds, (WORD_LIMIT >> 1) // (max(1, largest) << BUFFER_BITS + DECAY_BITS))
    slowest = min(1 / max(1, reach), FASTEST / 2)
    step = log(FASTEST / slowest) / max(1, buffers - 1)
    places = [slowest * exp(step * j) for j in range(buffers)]
    scales = [step / pi * x * exp(-x) / sqrt(expm1(x)) for x in places]
    scales[0] += 2 / pi * sqrt(slowest * exp(-step / 2))  # the integral below the slowest one's step
    decays = [Fraction(exp(-x)) for x in places]
    return buffered_sums(decays, [Fraction(scale) for scale in scales], rounds, dimension, largest)
