"""Geometric noise and RandBin's parameters, against their definitions."""

from fractions import Fraction
from itertools import product

import pytest

from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.noise.geometric import (
    exp_epsilon_below,
    geometric_mass,
    geometric_tail,
    level_for,
    load_law,
    truncated_geometric,
)

ALPHAS = (Fraction(3, 2), Fraction(2), Fraction(3), Fraction(101, 100))


def test_masses_and_tails_are_those_of_one_law() -> None:
    for alpha, k in product(ALPHAS, range(1, 9)):
        inside = sum(geometric_mass(alpha, j) for j in range(1 - k, k))
        assert inside + geometric_tail(alpha, k) == 1
        assert geometric_mass(alpha, k) == geometric_mass(alpha, -k)
    assert geometric_tail(Fraction(2), 0) == 1


def test_the_level_is_the_smallest_even_one_within_delta() -> None:
    for alpha, denominator in product(ALPHAS, (2, 3, 10, 10**4, 10**9)):
        delta = Fraction(1, denominator)
        level = level_for(alpha, delta)
        assert level % 2 == 0
        assert geometric_tail(alpha, level // 2) <= delta
        assert level == 2 or geometric_tail(alpha, level // 2 - 1) > delta


def test_truncation_clips_and_loads_lie_in_their_interval() -> None:
    for alpha, level in product(ALPHAS, (2, 4, 6, 130)):
        law, half = truncated_geometric(alpha, level), level // 2
        assert all(law.probability(k) == geometric_mass(alpha, k) for k in range(1 - half, half))
        assert law.probability(half) == law.probability(-half) == geometric_tail(alpha, half) / 2
        assert sorted(load_law(alpha, level).support) == list(range(level, 2 * level + 1))


def test_a_decimal_epsilon_is_rounded_down_and_the_loss_is_enclosed() -> None:
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(5, 2)):
        alpha, loss = exp_epsilon_below(epsilon)
        upper = exponential(epsilon).upper
        assert upper is not None
        assert alpha < upper < alpha + Fraction(1, 2**19)
        assert loss.lower is not None
        assert loss.upper is not None
        assert 0 <= loss.lower <= loss.upper < Fraction(1, 2**19)
        again = exponential(epsilon - loss.upper).lower
        assert again is not None
        assert again <= alpha


def test_out_of_range() -> None:
    for call in (
        lambda: level_for(Fraction(2), Fraction(0)),
        lambda: level_for(Fraction(1), Fraction(1, 2)),
        lambda: truncated_geometric(Fraction(2), 3),
        lambda: exp_epsilon_below(Fraction(0)),
        lambda: geometric_mass(2.5, 1),  # type: ignore[arg-type]
    ):
        with pytest.raises(ArgumentError):
            call()
