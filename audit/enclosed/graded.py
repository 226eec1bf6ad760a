"""Directions on a grid that is finer the less of them is above 0, part for part: for slopes that are steep.

At a steep slope the difference of what is believed is below 0 by that many times more than it is above. So a point is
what it has above 0, on a simplex, and what it has below, on another, in one of many proportions, of which each power of
2 is cut alike. Whole numbers throughout; weights alone are made floats, with one rounding, or three.
"""

from functools import cached_property
from itertools import accumulate, product

import numpy as np

from dpcert.audit.enclosed.directions import Directions, Numbers, shares_of
from dpcert.audit.enclosed.grid import Floats
from dpcert.audit.enclosed.simplex import count as count_of_simplex
from dpcert.audit.enclosed.units import Wholes
from dpcert.audit.frozen import frozen

PIECES_A_STEP = 2
"""Pieces of a power of 2 for each step between two hidden states: proportions to either side of 0 tell more."""
Orthant = tuple[Numbers, Numbers]
"""Coordinates at least 0, and those below."""


@frozen
class Graded:
    """Points of whole coordinates whose sizes sum to `scale`; those without a negative coordinate come first.

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
