"""Draws in numpy: from the same bytes as a reading of the law word by word, and what is refused."""

from fractions import Fraction
from math import floor
from random import Random

import numpy as np
import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.grid_noise.cells import GaussianCells
from dpcert.mechanisms.grid_noise.floating import FloatingGaussian
from dpcert.mechanisms.grid_noise.sampling import SampledGaussian, sampled_gaussian
from dpcert.mechanisms.grid_noise.seed_law import SeedLaw, seed_law


class Script:
    """Bytes by a seed, kept so that another reader can have the same."""

    def __init__(self, seed: int, flat: int | None = None) -> None:
        self._dice, self._flat = Random(seed), flat

    def __call__(self, count: int) -> bytes:
        return bytes([self._flat]) * count if self._flat is not None else self._dice.randbytes(count)


def read(law: SeedLaw, count: int, entropy: Script) -> list[int]:
    """The same draws, word by word in Python's integers, straight from the law's description."""
    kept: list[int] = []
    while len(kept) < count:
        wanted = count - len(kept)
        seeds, firsts = entropy(8 * wanted), entropy(2 * wanted)
        size = next(size for size in (1, 2, 4, 8) if law.cell_bits <= 8 * size)
        places = entropy(size * wanted) if law.cell_bits else b""
        for i in range(wanted):
            block = law.table.item(int.from_bytes(seeds[8 * i : 8 * i + 8], "little"))
            place = int.from_bytes(places[size * i : size * i + size], "little") % (1 << law.cell_bits)
            cell = ((law.first + block) << law.cell_bits) + place
            first = int.from_bytes(firsts[2 * i : 2 * i + 2], "little")
            if first < law.settled[block] or first << 112 | int.from_bytes(entropy(14), "big") < law.chance(cell):
                kept.append(cell)
    return kept


@pytest.mark.parametrize(
    "law",
    [
        SeedLaw(GaussianCells(Fraction(1, 5))),
        SeedLaw(GaussianCells(Fraction(40), Fraction(1, 3)), block_bits=1),
        SeedLaw(GaussianCells(Fraction(10**6)), block_bits=2),
        SeedLaw(GaussianCells(Fraction(10**13)), block_bits=3),
    ],
    ids=str,
)
def test_the_draws_are_those_of_the_law_word_by_word(law: SeedLaw) -> None:
    for seed in range(4):
        drawn = SampledGaussian(law, Script(seed)).sample(300)
        assert drawn.tolist() == read(law, 300, Script(seed))
        assert drawn.dtype == np.int64


def test_a_seed_of_ones_proposes_the_far_end_or_its_alias_and_refuses_what_has_no_mass_there() -> None:
    law = seed_law(2)
    tried = SampledGaussian(law, Script(0, flat=0xFF))
    assert len(tried._proposed(5)) == 0  # no chance is 1 - 2^-128
    assert len(SampledGaussian(law, Script(0, flat=0))._proposed(5)) == 5


def test_draws_come_in_chunks_and_none_is_lost_or_repeated_between_them() -> None:
    noise = sampled_gaussian(Fraction(3))
    assert noise is sampled_gaussian(Fraction(3))
    assert [len(noise.sample(n)) for n in (0, 1, 70_000)] == [0, 1, 70_000]
    assert noise.sample(64).tolist() != noise.sample(64).tolist()
    with pytest.raises(ArgumentError, match="Expected a count of at least 0 but got count=-1"):
        noise.sample(-1)


def test_a_release_is_the_ideal_one_rounded() -> None:
    """For R x on the grid, R x + round(z) is R x + z rounded to the (shifted) grid: nothing else is seen."""
    dice = Random(5)
    for _ in range(200):
        shift = Fraction(dice.randrange(-50, 51), 100)
        measured, z = dice.randrange(-(10**6), 10**6), Fraction(dice.randrange(-(10**9), 10**9), 10**5 + 7)
        rounded = floor(measured + z + shift + Fraction(1, 2)) - shift
        k = floor(z + shift + Fraction(1, 2))
        assert rounded == measured + k - shift
        assert k - Fraction(1, 2) - shift <= z < k + Fraction(1, 2) - shift  # the cell whose mass the law has


def test_floating_point_noise_has_no_certificate() -> None:
    noise = FloatingGaussian(Fraction(50))
    assert noise.distance is None
    assert len(set(noise.sample(100).tolist())) > 10
    with pytest.raises(ArgumentError, match="Expected a sigma above 0"):
        FloatingGaussian(Fraction(0))
