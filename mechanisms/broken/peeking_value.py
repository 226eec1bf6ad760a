"""Fault: the published value is made from the inputs, not from the releases (POST_PROCESSING)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Published, Release

Answer = Published[int, int]


@dataclass(frozen=True)
class PeekingValue:
    """POST_PROCESSING fails: the true count of ones so far is published beside the noisy answers.

    The state is that count."""

    lie: Fraction = Fraction(1, 4)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Answer, None], int]:
        """The count is of inputs."""
        count = state + x
        return Release(Published(x ^ draw(bernoulli(self.lie)), count)), count


@dataclass(frozen=True)
class CountedAnswers:
    """The repaired twin: the count of the noisy answers so far is published. The state is that count."""

    lie: Fraction = Fraction(1, 4)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Answer, None], int]:
        """The count is of answers."""
        answer = x ^ draw(bernoulli(self.lie))
        return Release(Published(answer, state + answer)), state + answer
