"""The three calibrations: the paper's numbers by its own formulas, the others within the promise, and only just."""

from fractions import Fraction
from math import exp, log, sqrt

import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.learning.calibration import Wish, gaussian_calibration, paper_calibration, sharp_calibration
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.matrices.participations import AdjacentBins, Once

WISH = Wish(Fraction(1), Fraction(1, 10**6), 10_000)
UPDATES = Updates(1000, Fraction(1), Fraction(1, 10))


def test_the_split_of_the_theorem_adds_up() -> None:
    """Claims 98 and 104: both shares make the whole, and two hops of the one-hop budget make the downstream's."""
    for split in (Fraction(1, 2), Fraction(1, 5)):
        wish = Wish(Fraction(3), Fraction(1, 1000), 100, split)
        (eps_b, delta_b), (eps_a, delta_a), (one, one_delta) = wish.buffering, wish.downstream, wish.one_hop
        assert eps_b + eps_a == 3
        assert 0 < Fraction(1, 1000) - delta_b - delta_a < Fraction(1, 10**14)
        assert 2 * one == eps_a
        assert float((1 + Fraction(exp(one))) * one_delta) == pytest.approx(float(delta_a))


@pytest.mark.in_turns
def test_the_papers_noise_is_that_of_its_formulas() -> None:
    made = paper_calibration(WISH, UPDATES)
    log_inverse = log((1 + exp(0.25)) / 5e-7)
    rho = (sqrt(log_inverse + 0.25) - sqrt(log_inverse)) ** 2
    nodes = made.core.rounds.bit_length()
    assert float(made.noise_per_coordinate) == pytest.approx(2 * 0.1 * sqrt(nodes / (2 * rho)), rel=1e-4)
    assert made.sigma * made.steps[2].value >= made.core.shift(UPDATES.any_change, Once())
    assert (made.randbin.level, made.core.rounds) == (124, 80)
    assert 0 < WISH.delta - made.proven < WISH.delta / 10**11


@pytest.mark.in_turns
def test_the_sharp_noise_keeps_the_promise_and_a_tenth_less_would_not() -> None:
    made = sharp_calibration(WISH, UPDATES)
    change = UPDATES.edit_change(made.randbin.level)
    mu = made.core.shift(change, AdjacentBins()) / made.sigma
    power = made.randbin.certificate.power  # type: ignore[attr-defined]
    assert GaussianProduct(GaussianShift.of_mu(mu), power).delta_at(1).finite().upper <= made.proven <= WISH.delta
    assert GaussianProduct(GaussianShift.of_mu(mu * Fraction(10, 9)), power).delta_at(1).finite().lower > WISH.delta
    assert 200 * made.noise_per_coordinate < paper_calibration(WISH, UPDATES).noise_per_coordinate
    assert made.noise.distance < Fraction(1, 1 << 120)


@pytest.mark.thorough
def test_the_gaussian_noise_is_at_least_twenty_times_below_the_papers() -> None:
    made = gaussian_calibration(WISH, UPDATES)
    assert made.proven <= WISH.delta
    assert made.randbin.level == 104
    assert 20 * made.noise_per_coordinate < paper_calibration(WISH, UPDATES).noise_per_coordinate


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"epsilon": Fraction(0)}, "an epsilon above 0"),
        ({"delta": Fraction(1)}, "an epsilon above 0 and a delta between 0 and 1"),
        ({"events": 0}, "a horizon of at least 1 event"),
        ({"split": Fraction(1)}, "which leaves something to both"),
    ],
)
def test_a_wish_that_leaves_nothing_is_refused(change: dict[str, Fraction], why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        Wish(**{"epsilon": Fraction(1), "delta": Fraction(1, 100), "events": 10, **change})  # type: ignore[arg-type]
