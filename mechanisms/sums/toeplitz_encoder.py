"""R, a Toeplitz encoder of whole numbers near the root of the counting matrix, and the first column of its decoder."""

from fractions import Fraction
from functools import lru_cache

from flint import arb, arb_series, ctx

from dpcert.audit.algebra.enclosure import PRECISION_BITS
from dpcert.audit.errors import expected

FIXED_BITS = 64
"""Fractional bits with which the real column is run up; what they lose only moves the rounding of an entry."""


@lru_cache(maxsize=16)
def encoder_column(scale: int, rounds: int) -> tuple[int, ...]:
    """r_0 = c, r_1, ..., r_{rounds-1}, the first column of R: whole numbers of at least 0 near c binom(2k, k) / 4^k.

    Their running sums are those of the real numbers, rounded to the nearest, so that low frequencies come out right. A
    shorter column is the beginning of a longer one.

    Args:
        scale: c, grid units in one unit of the inputs, at least 1.
        rounds: Entries, at least 1.
    Source: paper.tex, sec:prefixsum_factor (f(k), times c and rounded).

    >>> encoder_column(64, 8)
    (64, 32, 24, 20, 18, 15, 15, 13)
    """
    if scale < 1:
        raise expected("a scale of at least 1", scale=scale)
    if rounds < 1:
        raise expected("at least 1 round", rounds=rounds)
    return worked_out(scale, rounds)


def worked_out(scale: int, rounds: int) -> tuple[int, ...]:
    """The same of numbers that were looked at, without remembering it: code that calls this reads its arguments alone.

    >>> worked_out(2, 3)
    (2, 1, 1)
    """
    half = 1 << FIXED_BITS - 1
    value = run = scale << FIXED_BITS
    column, total = [scale], scale
    for k in range(1, rounds):
        value = value * (2 * k - 1) // (2 * k)
        run += value
        column.append((run + half >> FIXED_BITS) - total)
        total += column[-1]
    return tuple(column)


@lru_cache(maxsize=64)
def column_norm_squared(scale: int, rounds: int) -> int:
    """s(R)^2 in squared grid units: the first column's, which is the largest.

    >>> column_norm_squared(2, 3), encoder_column(2, 3)
    (6, (2, 1, 1))
    """
    return sum(r * r for r in encoder_column(scale, rounds))


@lru_cache(maxsize=4)
def decoder_column(scale: int, rounds: int) -> tuple[arb, ...]:
    """l_0 = 1, l_1, ..., the first column of L = c M R^-1, M the counting matrix: c / ((1 - z) r(z)), enclosed.

    >>> decoder_column(2, 3)
    (1.00000000000000, 0.500000000000000, 0.250000000000000)
    """
    encoder = encoder_column(scale, rounds)
    before = ctx.prec, ctx.cap
    ctx.prec, ctx.cap = PRECISION_BITS, rounds
    try:
        series = scale / (arb_series(list(encoder), prec=rounds) * arb_series([1, -1], prec=rounds))
        return tuple(series[k] for k in range(rounds))
    finally:
        ctx.prec, ctx.cap = before


def nearest(numerator: int, denominator: int) -> int:
    """The whole number nearest to a fraction, the upper one in the middle; it commutes with whole shifts.

    >>> nearest(3, 2), nearest(-3, 2), nearest(-4, 3)
    (2, -1, -1)
    """
    return (2 * numerator + denominator) // (2 * denominator)


def mu_squared(scale: int, sigma: Fraction, rounds: int) -> Fraction:
    """mu^2 of R x + N(0, sigma^2 I) against an input off by 1, in the Gaussian trade-off G_mu: (s(R) / sigma)^2.

    Source: claims 94, 96; the differences of the two worlds are a column of R, whatever the common inputs are.

    >>> mu_squared(2, Fraction(3), 3)
    Fraction(2, 3)
    """
    return column_norm_squared(scale, rounds) / Fraction(sigma) ** 2
