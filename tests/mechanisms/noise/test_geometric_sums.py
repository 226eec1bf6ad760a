"""Tails of sums of geometric noises, against convolution, characteristic functions and the laws that run."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.noise.bounded_geometric import bounded_geometric
from dpcert.mechanisms.noise.geometric import exp_epsilon_below, geometric_mass, geometric_tail
from dpcert.mechanisms.noise.geometric_sums import geometric_sum
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise

Law = Mapping[int, Fraction]
ALPHAS = [Fraction(2), Fraction(3), Fraction(3, 2), Fraction(5, 2)]


def convolved(laws: list[Law]) -> dict[int, Fraction]:
    total = {0: Fraction(1)}
    for law in laws:
        after: dict[int, Fraction] = {}
        for (x, p), (y, q) in product(total.items(), law.items()):
            after[x + y] = after.get(x + y, Fraction(0)) + p * q
        total = after
    return total


def outside(law: Law, b: int) -> Fraction:
    return sum((p for x, p in law.items() if abs(x) > b), Fraction(0))


def more_peaked(p: Law, q: Law) -> bool:
    return all(outside(p, b) <= outside(q, b) for b in range(-1, max(*p, *q) + 1))


@pytest.mark.parametrize("alphas", [[2], [3, 3], [2, 3], [3, 4, 4], [4, 4, 4, 5]])
def test_tails_are_those_of_the_convolution(alphas: list[int]) -> None:
    reach = 24
    cut = [{k: geometric_mass(Fraction(a), k) for k in range(-reach, reach + 1)} for a in alphas]
    lost = sum(geometric_tail(Fraction(a), reach + 1) for a in alphas)
    inside = convolved(cut)
    total = geometric_sum(map(Fraction, alphas))
    for b in (0, 1, 2, 5, 11):
        below = outside(inside, b)
        exact = total.exact_tail(b)
        assert below < exact <= below + lost
        assert exact in total.tail(b)
    assert lost < Fraction(1, 10**6)


@given(st.lists(st.sampled_from(ALPHAS), min_size=1, max_size=6), st.integers(0, 12))
@settings(max_examples=30, deadline=None)
def test_one_summand_more_is_one_more_convolution(alphas: list[Fraction], b: int) -> None:
    """P(S + eta = k) (alpha + 1/alpha) - P(S + eta = k +- 1) = (sqrt alpha - 1/sqrt alpha)^2 P(S = k), inverted."""
    alpha = Fraction(4)
    less, more = geometric_sum(alphas), geometric_sum([*alphas, alpha])

    def mass(total: object, k: int) -> Fraction:
        tail = total.exact_tail  # type: ignore[attr-defined]
        return (tail(abs(k) - 1) - tail(abs(k))) / 2 if k else 1 - tail(0)

    left = mass(more, b) * (alpha + 1 / alpha) - mass(more, b - 1) - mass(more, b + 1)
    assert left == (alpha + 1 / alpha - 2) * mass(less, b)
    assert more.exact_tail(b) in more.tail(b)
    assert more.tail(b).upper - more.tail(b).lower < more.tail(b).lower / 2**128


@pytest.mark.in_turns
@pytest.mark.parametrize(("budget", "t"), [("uniform", 2**12 - 1 + 1023), ("sharp", 2**20 - 2)])
def test_a_long_cover_against_positive_floats(budget: str, t: int) -> None:
    noise = HybridNoise(exp_epsilon_below(Fraction(1))[0], budget)
    alphas = [noise.exp_epsilon_at(r) for r in noise.schedule.cover(t)]
    k = np.arange(-3000, 3001)
    law = np.ones(1)
    for alpha in map(float, alphas):
        law = np.convolve(law, (alpha - 1) / (alpha + 1) * alpha ** -np.abs(k))
        middle = len(law) // 2
        law = law[max(0, middle - 6000) : middle + 6001]
    half, total = len(law) // 2, geometric_sum(alphas)
    for b in (0, 50, 300, 700, 1200):
        assert float(total.tail(b).upper) == pytest.approx(2 * law[half + b + 1 :].sum(), rel=1e-9)


@pytest.mark.in_turns
def test_a_cover_of_forty_against_its_characteristic_function() -> None:
    noise = HybridNoise(exp_epsilon_below(Fraction(1))[0], "sharp")
    alphas = [noise.exp_epsilon_at(r) for r in noise.schedule.cover(2**21 - 2)]
    assert len(alphas) == 40
    points, b = 6000, 900
    with mpmath.workdps(50):
        squares = [(mpmath.mpf(a.numerator) / a.denominator, alphas.count(a)) for a in set(alphas)]
        inside = mpmath.mpf(0)
        for j in range(points // 2 + 1):
            angle = 2 * mpmath.pi * j / points
            value = mpmath.mpf(1)
            for a, often in squares:
                value *= ((a - 1) ** 2 / (a * a + 1 - 2 * a * mpmath.cos(angle))) ** often
            window = mpmath.sin((2 * b + 1) * angle / 2) / mpmath.sin(angle / 2) if j else mpmath.mpf(2 * b + 1)
            inside += value * window * (1 if j in (0, points // 2) else 2)
            if j and value < mpmath.mpf(10) ** -45:
                break
        outside_of_b = 1 - inside / points  # but for what is further off than points - b
        tail = geometric_sum(alphas).tail(b)
        got = mpmath.mpf(tail.upper.numerator) / tail.upper.denominator
        assert 1e-15 < got < 1e-6
        assert abs(got / outside_of_b - 1) < 1e-25


@pytest.mark.parametrize("bits", [30, 70, 80, 90, 600])
def test_close_alphas_raise_the_precision(bits: int) -> None:
    close = [Fraction(3, 2) + Fraction(i, 2**bits) for i in range(6)]
    total = geometric_sum(close)
    exact, tail = total.exact_tail(20), total.tail(20)
    assert geometric_sum([close[-1]] * 6).exact_tail(20) < exact < geometric_sum([close[0]] * 6).exact_tail(20)
    assert exact in tail
    assert tail.upper - tail.lower < tail.lower / 2**128


def test_far_tails_stay_narrow_and_fast() -> None:
    tail = geometric_sum([exp_epsilon_below(Fraction(1, 20))[0]] * 40).tail(10**5)
    assert 0 < tail.lower < tail.upper < tail.lower * (1 + Fraction(1, 2**128)) < Fraction(1, 10**2000)


def test_least_bounds_and_ties() -> None:
    total = geometric_sum([Fraction(3), Fraction(2)])
    for b in range(1, 9):
        at = total.exact_tail(b)
        assert total.least_bound(at) == b
        assert total.least_bound(at - Fraction(1, 2**2000)) == b + 1
        assert total.least_bound(at, above=b) == b + 1
    assert total.least_bound(Fraction(99, 100)) == 0
    with pytest.raises(ArgumentError, match="above 0"):
        total.least_bound(Fraction(0))


@pytest.mark.parametrize(("alphas", "b"), [([], 1), ([Fraction(1)], 1), ([Fraction(2)], -1)])
def test_bad_sums(alphas: list[Fraction], b: int) -> None:
    with pytest.raises(ArgumentError):
        geometric_sum(alphas).tail(b)


PEAKED = [
    {0: Fraction(1)},
    {-1: Fraction(1, 4), 0: Fraction(1, 2), 1: Fraction(1, 4)},
    {-1: Fraction(1, 3), 0: Fraction(1, 3), 1: Fraction(1, 3)},
    {k: Fraction(1, 5) for k in range(-2, 3)},
    {-3: Fraction(1, 16), -2: Fraction(1, 16), -1: Fraction(1, 16), 0: Fraction(5, 8)}
    | {k: Fraction(1, 16) for k in (1, 2, 3)},
]
TWO_HUMPS = {-2: Fraction(1, 2), 2: Fraction(1, 2)}


def test_a_more_peaked_summand_makes_a_more_peaked_sum() -> None:
    pairs = [(p, q) for p, q in product(PEAKED, PEAKED) if more_peaked(p, q)]
    assert len(pairs) > 2 * len(PEAKED)
    for (p, q), x in product(pairs, PEAKED):
        assert more_peaked(convolved([x, p]), convolved([x, q]))
    # it does need that the other summands are peaked
    p, q = PEAKED[0], PEAKED[3]
    assert more_peaked(p, q)
    assert not more_peaked(convolved([TWO_HUMPS, p]), convolved([TWO_HUMPS, q]))


@pytest.mark.parametrize("truncation", [Fraction(1, 4), Fraction(1, 30), Fraction(1, 10**3)])
@pytest.mark.parametrize("alphas", [(2, 2, 3), (Fraction(3, 2), 2, 4)])
def test_the_noise_that_runs_stays_inside_these_tails(alphas: tuple[Fraction, ...], truncation: Fraction) -> None:
    runs = convolved([dict(bounded_geometric(Fraction(a), truncation).items()) for a in alphas])
    total = geometric_sum(map(Fraction, alphas))
    for b in range(max(runs) + 1):
        assert outside(runs, b) <= total.exact_tail(b)


def test_a_larger_alpha_and_one_summand_less_have_lighter_tails() -> None:
    total = geometric_sum([Fraction(2), Fraction(3)])
    for b in range(12):
        assert geometric_sum([Fraction(2), Fraction(4)]).exact_tail(b) < total.exact_tail(b)
        assert geometric_sum([Fraction(2)]).exact_tail(b) < total.exact_tail(b)
