"""Gaps, binomial bounds, Rényi divergences and Gaussian claims, each against a closed form or the plain sum."""

import math
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from statistics import NormalDist

import pytest
from flint import arb, ctx

from dpcert import PowerFunction, bernoulli, dp_power, from_weights
from dpcert.audit.algebra import gap as gaps
from dpcert.audit.algebra import renyi as orders
from dpcert.audit.algebra.binomial import at_least, at_most, covers
from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.algebra.enclosure import TINY, enclosed
from dpcert.audit.algebra.gap import _bends, equal_from, find_gap, gap_at
from dpcert.audit.algebra.least import least
from dpcert.audit.algebra.mixture import mix
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.algebra.renyi import concentrated, gaussian, quantile, renyi
from dpcert.audit.errors import ArgumentError

HALF, ONE = Fraction(1, 2), Fraction(1)


def curve(*masses: tuple[int, int]) -> PowerFunction:
    return PowerFunction.from_laws(*(from_weights(dict(enumerate(side))) for side in zip(*masses, strict=True)))


LOW = curve((4, 6), (5, 5), (6, 4))
HIGH = curve((1, 6), (7, 7), (7, 2))
UNEVEN = curve((1, 9), (5, 3), (6, 0))


def test_the_largest_gap_of_those_asked_for() -> None:
    asked = [Fraction(3), ONE, Fraction(2)]
    found = find_gap(exactly(HIGH), exactly(LOW), asked)
    every = [gap_at(HIGH, LOW, e, order) for e in asked for order in ORDERS]
    assert found is not None
    assert found.size == max(gap.size for gap in every) > 0
    assert found in every
    assert found.adaptive == HIGH.hockey_stick(found.exp_epsilon, found.order)
    assert found.fixed_stream == LOW.hockey_stick(found.exp_epsilon, found.order)


def test_no_gap_where_one_is_below_or_nothing_is_sure() -> None:
    assert find_gap(exactly(LOW), exactly(LOW), [ONE]) is None
    assert find_gap(exactly(PowerFunction.identity()), exactly(LOW), [ONE]) is None
    assert find_gap(Bracket(LOW, HIGH), exactly(HIGH), [ONE]) is None
    assert find_gap(Bracket(HIGH, HIGH), Bracket(LOW, HIGH), [ONE]) is None


@pytest.mark.parametrize("most", [64, 1, 2])
def test_where_none_shows_at_the_slopes_asked_for_the_bends_are_tried(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaps, "MOST_GAP_SLOPES", most)
    for asked in ([], [Fraction(1000)]):
        found = find_gap(exactly(HIGH), exactly(LOW), asked)
        assert found is not None
        assert found.size > 0
    found = find_gap(exactly(HIGH), exactly(LOW), [])
    bends = {ONE} | {max(a / b, b / a) for f in (HIGH, LOW) for a, b in f.segments if a and b}
    if most == 64:
        assert found is not None
        assert found.size == max(gap_at(HIGH, LOW, e, order).size for e in bends for order in ORDERS)


def brute_equal_from(f: PowerFunction, g: PowerFunction) -> Fraction | None:
    """The last of the bends at which, or just before which, the profiles differ in some order, and the bend after."""
    bends = sorted({ONE} | {r for h in (f, g) for a, b in h.segments if a and b for r in (a / b, b / a) if r > 1})
    middles = [(a + b) / 2 for a, b in pairwise(bends)]

    def differ(e: Fraction) -> bool:
        return any(f.hockey_stick(e, order) != g.hockey_stick(e, order) for order in ORDERS)

    if differ(bends[-1] + 1) or differ(bends[-1] + 2):
        return None
    for i in range(len(bends) - 1, 0, -1):
        if differ(bends[i]) or differ(middles[i - 1]):
            return bends[i]
    return ONE


@pytest.mark.parametrize("seed", range(12))
def test_from_where_two_profiles_are_one(seed: int) -> None:
    others = [LOW, HIGH, UNEVEN, curve((4, 6), (6, 5), (5, 4)), curve((0, 1), (3, 5), (8, 5)), PowerFunction.identity(),
              curve((2, 9), (4, 3), (6, 0)), curve((1, 6), (6, 8), (8, 1)), curve((1, 1), (2, 3), (3, 2))]  # fmt: skip
    f = others[seed % len(others)]
    for g in others[seed // 2 % 2 :]:
        assert equal_from(f, g) == equal_from(g, f) == brute_equal_from(f, g)


def tail(hits: int, runs: int, p: Fraction) -> Fraction:
    return sum((comb(runs, k) * p**k * (1 - p) ** (runs - k) for k in range(hits, runs + 1)), Fraction(0))


def test_balls_prove_what_the_binomial_sum_says() -> None:
    before = ctx.prec
    for runs in (1, 2, 4):
        for hits, eighths, risk in product(range(1, runs + 1), range(1, 8), (Fraction(1, 7), Fraction(5, 7))):
            p = Fraction(eighths, 8)
            assert covers(hits, runs, p, risk) is (tail(hits, runs, p) <= risk)
    assert ctx.prec == before
    assert covers(1, 2, Fraction(0), HALF)
    assert not covers(2, 2, ONE, HALF)
    assert covers(0, 2, Fraction(0), HALF)
    assert not covers(0, 2, Fraction(1, 8), HALF)


@pytest.mark.parametrize(
    ("hits", "runs", "risk", "bound"),
    [
        (1, 1, Fraction(1, 4), Fraction(1, 4)),
        (2, 2, Fraction(1, 4), HALF),
        (1, 2, Fraction(3, 4), HALF),
        (3, 3, Fraction(1, 8), HALF),
        (1, 3, Fraction(7, 8), HALF),
        (2, 3, HALF, HALF),
    ],
)
def test_bounds_with_a_closed_form(hits: int, runs: int, risk: Fraction, bound: Fraction) -> None:
    found = at_least(hits, runs, risk)
    assert 0 <= bound - found < Fraction(1, 2**36)
    assert found.denominator <= 2**40
    assert tail(hits, runs, found) <= risk
    assert at_most(runs - hits, runs, risk) == 1 - found


def test_bounds_at_the_ends() -> None:
    assert (at_least(0, 5, HALF), at_most(5, 5, HALF)) == (0, 1)
    assert at_least(1, 10**6, Fraction(1, 10**15)) >= 0
    for hits, runs, risk in ((-1, 2, HALF), (3, 2, HALF), (0, 0, HALF), (1, 2, Fraction(0)), (1, 2, ONE)):
        with pytest.raises(ArgumentError):
            at_least(hits, runs, risk)


@pytest.mark.parametrize("power", [LOW, HIGH])
@pytest.mark.parametrize("order", [Fraction(3, 2), Fraction(2), Fraction(7)])
def test_a_divergence_is_the_larger_of_two_sums(power: PowerFunction, order: Fraction) -> None:
    def one_way(pairs: list[tuple[Fraction, Fraction]]) -> float:
        a = float(order)
        return math.log(sum(float(q) ** a * float(p) ** (1 - a) for p, q in pairs)) / (a - 1)

    expected = max(one_way([*power.segments]), one_way([(q, p) for p, q in power.segments]))
    found = renyi(power, order).finite()
    assert found.lower <= found.upper < found.lower + Fraction(1, 10**25)
    assert math.isclose(float(found.lower), expected, rel_tol=1e-9)


def test_a_divergence_is_infinite_where_one_world_shows_itself() -> None:
    for power in (UNEVEN, UNEVEN.reversed()):
        assert renyi(power, Fraction(2)).upper is None
        assert concentrated(power, Fraction(9)).kept is False
    with pytest.raises(ArgumentError):
        renyi(LOW, ONE)


RESPONSE = PowerFunction.from_laws(bernoulli(Fraction(1, 4)), bernoulli(Fraction(3, 4)))


def test_zcdp_of_randomised_response() -> None:
    """D_alpha of it rises from its relative entropy, ln 3 / 2; rho must reach D_alpha / alpha at every alpha."""
    entropy = math.log(3) / 2
    worst = max(float(renyi(RESPONSE, 1 + Fraction(k, 50)).finite().lower) / (1 + k / 50) for k in range(1, 200))
    assert entropy >= worst
    assert concentrated(RESPONSE, Fraction(56, 100)).kept is True
    found = concentrated(RESPONSE, Fraction(5, 10))
    assert found.kept is False
    assert found.at is not None
    assert found.value == renyi(RESPONSE, found.at).lower > Fraction(5, 10) * found.at
    assert concentrated(PowerFunction.identity(), Fraction(0)).kept is True
    none = concentrated(RESPONSE, Fraction(0))
    assert (none.kept, none.at, none.value) == (False, 2, renyi(RESPONSE, Fraction(2)).lower)


def test_a_comparison_of_too_many_orders_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "MOST_INTERVALS", 1)
    assert concentrated(RESPONSE, Fraction(56, 100)).kept is None


@pytest.mark.parametrize("level", [Fraction(1, 10**9), Fraction(1, 4), HALF, Fraction(2, 3), 1 - Fraction(1, 10**9)])
def test_quantiles_of_the_normal_law(level: Fraction) -> None:
    assert math.isclose(float(quantile(level).mid()), NormalDist().inv_cdf(float(level)), abs_tol=1e-6)


def test_gdp_of_randomised_response() -> None:
    """Its one corner, (1/4, 3/4), is that of mu = 2 Phi^-1(3/4)."""
    mu = Fraction(2 * NormalDist().inv_cdf(0.75))
    assert gaussian(RESPONSE, mu + Fraction(1, 10**9)) == (True, None)
    kept, corner = gaussian(RESPONSE, mu - Fraction(1, 10**9))
    assert kept is False
    assert corner is not None
    assert corner.vertex == (Fraction(1, 4), Fraction(3, 4))
    assert gaussian(UNEVEN.reversed(), Fraction(100))[0] is False
    assert gaussian(curve((0, 1), (2, 1)), Fraction(100))[0] is False


@pytest.mark.parametrize("power", [HIGH, HIGH.reversed(), UNEVEN, UNEVEN.reversed(), curve((0, 3), (2, 4), (8, 3))])
def test_a_corner_is_attained_at_its_slope(power: PowerFunction) -> None:
    _, corner = gaussian(power, Fraction(1, 100))
    assert corner is not None
    assert corner.exp_epsilon >= 1
    x, y = corner.vertex
    assert corner.vertex in power.vertices[1:-1]
    e = corner.exp_epsilon
    reached = y - e * x if corner.order == "1-0" else (1 - x) - e * (1 - y)
    assert reached == power.hockey_stick(e, corner.order)


def test_a_delta_at_an_irrational_slope_is_close() -> None:
    for epsilon in (Fraction(1, 10**50), Fraction(1, 3), Fraction(1)):
        found = dp_power(3).delta_at(epsilon).finite()
        assert found.lower <= found.upper <= found.lower + Fraction(1, 10**30)
    assert math.isclose(float(found.lower), (3 - math.e) / 4, rel_tol=1e-9)


@pytest.mark.parametrize("first", [LOW, HIGH, UNEVEN, UNEVEN.reversed(), RESPONSE])
def test_one_hop_after_another_is_the_one_curve_of_the_other(first: PowerFunction) -> None:
    for second in (LOW, HIGH, UNEVEN, dp_power(2, Fraction(1, 9))):
        both = first.then(second)
        for k in range(49):
            assert both(Fraction(k, 48)) == second(first(Fraction(k, 48)))


@pytest.mark.parametrize("odd", [1, 3])
def test_what_is_nearer_to_zero_than_can_be_written_is_rounded_outward(odd: int) -> None:
    tiny = enclosed(lambda: arb(odd) * arb(2) ** -70_000)
    assert (tiny.lower, tiny.upper) == (0, TINY)
    below = enclosed(lambda: -arb(odd) * arb(2) ** -70_000)
    assert (below.lower, below.upper) == (-TINY, 0)
    assert enclosed(lambda: arb(0)).finite() == (0, 0)
    written = enclosed(lambda: arb(odd) * arb(2) ** -60_000).finite()
    assert written.lower == written.upper == Fraction(odd, 2**60_000)


def test_slopes_of_a_gap_are_looked_for_at_every_so_many_segments() -> None:
    """At about as many as are asked for of either curve; at all where nobody asks for less."""
    up, down = range(1, 13), [n * n for n in range(12, 0, -1)]
    curve = PowerFunction.from_laws(*(from_weights(dict(enumerate(side))) for side in (up, down)))
    slopes = [max(a, b) / min(a, b) for a, b in curve.segments]
    assert len(curve.chain) == 12
    identity = PowerFunction.identity()
    for most, step in ((4, 3), (5, 2), (12, 1), (100, 1), (None, 1)):
        expected = {Fraction(1), *slopes[::step]}
        assert _bends(curve, identity, most) == _bends(identity, curve, most) == expected


def test_a_single_part_is_its_own_mixture() -> None:
    assert mix([(1, HIGH)]) == HIGH


def test_the_least_number_is_looked_for_from_0() -> None:
    assert least(lambda _: True) == 1
    asked: list[int] = []
    assert least(lambda k: asked.append(k) or k >= 1) == 1  # type: ignore[func-returns-value]
    assert asked == [1]


def test_where_no_ball_is_finite_nothing_is_known_of_a_divergence_but_its_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "finite", lambda *_, **__: None)
    found = renyi(dp_power(2), Fraction(2))
    assert found.lower == 0
    assert found.upper is None


def test_a_power_is_asked_of_errors_up_to_1_and_is_no_equal_of_what_is_none() -> None:
    assert HIGH(1) == 1
    for alpha in (Fraction(3, 2), 2, Fraction(-1, 10)):
        with pytest.raises(ArgumentError):
            HIGH(alpha)
    assert HIGH.__eq__(3) is NotImplemented
