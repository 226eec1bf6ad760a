"""The binary tree's noisy node sums, modulo m: round t releases the node that ends there."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf


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

    def stretches(self, t: int) -> tuple[tuple[int, int, int], ...]:
        """The same, as one stretch of rounds."""
        return ((t - (t & -t) + 1, t, 1),)

    def noise_law(self, t: int) -> Pmf[int]:
        """The same every round."""
        del t
        return from_weights(dict(enumerate(self.noise)))
