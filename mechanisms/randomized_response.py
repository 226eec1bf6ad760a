"""Randomised response on one bit a round, fresh coins every round."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected


@dataclass(frozen=True)
class RandomizedResponse:
    """Y_t = x_t with probability `truth`, and the other bit otherwise.

    Args:
        truth: In [1/2, 1]; e^epsilon of one round is truth / (1 - truth).
    """

    truth: Fraction = Fraction(3, 4)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def __post_init__(self) -> None:
        if not Fraction(1, 2) <= self.truth <= 1:
            raise expected("truth in [1/2, 1]", truth=self.truth)

    def advance(self, state: int, x: int) -> int:
        """The newest input; older ones no longer matter."""
        del state
        return x

    def law(self, state: int) -> Pmf[int]:
        """The law of the noisy bit."""
        return bernoulli(self.truth if state else 1 - self.truth)
