"""One noisy bit, released twice: the second release tells nothing new."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release


@dataclass(frozen=True)
class SharedCoin:
    """Y_1 = randomised response on x_1, and Y_t = Y_1 from then on: shared randomness, and still no gap.

    Args:
        truth: In [1/2, 1], the probability that Y_1 = x_1.
    Source: claim 72, beyond the paper.
    """

    truth: Fraction = Fraction(3, 4)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int | None] = None

    def __post_init__(self) -> None:
        if not Fraction(1, 2) <= self.truth <= 1:
            raise expected("truth in [1/2, 1]", truth=self.truth)

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        """The coin is tossed in round 1 and kept."""
        bit = draw(bernoulli(self.truth if x else 1 - self.truth)) if state is None else state
        return Release(bit), bit
