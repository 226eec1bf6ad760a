"""What a run is measured by: whether each event was foretold by the model before it, how long events waited.

All of it is worked out of the events. None of it is covered by the guarantee, which is for models and their times.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dpcert.mechanisms.live.session import Bin
from dpcert.mechanisms.matrices.dyadic import Floats

P = TypeVar("P")
WINDOWS = 50
"""Parts of a stream for each of which accuracy is given."""
MOST_TRACED = 200
"""Points of a trajectory, or of a backlog, that are kept."""
TRACED_WEIGHTS = 4
"""Components of models that a trajectory shows."""
DELAY_COLUMNS = 40
"""Columns of a histogram of delays."""


@dataclass
class Measures:
    """Of one run, filled as it goes.

    Attributes:
        right: Of each event, whether the model that was public when it came foretold its label.
        left: Of each bin, the round in which it left and its size.
        delays: Delay in rounds -> events, as an array.
        traced: Round and first components of every model that was released.
        last: The model released last, whole; None before the first.
        first, taken: Events, and events in bins, of earlier lives of the run, which are not measured.
    """

    right: NDArray[np.bool_]
    left: list[tuple[int, int]] = field(default_factory=list)
    delays: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    traced: list[tuple[int, Floats]] = field(default_factory=list)
    last: Floats | None = None
    first: int = 0
    taken: int = 0

    def observe(self, out: Bin) -> None:
        """One bin whose model was released."""
        delay = out.inclusion_delay
        self.left.append((out.round, len(delay)))
        if len(self.delays) <= delay[0]:
            more = np.zeros(2 * delay[0] + 1, dtype=np.int64)
            more[: len(self.delays)] = self.delays
            self.delays = more
        self.delays[delay[-1] : delay[0] + 1] += 1

    def release(self, round_: int, model: Floats) -> None:
        """One model."""
        self.traced.append((round_, model[:TRACED_WEIGHTS].copy()))
        self.last = model

    @property
    def ends(self) -> int:
        """The last round."""
        return self.first + len(self.right)

    @property
    def accuracy(self) -> float:
        """Prequential: the share of events that were foretold."""
        return float(self.right.mean())

    def windows(self) -> list[list[float]]:
        """The last round of each part of the stream, and the accuracy in it."""
        ends = np.unique(np.linspace(0, len(self.right), min(WINDOWS, len(self.right)) + 1).astype(int))
        return [[self.first + int(b), float(self.right[a:b].mean())] for a, b in pairwise(ends)]

    def waiting(self) -> list[list[int]]:
        """Q_t = t - M_t, at some rounds: right before and after bins leave."""
        points, total = [[self.first, self.first - self.taken]], self.taken
        for round_, size in self.left:
            if round_ > self.first:
                points += [[round_ - 1, round_ - 1 - total], [round_, round_ - total - size]]
            total += size
        points.append([self.ends, self.ends - total])
        return thinned(points)

    @property
    def most_waiting(self) -> int:
        """The largest Q_t at the end of a round."""
        total, most = self.taken, 0
        for round_, size in self.left:
            most = max(most, round_ - 1 - total)
            total += size
        return max(most, self.ends - total)

    def delay(self) -> tuple[float, int]:
        """Mean and longest, in rounds, of events whose bins left; an event whose bin never leaves has no delay."""
        total = int(self.delays.sum())
        if not total:
            return 0.0, 0
        return float(np.arange(len(self.delays)) @ self.delays / total), int(np.flatnonzero(self.delays)[-1])

    def histogram(self) -> list[list[int]]:
        """[from, below, events] for columns of equal width."""
        most = self.delay()[1] + 1
        ends = np.unique(np.linspace(0, most, min(DELAY_COLUMNS, most) + 1).astype(int)).tolist()
        return [[a, b, int(self.delays[a:b].sum())] for a, b in pairwise(ends)]

    def trajectory(self) -> list[list[float]]:
        """[round, first components] of some models, the last one with them."""
        return [[round_, *map(float, model)] for round_, model in thinned(self.traced)]


def thinned(points: list[P]) -> list[P]:
    """At most MOST_TRACED of them, evenly, the first and the last with them."""
    if len(points) <= MOST_TRACED:
        return points
    at = np.linspace(0, len(points) - 1, MOST_TRACED).astype(int)
    return [points[i] for i in at.tolist()]
