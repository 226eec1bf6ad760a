"""Fault: a later common input decides how much is told about x_1, as in two-round (every rung)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf

Bits = tuple[int, ...]


@dataclass(frozen=True)
class LaterScale:
    """Every rung fails: x_2 chooses which value of x_1 the second answer may rule out.

    Source: claims, row 74: fixed streams reach total variation 1/2, adaptive adversaries 2/3.
    """

    second: tuple[tuple[Fraction, ...], ...] = ((Fraction(1, 2), Fraction(1)), (Fraction(1), Fraction(1, 2)))
    horizon: ClassVar[int] = 2
    alphabet: ClassVar[Bits] = (0, 1)
    initial: ClassVar[Bits] = ()

    def advance(self, state: Bits, x: int) -> Bits:
        """The inputs so far."""
        return (*state, x)

    def law(self, state: Bits) -> Pmf[int]:
        """P(Y_1 = 1) is 1/3 or 2/3 by x_1; P(Y_2 = 1) stands in row x_1 and column x_2."""
        return bernoulli(Fraction(1 + state[0], 3) if len(state) == 1 else self.second[state[0]][state[1]])


@dataclass(frozen=True)
class LaterChoiceRemoved:
    """The repaired twin: the second answer about x_1 is the same whatever x_2 is."""

    horizon: ClassVar[int] = 2
    alphabet: ClassVar[Bits] = (0, 1)
    initial: ClassVar[Bits] = ()

    def advance(self, state: Bits, x: int) -> Bits:
        """The inputs so far."""
        return (*state, x)

    def law(self, state: Bits) -> Pmf[int]:
        """P(Y_t = 1) is 1/3 or 2/3 by x_1 in both rounds."""
        return bernoulli(Fraction(1 + state[0], 3))
