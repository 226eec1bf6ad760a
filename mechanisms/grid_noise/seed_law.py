"""The finite-seed law of rounded Gaussian noise: whole weights, and how far it is from the cell masses at most."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise
from math import ceil, floor

from flint import arb, ctx

from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected
from dpcert.mechanisms.grid_noise.alias_table import SEED_BITS, AliasTable, alias_table
from dpcert.mechanisms.grid_noise.cells import HALF, GaussianCells, outward

REACH = 14
"""Standard deviations past which nothing is drawn; beyond them lies less than 2^-140."""
CHANCE_BITS = 128
"""Bits of the chance of a cell within its block: multiples of 2^-CHANCE_BITS."""
SETTLING_BITS = 16
"""Bits of it that settle most draws."""
BLOCK_BITS = 10
"""log2 of the blocks in a standard deviation, about: enough that one draw in a thousand needs the exact comparison."""
UNIT_BITS = 256
"""Bits at which the masses of blocks are bounded."""


@dataclass(frozen=True)
class SeedLaw:
    """Draws a block of 2^m cells by 64 bits, a cell of it by m bits, kept by a chance of 128 bits, or draws anew.

    So P(k) is W(block of k) A(k) over their sum: whole weights, of far more than 2^64 seeds in all. Block weights W
    bound the cells' masses from above, and A(k) is 2^128 P(k) 2^m c / W rounded down, with one c for all: what a block
    has too much of is refused again, in the far tails too, where weights of 64 bits alone would be far too large.

    Args:
        cells: The masses that are to be drawn.
        block_bits: log2 of the blocks in a standard deviation, about; fewer cells than that are blocks each.
    Source: none; ours.

    >>> law = SeedLaw(GaussianCells(Fraction(3)))
    >>> law.distance < Fraction(1, 2**120)
    True
    """

    cells: GaussianCells
    block_bits: int = BLOCK_BITS

    def __post_init__(self) -> None:
        if not 1 <= self.block_bits <= 16:
            raise expected("from 1 to 16 block bits", block_bits=self.block_bits)

    @cached_property
    def cell_bits(self) -> int:
        """m, log2 of the cells in a block."""
        whole = ceil(self.cells.sigma)
        return max(0, whole.bit_length() - 1 - self.block_bits)

    @cached_property
    def first(self) -> int:
        """The first block: block h holds the cells from h 2^m to (h + 1) 2^m - 1."""
        return floor(-REACH * self.cells.sigma) >> self.cell_bits

    @cached_property
    def blocks(self) -> int:
        """How many blocks there are."""
        return (ceil(REACH * self.cells.sigma) >> self.cell_bits) - self.first + 1

    @cached_property
    def block_weights(self) -> list[int]:
        """W, whole numbers that sum to 2^64; the middle block takes what is left over."""
        part, whole = self._scale
        found = [-(-above * part // whole) for above in self._bounds[1]]
        found[-self.first] += (1 << SEED_BITS) - sum(found)
        return found

    @cached_property
    def table(self) -> AliasTable:
        """What chooses blocks."""
        return alias_table(self.block_weights)

    @cached_property
    def settled(self) -> list[int]:
        """For each block, the first 16 bits of a chance below which all its cells are kept."""
        part, whole = self._scale
        most = (1 << SETTLING_BITS) - 1
        least, weights = self._bounds[0], self.block_weights
        return [min(most, (b * part << SETTLING_BITS) // (whole * w)) for b, w in zip(least, weights, strict=True)]

    def chance(self, k: int) -> int:
        """A(k), in multiples of 2^-128: the chance that cell k is kept once it was proposed."""
        part, whole = self._scale
        scale = Fraction(part << self.cell_bits + UNIT_BITS + CHANCE_BITS, whole * self.block_weights[self.block(k)])
        before, ctx.prec = ctx.prec, 2 * CHANCE_BITS + 2 * self.cell_bits
        try:
            while True:
                found = (self.cells.mass(k) * arb(scale.numerator) / arb(scale.denominator)).floor().unique_fmpz()
                if found is not None:
                    return int(found)
                ctx.prec *= 2
        finally:
            ctx.prec = before

    def block(self, k: int) -> int:
        """The place of the block of cell k, from 0."""
        return (k >> self.cell_bits) - self.first

    def weight(self, k: int) -> int:
        """W A(k): P(k) over the sum of all."""
        return self.block_weights[self.block(k)] * self.chance(k)

    @property
    def support(self) -> range:
        """All cells that may be drawn."""
        return range(self.first << self.cell_bits, self.first + self.blocks << self.cell_bits)

    @cached_property
    def distance(self) -> Fraction:
        """At least the total variation distance between one draw and the cell masses.

        Before the sum is brought to 1, every weight is at most its mass, and all together they lack what lies out of
        reach and what rounding A down takes away, at most 2^-128 W a cell. Bringing it to 1 raises all weights.
        """
        part, whole = self._scale
        inside = self.support
        tails = self.cells.beyond(inside.start - HALF - self.cells.shift, inside.stop - HALF - self.cells.shift)
        return tails + Fraction((1 << SEED_BITS) * whole, part << UNIT_BITS + CHANCE_BITS)

    @cached_property
    def _scale(self) -> tuple[int, int]:
        """c as a quotient: bounds on masses times it are weights, with room for rounding every one up."""
        return (1 << SEED_BITS) - self.blocks, sum(self._bounds[1])

    @cached_property
    def _bounds(self) -> tuple[list[int], list[int]]:
        """For each block 2^m times the least and the largest mass of its cells, outward, in units of 2^-256."""
        before, ctx.prec = ctx.prec, UNIT_BITS + 64
        try:
            return self._single() if self.cell_bits == 0 else self._by_density()
        finally:
            ctx.prec = before

    def _single(self) -> tuple[list[int], list[int]]:
        """Of blocks of one cell, by the cell's own mass."""
        unit = arb(1 << UNIT_BITS)
        least, most = zip(*(outward(self.cells.mass(k) * unit) for k in self.support), strict=True)
        return list(least), list(most)

    def _by_density(self) -> tuple[list[int], list[int]]:
        """Of others by the density at the nearer end of the block and at the farther one: a cell has width 1."""
        offset, unit = HALF + self.cells.shift, arb(1 << self.cell_bits + UNIT_BITS)
        over, width = offset.denominator, (1 << self.cell_bits) * offset.denominator
        ends = [h * width - offset.numerator for h in range(self.first, self.first + self.blocks + 1)]
        densities = self.cells.densities(ends[0], width, over, self.cell_bits + UNIT_BITS)
        below, above = zip(*islice(densities, len(ends)), strict=True)
        middle = outward(self.cells.highest * unit)[1]
        least, most = list[int](), list[int]()
        for h, (left, right) in enumerate(pairwise(ends)):
            least.append(below[h] if -left > right else below[h + 1])
            most.append(above[h] if left >= 0 else above[h + 1] if right <= 0 else middle)
        return least, most


def seed_law(sigma: Fraction | int, *, shift: Fraction | int = 0) -> SeedLaw:
    """The law of this sigma and shift, in grid units.

    Args:
        sigma: The standard deviation before rounding, above 0.
        shift: Public, of size at most 1/2.
    Raises: ArgumentError: a sigma or shift outside its domain.

    >>> seed_law(Fraction(1, 4)).weight(0) > seed_law(Fraction(1, 4)).weight(1)
    True
    """
    return SeedLaw(GaussianCells(exact(sigma, "sigma"), exact(shift, "shift")))
