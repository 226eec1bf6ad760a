"""Converted and group bounds are never below the exact number; a solution keeps its target, the next one does not."""

from fractions import Fraction
from random import Random

import mpmath
import pytest
from scipy.optimize import minimize_scalar

from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.algebra.power import dp_power
from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.accounting.document import account
from dpcert.mechanisms.accounting.group import group_epsilon
from dpcert.mechanisms.accounting.point import BoundKind, exact_at_delta
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.renyi_bounds import paper_delta, paper_epsilon, sharper_delta, sharper_epsilon
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.accounting.solving import TargetNumber, largest_mu, largest_rho, least_sigma

TINY_DELTA = Fraction(1, 10**5)
DELTAS = [Fraction(1, 10**k) for k in (1, 3, 9, 60)] + [Fraction(9, 10)]
EPSILONS = [Fraction(0), Fraction(1, 3), Fraction(4), Fraction(50)]
SHIFTS = [GaussianShift.of_mu(mu) for mu in (Fraction(1, 50), Fraction(1), Fraction(4), Fraction(15))]
ONE = Ends(Fraction(1), Fraction(1))
RANDOM = Random(93)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("shift", SHIFTS)
def test_no_bound_lies_below_the_exact_number(shift: GaussianShift) -> None:
    made = account(shift, DELTAS, EPSILONS, hops=2)
    for given, found, count in ((made.at_deltas, "epsilon", 4), (made.at_epsilons, "delta", 3)):
        for start in range(0, len(given), count):
            exact, *bounds = given[start : start + count]
            assert exact.kind is BoundKind.EXACT
            assert exact.shift == shift.hops(2)
            for bound in bounds:
                assert bound.kind is BoundKind.UPPER
                assert getattr(bound, found).finite().upper >= getattr(exact, found).finite().lower
    assert len(made.at_deltas) == 4 * len(DELTAS)
    assert len(made.at_epsilons) == 3 * len(EPSILONS)


def test_the_numbers_of_the_ledger() -> None:
    """Row 93: mu = 1, delta = 10^-5 is exactly 4.3771781 and converts to 5.2985259."""
    shift = GaussianShift.of_mu(1)
    paper = paper_epsilon(shift, TINY_DELTA).epsilon.finite()
    assert Fraction("5.29852591") < paper.lower <= paper.upper < Fraction("5.29852592")
    sharper = sharper_epsilon(shift, TINY_DELTA).epsilon.finite()
    exact = exact_at_delta(GaussianProduct(shift), TINY_DELTA).epsilon.finite()
    assert exact.upper < sharper.lower <= sharper.upper < paper.lower


@pytest.mark.parametrize("shift", SHIFTS)
def test_the_order_is_near_the_best_one(shift: GaussianShift) -> None:
    """Floats minimise over alpha; one rational order gives hardly more, and the paper's infimum is the same."""
    rho = float(shift.rho.upper)
    for delta in (TINY_DELTA, Fraction(1, 10**60)):
        log = -float(mpmath.log(mpmath.mpf(delta.numerator) / delta.denominator))

        def old(x: float, log: float = log) -> float:
            return float((1 + mpmath.exp(x)) * rho + log / mpmath.exp(x))

        def new(x: float, log: float = log) -> float:
            t = mpmath.exp(x)
            return float((1 + t) * rho + mpmath.log(t / (1 + t)) + (log - mpmath.log(1 + t)) / t)

        for value, found in ((old, paper_epsilon), (new, sharper_epsilon)):
            least = minimize_scalar(value, bounds=(-8, 12), method="bounded", options={"xatol": 1e-9}).fun
            assert abs(float(found(shift, delta).epsilon.finite().upper) - max(0, least)) < 1e-6 * max(1, least)


def test_delta_and_epsilon_of_one_bound_are_inverse() -> None:
    for shift in SHIFTS:
        at = paper_epsilon(shift, TINY_DELTA).epsilon.finite().upper
        back = paper_delta(shift, at).delta.finite()
        assert abs(back.upper - TINY_DELTA) < TINY_DELTA / 10**9
        at = sharper_epsilon(shift, TINY_DELTA).epsilon.finite().upper
        assert abs(sharper_delta(shift, at).delta.finite().upper - TINY_DELTA) < TINY_DELTA / 10**4


def test_two_hops_cost_less_by_twice_mu_than_by_group_privacy() -> None:
    shift = GaussianShift.of_mu(1)
    for delta in DELTAS[:4]:
        exact = exact_at_delta(GaussianProduct(shift.hops(2)), delta).epsilon.finite()
        assert exact.upper < group_epsilon(shift, 2, delta).epsilon.finite().lower
    one = group_epsilon(shift, 1, TINY_DELTA).epsilon.finite()
    assert abs(one.upper - exact_at_delta(GaussianProduct(shift), TINY_DELTA).epsilon.finite().upper) < Fraction(
        1, 10**12
    )


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_group_bound_is_that_of_hops_of_one_guarantee(k: int) -> None:
    """DP_{eps, delta} composed k times, as chains, at the epsilon of one hop: nothing is left at k eps beyond delta."""
    shift, delta = GaussianShift.of_mu(Fraction(1, 2)), Fraction(1, 1000)
    total = group_epsilon(shift, k, delta).epsilon.finite().upper
    single = GaussianProduct(shift).delta_at(total / k).finite().upper
    e = Fraction(float(mpmath.exp(float(total / k)))).limit_denominator(10**6)
    chain = hops = dp_power(e, single)
    for _ in range(k - 1):
        hops = hops.then(chain)
    assert abs(hops.delta(e**k) - delta) < delta / 1000


def targets() -> list[tuple[Fraction, Fraction]]:
    """From everyday ones to hostile ones."""
    drawn = [(Fraction(RANDOM.randrange(0, 800), 100), Fraction(1, RANDOM.randrange(2, 10**9))) for _ in range(6)]
    return [
        *drawn,
        (Fraction(0), Fraction(9, 10)),
        (Fraction(1, 10**9), Fraction(1, 10**300)),
        (Fraction(300), TINY_DELTA),
    ]


def holds(found: TargetNumber) -> bool:
    return found.kept.delta.finite().upper <= found.target[1] < found.broken.delta.finite().lower and found.is_tightest


@pytest.mark.in_turns
@pytest.mark.parametrize("target", targets())
def test_a_solution_keeps_the_target_and_the_next_number_does_not(target: tuple[Fraction, Fraction]) -> None:
    for digits in (1, 4, 12):
        sigma, mu, rho = (
            least_sigma(*target, Ends(Fraction(2), Fraction(2)), digits),
            largest_mu(*target, digits),
            largest_rho(*target, digits),
        )
        for found in (sigma, mu, rho):
            assert holds(found)
            assert significant(found.value) <= digits
            assert significant(found.beyond) <= digits
        assert sigma.beyond < sigma.value
        assert mu.beyond > mu.value
        assert rho.beyond > rho.value
        assert 10 * (sigma.value - sigma.beyond) <= sigma.value * Fraction(100, 10**digits)


def significant(value: Fraction) -> int:
    """How many significant decimal digits it has."""
    while value.denominator > 1:
        value *= 10
    return len(str(value.numerator).rstrip("0"))


def test_the_three_solutions_are_one() -> None:
    sigma, mu, rho = (
        least_sigma(Fraction(1), TINY_DELTA, ONE, 12).value,
        largest_mu(Fraction(1), TINY_DELTA, 12).value,
        largest_rho(Fraction(1), TINY_DELTA, 12).value,
    )
    assert abs(sigma * mu - 1) < Fraction(1, 10**10)
    assert abs(mu * mu / 2 - rho) < Fraction(1, 10**10)


def test_a_sensitivity_that_is_known_roughly_is_taken_from_above() -> None:
    rough = least_sigma(Fraction(1), TINY_DELTA, Ends(Fraction(1), Fraction(2)))
    assert rough.value == least_sigma(Fraction(1), TINY_DELTA, Ends(Fraction(2), Fraction(2))).value
    assert not rough.is_tightest
    assert rough.kept.delta.finite().upper <= TINY_DELTA


@pytest.mark.parametrize(
    ("epsilon", "delta", "digits"),
    [("-1", "1/2", 3), ("1", "0", 3), ("1", "1", 3), ("1", "1/2", 0), ("1", "1/2", 13), ("1e900", "1/2", 3)],
)
def test_what_cannot_be_a_target_is_refused(epsilon: str, delta: str, digits: int) -> None:
    with pytest.raises(ArgumentError, match="Expected"):
        largest_mu(Fraction(epsilon), Fraction(delta), digits)
