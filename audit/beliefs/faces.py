"""The directions that what is seen can leave: a grid on each set of hidden states that it may lead to together."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from dpcert.audit.beliefs.directions import Directions, Graded, Numbers, count, count_graded, shares_of
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import Floats
from dpcert.audit.grids.units import Wholes

Face = tuple[int, ...]
"""Numbers of hidden states, in order."""


@frozen
class Faces:
    """Grids of directions on some faces; what is known of masses elsewhere is nothing.

    Attributes:
        states: How many hidden states there are.
        faces: Sets of them, none within another.
        parts: Steps from one hidden state to another.
        octaves: Powers of 2 of what is above 0 that are cut alike; none where steps are equal.
    """

    states: int
    faces: tuple[Face, ...]
    parts: int
    octaves: int = 0

    @property
    def scale(self) -> int:
        """What the sizes of a point's coordinates sum to."""
        return self._grids[0].scale

    @property
    def corners(self) -> int:
        """How many points lie around a vector, at most."""
        return max(one.corners for one in self._grids)

    @cached_property
    def floats(self) -> Floats:
        """The points with sizes that sum to 1, about."""
        return shares_of(self.points, self.scale)

    @property
    def beliefs(self) -> int:
        """How many points have no negative coordinate; they come first."""
        return sum(one.beliefs for one in self._grids)

    @cached_property
    def points(self) -> Wholes:
        """The points, one a row."""
        shape = sum(len(one.points) for one in self._grids), self.states
        made: Wholes = np.zeros(shape, dtype=np.int64) if not self.octaves else np.full(shape, 0, dtype=object)
        for face, grid, numbers in zip(self.faces, self._grids, self._numbers, strict=True):
            made[numbers[:, None], np.array(face)] = grid.points
        return made

    @cached_property
    def _grids(self) -> tuple[Directions | Graded, ...]:
        sizes = [len(face) for face in self.faces]
        if self.octaves:
            return tuple(Graded(size, self.parts, self.octaves) for size in sizes)
        return tuple(Directions(size, self.parts) for size in sizes)

    @cached_property
    def _numbers(self) -> tuple[Numbers, ...]:
        """By face, the number of each point of its grid."""
        beliefs, others, numbers = 0, self.beliefs, []
        for grid in self._grids:
            first, rest = grid.beliefs, len(grid.points) - grid.beliefs
            numbers.append(np.concatenate([beliefs + np.arange(first), others + np.arange(rest)]))
            beliefs, others = beliefs + first, others + rest
        return tuple(numbers)

    def shares(self, vectors: Wholes, scale: int) -> tuple[Numbers, Floats]:
        """The points around vectors that lie on one face, as `Directions.shares`.

        Raises: RuntimeError: they lie on none.
        """
        support = set(np.flatnonzero((vectors != 0).any(axis=0)).tolist())
        for face, grid, numbers in zip(self.faces, self._grids, self._numbers, strict=True):
            if support <= set(face):
                ids, weights = grid.shares(vectors[:, np.array(face)], scale)
                return numbers[ids], weights
        raise RuntimeError("a belief that is not among those that were laid on a grid")


def largest_of(supports: Iterable[Face]) -> tuple[Face, ...]:
    """Those that lie within no other."""
    distinct = sorted(set(supports), key=lambda one: (-len(one), one))
    kept: list[Face] = []
    for one in distinct:
        if not any(set(one) <= set(other) for other in kept):
            kept.append(one)
    return tuple(kept)


def points_of(faces: Iterable[Face], parts: int, octaves: int = 0) -> int:
    """How many points so many steps make."""
    if octaves:
        return sum(count_graded(len(face), parts, octaves) for face in faces)
    return sum(count(len(face), parts) for face in faces)
