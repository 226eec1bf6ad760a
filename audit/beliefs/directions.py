"""Directions of whole numbers of either sign on a grid, and which lie around others: whole numbers throughout.

At a steep slope what is below 0 of a difference of beliefs is that many times more than what is above. There points are
graded: what is above 0, on a simplex, and what is below, on another, in one of many proportions, each power of 2 of
which is cut alike. Weights are made floats in the end, with one rounding, or three.
"""

from collections.abc import Callable
from functools import cached_property
from itertools import accumulate, product
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.beliefs.simplex import Simplex
from dpcert.audit.beliefs.simplex import count as count_of_simplex
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import Floats
from dpcert.audit.grids.units import Wholes

Numbers = NDArray[np.int64]
_WORD = 1 << 62
"""Below it whole numbers fit a machine word."""
PIECES_A_STEP = 2
"""Pieces of a power of 2 for each step between two hidden states: proportions to either side of 0 tell more."""
Orthant = tuple[Numbers, Numbers]
"""Coordinates at least 0, and those below."""


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


@frozen
class Graded:
    """Graded points of whole coordinates whose sizes sum to `scale`; those without a negative coordinate come first.

    Attributes:
        size: Coordinates, at least one.
        parts: Pieces of each power of 2 of what is above 0.
        octaves: How many powers of 2 there are below 1.
    """

    size: int
    parts: int
    octaves: int

    @property
    def scale(self) -> int:
        """What the sizes of a point's coordinates sum to."""
        return steps_of(self.parts) * self._whole

    @property
    def _whole(self) -> int:
        """What parts above 0 are parts of."""
        return self.parts << self.octaves

    @cached_property
    def levels(self) -> Wholes:
        """Parts above 0 that points have, from none to all."""
        made = [(self.parts + i) << j for j in range(self.octaves) for i in range(self.parts)]
        return np.array([0, *made, self._whole], dtype=object)

    @cached_property
    def orthants(self) -> tuple[Orthant, ...]:
        """By signs, as `Directions` has them."""
        signs = np.array(list(product((1, -1), repeat=self.size)))
        return tuple((np.flatnonzero(one > 0), np.flatnonzero(one < 0)) for one in signs)

    @cached_property
    def _simplices(self) -> tuple[Directions, ...]:
        """By number of coordinates."""
        return tuple(Directions(max(1, number), steps_of(self.parts)) for number in range(self.size + 1))

    @cached_property
    def _starts(self) -> list[int]:
        """Numbers of the first point of each orthant, and how many points there are."""
        counts = [self._count(len(above), len(below)) for above, below in self.orthants]
        return [*accumulate(counts, initial=0)]

    def _count(self, above: int, below: int) -> int:
        if not above or not below:
            return len(self._simplices[self.size].simplex.points)
        return (
            len(self.levels) * len(self._simplices[above].simplex.points) * len(self._simplices[below].simplex.points)
        )

    @property
    def beliefs(self) -> int:
        """How many points have no negative coordinate."""
        return self._starts[1]

    @property
    def corners(self) -> int:
        """How many points lie around a vector, at most."""
        return max(self.size, *(2 * len(above) * len(below) for above, below in self.orthants))

    @cached_property
    def points(self) -> Wholes:
        """The points, one a row, orthant by orthant."""
        rows = np.full((self._starts[-1], self.size), 0, dtype=object)
        for start, end, (above, below) in zip(self._starts, self._starts[1:], self.orthants, strict=False):
            first, second = (self._simplices[len(one)].simplex.points.astype(object) for one in (above, below))
            if not len(above) or not len(below):
                rows[start:end] = (first if len(above) else -second) * self._whole
                continue
            up, down = self.levels[:, None, None, None], (self._whole - self.levels)[:, None, None, None]
            shape = len(self.levels), len(first), len(second)
            rows[start:end, above] = np.broadcast_to(up * first[None, :, None], (*shape, len(above))).reshape(
                -1, len(above)
            )
            rows[start:end, below] = np.broadcast_to(-down * second[None, None], (*shape, len(below))).reshape(
                -1, len(below)
            )
        return rows

    def shares(self, vectors: Wholes, scale: int) -> tuple[Numbers, Floats]:
        """Points around whole vectors over a scale, and weights of points of size 1, as `Directions.shares`.

        Args:
            vectors: One a row; of a row of zeros all weights are 0.
            scale: What they are parts of.
        """
        vectors = vectors.astype(object)
        ids, weights = np.zeros((len(vectors), self.corners), dtype=np.int64), np.zeros((len(vectors), self.corners))
        signs = np.zeros(len(vectors), dtype=np.int64)
        for column in range(self.size):
            signs = 2 * signs + (vectors[:, column] < 0).astype(np.int64)
        for number in np.unique(signs).tolist():
            rows = np.flatnonzero(signs == number)
            met, parts = self._within(number, abs(vectors[rows]), scale)
            ids[rows, : met.shape[1]], weights[rows, : met.shape[1]] = met + self._starts[number], parts
        return ids, weights

    def _within(self, number: int, sizes: Wholes, scale: int) -> tuple[Numbers, Floats]:
        """The same within an orthant, by number from its first point."""
        above, below = self.orthants[number]
        if not len(above) or not len(below):
            found = self._simplices[self.size].around(sizes)
            return found.ids, shares_of(found.weights, scale)
        first, second = (self._simplices[len(one)].around(sizes[:, one]) for one in (above, below))
        up, total = sizes[:, above].sum(axis=1), sizes.sum(axis=1)
        place = up * self._whole // total
        level = np.minimum(np.searchsorted(self.levels, place, side="right") - 1, len(self.levels) - 2)
        low, width = self.levels[level], self.levels[level + 1] - self.levels[level]
        far = up * self._whole - low * total
        near = width * total - far
        shares = first.weights[:, :, None] * second.weights[:, None, :]
        shares[:, 0] += second.weights * (up == 0)[:, None]  # nothing is above 0: any point there will do
        products = np.stack([shares * near[:, None, None], shares * far[:, None, None]], axis=1)
        divisors = width * np.where(up == 0, 1, up) * (total - up) * scale
        counts = [len(self._simplices[len(one)].simplex.points) for one in (above, below)]
        levels = np.stack([level, level + 1], axis=1)[:, :, None, None]
        ids = (levels * counts[0] + first.ids[:, None, :, None]) * counts[1] + second.ids[:, None, None, :]
        ids = np.broadcast_to(ids, products.shape).reshape(len(sizes), -1)
        return ids, _quotients(products.reshape(len(sizes), -1), divisors)


def _quotients(wholes: Wholes, divisors: Wholes) -> Floats:
    """Whole numbers row by row over a whole number each."""
    rows = zip(wholes.tolist(), divisors.tolist(), strict=True)
    return np.array([[int(one) / int(d) for one in row] for row, d in rows]).reshape(wholes.shape)


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


def steps_of(parts: int) -> int:
    """Steps of either simplex, on grids of so many pieces of each power of 2."""
    return max(1, parts // PIECES_A_STEP)


def count_graded(size: int, parts: int, octaves: int) -> int:
    """How many points there are."""
    levels, steps = parts * octaves + 2, steps_of(parts)
    return sum(
        count_of_simplex(size, steps)
        if sum(signs) in (0, size)
        else levels * count_of_simplex(sum(signs), steps) * count_of_simplex(size - sum(signs), steps)
        for signs in product((0, 1), repeat=size)
    )
