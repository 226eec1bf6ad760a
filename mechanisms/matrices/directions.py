"""The most that sum_ij G_ij <x_i, x_j> is over vectors of norm at most 1, between bounds that are proven in integers.

Floats only guess. The lower end is the sum for vectors written out as fractions; the upper one is a sum of y_i for
which diag(y) - G is positive definite, since then sum_ij G_ij <x_i, x_j> < sum_i y_i <x_i, x_i>.
"""

from fractions import Fraction
from math import isqrt
from typing import NamedTuple

import numpy as np

from dpcert.audit.limits import look
from dpcert.mechanisms.matrices.dyadic import Floats, Integers

DIRECTION_BITS = 40
"""Fractional bits of vectors."""
MOST_TURNED, SETTLED = 1_000, 1e-15
"""Times all vectors are turned to where they are pulled, and the share of the sum below which that gains too little."""
LEAST_SHIFT, SHIFTS = 1e-11, 4
"""What is added to every y_i, as a share of the largest entry, for a positive definite matrix; ten times as much each
time that it is none."""

Vector = tuple[Fraction, ...]


class DirectionBounds(NamedTuple):
    """lower <= max sum_ij G_ij <x_i, x_j> <= upper; `lower` is attained by the vectors."""

    lower: Fraction
    upper: Fraction
    vectors: tuple[Vector, ...]


def directed(values: Integers) -> DirectionBounds:
    """The maximum for a symmetric, positive semidefinite matrix of whole numbers, not all 0.

    >>> found = directed(np.array([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]))  # 9, by vectors at 120 degrees
    >>> 9 - Fraction(1, 10**9) < found.lower <= 9 <= found.upper < 9 + Fraction(1, 10**6)
    True
    """
    most = int(abs(values).max())
    gram = np.array([[int(x) / most for x in row] for row in values])
    vectors = _turned(gram)
    whole = _shortened(vectors)
    unit = 1 << 2 * DIRECTION_BITS
    inner = whole @ whole.T
    lower = Fraction(int((inner * values.astype(object)).sum()), unit)
    rows = tuple(tuple(Fraction(int(x), 1 << DIRECTION_BITS) for x in row) for row in whole)
    return DirectionBounds(lower, _above(values.astype(object), gram, vectors, most), rows)


def _turned(gram: Floats) -> Floats:
    """Vectors of norm 1, each turned in its turn to where the others pull it, until that gains nothing."""
    count = len(gram)
    vectors = np.random.default_rng(count).normal(size=(count, min(count, isqrt(2 * count) + 2)))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    before = -np.inf
    for _ in range(MOST_TURNED):
        look()
        for i in range(count):
            pull = gram[i] @ vectors - gram[i, i] * vectors[i]
            length = float(np.linalg.norm(pull))
            if length > 0:
                vectors[i] = pull / length
        total = float(np.sum((vectors @ vectors.T) * gram))
        if total - before <= SETTLED * abs(total):
            break
        before = total
    return vectors


def _shortened(vectors: Floats) -> Integers:
    """The vectors in whole units, each of norm at most 1."""
    rows = np.array([[int(x * (1 << DIRECTION_BITS)) for x in row] for row in vectors], dtype=object)
    longest = 1 << 2 * DIRECTION_BITS
    for row in rows:
        while int((row * row).sum()) > longest:
            row -= np.array([(x > 0) - (x < 0) for x in row], dtype=object)
    return rows


def _above(values: Integers, gram: Floats, vectors: Floats, most: int) -> Fraction:
    """The sum of y_i that vectors suggest, or a little more, with a positive definite diag(y) - G; else of sizes."""
    sizes, unit = Fraction(int(abs(values).sum())), 1 << DIRECTION_BITS
    weights = np.sum((vectors @ vectors.T) * gram, axis=1)
    deficit = max(0.0, -float(np.linalg.eigvalsh(np.diag(weights) - gram)[0]))
    for n in range(SHIFTS):
        shift = deficit + LEAST_SHIFT * 10**n
        y = np.array([int(np.ceil((w + shift) * float(unit))) * most for w in weights], dtype=object)
        if y.sum() >= sizes * unit:
            return sizes
        if is_positive_definite(np.diag(y) - values * unit):
            return Fraction(int(y.sum()), unit)
    return sizes


def is_positive_definite(matrix: Integers) -> bool:
    """Whether a symmetric matrix of whole numbers is, by elimination without fractions: all leading minors positive.

    >>> is_positive_definite(np.array([[2, 1], [1, 1]])), is_positive_definite(np.array([[1, 1], [1, 1]]))
    (True, False)
    """
    rows = [[int(x) for x in row] for row in matrix]
    before = 1
    for k in range(len(rows)):
        look()
        pivot = rows[k][k]
        if pivot <= 0:
            return False
        for i in range(k + 1, len(rows)):
            for j in range(i, len(rows)):
                rows[i][j] = rows[j][i] = (rows[i][j] * pivot - rows[i][k] * rows[k][j]) // before
        before = pivot
    return True
