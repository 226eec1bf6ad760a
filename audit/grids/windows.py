"""How far the nodes of a stage reach: as far as something is still open there, and can matter for what is asked."""

from collections.abc import Sequence
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import Floats, Grid

FARTHEST_SLOPE = 60
"""ln of the largest slope kept."""
DEVIATIONS = 9
"""Standard deviations of the log-likelihood ratio that a window holds."""


@frozen
class RoundSpread:
    """What a round does to the log-likelihood ratio, at most: a guide to how long windows are, and no part of a bound.

    Attributes:
        step: Its largest size.
        deviation: Its largest standard deviation.
    """

    step: float
    deviation: float

    @classmethod
    def of(cls, releases: Sequence[Sequence[tuple[float, float]]]) -> "RoundSpread":
        """That of releases, each as (log ratio, probability)."""
        steps = [abs(a) for one in releases for a, _ in one]
        squares = [sum(p * a * a for a, p in one) for one in releases]
        return cls(max(steps, default=0.0), sqrt(max(squares, default=0.0)))


@frozen
class Windows:
    """The places of each stage.

    Attributes:
        grid: What is between places.
        rounds: Stages.
        spread: What a round does.
        asked_size: The largest size of ln of a slope that is asked for.
        last: ln of the largest likelihood ratio of one release, also of one that nothing follows.
        reach: The largest shift, in places.
        deviations: Standard deviations that are held.
    """

    grid: Grid
    rounds: int
    spread: RoundSpread
    asked_size: float
    last: float
    reach: int
    deviations: float = DEVIATIONS

    def at(self, stage: int) -> tuple[int, int]:
        """The first place, and the one after the last."""
        half = self._halves[stage]
        return -half, half + 1

    def follows(self, stage: int) -> bool:
        """Whether all that a stage reads of the one before was written: the proof rests on it."""
        (low, high), (before, after) = self.at(stage), self.at(stage - 1)
        left = self.pad - self.reach
        return before - left <= low and high <= after + left

    @cached_property
    def _halves(self) -> list[int]:
        """By stage, the places on either side of place 0."""
        stage, step = np.arange(self.rounds + 1), float(self.grid.step)
        open_ = self._within(stage) + self.last + 2 * step
        asked = self.asked_size + self._within(self.rounds - stage)
        reached = np.minimum(np.minimum(open_, asked), FARTHEST_SLOPE + self.asked_size)
        halves: list[int] = ((reached / step).astype(np.int64) + 3).tolist()
        return halves

    def _within(self, rounds: NDArray[np.int64]) -> Floats:
        """How far so many rounds lead."""
        s = self.spread
        likely = self.deviations * s.deviation * np.sqrt(rounds) + s.deviation**2 * rounds / 2 + 8 * s.step
        within: Floats = np.minimum(rounds * s.step, likely)
        return within

    @cached_property
    def farthest(self) -> int:
        """The farthest place of any stage."""
        return max(self._halves)

    @property
    def pad(self) -> int:
        """Places kept beyond either end: a window grows by less than the largest shift from stage to stage."""
        return 2 * self.reach + 8

    @property
    def centre(self) -> int:
        """Where place 0 stands in an array."""
        return self.pad + self.farthest

    @property
    def widest(self) -> int:
        """The places of the longest window."""
        return 2 * self.farthest + 1
