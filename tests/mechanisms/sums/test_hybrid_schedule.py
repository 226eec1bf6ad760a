"""The hybrid schedule and its bounded noise, against their definitions."""

from fractions import Fraction
from itertools import accumulate

import pytest

from dpcert.audit.algebra.divergence import hockey_stick
from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.mechanisms.noise.bounded_geometric import bounded_geometric, power_below, unit_shift
from dpcert.mechanisms.noise.geometric import geometric_tail
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import BUDGETS, UNITS, HybridSchedule

ROUNDS = 700


@pytest.mark.parametrize("budget", BUDGETS)
def test_no_item_spends_more_than_there_is(budget: str) -> None:
    schedule = HybridSchedule(budget)
    for i in range(1, 1025):
        assert 0 < sum(schedule.units(t) for t in schedule.holding(i, 1 << 12)) <= UNITS


def test_covers_are_partitions_and_intervals_hold_their_items() -> None:
    schedule = HybridSchedule()
    intervals = {t: range(schedule.interval(t)[0], t + 1) for t in range(1, ROUNDS)}
    for t in range(1, ROUNDS):
        assert [i for r in schedule.cover(t) for i in intervals[r]] == list(range(1, t + 1))
        assert set(schedule.holding(t, ROUNDS - 1)) == {r for r, items in intervals.items() if t in items}


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_error_is_the_sum_over_the_cover(budget: str) -> None:
    noise, drawn = HybridNoise(Fraction(16), budget, Fraction(1, 4)), {}
    state = noise.initial
    for t in range(1, ROUNDS):
        drawn[t] = (37 * t) % 19 - 9
        outcomes = iter([drawn[t]])
        error, state = noise.step(state, lambda _: next(outcomes))  # noqa: B023  # it is used up at once
        assert error == sum(drawn[r] for r in noise.schedule.cover(t))


@pytest.mark.parametrize("truncation", [Fraction(1, 3), Fraction(1, 50), Fraction(1, 2**40)])
@pytest.mark.parametrize("alpha", [Fraction(2), Fraction(3, 2), Fraction(4), Fraction(1088301, 2**20)])
def test_bounded_noise_gives_away_what_it_says_and_stays_inside_geometric_tails(
    alpha: Fraction, truncation: Fraction
) -> None:
    law = bounded_geometric(alpha, truncation)
    ratio, delta = unit_shift(law)
    half = max(law.support)
    assert delta <= truncation
    assert alpha - Fraction(1, 2**100) <= ratio <= alpha
    outside, tails = Fraction(0), {}
    for b in range(half, -1, -1):
        tails[b] = outside
        outside += law.probability(b) + law.probability(-b)
    for b in range(0, half, max(1, half // 40)):
        assert tails[b] <= geometric_tail(alpha, b + 1)
    if half < 60:
        assert half == 1 or bounded_geometric(alpha, truncation + Fraction(1, 2**60)) == law
        assert PowerFunction.from_laws(law, law.map(lambda k: k + 1)) == dp_power(ratio, delta)
    else:
        assert hockey_stick(law, law.map(lambda k: k + 1), exp_epsilon=ratio) == delta


@pytest.mark.parametrize("bits", [150, 170, 200])
def test_rounding_up_makes_no_tail_heavier_where_alpha_is_longer_than_the_last_mass(bits: int) -> None:
    alpha = 2**bits + Fraction(1, 2**20)
    law = bounded_geometric(alpha, Fraction(1, 2**5000))
    half, outside = max(law.support), Fraction(0)
    for b in range(half, 0, -1):
        outside += 2 * law.probability(b)
        assert outside <= geometric_tail(alpha, b)


def test_rational_powers_lie_below_and_exact_ones_are_exact() -> None:
    assert power_below(Fraction(16), Fraction(3, 4)) == 8
    assert power_below(Fraction(9, 4), Fraction(1, 2)) == Fraction(3, 2)
    third = power_below(Fraction(4), Fraction(1, 3))
    assert third**3 < 4 < (third + Fraction(1, 2**20)) ** 3


@pytest.mark.parametrize(("share", "exact"), [(3, True), (8, True), (40, False), (150, False)])
def test_masses_are_their_definition(share: int, exact: bool) -> None:
    """In the middle 1, then each over alpha: as whole numbers without rounding, or rounded up one after the other."""
    alpha, truncation = power_below(Fraction(3), Fraction(1, share)), Fraction(7, 10**9)
    weights, _ = bounded_geometric(alpha, truncation).integer_weights()
    half = max(weights)
    assert (half * alpha.numerator.bit_length() <= 4096) == exact
    bits = 160 + sum(int(size).bit_length() for size in (1 / truncation, alpha, alpha, 1 / (alpha - 1)))
    masses = [Fraction(1 << bits)]
    for _ in range(half):
        masses.append(masses[-1] / alpha if exact else Fraction(-(-masses[-1] / alpha // 1)))
    assert [Fraction(weights[k], weights[0]) for k in range(half + 1)] == [mass / masses[0] for mass in masses]
    totals = [2 * total - masses[0] for total in accumulate(masses)]
    assert [mass <= truncation * total for mass, total in zip(masses[1:], totals[1:], strict=True)].index(
        True
    ) == half - 1
