"""The algebra of power functions, one law per claim (claims.md section A, rows 2 to 12)."""

from fractions import Fraction
from functools import reduce
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances.experiments import (
    CHANNELS,
    EXP_EPSILONS,
    EXPERIMENTS,
    LAWS,
    ONE,
    PAIRS,
    POWERS,
    PROBABILITIES,
    ZERO,
    Channel,
    Experiment,
    Law,
    best_gap,
    corners,
    drawn,
    events,
    kinks,
    knapsack,
    mass,
    power,
    through,
)

from dpcert import ArgumentError, Pmf, PowerFunction, bernoulli, dp_power, point, supremum
from dpcert.audit.algebra.enclosure import exponential

F = Fraction
IDENTITY = PowerFunction.identity()


# Row 2, defn:power


@drawn
@given(EXPERIMENTS, PROBABILITIES)
def test_a_value_is_the_fractional_knapsack_optimum(experiment: Experiment, alpha: Fraction) -> None:
    f = power(experiment)
    for at in {alpha, *kinks(experiment)}:
        assert f(at) == knapsack(experiment, at)


@drawn
@given(EXPERIMENTS)
def test_what_world_0_never_produces_counts_at_no_cost(experiment: Experiment) -> None:
    law0, law1 = experiment
    free = [w for y, w in law1.items() if law0.probability(y) == 0]
    assert power(experiment)(0) == sum(free, ZERO)
    assert power(experiment).vertices[0] == (ZERO, ZERO)


@drawn
@given(PAIRS, PAIRS, PROBABILITIES)
def test_a_value_is_the_knapsack_dual_on_larger_spaces(one: Experiment, two: Experiment, alpha: Fraction) -> None:
    law0, law1 = one[0].product(two[0]), one[1].product(two[1])
    atoms = [(law0.probability(y), law1.probability(y)) for y in {*law0.support, *law1.support}]
    prices = [b / a for a, b in atoms if a]
    dual = min(price * alpha + sum((max(ZERO, b - price * a) for a, b in atoms), ZERO) for price in [ZERO, *prices])
    assert PowerFunction.from_laws(law0, law1)(alpha) == dual


# Row 3, the partial order after defn:power


@pytest.mark.in_turns
@drawn
@given(EXPERIMENTS, EXPERIMENTS, CHANNELS, PROBABILITIES)
def test_the_order_is_settled_at_the_union_of_breakpoints(
    one: Experiment, two: Experiment, channel: Channel, alpha: Fraction
) -> None:
    noisy = through(one[0], channel), through(one[1], channel)
    for lower, upper in [(one, two), (two, one), (noisy, one), (one, noisy)]:
        at = kinks(lower) | kinks(upper)
        below = all(knapsack(lower, a) <= knapsack(upper, a) for a in at)
        f, g = power(lower), power(upper)
        assert (f <= g) == (g >= f) == below
        assert (f < g) == (g > f) == (below and any(knapsack(lower, a) != knapsack(upper, a) for a in at))
        assert not below or f(alpha) <= g(alpha)


@pytest.mark.in_turns
@drawn
@given(POWERS, POWERS, POWERS)
def test_the_order_is_a_partial_order(f: PowerFunction, g: PowerFunction, h: PowerFunction) -> None:
    some = [f, g, h, supremum([f, g]), supremum([g, h]), supremum([f, g, h])]
    assert all(a <= a and not a < a for a in some)
    for a, b in product(some, repeat=2):
        assert (a <= b and b <= a) == (a == b)
        assert all(a <= c for c in some if a <= b and b <= c)


def test_some_curves_are_incomparable() -> None:
    steep, lifted = dp_power(3), dp_power(1, F(1, 4))
    assert not steep <= lifted
    assert not lifted <= steep


# Rows 4 and 5, defn:dpi and the properties after defn:power


@drawn
@given(EXPERIMENTS)
def test_every_curve_lies_above_id_and_meets_it_for_equal_laws_only(experiment: Experiment) -> None:
    law0, law1 = experiment
    f = power(experiment)
    assert f >= IDENTITY
    assert (f == IDENTITY) == (law0 == law1)
    assert power((law0, law0)) == power((law1, law1)) == IDENTITY


@drawn
@given(EXPERIMENTS, CHANNELS, st.sampled_from(["a", "ab", "abc"]))
def test_no_channel_raises_a_curve(experiment: Experiment, channel: Channel, kept: str) -> None:
    law0, law1 = experiment
    f = power(experiment)
    assert power((through(law0, channel), through(law1, channel))) <= f
    assert PowerFunction.from_laws(law0.map(kept.find), law1.map(kept.find)) <= f
    renamed = PowerFunction.from_laws(law0.map(str.upper), law1.map(str.upper))
    assert renamed == f


# Rows 6 to 9, "Differential Privacy in Terms of Power Function"


@drawn
@given(EXP_EPSILONS, PROBABILITIES, PROBABILITIES)
def test_dp_power_has_three_pieces(e: Fraction, d: Fraction, alpha: Fraction) -> None:
    f = dp_power(e, d)
    knee, flat = (1 - d) / (1 + e), 1 - d
    for at in {alpha, ZERO, knee, flat, ONE}:
        if at <= knee:
            assert f(at) == d + e * at
        elif at <= flat:
            assert f(at) == 1 - (1 - d) / e + at / e
        else:
            assert f(at) == 1


@drawn
@given(EXP_EPSILONS, PROBABILITIES)
def test_dp_power_is_attained_by_four_atoms(e: Fraction, d: Fraction) -> None:
    masses = [ZERO, (1 - d) / (1 + e), e * (1 - d) / (1 + e), d]
    law0, law1 = Pmf(enumerate(masses)), Pmf(enumerate(reversed(masses)))
    assert PowerFunction.from_laws(law0, law1) == dp_power(e, d) == dp_power(e, d).reversed()


def test_the_corner_of_the_drawn_curve_lies_between_rational_ones() -> None:
    """fig:power_function, epsilon = 1 and delta = 3/10."""
    d, e = F(3, 10), exponential(ONE)
    assert e.lower is not None
    assert e.upper is not None
    below, above = dp_power(e.lower, d), dp_power(e.upper, d)
    assert below < above
    (x_above, y_above), (x_below, y_below) = above.vertices[2], below.vertices[2]
    assert y_below + x_below == y_above + x_above == 1
    assert F(188258, 10**6) < x_above < x_below < F(188259, 10**6)


@pytest.mark.in_turns
@drawn
@given(EXPERIMENTS, EXP_EPSILONS, PROBABILITIES)
def test_below_dp_power_means_both_inequalities_for_every_event(
    experiment: Experiment, e: Fraction, drawn: Fraction
) -> None:
    law0, law1 = experiment
    least = max(best_gap(law0, law1, e), best_gap(law1, law0, e))
    for d in {drawn, least, max(ZERO, least - F(1, 2**200)), min(ONE, least + F(1, 2**200))}:
        private = all(
            mass(law0, s) <= e * mass(law1, s) + d and mass(law1, s) <= e * mass(law0, s) + d
            for s in events(law0, law1)
        )
        assert (power(experiment) <= dp_power(e, d)) == power(experiment).satisfies(e, d) == private


@drawn
@given(EXPERIMENTS, PROBABILITIES)
def test_trade_off_is_the_least_missed_mass(experiment: Experiment, alpha: Fraction) -> None:
    assert power(experiment).trade_off(alpha) == 1 - knapsack(experiment, alpha)


# Rows 10 to 12, fact:triangle_power and the example after it


@drawn
@given(LAWS, LAWS, LAWS)
def test_two_hops_compose_first_hop_first(x: Law, y: Law, z: Law) -> None:
    assert power((x, z)) <= power((x, y)).then(power((y, z)))


@drawn
@given(POWERS, POWERS, PROBABILITIES)
def test_then_applies_the_other_curve_last(f: PowerFunction, g: PowerFunction, alpha: Fraction) -> None:
    both = f.then(g)
    assert all(both(at) == g(f(at)) for at in {alpha, *corners(f, g, both)})
    assert f.then(IDENTITY) == IDENTITY.then(f) == f


def test_two_hops_in_the_wrong_order_are_too_low() -> None:
    x, y, z = point(1), bernoulli(F(1, 2)), point(0)
    first, second = PowerFunction.from_laws(x, y), PowerFunction.from_laws(y, z)
    whole = PowerFunction.from_laws(x, z)
    assert whole(0) == first.then(second)(0) == 1
    assert second.then(first)(0) == F(1, 2)
    assert not whole <= second.then(first)


def hops(f: PowerFunction, k: int) -> PowerFunction:
    """f composed k times."""
    return reduce(PowerFunction.then, [f] * k)


def geometric(e: Fraction, terms: int) -> Fraction:
    """1 + e + ... with so many terms."""
    return sum((e**j for j in range(terms)), ZERO)


@drawn
@given(EXP_EPSILONS, PROBABILITIES)
def test_two_dp_hops_stay_below_the_capped_bound(e: Fraction, d: Fraction) -> None:
    assert dp_power(e, d).then(dp_power(e, d)) <= dp_power(e**2, min(ONE, d * (1 + e)))


def test_the_two_hop_delta_can_exceed_one_without_a_cap() -> None:
    e, d = F(2), F(1, 2)
    assert d * (1 + e) == F(3, 2)
    with pytest.raises(ArgumentError, match=r"delta in \[0, 1\] but got delta=3/2"):
        dp_power(e**2, d * (1 + e))
    assert hops(dp_power(e, d), 2) == dp_power(e**2, 1)


@drawn
@given(EXP_EPSILONS, PROBABILITIES, st.integers(1, 5))
def test_group_privacy_stays_below_the_capped_bound(e: Fraction, d: Fraction, k: int) -> None:
    assert hops(dp_power(e, d), k) <= dp_power(e**k, min(ONE, d * geometric(e, k)))


@pytest.mark.in_turns
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("e", [F(9, 8), F(3, 2), F(2), F(5)])
def test_group_privacy_is_tight_while_the_second_last_hop_stays_on_the_first_piece(k: int, e: Fraction) -> None:
    edge = 1 / (1 + (1 + e) * geometric(e, k - 1))  # the d where both sides of the condition are equal
    nearby = [edge - F(1, 10**9), edge, edge + F(1, 10**9)]
    for d in [*nearby, *(F(n, 40) for n in range(41))]:
        claimed = d * geometric(e, k)
        assert (hops(dp_power(e, d), k).delta(e**k) == claimed) == (d * geometric(e, k - 1) <= (1 - d) / (1 + e))


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("e", [F(9, 8), F(2)])
def test_the_capped_bound_is_also_met_once_the_second_last_hop_reaches_the_flat_piece(k: int, e: Fraction) -> None:
    for d in [F(n, 40) for n in range(41)]:
        f = dp_power(e, d)
        sharp = d * geometric(e, k - 1) <= (1 - d) / (1 + e) or hops(f, k - 1)(0) >= 1 - d
        assert (hops(f, k).delta(e**k) == min(ONE, d * geometric(e, k))) == sharp


@pytest.mark.parametrize("k", [2, 3, 4])
def test_group_privacy_at_epsilon_zero_is_tight_up_to_delta_one(k: int) -> None:
    """With equal slopes the first two pieces are one, so the knee of the condition above does not matter."""
    for d in [F(n, 60) for n in range(61)]:
        assert hops(dp_power(1, d), k) == dp_power(1, min(ONE, k * d))
