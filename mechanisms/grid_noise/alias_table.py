"""Walker's alias table over whole numbers: one seed of 64 bits chooses an item, with exactly the weights given."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpcert.audit.errors import expected

SEED_BITS = 64
"""Bits of a seed; the weights sum to 2^SEED_BITS."""


@dataclass(frozen=True)
class AliasTable:
    """2^index_bits columns of equal height; a column holds its own item below `cuts`, another one above.

    Args:
        cuts: For each column how many of its seeds go to the column's own item.
        aliases: For each column the item that the others go to.
        index_bits: The upper bits of a seed, which name the column.
    Source: Walker 1977, Vose 1991; in whole numbers.
    """

    cuts: tuple[int, ...]
    aliases: tuple[int, ...]
    index_bits: int

    def item(self, seed: int) -> int:
        """The item of one seed."""
        rest = SEED_BITS - self.index_bits
        column, height = seed >> rest, seed & ((1 << rest) - 1)
        return column if height < self.cuts[column] else self.aliases[column]

    def weights(self) -> list[int]:
        """How many seeds each item has."""
        full = 1 << SEED_BITS - self.index_bits
        counts = [0] * len(self.cuts)
        for column, (cut, alias) in enumerate(zip(self.cuts, self.aliases, strict=True)):
            counts[column] += cut
            counts[alias] += full - cut
        return counts


def alias_table(weights: Sequence[int]) -> AliasTable:
    """The table of weights that sum to 2^64.

    Raises: ArgumentError: a negative weight, or another sum.

    >>> alias_table([1 << 62, 3 << 62]).weights() == [1 << 62, 3 << 62]
    True
    """
    if sum(weights) != 1 << SEED_BITS or min(weights) < 0:
        raise expected(f"weights of at least 0 that sum to 2^{SEED_BITS}", sum=sum(weights))
    index_bits = max(1, (len(weights) - 1).bit_length())
    full = 1 << SEED_BITS - index_bits
    rest = [*weights, *[0] * ((1 << index_bits) - len(weights))]
    cuts, aliases = [full] * len(rest), list(range(len(rest)))
    small = [i for i, w in enumerate(rest) if w < full]
    large = [i for i, w in enumerate(rest) if w >= full]
    while small:  # what the small ones lack, some large one has too much, for the sum is that of full columns
        i, giver = small.pop(), large[-1]
        cuts[i], aliases[i] = rest[i], giver
        rest[giver] -= full - rest[i]
        if rest[giver] < full:
            small.append(large.pop())
    return AliasTable(tuple(cuts), tuple(aliases), index_bits)
