"""f ⊗ f_mu against densities summed on a grid, against chains around f_mu, and against the load's profile."""

from collections.abc import Callable
from fractions import Fraction
from math import exp
from random import Random

import numpy as np
import pytest

from dpcert.audit.algebra.enclosure import INFINITE, Enclosure
from dpcert.audit.algebra.power import Order, PowerFunction, dp_power
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.noise.gaussian_curve import gaussian_power
from dpcert.mechanisms.noise.gaussian_profile import profile

GRID = np.linspace(-14, 18, 160_001)
SLOPES = (Fraction(1, 2), Fraction(1), Fraction(3), Fraction(20))


def chain(random: Random, atoms: int) -> PowerFunction:
    """A random experiment, often with outcomes that one world never produces."""
    masses = [[random.choice((0, 1, 2, 3, 7)) for _ in range(atoms)] + [1] for _ in range(2)]
    totals = [sum(side) for side in masses]
    return PowerFunction.from_segments(
        [(Fraction(a, totals[0]), Fraction(b, totals[1])) for a, b in zip(*masses, strict=True)]
    )


def on_a_grid(power: PowerFunction, mu: float, e: float, order: Order) -> float:
    """The integral of max(0, p phi(x) - e q phi(x - mu)) over the grid, summed over atoms."""
    there, away = (np.exp(-((GRID - m) ** 2) / 2) / np.sqrt(2 * np.pi) for m in (0, mu))
    if order == "1-0":
        there, away = away, there
    pairs = power.segments if order == "0-1" else [(q, p) for p, q in power.segments]
    total = sum(np.maximum(0, float(p) * there - e * float(q) * away) for p, q in pairs)
    return float(np.sum(total) * (GRID[1] - GRID[0]))


@pytest.mark.parametrize("seed", range(6))
def test_both_orders_by_summing_densities(seed: int) -> None:
    random = Random(seed)
    power, mu = chain(random, random.randrange(1, 5)), Fraction(random.randrange(1, 30), 10)
    made = GaussianProduct(GaussianShift.of_mu(mu), power)
    for slope in SLOPES:
        found = {order: made.hockey_stick(slope, order).finite() for order in ("0-1", "1-0")}
        for order, ends in found.items():
            value = on_a_grid(power, float(mu), float(slope), order)  # type: ignore[arg-type]
            assert float(ends.lower) - 1e-7 <= value <= float(ends.upper) + 1e-7
            assert ends.upper - ends.lower <= ends.upper * Fraction(1, 10**14)
        assert made.delta(slope).upper == max(ends.upper for ends in found.values())


def test_the_orders_differ_where_the_chain_is_its_own_reverse_no_more() -> None:
    power = PowerFunction.from_segments([(Fraction(1, 2), Fraction(1)), (Fraction(1, 2), Fraction(0))])
    made = GaussianProduct(GaussianShift.of_mu(1), power)
    assert made.hockey_stick(2, "0-1").finite().lower > made.hockey_stick(2, "1-0").finite().upper


def test_the_profile_of_a_load_is_the_same_number() -> None:
    for seed in range(4):
        power = chain(Random(100 + seed), 3)
        made = GaussianProduct(GaussianShift.of_rho(Fraction(3, 4)), power)
        for slope in SLOPES:
            older, newer = profile(power, Fraction(3, 2), slope).finite(), made.delta(slope).finite()
            assert older.lower <= newer.upper
            assert newer.lower <= older.upper


def below(shift: GaussianShift, corners: int) -> PowerFunction:
    """A chain through points on or just under f_mu: it lies below, as f_mu is concave."""
    points = [(x, shift.power(x).finite().lower) for x in (Fraction(k, corners) ** 3 for k in range(1, corners))]
    return PowerFunction.from_vertices([(Fraction(0), Fraction(0)), *points, (Fraction(1), Fraction(1))])


def test_two_gaussians_lie_between_a_gaussian_and_chains_around_the_other() -> None:
    """f_1 ⊗ f_2 is f_sqrt5; a chain in place of f_2 that lies above or below it gives more or less."""
    one, two = GaussianShift.of_mu(1), GaussianShift.of_mu(2)
    whole = GaussianProduct(one.tensor(two))
    above, under = GaussianProduct(one, gaussian_power(Fraction(4))), GaussianProduct(one, below(two, 60))
    for slope in SLOPES:
        low, exact, high = (made.delta(slope).finite() for made in (under, whole, above))
        assert low.upper < exact.lower <= exact.upper < high.lower
        assert high.upper - low.lower < Fraction(1, 50)


def on_both_sides(made: GaussianProduct, delta: Fraction) -> bool:
    """Whether delta is kept at the upper end of epsilon, and not at the lower."""
    low, high = made.epsilon_for(delta).finite()
    return made.delta_at(high).finite().upper <= delta and (low == 0 or made.delta_at(low).finite().lower > delta)


@pytest.mark.in_turns
def test_epsilon_of_a_product() -> None:
    for seed in range(4):
        made = GaussianProduct(GaussianShift.of_mu(Fraction(1, 2)), dp_power(2 + seed, Fraction(1, 100)))
        for delta in (Fraction(1, 3), Fraction(1, 50), Fraction(101, 10_000)):
            assert on_both_sides(made, delta)
        for delta in (Fraction(1, 100), Fraction(1, 10**6), Fraction(0)):
            assert made.epsilon_for(delta) == INFINITE


def test_a_product_costs_at_most_the_sum_of_both_epsilons() -> None:
    """Pure e^eps = 3 beside f_1: at epsilon + ln 3 delta is at most f_1's at epsilon."""
    made, alone = GaussianProduct(GaussianShift.of_mu(1), dp_power(3)), GaussianProduct(GaussianShift.of_mu(1))
    for slope in SLOPES:
        assert made.delta(3 * slope).finite().upper <= alone.delta(slope).finite().upper
        assert made.delta(slope).finite().lower >= alone.delta(slope).finite().lower


@pytest.mark.parametrize("wrong", [lambda p, q: (q, p), lambda p, _q: (p, p)])
def test_the_sums_notice_other_atoms(wrong: Callable[[Fraction, Fraction], tuple[Fraction, Fraction]]) -> None:
    """The check has teeth: with atoms turned round, or without their odds, one order is off."""
    power = PowerFunction.from_segments(
        [(Fraction(1, 10), Fraction(6, 10)), (Fraction(1, 10), Fraction(3, 10)), (Fraction(8, 10), Fraction(1, 10))]
    )
    other = PowerFunction.from_segments([wrong(p, q) for p, q in power.segments])
    made = GaussianProduct(GaussianShift.of_mu(1), other).hockey_stick(3, "0-1").finite()
    assert abs(float(made.upper) - on_a_grid(power, 1.0, 3.0, "0-1")) > 1e-3


def test_nothing_beside_the_gaussian_is_the_identity() -> None:
    shift = GaussianShift.of_mu(1)
    assert GaussianProduct(shift) == GaussianProduct(shift, PowerFunction.identity())
    found = GaussianProduct(shift).delta_at(0)
    assert isinstance(found, Enclosure)
    assert abs(float(found.finite().lower) - on_a_grid(PowerFunction.identity(), 1.0, exp(0), "0-1")) < 1e-7
