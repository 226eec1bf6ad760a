"""Policies of lower bounds, played forwards: they have what was claimed of them."""

from fractions import Fraction

import pytest
from instances.enclosed_games import game_of, no_bound

from dpcert.audit.budget import Budget
from dpcert.audit.enclosed import replay
from dpcert.audit.enclosed.refining import Refining
from dpcert.audit.enclosed.stages import stages

SLOPES = tuple(map(Fraction, ("1", "2", "1/2")))


def played(seed: int) -> None:
    made = Refining(stages(game_of(seed), Budget()), (Fraction(1), Fraction(2)), (), Fraction(1, 10**6), Budget())
    for one in made.begun():
        grid = one.bounding.grid(one.bounding.first_step(64))
        for slope in SLOPES:
            (x, y), (x1, y1) = one.bounding.replayed(grid, slope, no_bound)
            assert x1 <= x <= x1 + Fraction(1, 10**9), (seed, slope)
            assert y <= y1 <= y + Fraction(1, 10**9), (seed, slope)


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_an_exact_play_reaches_what_was_claimed(seed: int) -> None:
    played(seed)


@pytest.mark.parametrize("seed", range(1, 60, 6))
def test_a_play_rounded_outward_claims_no_more_than_it_has(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Refining(stages(game_of(seed), Budget()), (Fraction(1),), (), Fraction(1, 10**6), Budget())
    one = made.begun()[0]
    grid = one.bounding.grid(one.bounding.first_step(64))
    (_, _), (x, y) = one.bounding.replayed(grid, Fraction(1), no_bound)
    monkeypatch.setattr(replay, "MOST_EXACT_ROUNDS_PLAYED", 0)
    (_, _), (x1, y1) = one.bounding.replayed(grid, Fraction(1), no_bound)
    assert x <= x1 <= x + Fraction(1, 10**9)
    assert y1 <= y <= y1 + Fraction(1, 10**9)
