"""Draws of rounded Gaussian noise in numpy's whole numbers, from the operating system's entropy."""

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.errors import expected
from dpcert.mechanisms.grid_noise.alias_table import SEED_BITS
from dpcert.mechanisms.grid_noise.seed_law import CHANCE_BITS, SETTLING_BITS, SeedLaw, seed_law

Entropy = Callable[[int], bytes]
"""So many bytes by chance, all independent."""
Words = NDArray[np.int64]
CHUNK = 1 << 15
"""Coordinates that are drawn at once: what is needed for them fits a cache."""
SHIFT_BITS = 16
"""Public shifts are odd multiples of 2^-(SHIFT_BITS + 1), symmetric about 0."""


class GridNoise(Protocol):
    """Noise for vectors of whole numbers."""

    @property
    def sigma(self) -> Fraction:
        """The standard deviation before rounding, in grid units."""

    @property
    def shift(self) -> Fraction:
        """The public shift of the grid, in grid units."""

    @property
    def distance(self) -> Fraction | None:
        """At least the total variation distance of one draw to the cell masses; None where nothing is proven."""

    def sample(self, count: int) -> Words:
        """So many independent draws."""


@dataclass(frozen=True)
class SampledGaussian:
    """Rounded Gaussian noise that runs, by the law that is certified.

    Args:
        law: The finite-seed law.
        entropy: Where bytes come from; another source than the operating system is for tests and recorded runs.

    How long a draw takes depends a little on what is drawn: whoever can time single draws learns something of them.

    >>> SampledGaussian(seed_law(100)).sample(3).dtype
    dtype('int64')
    """

    law: SeedLaw
    entropy: Entropy = field(default=os.urandom, repr=False)

    def __post_init__(self) -> None:
        table, rest = self.law.table, SEED_BITS - self.law.table.index_bits
        object.__setattr__(self, "_cuts", np.array(table.cuts, dtype=np.uint64))
        object.__setattr__(self, "_aliases", np.array(table.aliases, dtype=np.int64))
        object.__setattr__(self, "_settled", np.array(self.law.settled, dtype=np.uint16))
        object.__setattr__(self, "_rest", np.uint64(rest))

    _cuts: NDArray[np.uint64] = field(init=False, repr=False, compare=False)
    _aliases: Words = field(init=False, repr=False, compare=False)
    _settled: NDArray[np.uint16] = field(init=False, repr=False, compare=False)
    _rest: np.uint64 = field(init=False, repr=False, compare=False)

    @property
    def sigma(self) -> Fraction:
        """In grid units, before rounding."""
        return self.law.cells.sigma

    @property
    def shift(self) -> Fraction:
        """In grid units."""
        return self.law.cells.shift

    @property
    def distance(self) -> Fraction:
        """Of one draw."""
        return self.law.distance

    def sample(self, count: int) -> Words:
        """So many independent draws of k; what is added to a sum on the grid is k, and k minus the shift is published.

        Raises: ArgumentError: a negative count.
        """
        if count < 0:
            raise expected("a count of at least 0", count=count)
        draws, at = np.empty(count, dtype=np.int64), 0
        while at < count:
            kept = self._proposed(min(CHUNK, count - at))
            draws[at : at + len(kept)] = kept
            at += len(kept)
        return draws

    def _proposed(self, count: int) -> Words:
        """What is kept of so many proposals, in order."""
        blocks = self._blocks(count)
        firsts = np.frombuffer(self.entropy(2 * count), dtype="<u2")
        cells = (blocks + self.law.first << self.law.cell_bits) + self._within(count)
        doubtful = np.flatnonzero(firsts >= self._settled[blocks])
        if not len(doubtful):
            return cells
        kept = np.ones(count, dtype=bool)
        kept[doubtful] = [self._keeps(int(cells[i]), int(firsts[i])) for i in doubtful]
        return cells[kept]

    def _blocks(self, count: int) -> Words:
        seeds = np.frombuffer(self.entropy(8 * count), dtype="<u8")
        columns = (seeds >> self._rest).astype(np.int64)
        heights = seeds & ((np.uint64(1) << self._rest) - np.uint64(1))
        return np.where(heights < self._cuts[columns], columns, self._aliases[columns])

    def _within(self, count: int) -> Words | int:
        """The place in the block."""
        bits = self.law.cell_bits
        if not bits:
            return 0
        size = next(size for size in (1, 2, 4, 8) if bits <= 8 * size)
        places = np.frombuffer(self.entropy(size * count), dtype=f"<u{size}").astype(np.int64)
        return places & ((1 << bits) - 1)

    def _keeps(self, cell: int, first: int) -> bool:
        """The exact comparison, of all bits."""
        more = CHANCE_BITS - SETTLING_BITS
        whole = first << more | int.from_bytes(self.entropy(more // 8), "big")
        return whole < self.law.chance(cell)


@lru_cache(maxsize=4)
def sampled_gaussian(sigma: Fraction, shift: Fraction = Fraction(0)) -> SampledGaussian:
    """The noise with this sigma and shift, in grid units; its tables are kept.

    Raises: ArgumentError: a sigma or shift outside its domain.
    """
    return SampledGaussian(seed_law(sigma, shift=shift))


def public_shift(bits: Callable[[int], int] = secrets.randbits) -> Fraction:
    """A shift by chance for a dithered grid, the same for a whole run and published with it.

    Shifts are symmetric about 0, and so is what rounding to the shifted grid makes of the noise: it has no bias.

    >>> public_shift(lambda bits: 0)
    Fraction(-65535, 131072)
    """
    return Fraction(2 * bits(SHIFT_BITS) + 1 - (1 << SHIFT_BITS), 1 << SHIFT_BITS + 1)


def added_delta(distance: Fraction, draws: int, epsilon: Fraction) -> Fraction:
    """What so many draws, each off by a distance, add to delta: (1 + e^epsilon) draws distance, rounded up.

    Replacing the draws one by one moves either world's law by at most `draws` distances, whatever the inputs adapt to.

    Args:
        distance: Of one draw, in total variation.
        draws: All coordinates of all rounds.
        epsilon: That of the guarantee, at least 0.
    Raises: ArgumentError: an epsilon outside its domain.

    >>> added_delta(Fraction(1, 100), 3, Fraction(0))
    Fraction(3, 50)
    """
    if epsilon < 0:
        raise expected("an epsilon of at least 0", epsilon=epsilon)
    return (1 + exponential(epsilon).finite().upper) * draws * distance
