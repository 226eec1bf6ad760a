"""Fault: a release is smoothed with the input that follows it (PREFIX_DEPENDENCE)."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights, point
from dpcert.audit.algebra.pmf import Pmf

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class FutureRelease:
    """PREFIX_DEPENDENCE fails: y_t = x_t + x_{t+1} + noise, computed after the fact."""

    alphabet: ClassVar[Numbers] = (0, 1)

    def seeds(self, horizon: int) -> Pmf[Numbers]:
        """Independent noise of -1, 0 or 1 a round."""
        return noise(horizon)

    def respond(self, seeds: Numbers, stream: Numbers) -> Numbers:
        """The last window holds one input only."""
        windows = (stream[t : t + 2] for t in range(len(stream)))
        return tuple(sum(window) + w for window, w in zip(windows, seeds, strict=False))


@dataclass(frozen=True)
class TrailingRelease:
    """The repaired twin: y_t = x_{t-1} + x_t + noise."""

    alphabet: ClassVar[Numbers] = (0, 1)

    def seeds(self, horizon: int) -> Pmf[Numbers]:
        """Independent noise of -1, 0 or 1 a round."""
        return noise(horizon)

    def respond(self, seeds: Numbers, stream: Numbers) -> Numbers:
        """The first window holds one input only."""
        windows = (stream[max(0, t - 1) : t + 1] for t in range(len(stream)))
        return tuple(sum(window) + w for window, w in zip(windows, seeds, strict=False))


def noise(rounds: int) -> Pmf[Numbers]:
    """Independent draws of -1, 0 and 1 with weights 1, 2, 1."""
    law: Pmf[Numbers] = point(())
    for _ in range(rounds):
        law = law.product(from_weights({-1: 1, 0: 2, 1: 1})).map(lambda pair: (*pair[0], pair[1]))
    return law
