"""What a search for Gaussian parts looks at, against the enclosures that prove what it finds."""

from fractions import Fraction
from math import inf, log
from random import Random

import numpy as np
import pytest

from dpcert import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.mechanisms.design.gaussian_floats import LEAST_SIZE, MOST_SIZE, NearCost, RoundGroups, gaussian_deltas
from dpcert.mechanisms.noise.gaussian_profile import gaussian_delta, profile
from dpcert.mechanisms.randbin.bell_load import bell_load
from dpcert.mechanisms.randbin.bound import load_power
from dpcert.mechanisms.sums.toeplitz_encoder import mu_squared
from dpcert.mechanisms.sums.toeplitz_error import overrun


@pytest.mark.parametrize("seed", range(6))
def test_costs_are_those_of_the_enclosures(seed: int) -> None:
    """With loads of one shape, and with curves that are not symmetric, where the worse order counts."""
    random = Random(seed)
    scale, rounds, exp_epsilon = random.choice([4, 32]), random.randint(1, 60), Fraction(random.randint(9, 40), 8)
    loads = bell_load(2 * random.randint(1, 9), Fraction(random.randint(0, 9), 9), Fraction(random.randint(1, 9), 30))
    uneven = PowerFunction.from_laws(
        Pmf({0: Fraction(1, 3), 1: Fraction(2, 3)}), Pmf({0: Fraction(1, 9), 1: Fraction(8, 9)})
    )
    for power in (load_power(loads), uneven):
        near = NearCost.of(power, exp_epsilon, scale, rounds)
        for _ in range(3):
            error, sigma = random.randint(1, 30), random.randint(scale, 9 * scale)
            exact = profile(power, mu_squared(scale, Fraction(sigma), rounds), exp_epsilon).finite().upper
            exact += overrun(scale, Fraction(sigma), rounds, error)
            assert near.at(error, sigma) == pytest.approx(float(exact), rel=1e-9)


def test_deltas_are_those_of_gaussians_far_out_too() -> None:
    losses = [0.0, 0.5, 9.0, 400.0, 3000.0, -2.0]
    found = gaussian_deltas(np.array([*losses, -inf, inf]), 0.75)
    for loss, delta in zip(losses[:3], found, strict=False):
        exact = gaussian_delta(Fraction(np.exp(loss)), Fraction(9, 16)).finite().upper
        assert delta == pytest.approx(float(exact), rel=1e-9)
    assert found[3:5].tolist() == [0, 0]
    assert found[5] == pytest.approx(float(gaussian_delta(Fraction(np.exp(-2.0)), Fraction(9, 16)).finite().upper))
    assert found[6:].tolist() == [1, 0]


def test_the_size_of_a_probability_is_where_the_bound_is_it() -> None:
    groups = RoundGroups.of([(30, 1.4), (12, 1.2), (1, 0.6)])
    for probability in (0.5, 1e-3, 1e-12, 1e-60):
        size = groups.size(probability)
        assert log(groups.beyond(size)) == pytest.approx(log(probability), abs=1e-4)
    assert (groups.size(42.9), groups.size(1e-250)) == (LEAST_SIZE, MOST_SIZE)
