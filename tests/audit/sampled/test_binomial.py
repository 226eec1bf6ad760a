"""Clopper-Pearson bounds against sums of exact integers."""

from fractions import Fraction
from math import comb
from random import Random

import pytest

from dpcert import ArgumentError
from dpcert.audit.algebra import binomial
from dpcert.audit.algebra.binomial import GRID_BITS, at_least, at_most, covers

NEAR = Fraction(1 << 12, 1 << GRID_BITS)


def tail(hits: int, runs: int, p: Fraction) -> Fraction:
    """P(Bin(runs, p) >= hits)."""
    return sum((comb(runs, k) * p**k * (1 - p) ** (runs - k) for k in range(hits, runs + 1)), Fraction(0))


@pytest.mark.parametrize("seed", range(40))
def test_bounds_are_on_their_side_and_no_further_than_the_grid(seed: int) -> None:
    draw = Random(seed)
    runs = draw.randint(1, 60)
    hits, risk = draw.randint(0, runs), Fraction(1, draw.choice((3, 20, 1000, 10**6)))
    low, high = at_least(hits, runs, risk), at_most(hits, runs, risk)
    assert 0 <= low <= Fraction(hits, runs) <= high <= 1
    if hits:
        assert tail(hits, runs, low) <= risk < tail(hits, runs, low + NEAR)
    else:
        assert low == 0
    if hits < runs:
        assert 1 - tail(hits + 1, runs, high) <= risk < 1 - tail(hits + 1, runs, high - NEAR)
    else:
        assert high == 1


def test_what_is_too_large_is_not_covered() -> None:
    assert covers(5, 10, Fraction(1, 5), Fraction(1, 20))
    assert not covers(5, 10, Fraction(1, 2), Fraction(1, 20))
    assert not covers(10, 10, Fraction(1), Fraction(1, 20))
    assert covers(0, 10, Fraction(0), Fraction(1, 20))
    assert not covers(0, 10, Fraction(1, 10**9), Fraction(1, 20))


@pytest.mark.parametrize(("hits", "runs", "risk"), [(-1, 3, 1), (4, 3, 1), (0, 0, 1), (1, 3, 0), (1, 3, 20)])
def test_counts_that_are_none_are_refused(hits: int, runs: int, risk: int) -> None:
    with pytest.raises(ArgumentError):
        at_least(hits, runs, Fraction(risk, 20))


@pytest.mark.parametrize(
    ("guess", "covered", "found", "points"),
    [
        (100, 98, 98, [98]),
        (100, 97, 94, [98, 94]),
        (100, 80, 78, [98, 94, 78]),
        (100, 20, 14, [98, 94, 78, 14]),
        (100, 5, 0, [98, 94, 78, 14]),
        (1, 0, 0, []),
        (3, 1, 1, [1]),
        (3, 0, 0, [1]),
    ],
)
def test_the_search_goes_down_in_steps_that_grow_from_just_below_the_guess(
    guess: int, covered: int, found: int, points: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is returned was proven, or is 0, which needs no proof."""
    asked: list[Fraction] = []

    def covers(_: int, __: int, probability: Fraction, ___: Fraction) -> bool:
        asked.append(probability)
        return probability <= Fraction(covered, 1 << GRID_BITS)

    monkeypatch.setattr(binomial, "_guess", lambda *_: guess)
    monkeypatch.setattr(binomial, "covers", covers)
    assert at_least(1, 10, Fraction(1, 20)) == Fraction(found, 1 << GRID_BITS)
    assert asked == [Fraction(point, 1 << GRID_BITS) for point in points]


def test_what_is_no_probability_is_covered_on_one_side_alone() -> None:
    for p in (Fraction(3, 2), Fraction(2), Fraction(5)):
        assert not covers(5, 10, p, Fraction(1, 20))
    for p in (Fraction(-1), Fraction(-5)):
        assert covers(5, 10, p, Fraction(1, 20))
