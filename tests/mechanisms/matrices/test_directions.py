"""Vectors' worst directions: what proves the upper end, and what numbers may be off by counts against it."""

from fractions import Fraction

import numpy as np
import pytest

from dpcert.mechanisms.matrices import directions
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.directions import directed, is_positive_definite
from dpcert.mechanisms.matrices.encoder import DenseEncoder
from dpcert.mechanisms.matrices.gram import Gram
from dpcert.mechanisms.matrices.participations import EpochOrder, Separated
from dpcert.mechanisms.matrices.sensitivity import Argument

TRIANGLE = np.array([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]])
"""Vectors attain 9, numbers 8, sizes 12."""


def test_a_matrix_is_positive_definite_where_its_eigenvalues_are_positive() -> None:
    generator = np.random.default_rng(2)
    seen = set()
    for _ in range(200):
        count = int(generator.integers(1, 6))
        part = generator.integers(-3, 4, size=(count, count))
        matrix = part.T @ part * 2 + (int(generator.integers(-30, 3))) * np.eye(count, dtype=np.int64)
        least = float(np.linalg.eigvalsh(matrix)[0])
        if abs(least) > 1e-6:
            assert is_positive_definite(matrix) == (least > 0)
            seen.add(least > 0)
    assert seen == {True, False}
    assert not is_positive_definite(np.array([[-1, 0], [0, -1]]))
    assert not is_positive_definite(np.array([[1, 2], [2, 1]]))


def test_a_guess_that_proves_nothing_falls_back_on_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert directed(TRIANGLE).upper < 9 + Fraction(1, 10**6)
    monkeypatch.setattr(directions, "is_positive_definite", lambda _: False)
    assert directed(TRIANGLE).upper == 12


def test_a_bad_guess_at_vectors_is_still_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = np.eye(3)
    monkeypatch.setattr(directions, "_turned", lambda _: axes)
    found = directed(TRIANGLE)
    assert found.lower == 6
    assert 9 <= found.upper <= 12
    assert found.vectors == tuple(tuple(Fraction(x) for x in row) for row in axes.tolist())


def test_the_bound_is_that_of_the_worst_of_all_patterns() -> None:
    """The first of two orders has the larger sizes, 24, of which vectors attain 16; the second 9 s^2 of 12 s^2."""
    entries = np.zeros((9, 8))
    entries[:6, 0::2] = [[1, -1, 0, 0], [1, 0, -1, 0], [1, 0, 0, -1], [0, 1, -1, 0], [0, 1, 0, -1], [0, 0, 1, -1]]
    entries[6:, 1:7:2] = 1.375 * np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]])
    found = column_sensitivity(DenseEncoder(entries, (8,) * 9), EpochOrder(4, 2))
    wanted = 9 * Fraction(11, 8) ** 2
    assert found.argument is Argument.DIRECTIONS
    assert found.attained_by.rounds == (2, 4, 6, 8)
    assert wanted - Fraction(1, 10**6) < found.l2_squared.lower < wanted
    assert wanted <= found.l2_squared.upper < wanted + Fraction(1, 10**6)


def test_what_products_may_be_off_by_counts_for_every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = DenseEncoder(np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]]), (3, 3, 3))
    exact = column_sensitivity(encoder, Separated(3, 1)).l2_squared
    gram = encoder.gram(3)
    unit = Fraction(1, 2**10)
    radius = int(unit * 2**gram.bits)
    monkeypatch.setattr(DenseEncoder, "gram", lambda *_: Gram(gram.values, gram.bits, radius))
    found = column_sensitivity(encoder, Separated(3, 1)).l2_squared
    assert found.upper == exact.upper + 9 * unit
    assert found.lower == exact.lower - 9 * unit
