"""Directions of whole numbers of either sign on a grid, and which lie around others: whole numbers throughout."""

from collections.abc import Callable
from functools import cached_property
from itertools import product
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.enclosed.grid import Floats
from dpcert.audit.enclosed.simplex import Simplex
from dpcert.audit.enclosed.units import Wholes
from dpcert.audit.frozen import frozen

Numbers = NDArray[np.int64]
_WORD = 1 << 62
"""Below it whole numbers fit a machine word."""


class Around(NamedTuple):
    """Points around vectors: a vector is sum(weight * point) / parts.

    Attributes:
        ids: By vector and corner, the number of a point.
        weights: Whole weights of at least 0, by vector and corner; they sum to the sizes of the vector's coordinates.
    """

    ids: Numbers
    weights: Wholes


@frozen
class Directions:
    """Points of whole coordinates whose sizes sum to `parts`.

    Those without a negative coordinate come first, numbered as `Simplex` numbers them.

    Attributes:
        size: Coordinates, at least one.
        parts: The sum of their sizes.
    """

    size: int
    parts: int

    @property
    def scale(self) -> int:
        """What the sizes of a point's coordinates sum to."""
        return self.parts

    @property
    def beliefs(self) -> int:
        """How many points have no negative coordinate."""
        return len(self.simplex.points)

    @property
    def corners(self) -> int:
        """How many points lie around a vector, at most."""
        return self.size

    @cached_property
    def simplex(self) -> Simplex:
        """The points without a negative coordinate."""
        return Simplex(self.size, self.parts)

    @cached_property
    def points(self) -> Numbers:
        """The points, one a row, orthant by orthant: on a border between some they are more than once."""
        signs = np.array(list(product((1, -1), repeat=self.size)))
        return np.concatenate([self.simplex.points * sign for sign in signs])

    @cached_property
    def _keys(self) -> tuple[Numbers, Numbers]:
        """Keys of the points without a negative coordinate, in order, and their numbers."""
        keys = self._key(np.cumsum(self.simplex.points[:, ::-1], axis=1)[:, ::-1][:, 1:])
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def _key(self, sums: Numbers) -> Numbers:
        """A number for sums of coordinates from the second on, the third on, and so on."""
        key = np.zeros(len(sums), dtype=np.int64)
        for column in sums.T:
            key = key * (self.parts + 1) + column
        return key

    def around(self, vectors: Wholes) -> Around:
        """The points around vectors in Freudenthal's simplices, each orthant by itself: as `Simplex.between`.

        Args:
            vectors: Whole numbers, one vector a row; of a row of zeros all weights are 0.
        """
        sizes, orthant = abs(vectors), np.zeros(len(vectors), dtype=np.int64)
        for column in range(self.size):
            orthant = 2 * orthant + (vectors[:, column] < 0).astype(np.int64)
        total = sizes.sum(axis=1)
        divisor = np.where(total == 0, 1, total)[:, None]
        sums = np.cumsum(sizes[:, ::-1], axis=1)[:, ::-1][:, 1:] * self.parts
        now, rest = (sums // divisor).astype(np.int64), sums % divisor
        order = np.argsort(-rest, axis=1, kind="stable")
        rest = np.take_along_axis(rest, order, 1)
        ends = total[:, None]
        weights = np.concatenate([ends, rest], axis=1) - np.concatenate([rest, ends * 0], axis=1)
        ids = self._corners(now, order, weights) + (orthant * len(self.simplex.points))[:, None]
        return Around(ids, weights)

    def shares(self, vectors: Wholes, scale: int) -> tuple[Numbers, Floats]:
        """The points around vectors over a scale, and weights of points of size 1, each off by three roundings."""
        around = self.around(vectors)
        return around.ids, shares_of(around.weights, scale)

    def _corners(self, now: Numbers, order: Numbers, weights: Wholes) -> Numbers:
        """Numbers of corners within an orthant; 0 for a corner that weighs nothing."""
        keys, numbers = self._keys
        ids, rows = np.zeros(weights.shape, dtype=np.int64), np.arange(len(now))
        for corner in range(self.size):
            if corner:
                now[rows, order[:, corner - 1]] += 1
            weighs = np.flatnonzero(weights[:, corner] > 0)
            ids[weighs, corner] = numbers[np.searchsorted(keys, self._key(now[weighs]))]
        return ids


def count(size: int, parts: int) -> int:
    """How many points there are."""
    return comb(parts + size - 1, size - 1) << size


def wholes_for(largest: int) -> Callable[[Wholes], Wholes]:
    """What makes arrays of whole numbers up to a size exact: machine words where they do, else Python's numbers."""
    return (lambda a: a.astype(np.int64)) if largest < _WORD else (lambda a: a.astype(object))


def shares_of(wholes: Wholes, scale: int) -> Floats:
    """Whole numbers as parts of a scale, each off by no more than three roundings."""
    if wholes.dtype == object or scale >= _WORD:
        return np.array([int(one) / scale for one in wholes.reshape(-1)], dtype=float).reshape(wholes.shape)
    shares: Floats = wholes / scale
    return shares
