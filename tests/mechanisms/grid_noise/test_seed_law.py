"""The law that vectors' noise is drawn by: its weights against the masses of cells that mpmath works out."""

from fractions import Fraction
from itertools import islice, pairwise
from random import Random

import pytest
from mpmath import mp, mpf

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.grid_noise.alias_table import alias_table
from dpcert.mechanisms.grid_noise.cells import GaussianCells
from dpcert.mechanisms.grid_noise.sampling import added_delta, public_shift
from dpcert.mechanisms.grid_noise.seed_law import CHANCE_BITS, SETTLING_BITS, SeedLaw, seed_law

LAWS = [
    SeedLaw(GaussianCells(Fraction(1, 3))),
    SeedLaw(GaussianCells(Fraction(3, 2), Fraction(1, 7))),
    SeedLaw(GaussianCells(Fraction(20)), block_bits=1),
    SeedLaw(GaussianCells(Fraction(37, 2), Fraction(-1, 2)), block_bits=2),
]


def tail(x: Fraction, sigma: Fraction) -> mpf:
    """P(N(0, sigma^2) > x), to 60 digits, small ones too."""
    with mp.workdps(120):
        return mp.erfc(mpf(x.numerator) / x.denominator / (mpf(sigma.numerator) / sigma.denominator) / mp.sqrt(2)) / 2


def masses(law: SeedLaw) -> list[mpf]:
    """P(k) for all k of the support."""
    cells, half = law.cells, Fraction(1, 2)
    edges = [k - half - cells.shift for k in range(law.support.start, law.support.stop + 1)]
    with mp.workdps(120):
        return [tail(low, cells.sigma) - tail(high, cells.sigma) for low, high in pairwise(edges)]


def distance(weights: list[int], ideal: list[mpf]) -> mpf:
    """Total variation, with all that is ideal and lies elsewhere."""
    with mp.workdps(120):
        total = mpf(sum(weights))
        return (sum(abs(w / total - p) for w, p in zip(weights, ideal, strict=True)) + 1 - sum(ideal)) / 2


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_distance_to_the_masses_of_cells_is_at_most_what_is_certified(law: SeedLaw) -> None:
    weights, ideal = [law.weight(k) for k in law.support], masses(law)
    found = distance(weights, ideal)
    assert found <= mpf(law.distance.numerator) / law.distance.denominator
    assert law.distance < Fraction(1, 1 << 126)
    # a weight moved by a 2^-120th part is seen
    middle = -law.support.start
    worse = [w + (sum(weights) >> 120) * (i == middle) for i, w in enumerate(weights)]
    assert distance(worse, ideal) > mpf(law.distance.numerator) / law.distance.denominator


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_every_chance_lies_between_what_settles_its_block_and_one(law: SeedLaw) -> None:
    assert sum(law.block_weights) == 1 << 64
    assert min(law.block_weights) >= 1
    settled = law.settled
    for k in law.support:
        chance = law.chance(k)
        assert settled[law.block(k)] << CHANCE_BITS - SETTLING_BITS <= chance <= 1 << CHANCE_BITS
    assert min(settled) < max(settled)


@pytest.mark.parametrize(("sigma", "step", "over"), [(Fraction(9), 1, 7), (Fraction(100_003, 2), 1_000, 1)])
def test_densities_that_are_made_one_from_another_are_those_of_mpmath(sigma: Fraction, step: int, over: int) -> None:
    """From one tail to the other, the last as the first, within a unit or two."""
    first, many = -14 * int(sigma) * over // step * step, 28 * int(sigma) * over // step
    found = list(islice(GaussianCells(sigma).densities(first, step, over, 256), many))
    with mp.workdps(150):
        deviation = mpf(sigma.numerator) / sigma.denominator
        for k in (0, 1, many // 3, many // 2, many - 1):
            x = mpf(first + k * step) / over / deviation
            exact = mp.exp(-x * x / 2) / (deviation * mp.sqrt(2 * mp.pi)) * mpf(2) ** 256
            low, high = found[k]
            assert low <= exact <= high <= low + 1


def test_the_far_tail_has_masses_that_no_seed_of_64_bits_could_give() -> None:
    law = seed_law(3)
    far = law.support.stop - 1
    assert 0 < law.weight(far) < sum(map(law.weight, law.support)) >> 100


def test_one_unit_apart_a_rounded_gaussian_is_a_gaussian_to_tell_and_a_discrete_one_is_not() -> None:
    law = seed_law(1)
    weights = {k: law.weight(k) for k in law.support}
    apart = sum(max(0, w - weights.get(k - 1, 0)) for k, w in weights.items()) / Fraction(sum(weights.values()))
    gaussian = mp.erf(1 / mp.sqrt(8))
    assert abs(float(apart) - gaussian) < 1e-15
    density = [mp.exp(-mpf(k * k) / 2) for k in range(-15, 16)]
    discrete = max(density) / sum(density)
    assert abs(gaussian - 0.38292) < 1e-5 < 0.015 < discrete - gaussian


@pytest.mark.parametrize("seed", range(8))
def test_an_alias_table_has_the_weights_it_is_given(seed: int) -> None:
    dice = Random(seed)
    cuts = sorted(dice.randrange(1 << dice.choice([10, 64])) for _ in range(dice.randrange(1, 70)))
    weights = [b - a for a, b in pairwise([0, *cuts, 1 << 64])]
    table = alias_table(weights)
    assert table.weights()[: len(weights)] == weights
    assert not any(table.weights()[len(weights) :])
    rest = 64 - table.index_bits
    for column, cut in enumerate(table.cuts):
        at = column << rest
        if cut:
            assert table.item(at) == table.item(at + cut - 1) == column
        if cut < 1 << rest:
            assert table.item(at + cut) == table.item(at + (1 << rest) - 1) == table.aliases[column]


def test_a_public_shift_is_symmetric_and_what_is_published_has_no_bias() -> None:
    assert public_shift(lambda _: 12) == -public_shift(lambda bits: (1 << bits) - 1 - 12)
    laws = [seed_law(Fraction(1, 4), shift=Fraction(sign, 3)) for sign in (1, -1)]
    means = [Fraction(sum(k * law.weight(k) for k in law.support), sum(map(law.weight, law.support))) for law in laws]
    first, second = (mean - law.cells.shift for mean, law in zip(means, laws, strict=True))
    assert abs(first) > Fraction(1, 100)
    assert abs(first + second) < Fraction(1, 1 << 100)


def test_what_draws_are_off_by_is_charged_in_both_worlds() -> None:
    assert 3 * Fraction(1, 100) * Fraction(371, 100) < added_delta(Fraction(1, 100), 3, Fraction(1)) < Fraction(12, 100)
    with pytest.raises(ArgumentError, match="Expected an epsilon of at least 0 but got epsilon=-1"):
        added_delta(Fraction(1, 100), 3, Fraction(-1))


@pytest.mark.parametrize(("sigma", "shift"), [(0, 0), (-1, 0), (1 << 56, 0), (1, Fraction(2, 3))])
def test_a_sigma_or_shift_outside_its_domain_is_refused(sigma: int, shift: Fraction) -> None:
    with pytest.raises(ArgumentError, match="Expected a s"):
        seed_law(sigma, shift=shift)
