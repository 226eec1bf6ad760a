"""The paper's two-round mechanism: fresh randomness every round, and yet feedback amplifies the leak."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf


@dataclass(frozen=True)
class TwoRound:
    """Y_1 tells a little about b = x_1; how much Y_2 tells about b depends on the common input q = x_2.

    Args:
        first: P(Y_1 = 1) for b = 0 and b = 1.
        second: P(Y_2 = 1) per row b and column q.
    Source: paper.tex, subsec:ind_decomp_counterexample.
    """

    first: tuple[Fraction, ...] = (Fraction(68, 100), Fraction(65, 100))
    second: tuple[tuple[Fraction, ...], ...] = (
        (Fraction(28, 100), Fraction(20, 100)),
        (Fraction(19, 100), Fraction(28, 100)),
    )
    horizon: ClassVar[int] = 2
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[tuple[int, ...]] = ()

    def advance(self, state: tuple[int, ...], x: int) -> tuple[int, ...]:
        """The inputs so far."""
        return (*state, x)

    def law(self, state: tuple[int, ...]) -> Pmf[int]:
        """The law of Y_1 given (b,), of Y_2 given (b, q)."""
        return bernoulli(self.first[state[0]] if len(state) == 1 else self.second[state[0]][state[1]])
