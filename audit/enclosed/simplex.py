"""Points of a simplex with whole coordinates, and where masses lie between them: in whole numbers throughout."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

Wholes = NDArray[np.int64]


@dataclass(frozen=True)
class Simplex:
    """All points of `size` coordinates of at least 0 that sum to `parts`.

    Attributes:
        size: Coordinates.
        parts: Their sum.
    """

    size: int
    parts: int

    @cached_property
    def points(self) -> Wholes:
        """The points, one a row."""
        if self.size == 1:
            return np.array([[self.parts]], dtype=np.int64)
        bars = combinations(range(self.parts + self.size - 1), self.size - 1)
        at = np.array(list(bars), dtype=np.int64).reshape(-1, self.size - 1)
        ends = np.hstack([np.full((len(at), 1), -1), at, np.full((len(at), 1), self.parts + self.size - 1)])
        return np.diff(ends, axis=1) - 1

    @cached_property
    def _place(self) -> Wholes:
        """The number of a point by its sums from the second coordinate on, the third on, and so on."""
        made = np.full((self.parts + 1,) * (self.size - 1), -1, dtype=np.int64)
        sums = np.cumsum(self.points[:, ::-1], axis=1)[:, ::-1][:, 1:]
        made[tuple(sums.T)] = np.arange(len(sums))
        return made

    def number(self, sums: Sequence[int]) -> int:
        """The number of the point with these sums."""
        return int(self._place[tuple(sums)])

    def between(self, masses: Wholes) -> tuple[Wholes, Wholes]:
        """Points around masses, and whole weights with sum(weight * point) = parts * masses.

        The simplices are Freudenthal's: of sums from the end, those with larger remainders are rounded up first.

        Args:
            masses: Rows of whole numbers of at least 0, each with a sum above 0 and below 2^62 / parts.
        Returns: Numbers of points and weights, as many a row as there are coordinates.
        """
        totals = masses.sum(axis=1)
        sums = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1][:, 1:] * self.parts
        floors, rest = np.divmod(sums, totals[:, None])
        order = np.argsort(-rest, axis=1, kind="stable")
        sorted_ = np.take_along_axis(rest, order, axis=1)
        bounded = np.hstack([totals[:, None], sorted_, np.zeros_like(totals)[:, None]])
        weights = bounded[:, :-1] - bounded[:, 1:]
        ids = np.empty_like(weights)
        rows, now = np.arange(len(masses)), floors.copy()
        for step in range(self.size):
            inside = np.minimum.accumulate(np.minimum(now, self.parts), axis=1)  # outside only where it weighs 0
            ids[:, step] = self._place[tuple(inside.T)]
            if step < self.size - 1:
                now[rows, order[:, step]] += 1
        return ids, weights


def count(size: int, parts: int) -> int:
    """How many points there are."""
    made = 1
    for i in range(1, size):
        made = made * (parts + i) // i
    return made


def whole_row(simplex: Simplex, masses: Sequence[int]) -> list[tuple[int, Fraction]]:
    """`Simplex.between` of one row of numbers of any size: points and weights that sum to 1."""
    total = sum(masses)
    sums = [sum(masses[i:]) * simplex.parts for i in range(1, len(masses))]
    now, rest = [s // total for s in sums], [s % total for s in sums]
    order = sorted(range(len(rest)), key=lambda i: (-rest[i], i))
    bounded = [total, *(rest[i] for i in order), 0]
    found = []
    for step, (a, b) in enumerate(pairwise(bounded)):
        if a != b:
            found.append((simplex.number(now), Fraction(a - b, total)))
        if step < len(order):
            now[order[step]] += 1
    return found
