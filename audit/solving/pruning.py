"""Which beginnings of streams may still exceed what was reached: floats say it where they are sure, else integers.

A bound lies nowhere above a concave curve if at the slope of every edge of that curve its support is no larger. Floats
work out all of those at once, with an error that is counted; an edge at which they leave it open is settled exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dpcert.audit.algebra.dominance import LOST_BELOW, ROUNDING, Floats, Ints, ShareSteps, shares
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.frozen import frozen
from dpcert.audit.solving.beginnings import Beginning, Bounds, Slope, edges, worth


@frozen
class _ReachedEdges:
    """The edges of what was reached: slopes, exactly and as two coefficients of sum 1, and the worth at each."""

    slopes: tuple[Slope, ...]
    of0: Floats
    of1: Floats
    reached: Floats

    @classmethod
    def of(cls, power: PowerFunction) -> "_ReachedEdges":
        """Those of a curve."""
        slopes = tuple(edges(power.chain))
        of0 = np.array([c0 / (c0 + c1) for c0, c1 in slopes])
        of1 = np.array([c1 / (c0 + c1) for c0, c1 in slopes])
        at_each = [worth(power.chain, slope) / (slope[0] + slope[1]) for slope in slopes]
        return cls(slopes, of0, of1, np.array([float(most) for most in at_each]))


@dataclass
class Pruning:
    """Beginnings of one round held against what was reached.

    Attributes:
        bounds: What adaptive adversaries make of beginnings.
        looked_at: Atoms and edges that were looked at so far.
    """

    bounds: Bounds
    looked_at: int = 0
    _steps: dict[tuple[int, int], ShareSteps] = field(default_factory=dict)
    _edges: tuple[PowerFunction, _ReachedEdges] | None = None

    def above(self, beginnings: Sequence[Beginning], lower: PowerFunction) -> list[bool]:
        """Whether the bound of each lies above what was reached somewhere; all of them stand after the same round."""
        lower_edges = self._edges_of(lower)
        self.looked_at += sum(len(one.live) + len(one.over) + len(lower_edges.slopes) for one in beginnings)
        excess, error, counts = self._excess(beginnings, lower_edges)
        above: list[bool] = np.any(excess > error, axis=1).tolist()
        for row in (row for row, one in enumerate(above) if not one):
            doubtful = np.flatnonzero(excess[row] >= -error[row]).tolist()
            above[row] = any(
                self._exceeds(beginnings[row], lower, lower_edges.slopes[e], counts[row][:, e]) for e in doubtful
            )
        return above

    def _exceeds(self, beginning: Beginning, reached: PowerFunction, slope: Slope, counts: Ints) -> bool:
        """The comparison at one slope, exactly; `counts` says about where each history's segments cease to count."""
        return self.bounds.support(beginning, slope, counts.tolist()) > worth(reached.chain, slope)

    def _excess(self, beginnings: Sequence[Beginning], lower_edges: _ReachedEdges) -> tuple[Floats, Floats, list[Ints]]:
        """By beginning: how far its bound lies above at each edge, by how much that may be off, and segments counted.

        All that is added up is at most 1 in size, and so are the coefficients; every segment takes one division and one
        addition, every history a few operations more.
        """
        excess = np.empty((len(beginnings), len(lower_edges.slopes)))
        segments = np.empty((len(beginnings), 1))
        rows: dict[int, list[tuple[int, int, float, float]]] = {}
        counts: list[Ints] = []
        for row, one in enumerate(beginnings):
            total0, total1 = one.totals
            over0, over1 = shares([m0 for m0, _ in one.over], total0), shares([m1 for _, m1 in one.over], total1)
            each = np.maximum(
                0.0, np.multiply.outer(lower_edges.of1, over1) - np.multiply.outer(lower_edges.of0, over0)
            )
            excess[row] = each.sum(axis=1) - lower_edges.reached
            segments[row] = len(one.over) + 1
            counts.append(np.zeros((len(one.live), len(lower_edges.slopes)), dtype=np.int64))
            for at, (position, m0, m1) in enumerate(one.live):
                rows.setdefault(position, []).append((row, at, m0 / total0, m1 / total1))
        for position, histories in rows.items():
            steps = self._steps_of(beginnings[0].round, position)
            m0s, m1s = (np.array([one[i] for one in histories]) for i in (2, 3))
            count, most = steps.worth(np.multiply.outer(m0s, lower_edges.of0), np.multiply.outer(m1s, lower_edges.of1))
            for (row, at, _, _), segments_counted, added in zip(histories, count, most, strict=True):
                excess[row] += added
                segments[row] += len(steps.ratios) + 1
                counts[row][at] = segments_counted
        return excess, (segments + 16) * ROUNDING + LOST_BELOW, counts

    def _steps_of(self, at: int, position: int) -> ShareSteps:
        key = at, position
        if key not in self._steps:
            chain = self.bounds.chain_at(at, position)
            self._steps[key] = ShareSteps.of(chain.mass0, chain.mass1, chain.total0, chain.total1)
        return self._steps[key]

    def _edges_of(self, reached: PowerFunction) -> _ReachedEdges:
        if self._edges is None or self._edges[0] is not reached:
            self._edges = reached, _ReachedEdges.of(reached)
        return self._edges[1]
