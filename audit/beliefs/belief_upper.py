"""Upper bounds on games of few hidden states, on a grid of beliefs in either world and of slopes.

What can still be learnt is convex in the belief in world 0, in that in world 1, and in the slope, each with the others
held: chords in one after another bound it. A round moves a slope by a ratio that the two beliefs give, so that along
slopes the grid is that of `grid`. Weights between beliefs are quotients of whole numbers, made floats; the rest are
sums and products of floats of at least 0 (docs/decisions/0015). `belief_policies` has the other side.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcert.audit.beliefs.belief_grid import BeliefGrid, Sight, SlopeShifts, Values
from dpcert.audit.grids.grid import Floats
from dpcert.audit.grids.passes import ABSOLUTE

PER_ROUND = 24
"""Operations of a round beside its sums, each of which may be off by a unit."""


@dataclass
class BeliefUpper:
    """Upper bounds: by state of the relation, values at (belief, belief, slope); (belief, slope) where both are one."""

    on: BeliefGrid
    slack: int = 0

    def run(self) -> Values:
        """What is known after round 1."""
        return self.on.from_last(self._best, self._counted)

    def _counted(self) -> None:
        self.slack += 3 * len(self.on.hidden.states) ** 2 + 2 * self.on.outcomes + PER_ROUND

    def _best(self, relation: Any, round_: int, after: Values, alike: bool) -> Floats:
        count = len(self.on.simplex.points)
        best = np.zeros((count, self.on.size) if alike else (count, count, self.on.size))
        moves = [(None if over else after[then], sights) for then, over, sights in self.on.moves(relation, round_)]
        for i in range(count):
            others, means = np.array([i]) if alike else np.arange(count), dict[Any, Floats]()
            for follows, sights in moves:
                rows = np.zeros((len(others), self.on.size))
                for one in sights:
                    rows += self._row(one, follows, i, others, means)
                into = best[i : i + 1] if alike else best[i]
                np.maximum(into, rows, out=into)
        return best

    def _row(self, one: Sight, after: Floats | None, i: int, others: Any, means: dict[Any, Floats]) -> Floats:
        """What is seen adds to the bounds at belief i in world 0 and others in world 1.

        Pairs of one input in world 0 share what follows there: it is kept in `means`.
        """
        shifts = self.on.shifts(one, i)
        shifts = SlopeShifts(*(part[others] for part in shifts))
        k1 = np.array([float(one.mass[1][j]) for j in others])
        if after is None or one.pair.over:
            values = self._ended(shifts)
        else:
            values = self._chords(_between(one, after, i, others, means), shifts)
        values[shifts.certain], values[~(shifts.certain | shifts.live)] = 1.0, 0.0
        values *= k1[:, None]
        return values

    def _ended(self, shifts: SlopeShifts) -> Floats:
        """max(0, 1 - slope) after a ratio, not below it."""
        slopes = self.on.slopes * shifts.ratio[:, None]
        return np.where(slopes > 1 + ABSOLUTE, 0.0, np.maximum(0.0, 1 - slopes) + ABSOLUTE)

    def _chords(self, values: Floats, shifts: SlopeShifts) -> Floats:
        """Chords between slopes: beyond them lie the chord from (0, 1), and the last value, for values fall."""
        size, pad = self.on.size, int(min(np.abs(shifts.steps).max(), self.on.size)) + 1
        wide = np.empty((len(values), size + 2 * pad))
        wide[:, :pad] = 1 - (1 - values[:, :1]) * self.on.falling[len(self.on.falling) - pad :] + ABSOLUTE
        wide[:, pad : pad + size], wide[:, pad + size :] = values, values[:, -1:]
        windows = np.lib.stride_tricks.sliding_window_view(wide.reshape(-1), size)
        starts = np.arange(len(values)) * wide.shape[1] + pad + np.minimum(np.maximum(shifts.steps, -pad), pad - 1)
        chords: Floats = windows[starts]
        chords *= shifts.near[:, None]
        further = windows[starts + 1]
        further *= shifts.far[:, None]
        chords += further
        chords[shifts.steps < -pad] = 1.0
        return chords


def _between(one: Sight, after: Floats, i: int, others: Any, means: dict[Any, Floats]) -> Floats:
    """Values at the beliefs that follow belief i in world 0 and others in world 1."""
    (ids0, ids1), (w0, w1) = one.around, one.weights
    key = id(after), ids0[i].tobytes(), w0[i].tobytes()
    mean = means.get(key)
    if mean is None:
        mean = means[key] = _weighed(after, ids0[i], w0[i])
    if after.ndim == 2:  # the same in both worlds after it as well
        return mean[None].copy()
    values = np.zeros((len(others), after.shape[2]))
    for m in range(ids1.shape[1]):
        part = mean[ids1[others, m]]
        part *= w1[others, m, None]
        values += part
    return values


def _weighed(after: Floats, ids: Any, weights: Any) -> Floats:
    """A mean of what follows some beliefs."""
    mean = np.zeros(after.shape[1:])
    for number, weight in zip(ids, weights, strict=True):
        if weight:
            mean += weight * after[number]
    return mean
