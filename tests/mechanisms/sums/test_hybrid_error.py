"""E of the hybrid prefix sum, against its definition round by round."""

import pickle
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.noise.geometric import exp_epsilon_below
from dpcert.mechanisms.noise.geometric_sums import geometric_sum
from dpcert.mechanisms.sums import hybrid_error
from dpcert.mechanisms.sums.error_convolution import envelope, raw_bounds
from dpcert.mechanisms.sums.error_explicit import explicit_bound
from dpcert.mechanisms.sums.error_function import ROUNDINGS, ErrorFunction, whole
from dpcert.mechanisms.sums.hybrid_error import (
    FINE,
    KINDS,
    HybridError,
    error_function,
    final_error,
    final_error_within,
)
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import BUDGETS, UNITS, HybridSchedule
from dpcert.mechanisms.sums.union_bound import UnionBound

BETA = Fraction(1, 10)
ONE = exp_epsilon_below(Fraction(1))[0]
LAST = 600


def made(kind: str, budget: str, horizon: int | None, rounding: str = "tight") -> ErrorFunction:
    return error_function(kind, noise=HybridNoise(ONE, budget), beta=BETA, rounding=rounding, horizon=horizon)


@pytest.mark.parametrize("k", range(13))
def test_in_a_block_the_last_cover_spends_least_interval_by_interval(k: int) -> None:
    schedule, before = HybridSchedule("sharp"), (1 << k) - 1
    nodes = {o: [schedule.units(r) for r in schedule.cover(before + o)[k:]] for o in range(1, (1 << k) + 1)}
    for o, spent in nodes.items():
        assert min(spent) >= UNITS // (k + 1)  # so that the root's alpha is the least of the segment
        for height in range((o.bit_length() if o < 1 << k else 0) + 1):
            worst = nodes[o | (1 << height) - 1] if o < 1 << k else spent
            assert len(spent) <= len(worst)
            assert all(mine >= least for mine, least in zip(spent, worst, strict=False))
    assert all(schedule.units((2 << i) - 1) >= UNITS // (k + 1) for i in range(k))


@pytest.mark.parametrize("horizon", [None, LAST, 1023])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_uniform_envelope_is_exact(horizon: int | None, rounding: str) -> None:
    error = made("convolution", "uniform", horizon, rounding)
    rounds = range(1, (horizon or LAST) + 1)
    bounds = envelope(raw_bounds(HybridNoise(ONE), BETA, horizon, rounds))
    assert [error(t) for t in rounds] == [whole(b, rounding) for b in bounds]
    assert error(0) == 0


@pytest.mark.in_turns
@pytest.mark.parametrize("horizon", [None, 1, 2, 3, 77, LAST, 1023])
def test_the_sharp_envelope_is_never_below_and_exact_at_the_ends_of_blocks(
    horizon: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hybrid_error, "FINE", 3)
    error, last = made("convolution", "sharp", horizon), horizon or 1023
    exact = [
        whole(b, "tight") for b in envelope(raw_bounds(HybridNoise(ONE, "sharp"), BETA, horizon, range(1, last + 1)))
    ]
    above = 0
    for t in range(1, last + 1):
        k, o = HybridSchedule().place(t)
        assert error(t) >= exact[t - 1]
        if (o + 1) % (1 << max(0, k - 3)) == 0 or o == 1 << k or t == horizon:
            assert error(t) == exact[t - 1]
        above += error(t) - exact[t - 1]
    assert above > 0 or last < LAST  # or blocks would never have been used
    assert above <= 4 * last


def test_short_segments_are_exact_under_the_sharp_budget_as_well() -> None:
    last = (2 << FINE) - 1
    bounds = envelope(raw_bounds(HybridNoise(ONE, "sharp"), BETA, None, range(1, last + 1)))
    error = made("convolution", "sharp", None)
    assert [error(t) for t in range(1, last + 1)] == [whole(b, "tight") for b in bounds]


@pytest.mark.parametrize("budget", BUDGETS)
def test_raw_bounds_are_the_least(budget: str) -> None:
    noise = HybridNoise(Fraction(16), budget)
    for horizon in (None, 40):
        for t, bound in enumerate(raw_bounds(noise, BETA, horizon, range(1, 41)), 1):
            total = geometric_sum(noise.exp_epsilon_at(r) for r in noise.schedule.cover(t))
            share = BETA / (t * (t + 1) if horizon is None else horizon)
            assert total.exact_tail(bound) <= share
            assert bound == 0 or total.exact_tail(bound - 1) > share


@pytest.mark.in_turns
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("horizon", [None, 10**5])
def test_it_never_falls_and_shares_of_work_do_not_show(kind: str, budget: str, horizon: int | None) -> None:
    error = made(kind, budget, horizon)
    rounds = [*range(300), *range(300, 10**5, 97), 10**5]
    late = {t: made(kind, budget, horizon)(t) for t in (5, 1000, 10**5)}
    values = [error(t) for t in rounds]
    assert all(a <= b for a, b in pairwise(values))
    assert all(error(t) == value for t, value in late.items())


@pytest.mark.in_turns
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 6, 7, 8, 15, 100, 128, 511, 1281 + 4095, 10**6])
def test_the_final_error_is_the_error_at_the_horizon(budget: str, horizon: int) -> None:
    for kind in KINDS:
        noise = HybridNoise(ONE, budget)
        last = final_error(kind, noise=noise, beta=BETA, rounding="paper", horizon=horizon)
        assert last == made(kind, budget, horizon, "paper")(horizon)
        for most, within in ((0, None), (last - 1, None), (last, last), (last + 9, last)):
            given: Any = {"noise": noise, "beta": BETA, "rounding": "paper", "horizon": horizon}
            assert final_error_within(most, kind, **given) == within


@pytest.mark.in_turns
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("horizon", [None, LAST])
def test_the_closed_form_is_a_bound_that_convolution_improves(budget: str, horizon: int | None) -> None:
    noise, union = HybridNoise(ONE, budget), UnionBound(BETA, horizon)
    explicit, convolution = made("explicit", budget, horizon), made("convolution", budget, horizon)
    raw = raw_bounds(noise, BETA, horizon, range(1, LAST + 1))
    for t in range(1, LAST + 1):
        bound = explicit_bound(noise, union, t)
        assert bound.lower > raw[t - 1]
        assert explicit(t) == whole(bound.lower, "tight") >= convolution(t)
    for t in (1, 6, 7, 63, 500):  # its defining property, and not only through the convolution's own bound
        total = geometric_sum(noise.exp_epsilon_at(r) for r in noise.schedule.cover(t))
        assert total.tail(int(explicit_bound(noise, union, t).lower)).upper <= union.share(t)


def test_the_closed_form_is_the_papers() -> None:
    """(2 / share) (max(2k, 1) / 3 + ln(2 t (t + 1) / beta)), the share 1 / (k + 1) but for rounding down to units."""
    for t in (1, 2, 3, 7, 100, 5376, 10**6):
        k = t.bit_length() - 1
        bound = explicit_bound(HybridNoise(ONE), UnionBound(BETA), t)
        with mpmath.workdps(40):
            inside = mpmath.mpf(max(2 * k, 1)) / 3 + mpmath.log(mpmath.mpf(20 * t * (t + 1)))
            assert bound.lower > 2 * (k + 1) * Fraction(mpmath.nstr(inside, 30))
            assert float(bound.lower) == pytest.approx(
                float(2 * UNITS / mpmath.mpf(UNITS // (k + 1)) * inside), rel=1e-4
            )
    eight = explicit_bound(HybridNoise(Fraction(8)), UnionBound(BETA, 50), 6)  # alpha = 2, whatever t is
    with mpmath.workdps(40):
        ideal = 2 / mpmath.log(2) * (mpmath.mpf(4) / 3 + mpmath.log(1000))
    assert float(eight.upper) == pytest.approx(float(ideal), rel=1e-12)


@pytest.mark.parametrize("root", [Fraction(1, 2), Fraction(2, 3), Fraction(99, 100)])
def test_the_moment_behind_the_closed_form(root: Fraction) -> None:
    """E alpha^(eta / 2), root = alpha^(-1/2): the two geometric series summed."""
    alpha = 1 / root**2
    ratios = root * root / root, root * root * root  # masses fall by root^2 a step, moments rise by 1 / root
    series = 1 + sum(r / (1 - r) for r in ratios)
    moment = (alpha - 1) / (alpha + 1) * series
    assert moment == 1 + root / (1 + root + root**2) <= Fraction(4, 3)
    with mpmath.workdps(30):
        assert mpmath.mpf(4) / 3 < mpmath.exp(mpmath.mpf(1) / 3)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("horizon", [None, 5])
def test_no_round_is_off_by_e_but_with_probability_beta(budget: str, kind: str, horizon: int | None) -> None:
    """Every path of the noise that runs, five rounds of it; with E one too low everywhere, beta would not hold."""
    noise, beta = HybridNoise(Fraction(512), budget, Fraction(1, 40)), Fraction(1, 5)
    error = error_function(kind, noise=noise, beta=beta, rounding="tight", horizon=horizon)
    assert failing(noise, error, 5, 0) <= beta
    if kind == "convolution":
        assert failing(noise, error, 5, 2) > beta


def failing(noise: HybridNoise, error: ErrorFunction, rounds: int, less: int) -> Fraction:
    """P(|Y_t - Q_t| >= E(t) - less for some t)."""
    alive = {noise.initial: Fraction(1)}
    for t in range(1, rounds + 1):
        after: dict[object, Fraction] = {}
        for state, p in alive.items():
            for value, q in noise.law(t).items():
                off, reached = noise.step(state, lambda _: value)  # noqa: B023  # it is used up at once
                if abs(off) < error(t) - less:
                    after[reached] = after.get(reached, Fraction(0)) + p * q
        alive = after  # type: ignore[assignment]
    return 1 - sum(alive.values())


def test_shares_add_up_to_at_most_beta() -> None:
    assert sum(UnionBound(BETA).share(t) for t in range(1, 1000)) == BETA * Fraction(999, 1000)
    assert sum(UnionBound(BETA, 1000).share(t) for t in range(1, 1001)) == BETA


def test_it_is_a_value() -> None:
    error = made("convolution", "sharp", 100)
    error(100)
    assert error == made("convolution", "sharp", 100) != made("convolution", "uniform", 100)
    assert hash(error) == hash(made("convolution", "sharp", 100))
    assert isinstance(error, HybridError)
    assert pickle.loads(pickle.dumps(error)) == error
    assert (error.horizon, made("explicit", "sharp", None).horizon) == (100, None)


def test_a_tiny_beta_only_makes_it_larger() -> None:
    noise = HybridNoise(Fraction(16))
    for kind in KINDS:
        values = [
            final_error(kind, noise=noise, beta=Fraction(1, 10**digits), rounding="tight", horizon=9)
            for digits in (1, 10, 400)
        ]
        assert values[0] < values[1] < values[2]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"kind": "exact"}, "kind='exact'"),
        ({"rounding": "up"}, "rounding='up'"),
        ({"beta": Fraction(0)}, "beta=0"),
        ({"beta": Fraction(1)}, "beta=1"),
        ({"beta": 0.1}, "beta=0.1"),
        ({"horizon": 0}, "horizon=0"),
        ({"horizon": True}, "horizon=True"),
    ],
)
def test_bad_parameters(changes: dict[str, object], what: str) -> None:
    arguments = {"kind": "explicit", "noise": HybridNoise(ONE), "beta": BETA, "rounding": "tight", "horizon": 9}
    kind = {**arguments, **changes}.pop("kind")
    others = {name: value for name, value in {**arguments, **changes}.items() if name != "kind"}
    for function in (error_function, final_error):
        with pytest.raises(ArgumentError, match=what):
            function(kind, **others)  # type: ignore[operator]


@pytest.mark.parametrize("kind", KINDS)
def test_bad_rounds_and_budgets(kind: str) -> None:
    for error, t in ((made(kind, "uniform", 9), 10), (made(kind, "uniform", 9), -1), (made(kind, "uniform", None), -1)):
        with pytest.raises(ArgumentError, match=f"t={t}"):
            error(t)
    with pytest.raises(ArgumentError, match="budget='fair'"):
        made(kind, "fair", 9)
