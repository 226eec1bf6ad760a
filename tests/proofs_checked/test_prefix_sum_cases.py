"""What the checks of prefix sums are made of, against plain sums, enumeration and the mechanisms themselves."""

from fractions import Fraction
from itertools import product

import pytest
from flint import arb

from dpcert.audit.relations.adjacency import UNIT_HAMMING
from dpcert.mechanisms.noise.geometric import truncated_geometric
from dpcert.mechanisms.noise.geometric_sums import geometric_sum
from dpcert.mechanisms.sums.hybrid_error import error_function
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import HybridSchedule
from dpcert.proofs_checked.cases.chosen_inputs import choosers, errors
from dpcert.proofs_checked.cases.clipped_runs import by_the_last_sign, counterfactual, settings
from dpcert.proofs_checked.cases.geometric import shifted_atoms, surplus, surplus_of
from dpcert.proofs_checked.cases.hybrid import cover, sharp_share, uniform_share
from dpcert.proofs_checked.cases.noise_sums import least_bound, tails
from dpcert.proofs_checked.cases.orders import at_most, ceiling, ln, paper_error
from dpcert.proofs_checked.cases.two_clipped_rounds import (
    clipped_errors,
    cut_errors,
    deltas,
    failure,
    failure_of_three,
    one_round_delta,
)
from dpcert.proofs_checked.claims.def_truncated_geom import logarithmic_ceiling

TWO = Fraction(2)


@pytest.mark.parametrize("alphas", [[TWO], [TWO, TWO], [TWO, Fraction(3), Fraction(5, 4)]])
def test_tails_hold_the_exact_ones(alphas: list[Fraction]) -> None:
    exact = geometric_sum(alphas)
    for b, tail in enumerate(tails(alphas, 400)[:30]):
        assert tail.lower is not None
        assert tail.upper is not None
        assert tail.lower <= exact.exact_tail(b) <= tail.upper < tail.lower + Fraction(1, 10**9)


def test_a_least_bound_that_is_open_raises() -> None:
    with pytest.raises(ArithmeticError):
        least_bound([TWO], Fraction(1, 3), 40)  # P(|S| > 1) is exactly 1/3, and masses are rounded
    with pytest.raises(ArithmeticError):
        least_bound([TWO], Fraction(1, 10**9), 10)


def test_the_schedule_is_the_mechanism_s() -> None:
    sharp, uniform = HybridSchedule("sharp"), HybridSchedule()
    for t in range(1, 64):
        assert cover(t) == sharp.cover(t) == uniform.cover(t)
        assert uniform.units(t) == uniform_share(t) * 840
        assert abs(sharp.units(t) - sharp_share(t) * 840) < 3


@pytest.mark.parametrize("base", [TWO, Fraction(3, 2), Fraction(100)])
def test_the_error_function_is_the_mechanism_s(base: Fraction) -> None:
    beta = Fraction(1, 10)
    theirs = error_function("explicit", noise=HybridNoise(base), beta=beta, rounding="paper", horizon=None)
    assert all(theirs(t) == paper_error(t, ln(base), beta) for t in (0, 1, 2, 3, 4, 7, 8, 15, 31, 63, 64, 1000))


@pytest.mark.parametrize("limits", [(1, 1), (2, 3), (4, 4), (3, 1)])
def test_clipped_rounds_are_the_limit_of_finite_noise(limits: tuple[int, int]) -> None:
    exact, cut = clipped_errors(TWO, limits), cut_errors(truncated_geometric(TWO, 80), limits)
    pairs = {*exact.support, *cut.support}
    assert sum(abs(exact.probability(p) - cut.probability(p)) for p in pairs) < Fraction(1, 2**36)


def test_failures_by_enumeration() -> None:
    noise = list(truncated_geometric(TWO, 40).items())
    good = [v * w for (a, v), (b, w) in product(noise, noise) if abs(a) <= 2 >= abs(a + b)]
    assert abs(1 - sum(good) - failure(TWO, 2)) < Fraction(1, 2**16)
    three = sum(
        u * v * w for (a, u), (b, v), (c, w) in product(noise[15:26], noise, noise)
        if abs(a) <= 2 >= max(abs(a + b), abs(a + c))
    )  # fmt: skip
    assert abs(1 - three - failure_of_three(TWO, 2)) < Fraction(1, 2**16)
    assert failure(TWO, 2) < failure_of_three(TWO, 2)


def test_deltas_and_one_round() -> None:
    fixed, adaptive = deltas(clipped_errors(TWO, (4, 4)), TWO)
    assert fixed < adaptive
    assert one_round_delta(TWO, 4, TWO) <= fixed
    assert one_round_delta(TWO, 1, Fraction(1)) == Fraction(1, 3)


def test_atoms_of_a_shift_agree_with_those_in_closed_form() -> None:
    for shift, j in product((1, 2, 3), range(-3, 4)):
        scale = (TWO - 1) / (TWO + 1)
        assert surplus_of(shifted_atoms(abs, shift, TWO), TWO, j) * scale == surplus((shift,), TWO, j)


def test_every_chooser_is_listed_once() -> None:
    def plain(z: tuple[int, ...]) -> int:
        return sum(z[end - 1] for end in cover(len(z)))

    noises = list(product((-1, 1), repeat=3))
    listed = list(choosers(plain, noises))
    assert len(listed) == 2 * 2**2 * 2**4
    assert errors(plain, listed[-1], (1, 1, -1)) == (1, 2, 0)


def test_runs_are_clipped_where_they_have_to_be() -> None:
    _, large = settings(2)
    adversary = next(iter(by_the_last_sign(UNIT_HAMMING, (0, 1))))
    raw, cut = (large.run(adversary, 0, (3, 6, -2), clipped=clipped) for clipped in (False, True))
    assert (large.off(adversary, 0, raw), large.off(adversary, 0, cut)) == ([3, 6, -2], [3, 3, -2])
    assert sum(w for _, w in large.paths) == 1
    assert large.failure == sum(w for offs, w in large.paths if max(map(abs, offs)) > 1)
    assert len(counterfactual(adversary, 1, cut)) == 3


def test_what_is_open_raises() -> None:
    assert at_most(ln(2), 1)
    assert not at_most(1, ln(2))
    assert ceiling(ln(3)) == 2
    with pytest.raises(ArithmeticError):
        at_most(arb(0, 1), 0)
    with pytest.raises(ArithmeticError):
        ceiling(arb(1, 0.5))
    assert [logarithmic_ceiling(Fraction(x), TWO) for x in (7, 8, 9)] == [3, 3, 4]
