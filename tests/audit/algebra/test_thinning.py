"""Thinned curves: few vertices, never below the truth, exact on the edges that were kept."""

from fractions import Fraction

import pytest

from dpcert import PowerFunction, dp_power, from_weights
from dpcert.audit.algebra.thinning import _chosen, inner, outer


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


@pytest.mark.parametrize(("heavy0", "heavy1"), [(True, False), (False, True), (True, True)])
def test_half_of_the_edges_are_chosen_by_the_mass_of_both_worlds(heavy0: bool, heavy1: bool) -> None:
    """Where the sum of both worlds' probabilities passes a half and a whole of all that is left."""
    atoms = [(1 + 400 * (heavy0 and i == 30), 2 * (41 - i) + 900 * (heavy1 and i == 0)) for i in range(40)]
    atoms.sort(key=lambda atom: Fraction(atom[1], atom[0]), reverse=True)
    chain = PowerFunction.from_laws(*(from_weights(dict(enumerate(side))) for side in zip(*atoms, strict=True))).chain
    both = [
        Fraction(a, chain.total0) + Fraction(b, chain.total1) for a, b in zip(chain.mass0, chain.mass1, strict=True)
    ]
    sums = [sum(both[: i + 1], Fraction(0)) for i in range(len(both))]
    for most in (8, 12):
        half = most // 2 - 2
        wanted = {next(i for i, reached in enumerate(sums) if reached >= Fraction(2 * k, half)) for k in range(half)}
        assert set(_chosen(chain, most)) >= wanted | {0, 1, len(both) - 2, len(both) - 1}
        assert len(_chosen(chain, most)) <= most


def of_sizes(count: int) -> PowerFunction:
    """A curve of so many segments."""
    up, down = range(1, count + 1), range(count, 0, -1)
    return PowerFunction.from_laws(*(from_weights(dict(enumerate(side))) for side in (up, down)))


def test_where_few_are_asked_for_the_ends_and_what_stands_beside_them_are_chosen() -> None:
    chain = of_sizes(8).chain
    assert [_chosen(chain, most) for most in (0, 4, 6, 7)] == [[0, 1, 6, 7]] * 4
    assert set(_chosen(chain, 8)) >= {0, 1, 3, 6, 7}


def test_a_curve_of_so_few_vertices_is_itself() -> None:
    power = of_sizes(5)
    assert inner(power, 5) == power.vertices == outer(power, 5)
    assert len(inner(of_sizes(60), 20)) <= 21
