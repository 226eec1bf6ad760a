"""Private prefix sums that are never further off than E, and rise by as much as one input may."""

from dataclasses import dataclass
from typing import Any

from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.sums.error_function import ErrorFunction
from dpcert.mechanisms.sums.error_process import ErrorProcess

State = tuple[int, int, Any]
"""(t, S_t - Q_t, state of the error process)."""


def clip(y: int, low: int, high: int) -> int:
    """y, moved into [low..high]."""
    return min(max(y, low), high)


@dataclass(frozen=True)
class StreamSum:
    """S_t = clip(clip(Y_t, Q_t - E(t), Q_t + E(t)), S_{t-1} + low, S_{t-1} + high); releases S_t - S_{t-1}.

    Q_t is the exact sum of the inputs, Y_t a raw noisy one. S_t rises by low to high, whatever comes and is
    drawn. On inputs in [low..high] it is within E(t) of Q_t as well; on other whole numbers it stays as private, but no
    error is promised.

    Args:
        noise: Y_t - Q_t.
        error_function: E, nondecreasing.
        low, high: a and b, the least and the largest input.
    Source: paper.tex, th:prefix_sum.
    """

    noise: ErrorProcess[Any]
    error_function: ErrorFunction
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise expected("an interval [low..high]", low=self.low, high=self.high)

    @property
    def initial(self) -> State:
        """Before round 1."""
        return 0, 0, self.noise.initial

    def error(self, state: State) -> int:
        """E(t), in units of the inputs."""
        return self.error_function(state[0])

    def step(self, state: State, x: int, draw: Draw) -> tuple[Release[int, None], State]:
        """One input more. Raises: ArgumentError: a round beyond the horizon of E."""
        t, off, noisy = state[0] + 1, state[1], state[2]
        most = self.error_function(t)
        raw, after = self.noise.step(noisy, draw)
        wanted = clip(raw, -most, most) + x - off  # of S_t, less S_{t-1}
        risen = clip(wanted, self.low, self.high)
        return Release(risen), (t, off + risen - x, after)
