"""Whether one of many curves lies nowhere above another: floats say it where they are sure, else whole numbers.

A curve lies nowhere above a concave one if its support is no larger at the slope of each edge of that one. Floats work
out all of those at once, with an error that is counted; an edge at which they leave it open is settled exactly.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.algebra.chain import Chain
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Objects = NDArray[np.object_]
ROUNDING = 2.0**-50
"""What one operation may be off by, of what it works with; four times what a float is off by."""
LOST_BELOW = 1e-290
"""What a number that is too small for a float may have lost, many times over."""
FEW_EDGES = 32
"""Edges, evenly spread, that are looked at before all of them: most curves are seen there to lie above."""


@frozen
class ShareSteps:
    """A chain as shares of 1: likelihood ratios, falling, and the sums of its first segments."""

    ratios: Floats
    sums0: Floats
    sums1: Floats

    @classmethod
    def of(cls, mass0: Any, mass1: Any, total0: int, total1: int) -> "ShareSteps":
        """From whole numbers, each divided once.

        Ratios fall as floats too, so that they can be searched: an atom that is next to nothing in both worlds, of
        which a float may have lost all, takes the ratio before it.
        """
        share0, share1 = shares(mass0, total0), shares(mass1, total1)
        nothing = (share0 < LOST_BELOW) & (share1 < LOST_BELOW)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            ratios = np.minimum.accumulate(np.where(nothing | (share0 == 0), np.inf, share1 / share0))
        return cls(ratios, _sums(share0), _sums(share1))

    def worth(self, k0: Floats, k1: Floats) -> tuple[Ints, Floats]:
        """How many first segments come to most, each counting k1 of world 1 less k0 of world 0, and to what."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            least = np.where(k1 > 0, k0 / k1, np.inf)
        count = np.searchsorted(-self.ratios, -least, side="left")
        return count, np.asarray(k1 * self.sums1[count] - k0 * self.sums0[count])


class Compared:
    """A curve that is held against others.

    Args:
        chain: Its segments.
    """

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._first = 1 if chain.mass0[0] == 0 else 0  # an edge straight up has no slope: the curve begins above it

    @cached_property
    def _steps(self) -> ShareSteps:
        look(len(self.chain))
        return ShareSteps.of(self.chain.mass0, self.chain.mass1, self.chain.total0, self.chain.total1)

    @cached_property
    def _slopes(self) -> tuple[Objects, Objects]:
        """(c0, c1) of each edge: what an atom counts is c1 of its share of world 1 less c0 of that of world 0."""
        inner, c = slice(self._first, None), self.chain
        return np.array(c.mass1[inner], dtype=object) * c.total0, np.array(c.mass0[inner], dtype=object) * c.total1

    @cached_property
    def _edges(self) -> tuple[Floats, Floats, Floats]:
        """The coefficients of each edge, of sum 1, and the support there."""
        c0, c1 = self._slopes
        of0, of1 = ((slope / (c0 + c1)).astype(np.float64) for slope in (c0, c1))
        at = np.arange(self._first, len(self.chain))
        return of0, of1, of1 * self._steps.sums1[at] - of0 * self._steps.sums0[at]

    @cached_property
    def few_edges(self) -> Floats:
        """The same of FEW_EDGES of them, the steepest and the flattest as well: three rows."""
        edges = np.array(self._edges)
        return edges[:, np.linspace(0, edges.shape[1] - 1, FEW_EDGES).astype(np.int64)]

    @cached_property
    def _sums(self) -> tuple[list[int], list[int]]:
        return list(accumulate(self.chain.mass0, initial=0)), list(accumulate(self.chain.mass1, initial=0))

    def nowhere_above(self, other: "Compared") -> bool:
        """Whether this curve lies on or below the other one everywhere. Exact."""
        excess, counts = self._excess(*other._edges)
        error = self._error(len(other.chain))
        if np.any(excess > error):
            return False
        doubtful = np.flatnonzero(excess >= -error).tolist()
        return not any(self._exceeds(other, edge, int(counts[edge])) for edge in doubtful)

    def below_one_of(self, others: "Sequence[Compared]") -> bool:
        """Whether this curve lies on or below a single one of the others everywhere. Exact."""
        if not others:
            return False
        few = np.stack([other.few_edges for other in others], axis=1)
        excess = self._excess(*few)[0]
        sure = np.any(excess > self._error(max(len(other.chain) for other in others)), axis=1)
        return any(self.nowhere_above(others[i]) for i in np.flatnonzero(~sure).tolist())

    def _error(self, segments: int) -> float:
        """What a difference of supports of this curve and one of so many segments may be off by: all that is added up
        is at most 1 in size, every segment takes one division and one addition, and a few operations come to it."""
        return (len(self.chain) + segments + 16) * ROUNDING + LOST_BELOW

    def _excess(self, of0: Floats, of1: Floats, supports: Floats) -> tuple[Floats, Ints]:
        """By how much the support lies above another curve's at its edges, and how many first segments count there."""
        counts, worth = self._steps.worth(of0, of1)
        return worth - supports, counts

    def _exceeds(self, other: "Compared", edge: int, count: int) -> bool:
        """The comparison at one edge, exactly; `count` says about how many first segments count."""
        slope = other._slopes[0][edge], other._slopes[1][edge]
        mine, theirs = self._support(slope, self._counted(slope, count)), other._support(slope, other._first + edge)
        mine_over, theirs_over = (one.chain.total0 * one.chain.total1 for one in (self, other))
        return mine * theirs_over > theirs * mine_over

    def _counted(self, slope: tuple[int, int], count: int) -> int:
        """How many first segments count something at a slope, walked to from a guess."""
        c0, c1 = slope[0] * self.chain.total1, slope[1] * self.chain.total0
        mass0, mass1 = self.chain.mass0, self.chain.mass1
        while count < len(mass0) and c1 * mass1[count] > c0 * mass0[count]:
            count += 1
        while count and c1 * mass1[count - 1] <= c0 * mass0[count - 1]:
            count -= 1
        return count

    def _support(self, slope: tuple[int, int], count: int) -> int:
        """What the first segments count together, times both totals."""
        sums0, sums1 = self._sums
        return slope[1] * self.chain.total0 * sums1[count] - slope[0] * self.chain.total1 * sums0[count]


def shares(masses: Sequence[int], total: int) -> Floats:
    """Whole numbers as parts of their total, each rounded once."""
    return (np.array(masses, dtype=object) / total).astype(np.float64)


def _sums(parts: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(parts)])
