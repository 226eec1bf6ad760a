"""Policies of lower bounds, played forwards: they have what was claimed of them."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from instances.enclosed_games import game_of, no_bound
from instances.played_policies import played_exactly

from dpcert.audit.algebra.power import Point
from dpcert.audit.budget import Budget
from dpcert.audit.enclosed.refining import Refining
from dpcert.audit.enclosed.stages import stages
from dpcert.audit.enclosed.units import RelativeUnits, Units

SLOPES = tuple(map(Fraction, ("1", "2", "1/2")))


def replayed(seed: int, units: Units) -> Iterator[tuple[Fraction, Point, Point, Point]]:
    """Slopes, what was worked out backwards, what forwards, and what the policy has in rationals."""
    made = Refining(stages(game_of(seed), Budget()), (Fraction(1), Fraction(2)), (), Fraction(1, 10**6), Budget())
    for one in made.begun():
        one.bounding.units = units
        grid = one.bounding.grid(one.bounding.first_step(64))
        for slope in SLOPES:
            yield slope, *one.bounding.replayed(grid, slope, no_bound), played_exactly(one.bounding, grid, slope)


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(0, 60, 6))
@pytest.mark.parametrize(
    ("units", "small"),
    [(Units(), Fraction(1, 10**9)), (Units(200), Fraction(1, 10**50)), (RelativeUnits(), Fraction(1, 10**11))],
    ids=["machine", "200", "relative"],
)
def test_policies_have_what_is_said_and_no_less(seed: int, units: Units, small: Fraction) -> None:
    for slope, *claimed, (x, y) in replayed(seed, units):
        for x1, y1 in claimed:
            assert 0 <= x1 - x <= small, (seed, slope)
            assert 0 <= y - y1 <= small, (seed, slope)
