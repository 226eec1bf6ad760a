"""Rounded Gaussians, bell-shaped loads and their curves, against mpmath, scipy, and exact games."""

from fractions import Fraction
from functools import partial
from itertools import product
from math import exp, pi, sqrt

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from instances.small_noise import errors, small
from scipy.integrate import quad
from scipy.stats import norm

from dpcert import UNIT_HAMMING, Budget, Pmf, PowerFunction, from_weights
from dpcert.audit.algebra.enclosure import at_precision
from dpcert.audit.algebra.power import dp_power
from dpcert.mechanisms.noise import cell_masses
from dpcert.mechanisms.noise.gaussian_curve import gaussian_power
from dpcert.mechanisms.noise.gaussian_profile import gaussian_delta, profile
from dpcert.mechanisms.noise.rounded_gaussian import RoundedGaussian
from dpcert.mechanisms.randbin.bell_load import bell_load
from dpcert.mechanisms.randbin.bound import load_power, scheduler_power
from dpcert.mechanisms.sums.error_function import Steps
from dpcert.mechanisms.sums.stream_sum import StreamSum
from dpcert.mechanisms.sums.toeplitz_core import ToeplitzCore
from dpcert.mechanisms.sums.toeplitz_encoder import decoder_column, encoder_column
from dpcert.mechanisms.sums.toeplitz_error import overrun

SLOPES = tuple(map(Fraction, ("1/5", "2/3", "1", "3/2", "4", "30")))


def ends(value: Fraction | None) -> float:
    assert value is not None
    return float(value)


@pytest.mark.parametrize("sigma", ["1/3", "1", "7/2", "211/5"])
def test_cells_and_distance_of_the_rounded_gaussian(sigma: str) -> None:
    noise = RoundedGaussian(Fraction(sigma))
    with mpmath.workdps(80):
        root = mpmath.mpf(Fraction(sigma).numerator) / Fraction(sigma).denominator * mpmath.sqrt(2)
        excess = mpmath.mpf(0)
        for k, mass in noise.law.items():
            low, high = ((abs(k) + half) / root for half in (mpmath.mpf(-0.5), mpmath.mpf(0.5)))
            cell = (mpmath.erfc(low) - mpmath.erfc(high)) / 2
            own = mpmath.mpf(mass.numerator) / mass.denominator
            assert abs(own - cell) < mpmath.mpf(2) ** -100
            excess += abs(own - cell)
        outside = mpmath.erfc((max(noise.law.support) + mpmath.mpf(0.5)) / root)
        distance = (excess + outside) / 2
        tau = mpmath.mpf(noise.distance.numerator) / noise.distance.denominator
        assert distance <= tau < distance + mpmath.mpf(2) ** -120
    masses = [noise.law.probability(k) for k in range(max(noise.law.support) + 1)]
    assert masses == sorted(masses, reverse=True)
    assert all(noise.law.probability(-k) == mass for k, mass in enumerate(masses))


@pytest.mark.parametrize(
    ("sigma", "blocks", "terms"), [("801/8", 8, 24), ("150", 4, 12), ("87/2", 2, 30), ("90", 8, 7)]
)
def test_cells_in_blocks_are_those_by_their_ends(
    sigma: str, blocks: int, terms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In long blocks and with few terms as well, where what is left out decides which cells are settled by them."""
    singly = cell_masses.cell_masses(Fraction(sigma))
    monkeypatch.setattr(cell_masses, "LEAST_BLOCK", 1)
    monkeypatch.setattr(cell_masses, "BLOCKS_A_SIGMA", blocks)
    monkeypatch.setattr(cell_masses, "CELL_TERMS", terms)
    assert cell_masses.cell_masses(Fraction(sigma)) == singly
    assert len(singly) > 12 * Fraction(sigma)


def test_what_a_polynomial_leaves_out_is_within_its_bound() -> None:
    """erfc at distances from the center, of polynomials of few terms, in 80 digits; and the bound is no idle one."""
    for terms, center in ((2, 0.4), (5, 2.5), (9, 6.0)):
        with pytest.MonkeyPatch.context() as patch, mpmath.workdps(80):
            patch.setattr(cell_masses, "CELL_TERMS", terms)
            polynomial = mpmath.taylor(mpmath.erfc, center, terms - 1)
            for distance in (mpmath.mpf(1) / 64, -mpmath.mpf(1) / 9):
                off = abs(mpmath.polyval(polynomial[::-1], distance) - mpmath.erfc(center + distance))
                assert off <= float(cell_masses._left_out(arb(abs(float(distance)))))
                assert center > 1 or float(cell_masses._left_out(arb(abs(float(distance))))) < 9 * off


def test_coefficients_that_are_hardly_known_leave_cells_open() -> None:
    """At 60 bits, where masses are off by far more than 1 and by no more than is said, against 300 bits."""

    def unit() -> arb:
        return 1 / (arb(2 * 40 * 40).sqrt() * 2)

    before, ctx.cap = ctx.cap, cell_masses.CELL_TERMS
    try:
        block = at_precision(60, lambda: cell_masses._block(unit(), 34, 4))
    finally:
        ctx.cap = before

    def exact(k: int) -> int:
        mass = cell_masses._tail(unit(), k) - cell_masses._tail(unit(), k + 1)
        return int((mass * arb(2) ** block.bits).mid().floor().unique_fmpz())

    off = [abs(mass - at_precision(300, partial(exact, k))) for k, mass in enumerate(block.masses(8), 30)]
    assert 2**block.bits < max(off) <= block.error < 2 ** (block.bits + 90)


def shifted(law: Pmf[int], shift: int) -> PowerFunction:
    return PowerFunction.from_laws(law, law.map(lambda k: k + shift))


@pytest.mark.parametrize(("sigma", "shift"), [("1/2", 1), ("1", 1), ("1", 3), ("5/2", 2), ("7", 5)])
def test_rounded_gaussians_are_never_above_the_gaussian_curve(sigma: str, shift: int) -> None:
    noise = RoundedGaussian(Fraction(sigma))
    curve, squared = shifted(noise.law, shift), (shift / Fraction(sigma)) ** 2
    for slope in SLOPES:
        upper = gaussian_delta(slope, squared).upper
        assert upper is not None
        assert curve.hockey_stick(slope) <= upper + (1 + slope) * noise.distance
        assert curve.hockey_stick(slope, "1-0") <= upper + (1 + slope) * noise.distance


def test_a_discrete_gaussian_is_above_it() -> None:
    """Masses near e^(-k^2 / 2 sigma^2): why the noise is rounded instead."""
    sigma = 0.5
    law = from_weights({k: round(2**80 * exp(-k * k / (2 * sigma * sigma))) for k in range(-6, 7)})
    above = [
        slope
        for slope in SLOPES
        if shifted(law, 1).hockey_stick(slope) > ends(gaussian_delta(slope, Fraction(4)).upper)
    ]
    assert above


@pytest.mark.parametrize("mu", ["1/50", "1/3", "1", "4"])
@pytest.mark.parametrize("slope", SLOPES)
def test_gaussian_delta(mu: str, slope: Fraction) -> None:
    found, m, epsilon = gaussian_delta(slope, Fraction(mu) ** 2), float(Fraction(mu)), np.log(float(slope))
    wanted = norm.cdf(m / 2 - epsilon / m) - float(slope) * norm.cdf(-m / 2 - epsilon / m)
    assert ends(found.lower) == pytest.approx(wanted, rel=1e-6, abs=1e-14)
    assert found.lower is not None
    assert found.upper is not None
    assert 0 <= found.upper - found.lower < Fraction(1, 2**100)


@pytest.mark.parametrize(("level", "mu", "slope"), [(6, "1/2", "3/2"), (10, "1/3", "2"), (4, "1", "1/2")])
def test_profile_by_numerical_integration(level: int, mu: str, slope: str) -> None:
    """Of the positive part of p_z phi(x) - A q_z phi(x - mu) over loads z and reals x, q the shifted load."""
    loads, m, a = (
        bell_load(level, Fraction(1, 10), Fraction(1, 12), Fraction(1)),
        float(Fraction(mu)),
        float(Fraction(slope)),
    )
    wanted = 0.0
    for z in range(level, 2 * level + 2):
        p, q = float(loads.probability(z)), float(loads.probability(z - 1))

        def density(x: float, p: float = p, q: float = q) -> float:
            return max(0.0, p * norm.pdf(x) - a * q * norm.pdf(x - m))

        crossing = [(np.log(p / (a * q)) / m + m / 2)] if p and q else []
        wanted += quad(density, -12, 12, points=crossing, limit=400)[0]
    found = profile(load_power(loads), Fraction(mu) ** 2, Fraction(slope))
    assert ends(found.lower) == pytest.approx(wanted, rel=1e-7)
    assert ends(found.upper) == pytest.approx(wanted, rel=1e-7)


def test_other_worlds_near_by_are_below() -> None:
    """Both laws moved by a total variation of 1/100, each the way that shows the most."""
    tau = Fraction(1, 100)
    near = gaussian_power(Fraction(1), Fraction(0), tau)
    for k in range(1, 100):
        alpha = Fraction(k, 100)
        moved = norm.cdf(1 + norm.ppf(min(1.0, k / 100 + float(tau)))) + float(tau)
        assert min(1.0, moved) - 1e-12 <= float(near(alpha)) <= moved + 0.02


def test_profile_takes_the_larger_order() -> None:
    lopsided = PowerFunction.from_segments([(Fraction(0), Fraction(1, 3)), (Fraction(1), Fraction(2, 3))])
    found = profile(lopsided, Fraction(1, 10**8), Fraction(2))
    assert ends(found.upper) == pytest.approx(1 / 3, abs=1e-4)
    assert profile(lopsided.reversed(), Fraction(1, 10**8), Fraction(2)) == found


@pytest.mark.in_turns
@pytest.mark.parametrize(("mu", "extra"), [("1/50", "0"), ("1/6", "1/1000000"), ("1", "1/100"), ("4", "0")])
def test_tangents_lie_above_and_close(mu: str, extra: str) -> None:
    squared, more = Fraction(mu) ** 2, Fraction(extra)
    curve = gaussian_power(squared, more)
    for k in range(1, 200):
        alpha = Fraction(k, 200)
        ideal, moved = (norm.cdf(float(Fraction(mu)) + norm.ppf(min(1.0, a))) for a in (k / 200, k / 200 + float(more)))
        wanted = min(ideal + float(more), moved)
        assert wanted - 1e-12 <= float(curve(alpha)) <= wanted + 0.01
    for slope in SLOPES[2:]:
        lower = gaussian_delta(slope, squared).lower
        assert lower is not None
        assert curve.hockey_stick(slope) >= lower + more


@pytest.mark.parametrize(
    ("slope", "curvature", "taper"), [("0", "1/9", "0"), ("1/5", "1/90", "3/5"), ("1/2", "0", "2")]
)
def test_weights_of_loads(slope: str, curvature: str, taper: str) -> None:
    level, half = 24, 12
    law = bell_load(level, Fraction(slope), Fraction(curvature), Fraction(taper))
    wanted = [
        exp(-float(Fraction(slope)) * abs(k) - float(Fraction(curvature)) * k * k / 2)
        * (1 - abs(k) / (half + 1)) ** float(Fraction(taper))
        for k in range(-half, half + 1)
    ]
    assert law.support == tuple(range(level, 2 * level + 1))
    assert [float(law.probability(z)) for z in law.support] == pytest.approx(
        [w / sum(wanted) for w in wanted], rel=1e-9
    )


def test_overrun_is_the_union_bound_nearly() -> None:
    """Term by term, in floats; rounds in groups cost a little."""
    scale, sigma, rounds, error = 64, Fraction(700), 900, 140
    wanted = variance = absolute = 0.0
    for entry in map(float, decoder_column(scale, rounds)):
        variance, absolute = variance + entry * entry, absolute + abs(entry)
        wanted += 2 * norm.sf((scale * (error - 0.5) - absolute) / (float(sigma) * sqrt(variance)))
    assert wanted <= float(overrun(scale, sigma, rounds, error)) <= 1.2 * wanted
    by_theory = sum(encoder_column(scale, rounds)) / scale / sqrt(rounds) * sqrt(pi) / 2
    assert by_theory == pytest.approx(1, abs=0.01)


WEIGHTS = (1, 3, 6, 8, 6, 3, 1)
"""Of noise values from -3 to 3."""


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_raw_core_alone_is_the_column_s_curve(rounds: int) -> None:
    """Exact game: adaptive and fixed-stream curves are those of the noise against itself moved by a column."""
    from instances.exact_curves import curves

    core = ToeplitzCore(2, WEIGHTS)
    fixed, adaptive = curves(core, rounds, UNIT_HAMMING)
    assert fixed == adaptive == raw(rounds)


def raw(rounds: int) -> PowerFunction:
    law, power = ToeplitzCore(2, WEIGHTS).noise_law(1), PowerFunction.identity()
    for r in encoder_column(2, rounds):
        power = power.tensor(shifted(law, r))
    return power


@pytest.mark.parametrize(("rounds", "error"), [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)])
def test_clipping_costs_at_most_beta(rounds: int, error: int) -> None:
    """f_sum, solved exactly, is within the raw curve and the probability that the raw error reaches E."""
    noise = small(rounds, WEIGHTS)
    law, beta = noise.law, Fraction(0)
    for drawn in product(law.support, repeat=rounds):
        if max(map(abs, errors(noise, drawn))) >= error:
            chance = Fraction(1)
            for z in drawn:
                chance *= law.probability(z)
            beta += chance
    scheduler = StreamSum(noise, Steps((1,), (error,), rounds), 2, 4)
    solved, unclipped = scheduler_power(scheduler, 2, rounds, Budget()), raw(rounds)
    for slope in SLOPES:
        for order in ("0-1", "1-0"):
            assert solved.hockey_stick(slope, order) <= unclipped.hockey_stick(slope, order) + beta  # type: ignore[arg-type]
    assert not solved <= dp_power(Fraction(1))
