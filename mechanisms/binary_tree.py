"""The binary tree's noisy node sums, modulo m: round t releases the node that ends there."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.pmf import Pmf
from dpcert.mechanisms.interval_sums import noisy


@dataclass(frozen=True)
class BinaryTree:
    """Interval sums with I_t = [t - lowbit(t) + 1 .. t], in O(log t) state.

    Args:
        noise: Integer weights of the noise values 0, 1, ..., m - 1; their number is m, inputs are 0 to m - 1.
    Source: paper.tex, sec:prefix-sum (p-sums) and sec:prefixsum_factor.
    """

    noise: tuple[int, ...] = (2, 1, 1)
    null: ClassVar[int] = 0
    initial: ClassVar[tuple[tuple[int, int], ...]] = ()

    @property
    def alphabet(self) -> tuple[int, ...]:
        """Z_m."""
        return tuple(range(len(self.noise)))

    def advance(self, state: tuple[tuple[int, int], ...], x: int) -> tuple[tuple[int, int], ...]:
        """Complete blocks as (rounds, sum mod m), largest first; the last one is I_t."""
        size, total = 1, x
        while state and state[-1][0] == size:
            total = (total + state[-1][1]) % len(self.noise)
            size, state = 2 * size, state[:-1]
        return (*state, (size, total))

    def law(self, state: tuple[tuple[int, int], ...]) -> Pmf[int]:
        """The law of the noisy sum over I_t."""
        return noisy(state[-1][1], self.noise)
