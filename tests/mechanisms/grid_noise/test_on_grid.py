"""Vectors and encoders on the grid: no norm is exceeded, whatever floats do; what is rounded is exact from then on."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.grid_noise.on_grid import _fit, _limit, clipped, rounded_encoder, scaled_mean
from dpcert.mechanisms.matrices.buffered import Buffers
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.encoder import dense
from dpcert.mechanisms.matrices.square_root import coefficients, square_root


@pytest.mark.parametrize("seed", range(6))
def test_no_clipped_row_exceeds_the_norm_and_no_component_grows(seed: int) -> None:
    dice = np.random.default_rng(seed)
    sizes = 10.0 ** dice.integers(-320, 300, size=(60, 1)).astype(float)
    rows = dice.normal(size=(60, 1 + seed)) * sizes
    clip, bits = Fraction(dice.integers(1, 1000).item(), 97), int(dice.integers(0, 40))
    for row, whole in zip(rows.tolist(), clipped(rows, clip, bits).tolist(), strict=True):
        assert sum(v * v for v in whole) <= (clip * 2**bits) ** 2
        exact = [Fraction(x) * 2**bits for x in row]
        assert all(abs(v) <= abs(x) and v * x >= 0 for v, x in zip(whole, exact, strict=True))
        if sum(x * x for x in exact) < (clip * 2**bits) ** 2 * Fraction(99, 100):
            assert whole == [int(x) for x in exact]  # towards 0, and otherwise as it was
        elif bits > 20:
            assert sum(v * v for v in whole) > (clip * 2**bits) ** 2 * Fraction(98, 100)


def test_a_vector_of_zeros_stays_zero_and_a_row_that_floats_left_too_long_is_made_to_fit() -> None:
    assert clipped(np.zeros((2, 3)), Fraction(1), 8).tolist() == [[0, 0, 0]] * 2
    assert clipped(np.zeros((0, 3)), Fraction(1), 8).shape == (0, 3)
    row = np.array([3000, -4001])
    _fit(row, limit := _limit(Fraction(5), 3))
    assert row.tolist() == [23, -32]
    assert sum(v * v for v in row.tolist()) <= limit


@pytest.mark.parametrize(
    ("rows", "clip", "bits", "why"),
    [
        ([[0.0], [float("nan")]], Fraction(1), 4, "finite components but got example=2"),
        ([[float("inf")]], Fraction(1), 4, "finite components but got example=1"),
        ([[1.0]], Fraction(0), 4, "a clip above 0"),
        ([[1.0]], Fraction(1), 46, "a clip above 0"),
        ([1.0], Fraction(1), 4, "a row an example"),
    ],
)
def test_what_is_no_gradient_is_refused(rows: list[object], clip: Fraction, bits: int, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        clipped(np.array(rows), clip, bits)


def test_a_mean_is_rounded_towards_zero_in_words_and_past_them() -> None:
    dice = Random(3)
    for _ in range(50):
        size = dice.choice([100, 1 << 61])
        total = np.array([dice.randrange(-size, size) for _ in range(4)])
        count, rate = dice.randrange(1, 50), Fraction(dice.randrange(1, 99), dice.randrange(1, 10**6))
        mean = scaled_mean(total, count, min(rate, Fraction(1)))
        assert mean.tolist() == [int(Fraction(t) * min(rate, Fraction(1)) / count) for t in total.tolist()]
    with pytest.raises(ArgumentError, match="at least one vector, and a rate above 0"):
        scaled_mean(np.array([1]), 1, Fraction(0))


def test_two_means_differ_by_less_than_a_unit_a_component_more_than_before_rounding() -> None:
    dice = Random(4)
    for _ in range(300):
        (a, m), (b, n) = ((dice.randrange(-99, 99), dice.randrange(1, 9)) for _ in range(2))
        rounded = abs(int(Fraction(a, m)) - int(Fraction(b, n)))
        assert rounded < abs(Fraction(a, m) - Fraction(b, n)) + 1


def test_a_rounded_encoder_has_a_sensitivity_of_its_own() -> None:
    rounded = rounded_encoder(square_root(40), 6)
    assert rounded.radius == 0
    for value, exact in zip(rounded.values, coefficients(40), strict=True):
        assert abs(Fraction(value, 64) - exact) <= Fraction(1, 128)
    found = column_sensitivity(rounded).l2_squared
    first = [Fraction(int(x), 64) for x in dense(rounded)[:, 0]]
    assert found.lower == found.upper == sum(x * x for x in first) != sum(x * x for x in coefficients(40))


def test_enclosed_coefficients_become_exact_and_too_few_bits_are_refused() -> None:
    rounded = rounded_encoder(Buffers((Fraction(9, 10),), (Fraction(1, 3),)).encoder(9), 10)
    assert rounded.values[:3] == (1024, 341, 307)
    assert rounded_encoder(square_root(2), 3).values == (8, 4)
    with pytest.raises(ArgumentError, match="at least 0 fractional bits"):
        rounded_encoder(square_root(2), -1)
