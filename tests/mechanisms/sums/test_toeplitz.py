"""The Toeplitz prefix sum in whole numbers: its column, its decoder, its noise, its error."""

from fractions import Fraction
from itertools import accumulate, product
from math import comb, prod
from random import Random

import pytest
from flint import arb, ctx
from instances.small_noise import errors, small

from dpcert import examine
from dpcert.audit.algebra.enclosure import enclosed
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.noise.rounded_gaussian import RoundedGaussian
from dpcert.mechanisms.sums.error_function import Steps
from dpcert.mechanisms.sums.stream_sum import StreamSum
from dpcert.mechanisms.sums.toeplitz_core import ToeplitzCore, decoded
from dpcert.mechanisms.sums.toeplitz_encoder import (
    column_norm_squared,
    decoder_column,
    encoder_column,
    mu_squared,
    nearest,
)
from dpcert.mechanisms.sums.toeplitz_error import error_for, overrun
from dpcert.mechanisms.sums.toeplitz_noise import ROUNDS_A_BLOCK


@pytest.mark.parametrize("scale", [1, 2, 7, 64, 512])
def test_running_sums_are_those_of_the_root_rounded(scale: int) -> None:
    column = encoder_column(scale, 400)
    exact = accumulate(Fraction(scale * comb(2 * k, k), 4**k) for k in range(400))
    assert all(abs(s - e) <= Fraction(1, 2) for s, e in zip(accumulate(column), exact, strict=True))
    assert column[0] == scale
    assert min(column) >= 0
    assert encoder_column(scale, 30) == column[:30]


def test_the_first_column_is_the_longest() -> None:
    column = [Fraction(r) for r in encoder_column(64, 40)]
    norms = [sum((r * r for r in column[: 40 - i]), Fraction(0)) for i in range(40)]
    assert column_norm_squared(64, 40) == norms[0] == max(norms)
    assert mu_squared(64, Fraction(5, 3), 40) == norms[0] * 9 / 25


@pytest.mark.parametrize("scale", [1, 5, 128])
def test_the_decoder_inverts(scale: int) -> None:
    encoder, inverse = encoder_column(scale, 60), list[Fraction]()
    for t in range(60):  # of r (1 - z) / c, by long division
        earlier = sum((encoder[k] * inverse[t - k] for k in range(1, t + 1)), Fraction(0))
        inverse.append(((scale if t == 0 else 0) - earlier) / encoder[0])
    found = decoder_column(scale, 60)
    assert ctx.prec == 53
    for l, exact in zip(found, accumulate(inverse), strict=True):  # noqa: E741  # l as in L
        assert l.rad() < arb(2) ** -60
        assert exact in enclosed(lambda: l)  # noqa: B023  # used at once


def test_nearest_commutes_with_whole_shifts() -> None:
    for denominator in (1, 2, 3, 8):
        for numerator in range(-40, 40):
            found = nearest(numerator, denominator)
            assert abs(found - Fraction(numerator, denominator)) <= Fraction(1, 2)
            assert nearest(numerator + 3 * denominator, denominator) == found + 3


@pytest.mark.parametrize("scale", [1, 2, 32])
def test_estimates_are_off_by_what_the_noise_settles(scale: int) -> None:
    random = Random(scale)
    rounds = 2 * ROUNDS_A_BLOCK + 40  # over two folds
    core = ToeplitzCore(scale)
    stream = [random.randrange(-50, 50) for _ in range(rounds)]
    drawn = tuple(random.randrange(-3 * scale, 3 * scale + 1) for _ in range(rounds))
    column = encoder_column(scale, rounds)
    released = tuple(sum(r * stream[t - k] for k, r in enumerate(column[: t + 1])) + drawn[t] for t in range(rounds))
    wanted = [q + e for q, e in zip(accumulate(stream), errors(small(rounds, scale=scale), drawn), strict=True)]
    assert list(core.publish(released)) == wanted
    assert wanted != list(accumulate(stream))
    shifted = decoded(scale, released)
    noise_alone = decoded(scale, drawn)
    assert [x - scale * q for x, q in zip(shifted, stream, strict=True)] == list(noise_alone)


def test_the_core_passes_checklist_1_at_every_horizon() -> None:
    record = examine(ToeplitzCore(), horizon="inf", exp_epsilons=[1])
    entries = {entry["item"]: entry for entry in record["checklist"]}
    assert {entry["verdict"] for entry in entries.values()} == {"HOLDS"}
    assert entries["STABLE_COST"]["rung"] == "VECTOR"
    assert record["lifts"]["curve"]["verdict"] == "HOLDS"
    assert record["lifts"]["curve"]["scope"].startswith("every round in which weights and noise_law answer")


def test_noise_ends_with_its_rounds() -> None:
    noise = small(3)
    list(errors(noise, (0, 1, 0)))
    with pytest.raises(ArgumentError, match="at most 3 rounds but got round=4"):
        list(errors(noise, (0, 1, 0, 0)))


@pytest.mark.parametrize("error", [0, 1, 3])
def test_sums_stay_within_their_error_on_every_run(error: int) -> None:
    """All draws, and all inputs at the ends of [2..4]."""
    weights = (1, 1, 1, 1, 1, 1, 1)
    scheduler = StreamSum(small(3, weights), Steps((1,), (error,), 3), 2, 4)
    reached = 0
    for drawn in product(range(-3, 4), repeat=3):
        for stream in product((2, 4), repeat=3):
            state, outcomes, total, true = scheduler.initial, iter(drawn), 0, 0
            for x in stream:
                release, state = scheduler.step(state, x, lambda _: next(outcomes))  # noqa: B023  # used at once
                total, true = total + release.visible, true + x  # type: ignore[operator]
                assert release.visible in (2, 3, 4)
                assert abs(total - true) <= error
                reached = max(reached, abs(total - true))
    assert reached == error


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize(("scale", "sigma"), [(1, "1"), (2, "2"), (2, "3/2"), (4, "3")])
def test_the_union_bound_is_above_the_exact_probability(scale: int, sigma: str) -> None:
    """Three rounds; the few outermost cells, which hardly ever come, count in full."""
    noise = RoundedGaussian(Fraction(sigma))
    cells = {k: p for k, p in noise.law.items() if p > Fraction(1, 10**4)}
    beyond = 3 * (1 - sum(cells.values()))
    chances: dict[int, Fraction] = {}
    for drawn in product(cells, repeat=3):
        worst = max(map(abs, errors(small(3, scale=scale), drawn)))
        chances[worst] = chances.get(worst, Fraction(0)) + prod(cells[k] for k in drawn)
    bounds = [overrun(scale, Fraction(sigma), 3, error) for error in range(1, 9)]
    for error, bound in enumerate(bounds, 1):
        exact = sum((p for worst, p in chances.items() if worst >= error), Fraction(0))
        assert exact <= bound + beyond
        assert exact == 0 or bound == 1 or bound > 0
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < Fraction(1, 10)


def test_the_error_is_the_least_with_so_small_a_bound() -> None:
    for beta in (Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**12)):
        steps = error_for(64, Fraction(100), 50, beta)
        assert steps.horizon == 50
        assert overrun(64, Fraction(100), 50, steps(50)) <= beta < overrun(64, Fraction(100), 50, steps(50) - 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: encoder_column(0, 3), "scale=0"),
        (lambda: encoder_column(3, 0), "at least 1 round"),
        (lambda: overrun(2, Fraction(1), 3, 0), "error=0"),
        (lambda: overrun(2, Fraction(0), 3, 1), "sigma=0"),
        (lambda: RoundedGaussian(Fraction(0)), "sigma=0"),
        (lambda: error_for(2, Fraction(1), 3, Fraction(1)), "beta=1"),
    ],
)
def test_what_was_expected(call: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        call()  # type: ignore[operator]


@pytest.mark.in_turns
def test_a_scale_too_coarse_for_so_many_rounds_is_refused() -> None:
    with pytest.raises(ArgumentError, match="a scale fine enough for 20000 rounds"):
        error_for(1, Fraction(1), 20000, Fraction(1, 10))
