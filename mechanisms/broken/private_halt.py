"""Fault: whether the interaction goes on depends on the private input (FRESH_RANDOMNESS)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import HALT, Release


@dataclass(frozen=True)
class PrivateHalt:
    """FRESH_RANDOMNESS fails: it halts in one round of four in which the input is 1."""

    lie: Fraction = Fraction(1, 4)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[None] = None

    def step(self, state: None, x: int, draw: Draw) -> tuple[Release[int, None], None]:
        """HALT, or the noisy answer."""
        if x == 1 and draw(bernoulli(Fraction(1, 4))):
            return Release(HALT), state
        return Release(x ^ draw(bernoulli(self.lie))), state


@dataclass(frozen=True)
class NoHalt:
    """The repaired twin: in place of halting it says "no answer", and the next round goes on as ever."""

    lie: Fraction = Fraction(1, 4)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[None] = None

    def step(self, state: None, x: int, draw: Draw) -> tuple[Release[int | str, None], None]:
        """ "no answer", or the noisy answer."""
        if x == 1 and draw(bernoulli(Fraction(1, 4))):
            return Release("no answer"), state
        return Release(x ^ draw(bernoulli(self.lie))), state
