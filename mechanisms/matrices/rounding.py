"""Column norms and products of columns of a float64 matrix, enclosed: floats with a proven bound on their rounding.

A sum of n products in any order, fused or not, is off by at most n u / (1 - n u) times the sum of their sizes, where
u = 2^-53 and nothing over- or underflows (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 3.1).
So entries are brought to sizes of at most 1 by a power of two first, which is exact but for what is smaller by 2^1000;
that, and what underflows, is made up for by a unit of the whole numbers that come out.
"""

from typing import NamedTuple

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, Integers

NORM_BITS = 60
"""Bits of the largest enclosed norm of a matrix: all norms are whole multiples of one unit."""
MOST_TERMS = 1 << 30
"""Rows past which the bound on rounding is not claimed."""


class NormBounds(NamedTuple):
    """lower_i <= (a norm of column i) 2^bits <= upper_i, whole numbers."""

    lower: list[int]
    upper: list[int]
    bits: int


class RoundedProducts(NamedTuple):
    """|R^T R 2^bits - values| <= radius at every entry."""

    values: Integers
    bits: int
    radius: int


def squared_norms(entries: Floats) -> NormBounds:
    """The squared L2 norms of the columns, enclosed.

    >>> squared_norms(np.array([[3.0], [4.0]])).lower[0] < 25 << squared_norms(np.array([[3.0], [4.0]])).bits
    True
    """
    sized, exponent = _sized(entries)
    return _outward(np.einsum("ij,ij->j", sized, sized), len(entries), 2 * exponent)


def size_norms(entries: Floats) -> NormBounds:
    """The L1 norms of the columns, enclosed."""
    sized, exponent = _sized(entries)
    return _outward(np.abs(sized).sum(axis=0), len(entries), exponent)


def products(entries: Floats, *, value_bits: int) -> RoundedProducts:
    """R^T R by floats, rounded to whole numbers of at most so many bits, with how far any entry may be off."""
    sized, exponent = _sized(entries)
    most = float(np.einsum("ij,ij->j", sized, sized).max())  # no product is larger, by Cauchy-Schwarz
    bits = value_bits - 1 - int(np.frexp(most)[1])
    values = np.rint(np.ldexp(sized.T @ sized, bits)).astype(np.int64)
    values = np.tril(values) + np.tril(values, -1).T
    radius = int(np.ceil(np.ldexp(most * relative(len(entries)), bits))) + 2
    return RoundedProducts(values, bits - 2 * exponent, radius)


def _sized(entries: Floats) -> tuple[Floats, int]:
    """The matrix over a power of two, with entries of size at most 1."""
    if len(entries) > MOST_TERMS:
        raise expected(f"at most {MOST_TERMS} rows", rows=len(entries))
    exponent = int(np.frexp(np.abs(entries).max())[1])
    return np.ldexp(entries, -exponent), exponent


def relative(terms: int) -> float:
    """More than twice the bound on the relative error of a sum of so many products: room for what is done to it."""
    return float(terms + 8) * 2.0**-51


def _outward(sums: Floats, terms: int, exponent: int) -> NormBounds:
    """Sums of at most `terms` numbers of at least 0, moved outward past their rounding."""
    bits = NORM_BITS - int(np.frexp(sums.max())[1])
    slack = sums * relative(terms)
    lower = np.floor(np.ldexp(np.maximum(sums - slack, 0.0), bits)).astype(np.int64) - 1
    upper = np.ceil(np.ldexp(sums + slack, bits)).astype(np.int64) + 1
    return NormBounds(np.maximum(lower, 0).tolist(), upper.tolist(), bits - exponent)
