"""Fault: the input before decides how noisy an answer is (rungs 1 to 3; FUTURE_STABLE holds)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf

State = tuple[int, int]


@dataclass(frozen=True)
class EarlierScale:
    """CONTEXT_STABLE fails: the answer to x_t lies less often where x_{t-1} was 1.

    The state is (x_{t-1}, x_t)."""

    lies: tuple[Fraction, ...] = (Fraction(2, 5), Fraction(1, 5))
    alphabet: ClassVar[State] = (0, 1)
    initial: ClassVar[State] = (0, 0)

    def advance(self, state: State, x: int) -> State:
        """The last two inputs."""
        return state[1], x

    def law(self, state: State) -> Pmf[int]:
        """x_t, or its opposite with the probability that x_{t-1} chose."""
        before, x = state
        return bernoulli(self.lies[before] if x == 0 else 1 - self.lies[before])


@dataclass(frozen=True)
class FixedScale:
    """The repaired twin: every answer is as noisy as every other."""

    lie: Fraction = Fraction(1, 5)
    alphabet: ClassVar[State] = (0, 1)
    initial: ClassVar[int] = 0

    def advance(self, state: int, x: int) -> int:
        """The last input."""
        del state
        return x

    def law(self, state: int) -> Pmf[int]:
        """x_t, or its opposite."""
        return bernoulli(self.lie if state == 0 else 1 - self.lie)
