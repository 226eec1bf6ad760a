"""Noise of any covariance taken apart release by release, and encoders of rows with noise of their own."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.correlated import Matrix, decorrelated
from dpcert.mechanisms.matrices.participations import Once, Separated
from dpcert.mechanisms.matrices.sensitivity import Stream
from dpcert.mechanisms.matrices.whitened import WhitenedEncoder, levelled


def fractions(values: object) -> Matrix:
    return tuple(tuple(Fraction(int(x), 6) for x in row) for row in np.asarray(values))


def gram(rows: Matrix, variances: tuple[Fraction, ...]) -> list[list[Fraction]]:
    """sum_t a_ti a_tj / v_t, term by term."""
    count = range(len(rows[0]))
    pairs = list(zip(rows, variances, strict=True))
    return [[sum((r[i] * r[j] / v for r, v in pairs), Fraction(0)) for j in count] for i in count]


@pytest.mark.parametrize("seed", range(10))
def test_the_sensitivity_of_whitened_rows_holds_the_exact_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = fractions(random.integers(-6, 7, (4, 5)))
    variances = tuple(Fraction(int(n), int(d)) for n, d in random.integers(1, 10, (4, 2)))
    exact = gram(rows, variances)
    encoder = WhitenedEncoder(rows, variances, (1, 2, 4, 5))
    once = column_sensitivity(encoder, Once(), stream=Stream.SCALAR)
    best = max(exact[i][i] for i in range(5))
    assert once.l2_squared.lower <= best <= once.l2_squared.upper
    assert once.l2_squared.upper - once.l2_squared.lower < Fraction(1, 10**30)
    several = column_sensitivity(encoder, Separated(2, 2), stream=Stream.SCALAR)
    pairs = [(i, j) for i, j in combinations(range(5), 2) if j - i >= 2]
    signed = [exact[i][i] + exact[j][j] + 2 * s * exact[i][j] for (i, j), s in product(pairs, (1, -1))]
    assert several.l2_squared.lower <= max(best, *signed) <= several.l2_squared.upper
    level = levelled(rows, variances, (1, 2, 4, 5))
    again = column_sensitivity(level.encoder, Once(), stream=Stream.SCALAR).l2_squared
    assert again.lower / level.deviation**2 <= best <= again.upper / level.deviation**2


@pytest.mark.parametrize("seed", range(10))
def test_what_is_left_is_the_cholesky_factor(seed: int) -> None:
    """C = L diag(v) L^T of numpy, and L^-1 A; in a causal matrix nothing that is left looks ahead."""
    random = np.random.default_rng(seed)
    response, noise = fractions(np.tril(random.integers(-6, 7, (5, 5)))), fractions(random.integers(-6, 7, (5, 8)))
    found = decorrelated(response, noise)
    floats = np.array([[float(x) for x in row] for row in noise])
    factor = np.linalg.cholesky(floats @ floats.T)
    assert np.allclose(np.square(factor.diagonal()), [float(v) for v in found.variances])
    left = np.linalg.solve(factor / factor.diagonal(), np.array([[float(x) for x in row] for row in response]))
    assert np.allclose(left, [[float(x) for x in row] for row in found.rows])
    assert all(not x for t, row in enumerate(found.rows) for x in row[t + 1 :])


@pytest.mark.parametrize("seed", range(10))
def test_a_combination_without_noise_is_one(seed: int) -> None:
    """Three draws for six releases: the sixth at the latest is told by the others, but for its inputs."""
    random = np.random.default_rng(seed)
    response, noise = fractions(random.integers(1, 7, (6, 9))), fractions(random.integers(-6, 7, (6, 3)))
    found = decorrelated(response, noise)
    assert len(found.places) + len(found.noiseless) == 6
    for one in found.noiseless:
        for j in range(3):
            assert sum(u * row[j] for u, row in zip(one.combination, noise, strict=True)) == 0
        told = [sum(u * row[i] for u, row in zip(one.combination, response, strict=True)) for i in range(9)]
        assert tuple(told) == one.inputs
        assert any(told)


def test_what_rounding_leaves_is_no_release() -> None:
    """A sum of two releases, off by a last bit in its inputs, tells nothing more; off by more, it does."""
    one, bit = Fraction(1), Fraction(1, 2**52)
    noise = ((one, Fraction(0)), (Fraction(0), one), (one, one))
    for off, places in ((bit, 2), (Fraction(1, 2**20), 2)):
        response = ((one, Fraction(0)), (Fraction(0), one), (one, one + off))
        found = decorrelated(response, noise, resolution=Fraction(1, 2**44))
        assert len(found.places) == places
        assert (len(found.noiseless), len(found.rounded)) == ((0, 1) if off == bit else (1, 0))
