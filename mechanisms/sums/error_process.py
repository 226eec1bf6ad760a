"""What a noisy prefix sum asks of its noise: how far off it is, round by round, whatever the inputs are."""

from collections.abc import Hashable
from typing import Protocol, TypeVar

from dpcert.audit.kernels.draws import Draw

Z = TypeVar("Z", bound=Hashable)


class ErrorProcess(Protocol[Z]):
    """Y_t - Q_t, the raw error of a core's estimate Y_t of the prefix sum Q_t, as a process of its own.

    It never sees the inputs: a core Z_t = sum of inputs + noise whose estimate is linear, or commutes with shifts by
    whole numbers, is off by an amount that its noise alone settles. Source: paper.tex, thm:dp_unbounded_prefix_sum.
    """

    @property
    def initial(self) -> Z:
        """The state before round 1."""
        ...

    def step(self, state: Z, draw: Draw) -> tuple[int, Z]:
        """Y_t - Q_t of one round more, and the state after it."""
        ...
