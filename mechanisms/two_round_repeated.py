"""The two-round mechanism with its second table used again in every later round."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.mechanisms.two_round import TwoRound

CENTRE = Fraction(6, 25)


@dataclass(frozen=True)
class TwoRoundRepeated:
    """Round 1 as in `two-round`; in every round t >= 2 its second table, with b = x_1 and q = x_t.

    Args:
        leak: In (0, 1]; the second table's entries p become 6/25 + leak (p - 6/25).
    Source: paper.tex, subsec:ind_decomp_counterexample, repeated.
    """

    leak: Fraction = Fraction(1)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[tuple[int, ...]] = ()

    def __post_init__(self) -> None:
        if not 0 < self.leak <= 1:
            raise expected("leak in (0, 1]", leak=self.leak)

    def advance(self, state: tuple[int, ...], x: int) -> tuple[int, ...]:
        """(b,) after round 1, then (b, q) with the newest q."""
        return (*state[:1], x)

    def law(self, state: tuple[int, ...]) -> Pmf[int]:
        """The law of Y_1 given (b,), of a later Y_t given (b, q)."""
        if len(state) == 1:
            return bernoulli(TwoRound.first[state[0]])
        b, q = state
        return bernoulli(CENTRE + self.leak * (TwoRound.second[b][q] - CENTRE))
