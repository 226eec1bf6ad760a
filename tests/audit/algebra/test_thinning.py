"""Thinned curves: few vertices, never below the truth, exact on the edges that were kept."""

from fractions import Fraction

import pytest

from dpcert import PowerFunction, dp_power
from dpcert.audit.algebra.thinning import inner, outer


@pytest.mark.parametrize("most", [8, 20, 60])
@pytest.mark.parametrize("tail", [Fraction(0), Fraction(1, 50)])
def test_outer_lies_above_and_close(most: int, tail: Fraction) -> None:
    power = PowerFunction.identity()
    for n in range(2, 9):
        power = power.tensor(dp_power(Fraction(n + 3, n + 2), tail))
    thin = PowerFunction.from_vertices(outer(power, most))
    assert len(thin.chain) <= most < len(power.chain)
    assert power <= thin
    assert thin.delta_at_infinity == power.delta_at_infinity
    assert thin.largest_ratio == power.largest_ratio


@pytest.mark.parametrize("most", [8, 20, 60])
def test_inner_lies_below(most: int) -> None:
    power = PowerFunction.identity()
    for n in range(2, 9):
        power = power.tensor(dp_power(Fraction(n + 3, n + 2), Fraction(1, 50)))
    thin = PowerFunction.from_vertices(inner(power, most))
    assert len(thin.chain) <= most < len(power.chain)
    assert thin < power
    assert set(thin.vertices) <= set(power.vertices)


def test_short_curves_are_left_alone() -> None:
    power = dp_power(2, Fraction(1, 10))
    assert outer(power, 4) == power.vertices
