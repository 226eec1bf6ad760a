"""The binary tree's noisy node sums, modulo m: round t releases the node that ends there."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf

LEVELS = 32
"""Sizes of nodes, 1, 2, 4, ..., that are told: those of all rounds up to 2^32 - 1."""


@dataclass(frozen=True)
class BinaryTree:
    """Interval sums with I_t = [t - lowbit(t) + 1 .. t], noise added modulo m.

    Args:
        noise: Integer weights of the noise values 0, 1, ..., m - 1; their number is m, inputs are 0 to m - 1.
    Source: paper.tex, sec:prefix-sum (p-sums) and sec:prefixsum_factor.
    """

    noise: tuple[int, ...] = (2, 1, 1)
    null: ClassVar[int] = 0

    @property
    def modulus(self) -> int:
        """m."""
        return len(self.noise)

    @property
    def alphabet(self) -> tuple[int, ...]:
        """Z_m."""
        return tuple(range(self.modulus))

    def weights(self, t: int) -> tuple[int, ...]:
        """1 on I_t, which has lowbit(t) rounds."""
        lowbit = t & -t
        return (0,) * (t - lowbit) + (1,) * lowbit

    def progressions(self) -> tuple[tuple[int, None, int, tuple[tuple[int, int, int], ...], Pmf[int]], ...]:
        """The same of all rounds at once: rounds with one lowbit come twice as far apart."""
        noise = self.noise_law(1)
        return tuple((low, None, 2 * low, ((0, low - 1, 1),), noise) for low in map((1).__lshift__, range(LEVELS)))

    def noise_law(self, t: int) -> Pmf[int]:
        """The same every round."""
        del t
        return from_weights(dict(enumerate(self.noise)))
