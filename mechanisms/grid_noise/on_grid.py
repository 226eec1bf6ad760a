"""Vectors and encoders on a grid of 2^-bits: clipped updates that never exceed the norm, coefficients as whole numbers.

Encoder entries are multiples of 2^-a and updates of 2^-b, so that R x is one of 2^-(a + b), as the noise is.
"""

from fractions import Fraction
from math import isqrt

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.grid_noise.sampling import Words
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.toeplitz import ToeplitzEncoder

MOST_COMPONENT_BITS = 46
"""Bits of a clipped component at most: so many are exact as float64, with room for what the shrinking needs."""
SHORTER = 2.0**-30
"""What a clipped vector is shorter than the clip norm, relatively: more than float64 is off by."""


def rounded_encoder(encoder: ToeplitzEncoder, bits: int) -> ToeplitzEncoder:
    """The encoder with every coefficient rounded to the nearest multiple of 2^-bits: exact from then on.

    Its sensitivity is the rounded one's own, and so is its decoder.

    Args:
        encoder: Exact or enclosed.
        bits: Fractional bits that are kept, at least 0.
    Raises: ArgumentError: negative bits, or so few that the first coefficient becomes 0.

    >>> from dpcert.mechanisms.matrices.square_root import square_root
    >>> rounded_encoder(square_root(4), 3).values
    (8, 4, 3, 3)
    """
    if bits < 0:
        raise expected("at least 0 fractional bits", bits=bits)
    drop = encoder.bits - bits
    values = tuple(v << -drop if drop <= 0 else (v + (1 << drop - 1)) >> drop for v in encoder.values)
    if values[0] == 0:
        raise expected("bits by which the first coefficient stays above 0", bits=bits)
    return ToeplitzEncoder(values, bits)


def clipped(vectors: Floats, clip: Fraction, bits: int) -> Words:
    """Each row scaled to a norm of at most `clip` where it is longer, in units of 2^-bits, rounded towards 0.

    The squared norm of every row that comes out is at most (clip 2^bits)^2, in whole numbers; a row of zeros stays so.

    Args:
        vectors: One row an example; finite.
        clip: G, above 0.
        bits: Fractional bits, with clip 2^bits below 2^46.
    Raises: ArgumentError: no matrix, an entry that is not finite, or a clip or bits outside their domain.
    Source: paper.tex, sec:overview (Clip_G); claims 100 for the zero vector.

    >>> clipped(np.array([[3.0, 4.0], [0.25, 0.0], [0.0, 0.0]]), Fraction(1), 4).tolist()
    [[9, 12], [4, 0], [0, 0]]
    """
    limit = _limit(clip, bits)
    if vectors.ndim != 2:
        raise expected("a row an example", vectors=f"an array of shape {vectors.shape}")
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise expected("finite components", example=int(np.argmax(bad)) + 1)
    if not vectors.size:
        return np.zeros(vectors.shape, dtype=np.int64)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    directions = np.divide(vectors, largest, out=np.zeros_like(vectors, dtype=np.float64), where=largest > 0)
    lengths = np.sqrt(np.square(directions).sum(axis=1, keepdims=True))
    most = float(clip) / np.where(lengths > 0, lengths, 1)
    cut = np.minimum(largest, most * (1 - SHORTER))
    whole: Words = np.trunc(directions * np.ldexp(cut, bits)).astype(np.int64)
    for row in np.flatnonzero(largest[:, 0] > most[:, 0] * (1 - 2 * SHORTER)):
        _fit(whole[row], limit)
    return whole


def _limit(clip: Fraction, bits: int) -> int:
    """The largest squared norm in units of 2^-2bits."""
    if clip <= 0 or bits < 0 or clip * (1 << bits) >= 1 << MOST_COMPONENT_BITS:
        raise expected(f"a clip above 0 that is below 2^{MOST_COMPONENT_BITS} units of 2^-bits", clip=clip, bits=bits)
    return int(clip * clip * (1 << 2 * bits))


def _fit(row: Words, limit: int) -> None:
    """Makes a row fit, should floats have left it too long: what is proven does not rest on them."""
    while (squared := sum(v * v for v in row.tolist())) > limit:
        length = isqrt(squared) + 1
        row[:] = [(abs(v) * isqrt(limit) // length) * (1 if v > 0 else -1) for v in row.tolist()]


def scaled_mean(total: Words, count: int, rate: Fraction) -> Words:
    """rate total / count, in the same units, rounded towards 0: a bin's update of the sum of its clipped vectors.

    Two such means differ by less than one unit a component more than before rounding: by sqrt(d) units in norm.

    Args:
        total: The sum of the clipped vectors.
        count: How many there are, at least 1.
        rate: The step size, above 0.
    Raises: ArgumentError: a count or rate outside its domain.
    Source: paper.tex, alg:dp_sgd_edit.

    >>> scaled_mean(np.array([7, -7]), 2, Fraction(1)).tolist()
    [3, -3]
    """
    if count < 1 or rate <= 0:
        raise expected("at least one vector, and a rate above 0", count=count, rate=rate)
    part, whole = rate.numerator, rate.denominator * count
    size = int(np.abs(total).max(initial=0)) * part
    if max(size, whole).bit_length() > 62:
        return np.array([abs(t) * part // whole * (1 if t > 0 else -1) for t in total.tolist()], dtype=np.int64)
    mean: Words = np.sign(total) * (np.abs(total) * part // whole)
    return mean
