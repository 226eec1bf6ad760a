"""Suprema, tensors, mixtures and composition of power functions (claims.md section A, rows 13 to 19)."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from instances.experiments import (
    CHANNELS,
    EXP_EPSILONS,
    EXPERIMENTS,
    ONE,
    PAIRS,
    POWERS,
    PROBABILITIES,
    SHARES,
    ZERO,
    Atom,
    Channel,
    Experiment,
    corners,
    drawn,
    jointly,
    power,
    through,
)

from dpcert import ArgumentError, Pmf, PowerFunction, bernoulli, dp_power, mix, point, supremum

F = Fraction
IDENTITY = PowerFunction.identity()


# Row 13, defn:power_sup


def hull_value(powers: list[PowerFunction], alpha: Fraction) -> Fraction:
    """max of lambda f1(a1) + (1 - lambda) f2(a2) with alpha in between, over all pairs of vertices."""
    points = [p for f in powers for p in f.vertices]
    chords = [
        y1 + (y2 - y1) * (alpha - x1) / (x2 - x1) if x1 < x2 else max(y1, y2)
        for (x1, y1), (x2, y2) in product(points, repeat=2)
        if x1 <= alpha <= x2
    ]
    return max(chords)


@pytest.mark.in_turns
@drawn
@given(st.lists(POWERS, min_size=1, max_size=3), PROBABILITIES)
def test_the_supremum_is_the_concave_hull(powers: list[PowerFunction], alpha: Fraction) -> None:
    top = supremum(powers)
    assert all(top(at) == hull_value(powers, at) for at in {alpha, *corners(*powers)})
    assert all(f <= top for f in powers)
    assert {p for p in top.vertices if p != (ZERO, ZERO)} <= {p for f in powers for p in f.vertices}


@pytest.mark.in_turns
@drawn
@given(POWERS, POWERS, POWERS)
def test_the_supremum_is_the_least_upper_bound(f: PowerFunction, g: PowerFunction, h: PowerFunction) -> None:
    assert supremum([f, g]) == supremum([g, f]) == supremum([f, g, f])
    assert supremum([f, supremum([g, h])]) == supremum([supremum([f, g]), h])
    for above in [h, f.then(g), f.tensor(g), supremum([f, g, h])]:
        assert (supremum([f, g]) <= above) == (f <= above and g <= above)


def test_a_pointwise_maximum_need_not_be_concave() -> None:
    steep, lifted = dp_power(3), dp_power(1, F(1, 4))
    left, middle, right = F(0), F(1, 8), F(1, 4)
    highest = {at: max(steep(at), lifted(at)) for at in (left, middle, right)}
    assert 2 * highest[middle] < highest[left] + highest[right]
    assert supremum([steep, lifted])(middle) == (highest[left] + highest[right]) / 2
    with pytest.raises(ArgumentError, match="concave"):
        PowerFunction.from_vertices([(ZERO, ZERO), *highest.items(), (F(3, 4), ONE), (ONE, ONE)])


def test_an_infinite_family_can_leave_the_formula_behind() -> None:
    """f_n = min(1, n a): each finite supremum starts at 0, yet only the constant 1 is above them all."""
    family = [PowerFunction.from_vertices([(ZERO, ZERO), (F(1, n), ONE), (ONE, ONE)]) for n in range(1, 30)]
    assert all(f < g for f, g in pairwise(family))
    assert supremum(family)(0) == 0
    assert supremum(family)(F(1, 29)) == 1
    assert all(f <= dp_power(1, 1) for f in family)


# Rows 14 and 17, defn:tensor


@drawn
@given(EXPERIMENTS, EXPERIMENTS)
def test_the_tensor_is_the_curve_of_product_laws(one: Experiment, two: Experiment) -> None:
    products = PowerFunction.from_laws(one[0].product(two[0]), one[1].product(two[1]))
    assert power(one).tensor(power(two)) == products


@drawn
@given(EXPERIMENTS, POWERS, SHARES, st.permutations(range(6)))
def test_the_tensor_does_not_depend_on_the_attaining_pair(
    experiment: Experiment, other: PowerFunction, shares: list[Fraction], order: list[int]
) -> None:
    f = power(experiment)
    (a, b), *rest = f.segments
    split: list[Atom] = [*((s * a, s * b) for s in shares), *rest]
    atoms = [split[i] for i in order if i < len(split)] + split[len(order) :]
    law0, law1 = Pmf(enumerate(x for x, _ in atoms)), Pmf(enumerate(y for _, y in atoms))
    other0, other1 = (Pmf(enumerate(side)) for side in zip(*other.segments, strict=True))
    assert PowerFunction.from_segments(atoms) == f
    assert PowerFunction.from_laws(law0.product(other0), law1.product(other1)) == f.tensor(other)


@drawn
@given(POWERS, POWERS)
def test_the_tensor_commutes(f: PowerFunction, g: PowerFunction) -> None:
    assert f.tensor(g) == g.tensor(f)
    assert f.tensor(g) >= supremum([f, g])
    assert f.tensor(g).reversed() == f.reversed().tensor(g.reversed())


@pytest.mark.in_turns
@drawn
@given(POWERS, POWERS, POWERS)
def test_tensor_and_then_are_associative(f: PowerFunction, g: PowerFunction, h: PowerFunction) -> None:
    assert f.tensor(g).tensor(h) == f.tensor(g.tensor(h))
    assert f.then(g).then(h) == f.then(g.then(h))
    assert f.tensor(supremum([g, h])) >= supremum([f.tensor(g), f.tensor(h)])


def test_the_tensor_of_a_supremum_can_exceed_the_supremum_of_tensors() -> None:
    """Whoever sees the first outcome before choosing does better than whoever chooses first."""
    f, g = dp_power(2), dp_power(3)
    h = PowerFunction.from_laws(point(0), bernoulli(F(1, 2)))
    after, before = f.tensor(supremum([g, h])), supremum([f.tensor(g), f.tensor(h)])
    assert before < after
    assert (before(F(1, 12)), after(F(1, 12))) == (F(7, 12), F(2, 3))


@drawn
@given(POWERS)
def test_id_is_neutral_for_the_tensor(f: PowerFunction) -> None:
    assert IDENTITY.tensor(f) == f.tensor(IDENTITY) == f


@pytest.mark.in_turns
@drawn
@given(EXPERIMENTS, CHANNELS, POWERS)
def test_all_operations_are_monotone(experiment: Experiment, channel: Channel, g: PowerFunction) -> None:
    f = power(experiment)
    lower = power((through(experiment[0], channel), through(experiment[1], channel)))
    assert lower.tensor(g) <= f.tensor(g)
    assert lower.then(g) <= f.then(g)
    assert g.then(lower) <= g.then(f)
    assert supremum([lower, g]) <= supremum([f, g])
    assert lower.reversed() <= f.reversed()
    assert mix([(F(1, 3), lower), (F(2, 3), g)]) <= mix([(F(1, 3), f), (F(2, 3), g)])


# Rows 15 and 16, fact:joint_convexity and fact:composition


@pytest.mark.in_turns
@drawn
@given(st.lists(EXPERIMENTS, min_size=3, max_size=3), SHARES)
def test_hidden_and_public_mixtures_stay_below_the_family(family: list[Experiment], shares: list[Fraction]) -> None:
    mixed = [Pmf.mix(zip(shares, side, strict=True)) for side in zip(*family, strict=True)]
    hidden = PowerFunction.from_laws(mixed[0], mixed[1])
    public = mix([(s, power(e)) for s, e in zip(shares, family, strict=True)])
    assert hidden <= public
    assert public <= supremum([power(e) for s, e in zip(shares, family, strict=True) if s])


@pytest.mark.in_turns
@drawn
@given(PAIRS, CHANNELS, CHANNELS)
def test_a_second_experiment_that_depends_on_the_first_stays_below_the_tensor(
    first: Experiment, kernel0: Channel, kernel1: Channel
) -> None:
    joint = PowerFunction.from_laws(jointly(first[0], kernel0), jointly(first[1], kernel1))
    seen = {*first[0].support, *first[1].support}
    second = supremum([power((kernel0[y], kernel1[y])) for y in seen])
    assert joint <= power(first).tensor(second)
    assert power(first) <= joint


# Row 18, basic composition


@drawn
@given(EXP_EPSILONS, PROBABILITIES, EXP_EPSILONS, PROBABILITIES)
def test_the_delta_of_two_dp_curves(e1: Fraction, d1: Fraction, e2: Fraction, d2: Fraction) -> None:
    both = dp_power(e1, d1).tensor(dp_power(e2, d2))
    assert both.delta(e1 * e2) == d1 + d2 - d1 * d2
    assert both <= dp_power(e1 * e2, min(ONE, d1 + d2))


@drawn
@given(POWERS, POWERS, EXP_EPSILONS, EXP_EPSILONS)
def test_basic_composition(f: PowerFunction, g: PowerFunction, e1: Fraction, e2: Fraction) -> None:
    assert f.tensor(g).satisfies(e1 * e2, min(ONE, f.delta(e1) + g.delta(e2)))


# Row 19, divergences are functions of the curve


def triangular(atoms: list[Atom]) -> Fraction:
    """sum (p - q)^2 / (p + q), an f-divergence that is rational and always finite."""
    return sum(((a - b) ** 2 / (a + b) for a, b in atoms), ZERO)


@pytest.mark.in_turns
@drawn
@given(EXPERIMENTS, EXPERIMENTS)
def test_the_triangular_divergence_is_a_monotone_function_of_the_curve(one: Experiment, two: Experiment) -> None:
    f, g = power(one), power(two)
    for (law0, law1), h in [(one, f), (two, g)]:
        atoms = [(law0.probability(y), law1.probability(y)) for y in {*law0.support, *law1.support}]
        assert triangular(atoms) == triangular(list(h.segments))
    assume(f <= g)
    assert triangular(list(f.segments)) <= triangular(list(g.segments))
