"""Values read off a power function: DP curves, epsilons, enclosures, representations, mixtures."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances.experiments import (
    EXP_EPSILONS,
    EXPERIMENTS,
    ONE,
    PAIRS,
    POWERS,
    PROBABILITIES,
    RATIOS,
    SHARES,
    ZERO,
    Experiment,
    best_gap,
    drawn,
    exponential_bounds,
    power,
    two_sided_gap,
)

from dpcert import (
    ArgumentError,
    Pmf,
    PowerFunction,
    dp_power,
    hockey_stick,
    mix,
    privacy_profile,
    supremum,
    total_variation,
)

F = Fraction
NARROW = F(1, 2**100)


# DP curves, the fact after defn:power


@pytest.mark.in_turns
@drawn
@given(EXPERIMENTS, RATIOS)
def test_the_hockey_stick_is_the_best_event_in_both_orders(experiment: Experiment, e: Fraction) -> None:
    law0, law1 = experiment
    f = power(experiment)
    for slope in (e, 1 / e, ONE, F(1, 10**30), F(10**30)):
        assert f.hockey_stick(slope) == f.hockey_stick(slope, "0-1") == best_gap(law0, law1, slope)
        assert f.hockey_stick(slope, "1-0") == best_gap(law1, law0, slope)
        assert f.hockey_stick(slope, "1-0") == max(y - slope * x for x, y in f.vertices)
        assert f.delta(slope) == two_sided_gap(experiment, slope)


@drawn
@given(EXPERIMENTS, EXP_EPSILONS)
def test_divergences_of_laws_agree_with_their_curve(experiment: Experiment, e: Fraction) -> None:
    law0, law1 = experiment
    f = power(experiment)
    assert hockey_stick(law0, law1, exp_epsilon=e) == f.hockey_stick(e)
    assert hockey_stick(law1, law0, exp_epsilon=e) == f.hockey_stick(e, "1-0")
    assert privacy_profile(law0, law1, exp_epsilon=e) == f.delta(e) == f.reversed().delta(e)
    differences = [abs(law0.probability(y) - law1.probability(y)) for y in {*law0.support, *law1.support}]
    assert total_variation(law0, law1) == f.total_variation == sum(differences, ZERO) / 2
    with pytest.raises(ArgumentError, match="at least 1 but got exp_epsilon"):
        hockey_stick(law0, law1, exp_epsilon=F(99, 100))


@drawn
@given(POWERS, RATIOS)
def test_one_order_gives_the_other_at_the_inverse_slope(f: PowerFunction, e: Fraction) -> None:
    assert f.hockey_stick(e, "0-1") == 1 - e + e * f.hockey_stick(1 / e, "1-0")
    assert f.delta(e) >= f.delta(e + 1) >= f.delta_at_infinity


@drawn
@given(EXPERIMENTS)
def test_a_swap_of_the_worlds(experiment: Experiment) -> None:
    law0, law1 = experiment
    f = power(experiment)
    assert f.reversed() == power((law1, law0))
    assert f.reversed().reversed() == f
    assert all(f.reversed()(1 - f(x)) >= 1 - x for x, _ in f.vertices)


@drawn
@given(EXPERIMENTS)
def test_the_limits_of_the_dp_curve(experiment: Experiment) -> None:
    law0, law1 = experiment
    f = power(experiment)
    only0 = sum((w for y, w in law0.items() if not law1.probability(y)), ZERO)
    only1 = sum((w for y, w in law1.items() if not law0.probability(y)), ZERO)
    assert f.delta_at_infinity == max(only0, only1) == f.delta(10**40)
    if only0 or only1:
        assert f.largest_ratio is None
    else:
        ratios = [w / law1.probability(y) for y, w in law0.items()]
        largest = max(*ratios, *(1 / r for r in ratios))
        assert f.largest_ratio == largest
        assert f.delta(largest) == 0
        assert largest == 1 or f.delta(largest - (largest - 1) / 2**90) > 0


# The least epsilon


@drawn
@given(EXPERIMENTS, PROBABILITIES, RATIOS)
def test_exp_epsilon_for_is_the_least_one(experiment: Experiment, drawn: Fraction, e: Fraction) -> None:
    f = power(experiment)
    limit = two_sided_gap(experiment, F(10**40))
    for d in {drawn, ZERO, limit, min(ONE, limit + F(1, 2**100)), two_sided_gap(experiment, max(e, 1 / e))}:
        least = f.exp_epsilon_for(d)
        if least is None:
            assert d < limit
            continue
        assert d >= limit
        assert least >= 1
        assert two_sided_gap(experiment, least) <= d
        if least > 1:
            for shorter in (F(1, 2), F(1, 2**90)):
                assert two_sided_gap(experiment, least - (least - 1) * shorter) > d


@drawn
@given(EXP_EPSILONS, PROBABILITIES)
def test_dp_power_needs_exactly_its_own_epsilon(e: Fraction, d: Fraction) -> None:
    f = dp_power(e, d)
    assert f.exp_epsilon_for(d) == (e if d < 1 else 1)
    assert f.delta(e) == d
    assert d == 0 or f.exp_epsilon_for(d / 2) is None


@drawn
@given(PAIRS, st.builds(F, st.integers(0, 24), st.integers(1, 8)).map(lambda x: min(x, F(4))))
def test_delta_at_encloses_the_true_value_closely(experiment: Experiment, epsilon: Fraction) -> None:
    found = power(experiment).delta_at(epsilon)
    low, high = exponential_bounds(epsilon)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= two_sided_gap(experiment, low)
    assert two_sided_gap(experiment, high) <= found.upper
    assert 0 <= found.upper - found.lower <= NARROW
    assert epsilon > 0 or found.lower == found.upper == two_sided_gap(experiment, ONE)


@drawn
@given(PAIRS, PROBABILITIES)
def test_epsilon_for_encloses_the_true_value_closely(experiment: Experiment, d: Fraction) -> None:
    f = power(experiment)
    found, least = f.epsilon_for(d), f.exp_epsilon_for(d)
    if least is None:
        assert found.lower is None
        assert found.upper is None
        return
    assert found.lower is not None
    assert found.upper is not None
    assert exponential_bounds(found.lower)[0] <= least <= exponential_bounds(found.upper)[1]
    assert 0 <= found.lower <= found.upper <= found.lower + NARROW
    assert least > 1 or found.lower == found.upper == 0


# Representations


@drawn
@given(POWERS)
def test_segments_and_vertices_rebuild_the_curve(f: PowerFunction) -> None:
    assert PowerFunction.from_vertices(f.vertices) == f
    assert PowerFunction.from_segments(f.segments) == f
    assert PowerFunction.from_segments([(ZERO, ZERO), *reversed(f.segments)]) == f
    assert sum((a for a, _ in f.segments), ZERO) == sum((b for _, b in f.segments), ZERO) == 1
    slopes = [F(b, a) if a else None for a, b in f.segments]
    assert None not in slopes[1:]
    finite = [s for s in slopes if s is not None]
    assert finite == sorted(set(finite), reverse=True)


@drawn
@given(POWERS, POWERS, SHARES)
def test_equal_curves_are_equal_keys(f: PowerFunction, g: PowerFunction, shares: list[Fraction]) -> None:
    copies = [
        PowerFunction.from_vertices(f.vertices),
        mix([(s, f) for s in shares]),
        mix([(F(1, 3), f), (F(2, 3), f)]),
        supremum([f, PowerFunction.identity()]),
        f.tensor(PowerFunction.identity()),
    ]
    assert all(f == copy and hash(f) == hash(copy) for copy in copies)
    assert len({f, *copies}) == 1
    assert (f == g) == (f.vertices == g.vertices) == (len({f, g}) == 1)
    assert f != f.vertices


@drawn
@given(POWERS, RATIOS, EXP_EPSILONS)
def test_arguments_outside_their_domain_are_refused(f: PowerFunction, x: Fraction, e: Fraction) -> None:
    for alpha in (-x, 1 + x):
        with pytest.raises(ArgumentError, match=r"alpha in \[0, 1\] but got alpha="):
            f(alpha)
        with pytest.raises(ArgumentError, match=r"delta in \[0, 1\] but got delta="):
            f.exp_epsilon_for(alpha)
    for slope in (ZERO, -x):
        with pytest.raises(ArgumentError, match="positive e\\^epsilon"):
            f.hockey_stick(slope)
    with pytest.raises(ArgumentError, match="an order"):
        f.hockey_stick(e, "1-1")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="at least 1"):
        f.satisfies(1 / (e + 1), 0)
    with pytest.raises(ArgumentError, match="epsilon of at least 0"):
        f.delta_at(-x)
    with pytest.raises(ArgumentError, match="a float is not exact"):
        f(float(F(1, 2)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("vertices", "complaint"),
    [
        ([(F(0), F(0))], "from"),
        ([(F(0), F(0)), (F(1), F(1, 2))], "from"),
        ([(F(0), F(1, 2)), (F(1), F(1))], "from"),
        ([(F(0), F(0)), (F(1, 2), F(1, 4)), (F(1), F(1))], "concave"),
        ([(F(0), F(0)), (F(1, 2), F(3, 2)), (F(1), F(1))], "nondecreasing"),
        ([(F(0), F(0)), (F(3, 2), F(3, 2)), (F(1), F(1))], "nondecreasing"),
        ([(F(0), F(0)), (F(1, 2), F(1, 2)), (F(1, 2), F(3, 4)), (F(1), F(1))], "concave"),
    ],
)
def test_vertices_of_no_power_function_are_refused(vertices: list[tuple[Fraction, Fraction]], complaint: str) -> None:
    with pytest.raises(ArgumentError, match=complaint):
        PowerFunction.from_vertices(vertices)


# Public mixtures


@drawn
@given(st.lists(EXPERIMENTS, min_size=3, max_size=3), SHARES, RATIOS)
def test_mix_is_the_curve_of_coin_and_outcome(family: list[Experiment], shares: list[Fraction], e: Fraction) -> None:
    coin = list(zip(shares, family, strict=True))
    joint = [Pmf([((i, y), s * w) for i, (s, pair) in enumerate(coin) for y, w in pair[b].items()]) for b in (0, 1)]
    mixture = mix([(s, power(pair)) for s, pair in coin])
    assert mixture == PowerFunction.from_laws(joint[0], joint[1])
    for order in ("0-1", "1-0"):
        parts = [s * power(pair).hockey_stick(e, order) for s, pair in coin]
        assert mixture.hockey_stick(e, order) == sum(parts, ZERO)


def test_empty_families_and_partial_shares_are_refused() -> None:
    with pytest.raises(ArgumentError, match="at least one power function"):
        supremum([])
    with pytest.raises(ArgumentError, match=r"sum=1/2 \(short by 1/2\)"):
        mix([(F(1, 2), PowerFunction.identity())])
    with pytest.raises(ArgumentError, match="share"):
        mix([(float(F(1, 2)), PowerFunction.identity())])  # type: ignore[list-item]


def test_a_repeated_vertex_hides_no_dent() -> None:
    dent = [(Fraction(0), Fraction(0)), (Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 2), Fraction(1, 4))]
    with pytest.raises(ArgumentError, match="concave"):
        PowerFunction.from_vertices([*dent, (Fraction(1), Fraction(1))])


def test_other_types_do_not_compare_and_nothing_does_not_mix() -> None:
    with pytest.raises(TypeError):
        PowerFunction.identity() <= 3  # noqa: B015 - the comparison itself is tested
    with pytest.raises(ArgumentError, match="at least one part"):
        mix([])
