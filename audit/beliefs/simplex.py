"""Points of a simplex with whole coordinates, and where masses lie between them: in whole numbers throughout."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen


@frozen
class Simplex:
    """All points of `size` coordinates of at least 0 that sum to `parts`.

    Attributes:
        size: Coordinates, at least one.
        parts: Their sum.
    """

    size: int
    parts: int

    @cached_property
    def points(self) -> NDArray[np.int64]:
        """The points, one a row."""
        bars = list(combinations(range(self.parts + self.size - 1), self.size - 1))
        at = np.array(bars, dtype=np.int64).reshape(len(bars), self.size - 1)
        ends = np.hstack([np.full((len(at), 1), -1), at, np.full((len(at), 1), self.parts + self.size - 1)])
        return np.diff(ends, axis=1) - 1

    @cached_property
    def _numbers(self) -> dict[tuple[int, ...], int]:
        """The number of a point by its sums from the second coordinate on, the third on, and so on."""
        sums = np.cumsum(self.points[:, ::-1], axis=1)[:, ::-1][:, 1:]
        return {tuple(row): i for i, row in enumerate(sums.tolist())}

    def between(self, masses: Sequence[int]) -> list[tuple[int, Fraction]]:
        """Points around masses, by number, and weights that sum to 1, with sum(weight * point) = masses in proportion.

        The simplices are Freudenthal's: of sums from the end, those with larger remainders are rounded up first.

        Args:
            masses: Whole numbers of at least 0 and of any size, with a sum above 0.
        """
        total = sum(masses)
        sums = [sum(masses[i:]) * self.parts for i in range(1, len(masses))]
        now, rest = [s // total for s in sums], [s % total for s in sums]
        order = sorted(range(len(rest)), key=lambda i: (-rest[i], i))
        remainders = [total, *(rest[i] for i in order), 0]
        corners = []
        for step, (a, b) in enumerate(pairwise(remainders)):
            if a != b:
                corners.append((self._numbers[tuple(now)], Fraction(a - b, total)))
            if step < len(order):
                now[order[step]] += 1
        return corners


def count(size: int, parts: int) -> int:
    """How many points there are."""
    return comb(parts + size - 1, size - 1)
