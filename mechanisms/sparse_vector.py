"""Above threshold (sparse vector) with finite noise: it says below until one query is above, then it halts."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import HALT, Halt, Release


@dataclass(frozen=True)
class SparseVector:
    """Releases 0 while x_t + nu_t < threshold + rho, and HALT when it is not; rho is drawn once and hidden.

    Args:
        threshold: The public threshold, an integer.
        base: Noise weights fall by 1 / base a step, on -span..span; base^(1/2) plays e^(epsilon / 4).
        span: The largest noise value.
    Source: the sparse vector technique with truncated geometric noise.
    """

    threshold: int = 1
    base: int = 2
    span: int = 2
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int | None] = None

    def __post_init__(self) -> None:
        if self.base < 2 or self.span < 1:
            raise expected("base of at least 2 and span of at least 1", base=self.base, span=self.span)

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[int | Halt, None], int]:
        """State: the hidden noisy threshold, drawn in round 1."""
        noisy_threshold = self.threshold + draw(self._noise()) if state is None else state
        above = x + draw(self._noise()) >= noisy_threshold
        return Release(HALT if above else 0), noisy_threshold

    def _noise(self) -> Pmf[int]:
        return from_weights({k: self.base ** (self.span - abs(k)) for k in range(-self.span, self.span + 1)})
