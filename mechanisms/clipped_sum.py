"""A running sum, noisy, clipped around the private total itself: hidden state that later releases depend on."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release


@dataclass(frozen=True)
class ClippedSum:
    """S_t = clip(Y_t, Q_t - bound, Q_t + bound), Y_t = Y_{t-1} + x_t + eta_t, Q_t the exact sum of the inputs.

    Args:
        bound: The error that is never exceeded, at least 0.
        noise: Integer weights of eta = -k, ..., k; an odd number of them.
    Source: paper.tex, th:prefix_sum, the clipping step alone.
    """

    bound: int = 1
    noise: tuple[int, ...] = (1, 2, 1)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[tuple[int, int]] = (0, 0)

    def __post_init__(self) -> None:
        if self.bound < 0 or len(self.noise) % 2 == 0:
            raise expected("a bound of at least 0 and an odd number of weights", bound=self.bound, noise=self.noise)

    def step(self, state: tuple[int, int], x: int, draw: Draw) -> tuple[Release[int, None], tuple[int, int]]:
        """State: the exact sum, and the sum of the noise so far."""
        total, error = state[0] + x, state[1]
        half = len(self.noise) // 2
        error += draw(from_weights({k - half: w for k, w in enumerate(self.noise)}))
        return Release(total + max(-self.bound, min(self.bound, error))), (total, error)
