"""The hybrid core: Checklist 1, its games against its closed curve, its estimate against the live process.

Claims 75, 78 to 80; paper.tex, thm:dp_unbounded_prefix_sum and th:prefix_sum, stage 1.
"""

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

import pytest

from dpcert import HAMMING, UNIT_HAMMING, Adjacency, Budget, Pmf, PowerFunction, Verdict, examine, supremum
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.games.of_views import game_of
from dpcert.audit.kernels.core import merged
from dpcert.audit.kernels.view import view_of
from dpcert.audit.solving.analysis import Analysis, analyse
from dpcert.mechanisms.noise.bounded_geometric import bounded_geometric, unit_shift
from dpcert.mechanisms.noise.geometric import exp_epsilon_below
from dpcert.mechanisms.sums.hybrid_core import HybridCore
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_profile import MOST_SHARP, clipped, hybrid_power, revealed
from dpcert.mechanisms.sums.hybrid_schedule import BUDGETS

QUARTER = Fraction(1, 4)
CORES = [
    HybridCore(),
    HybridCore(Fraction(4), "sharp", Fraction(1, 3)),
    HybridCore(Fraction(9, 4), "uniform", Fraction(1, 2), (-1, 0, 1)),
    HybridCore(Fraction(7), "sharp", QUARTER, (0, 1, 2)),
    HybridCore(Fraction(16), "sharp", Fraction(1, 20), (5,)),
]


@dataclass(frozen=True)
class Unpublished:
    """A hybrid core whose estimate is left to whoever reads it, so that 7 rounds are few positions."""

    core: HybridCore

    @property
    def alphabet(self) -> tuple[int, ...]:
        return self.core.alphabet

    def weights(self, t: int) -> tuple[int, ...]:
        return self.core.weights(t)

    def noise_law(self, t: int) -> Pmf[int]:
        return self.core.noise_law(t)


def solved(core: Any, horizon: int, relation: Adjacency[Any] = UNIT_HAMMING) -> Analysis:
    """The game on the core's releases, its estimates being no more than a sum of them."""
    return analyse(game_of(merged(view_of(core), horizon), relation, horizon), Budget())  # type: ignore[arg-type]


def shift(law: Pmf[int], k: int) -> PowerFunction:
    """Pow(eta || eta + k)."""
    return PowerFunction.from_laws(law, law.map(lambda eta: eta + k))


def by_item(noise: HybridNoise, i: int, horizon: int) -> PowerFunction:
    """The tensor over all rounds that hold item i, from the laws themselves and the intervals themselves."""
    product = PowerFunction.identity()
    for t in range(1, horizon + 1):
        first, last = noise.schedule.interval(t)
        if first <= i <= last:
            product = product.tensor(shift(noise.law(t), 1))
    return product


@pytest.mark.parametrize("core", CORES[:4], ids=str)
@pytest.mark.parametrize("horizon", [1, 2, 3, 5, 7])
def test_the_game_is_the_closed_curve(core: HybridCore, horizon: int) -> None:
    """The exact profile: adaptive or not, nothing but the rounds that hold the worst item counts."""
    found, profile = solved(core, horizon), hybrid_power(core.noise, horizon)
    assert found.adaptive.exact
    assert found.fixed.exact
    assert found.adaptive.lower == found.fixed.lower == profile.power
    assert profile.exact
    assert profile.spent <= core.exp_epsilon
    assert 0 < profile.truncation <= core.truncation
    assert profile.power.satisfies(profile.spent, profile.truncation)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("horizon", [1, 2, 3, 6, 7, 8, 11, 15, 20, 31])
def test_the_closed_curve_is_the_supremum_over_every_item(budget: str, horizon: int) -> None:
    noise = HybridNoise(Fraction(16), budget, QUARTER)
    items = range(1, horizon + 1)
    profile = hybrid_power(noise, horizon)
    assert profile.power == supremum(by_item(noise, i, horizon) for i in items)
    held = [[t for t in range(1, horizon + 1) if t in noise.schedule.holding(i, horizon)] for i in items]
    assert profile.spent == max(prod(noise.exp_epsilon_at(t) for t in rounds) for rounds in held)
    ends = [1 - prod(1 - noise.law(t).probability(max(noise.law(t).support)) for t in rounds) for rounds in held]
    assert profile.truncation == max(ends)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("horizon", [64, 100, 300])
def test_what_an_item_spends_is_found_without_listing_items(budget: str, horizon: int) -> None:
    noise = HybridNoise(Fraction(5, 2), budget, QUARTER)
    listed = (noise.schedule.holding(i, horizon) for i in range(1, horizon + 1))
    profile = hybrid_power(noise, horizon)
    assert profile.spent == max(prod(noise.exp_epsilon_at(t) for t in rounds) for rounds in listed)
    assert profile.spent <= Fraction(5, 2)


def test_past_a_few_rounds_of_the_sharp_budget_the_curve_is_a_bound() -> None:
    noise = HybridNoise(Fraction(16), "sharp", QUARTER)
    here, beyond = hybrid_power(noise, MOST_SHARP), hybrid_power(noise, MOST_SHARP + 1)
    assert here.exact
    assert not beyond.exact
    assert here.power < beyond.power
    assert all(by_item(noise, i, 70) <= hybrid_power(noise, 70).power for i in (1, 2, 33, 64))


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("horizon", [1, 3, 7, 1000, 10**6])
def test_ideal_noise_gives_away_exp_epsilon_and_no_more(budget: str, horizon: int) -> None:
    """Round 1 alone attains it, so the bound is met at every horizon."""
    alpha, _ = exp_epsilon_below(Fraction(1, 2))
    profile = hybrid_power(HybridNoise(alpha, budget), horizon, ideal=True)
    assert profile.exact
    assert profile.spent == alpha == profile.power.largest_ratio
    assert profile.truncation == profile.power.delta(alpha) == 0


@pytest.mark.parametrize("budget", BUDGETS)
def test_ideal_noise_is_the_limit_of_bounded_noise(budget: str) -> None:
    ends = Fraction(1, 2**40)
    ideal = hybrid_power(HybridNoise(Fraction(16), budget), 7, ideal=True).power
    bounded = hybrid_power(HybridNoise(Fraction(16), budget, ends), 7).power
    assert ideal != bounded
    for slope in (Fraction(1), Fraction(5, 4), Fraction(3), Fraction(16), Fraction(17)):
        assert abs(ideal.delta(slope) - bounded.delta(slope)) <= ends


@pytest.mark.in_turns
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("horizon", [20, 1000, 10**6, 2**40])
def test_production_sizes_stay_within_what_was_asked_for(budget: str, horizon: int) -> None:
    alpha, _ = exp_epsilon_below(Fraction(1, 2))
    noise = HybridNoise(alpha, budget)
    profile = hybrid_power(noise, horizon)
    assert profile.spent <= alpha
    assert 0 < profile.truncation <= noise.truncation
    assert not profile.exact
    assert profile.power.satisfies(alpha, noise.truncation + Fraction(1, 2**150))
    assert not profile.power.satisfies(alpha - Fraction(1, 2**20), Fraction(1, 2**60))


def test_rounded_laws_keep_to_their_share() -> None:
    """The powers of 1025 / 1024 are exact, so nothing is left over for a ratio that is a little too large."""
    noise = HybridNoise(Fraction(1025, 1024) ** 2, "uniform", Fraction(1, 2**20))
    ratio, _ = unit_shift(noise.law(2))
    assert ratio <= noise.exp_epsilon_at(2) == Fraction(1025, 1024)
    assert hybrid_power(noise, 10).spent == noise.exp_epsilon


@pytest.mark.in_turns
def test_rounded_masses_stay_under_the_curve_that_stands_for_them() -> None:
    """Long laws are rounded, so their curves are no DP_{eps,delta}; the profile lies above, by very little."""
    noise = HybridNoise(Fraction(1025, 1024) ** 2, "uniform", Fraction(1, 2**20))
    profile = hybrid_power(noise, 2)
    one = shift(noise.law(2), 1)
    assert not profile.exact
    assert one <= profile.power
    assert len(one.chain) > 4
    for order in ORDERS:
        gap = profile.power.hockey_stick(1, order) - shift(noise.law(1), 1).hockey_stick(1, order)
        assert 0 <= gap <= Fraction(1, 2**30)


@pytest.mark.parametrize("core", CORES[:4], ids=str)
def test_checklist_on_the_scalar_rung(core: HybridCore) -> None:
    horizon = 7 if len(core.alphabet) == 2 else 6
    record = examine(Unpublished(core), horizon=horizon, exp_epsilons=[1, 2])
    entries = {entry["item"]: entry for entry in record["checklist"]}
    assert all(entry["verdict"] == Verdict.HOLDS for entry in entries.values())
    stable = entries["STABLE_COST"]
    scalar, sets = stable["rungs"][0], stable["rungs"][0]["witness"]["index_sets"]
    assert (stable["rung"], scalar["verdict"]) == ("SCALAR", "HOLDS")
    assert sets == [list(range(core.schedule.interval(t)[0], t + 1)) for t in range(1, horizon + 1)]
    assert record["lifts"]["curve"]["verdict"] == Verdict.HOLDS


SHORT = HybridCore(truncation=Fraction(9, 10))
"""Noises of three or five values, so that its core transcripts over 7 rounds are few enough to list."""


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("core", "horizon", "relation"), [(CORES[0], 5, "hamming"), (CORES[0], 5, "unit-hamming"), (SHORT, 7, "hamming")]
)
def test_the_estimate_is_post_processing(core: HybridCore, horizon: int, relation: str) -> None:
    record = examine(core, horizon=horizon, adjacency=relation, exp_epsilons=[1, 16])
    entries = {entry["item"]: entry["verdict"] for entry in record["checklist"]}
    assert entries["POST_PROCESSING"] == Verdict.HOLDS
    assert record["fixed_stream"]["power"] == record["adaptive"]["power"]
    assert record["lifts"]["curve"]["verdict"] == Verdict.HOLDS


def test_every_horizon_at_once() -> None:
    for core in CORES[:2]:
        record = examine(core, horizon="inf", exp_epsilons=[1])
        assert record["lifts"]["curve"]["verdict"] == Verdict.HOLDS
        assert record["lifts"]["curve"]["scope"].startswith("every round in which weights and noise_law answer")


@pytest.mark.parametrize(
    ("alpha", "truncation"),
    [
        (Fraction(4), Fraction(1, 2**40)),
        (Fraction(3, 2), Fraction(1, 1000)),
        (Fraction(1088301, 2**20), Fraction(1, 2**30)),  # rounded: its ratios are no longer all alike
    ],
)
def test_a_further_shift_shows_more(alpha: Fraction, truncation: Fraction) -> None:
    """Claims 78 and 80: the curve depends on |shift| alone and rises with it, rounded masses or not."""
    law = bounded_geometric(alpha, truncation)
    half = max(law.support)
    shifts = sorted({*range(6), half // 2, half // 2 + 1, 2 * half - 1, 2 * half, 2 * half + 1, 2 * half + 2})
    curves = [shift(law, k) for k in shifts]
    assert curves[0] == PowerFunction.identity()
    for nearer, further in itertools.pairwise(curves):
        assert nearer <= further
    assert all(shift(law, -k) == curve == curve.reversed() for k, curve in zip(shifts[:4], curves, strict=False))


@pytest.mark.parametrize("budget", BUDGETS)
def test_core_and_estimate_are_the_live_process(budget: str) -> None:
    """Y_t - Q_t of HybridNoise, with the same draws."""
    core = HybridCore(Fraction(3), budget, Fraction(1, 100))
    rng, state = Random(7), core.noise.initial
    inputs: list[int] = []
    released: list[int] = []
    for t in range(1, 200):
        inputs.append(rng.randint(-3, 10**30))
        eta = rng.choice(sorted(core.noise_law(t).support))
        released.append(eta + sum(b * x for b, x in zip(core.weights(t), inputs, strict=True)))
        error, state = core.noise.step(state, lambda _, eta=eta: eta)  # type: ignore[misc]
        assert core.publish(tuple(released)) == sum(inputs) + error


def test_the_live_state_is_short() -> None:
    """At most log2 t + 3 numbers, here up to t = 10^6: all rounds to 2^14, then rounds around the fullest states."""
    noise = HybridNoise(Fraction(16), truncation=QUARTER)
    state = noise.initial
    for t in range(1, 1 << 14):
        _, state = noise.step(state, lambda _: 1)
        assert 2 + len(state[2]) <= (t.bit_length() - 1) + 3
        assert len(state[2]) == noise.schedule.place(t)[1].bit_count() or not t + 1 & t
    for start in (2**17 - 300, 2**18 + 2**17 - 300, 2**19 - 300, 2**19 + 2**18 - 300, 10**6 - 300):
        state = (start, 0, (1,) * noise.schedule.place(start)[1].bit_count())
        for t in range(start + 1, start + 301):
            _, state = noise.step(state, lambda _: 1)
            assert 2 + len(state[2]) <= (t.bit_length() - 1) + 3


@pytest.mark.parametrize("beta", [Fraction(0), Fraction(1, 100), Fraction(1, 4), Fraction(2, 3), Fraction(1)])
def test_clipping_costs_beta_in_both_orders(beta: Fraction) -> None:
    asymmetric = PowerFunction.from_vertices([(0, 0), (0, Fraction(1, 10)), (Fraction(1, 3), Fraction(4, 5)), (1, 1)])  # type: ignore[list-item]
    whole = hybrid_power(HybridNoise(Fraction(16), "sharp", QUARTER), 7).power
    for f in (PowerFunction.identity(), whole, asymmetric, asymmetric.reversed(), revealed(whole, Fraction(1, 2))):
        g = clipped(f, beta)
        points = {x + s for x, _ in (*f.vertices, *g.vertices) for s in (0, beta, -beta)} | {
            Fraction(k, 60) for k in range(61)
        }
        for a in (a for a in points if 0 <= a <= 1):
            assert g(a) == min(1, f(a) + beta, f(min(Fraction(1), a + beta)))
        for order in ORDERS:
            for slope in [Fraction(k, 7) for k in range(1, 130, 3)]:
                assert g.hockey_stick(slope, order) <= f.hockey_stick(slope, order) + beta
        assert (g == f) == (beta == 0)


@pytest.mark.in_turns
def test_a_longer_horizon_shows_no_less() -> None:
    for budget in BUDGETS:
        noise = HybridNoise(Fraction(9), budget, QUARTER)
        curves = [hybrid_power(noise, horizon).power for horizon in range(1, 40)]
        assert all(f <= g for f, g in itertools.pairwise(curves))
        assert hybrid_power(replace(noise, truncation=Fraction(1, 9)), 5).truncation < hybrid_power(noise, 5).truncation


def test_two_apart_is_more_than_a_unit() -> None:
    core = replace(CORES[0], alphabet=(0, 1, 2))
    assert solved(core, 3).adaptive.lower < solved(core, 3, HAMMING).adaptive.lower
