"""The directions that what is seen can leave: a grid on each set of hidden states that it may lead to together."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from dpcert.audit.enclosed.directions import Around, Directions, Numbers, count
from dpcert.audit.enclosed.units import Wholes
from dpcert.audit.frozen import frozen

Face = tuple[int, ...]
"""Numbers of hidden states, in order."""


@frozen
class Faces:
    """Grids of directions on some faces; what is known of masses elsewhere is nothing.

    Attributes:
        states: How many hidden states there are.
        faces: Sets of them, none within another.
        parts: Steps from one hidden state to another.
    """

    states: int
    faces: tuple[Face, ...]
    parts: int

    @property
    def beliefs(self) -> int:
        """How many points have no negative coordinate; they come first."""
        return sum(len(one.simplex.points) for one in self._grids)

    @cached_property
    def points(self) -> Numbers:
        """The points, one a row."""
        made = np.zeros((sum(len(one.points) for one in self._grids), self.states), dtype=np.int64)
        for face, grid, numbers in zip(self.faces, self._grids, self._numbers, strict=True):
            made[numbers[:, None], np.array(face)] = grid.points
        return made

    @cached_property
    def _grids(self) -> tuple[Directions, ...]:
        return tuple(Directions(len(face), self.parts) for face in self.faces)

    @cached_property
    def _numbers(self) -> tuple[Numbers, ...]:
        """By face, the number of each point of its grid."""
        beliefs, others, numbers = 0, self.beliefs, []
        for grid in self._grids:
            first, rest = len(grid.simplex.points), len(grid.points) - len(grid.simplex.points)
            numbers.append(np.concatenate([beliefs + np.arange(first), others + np.arange(rest)]))
            beliefs, others = beliefs + first, others + rest
        return tuple(numbers)

    def around(self, vectors: Wholes) -> Around:
        """The points around vectors that lie on one face, as `Directions.around`.

        Raises: RuntimeError: they lie on none.
        """
        support = set(np.flatnonzero((vectors != 0).any(axis=0)).tolist())
        for face, grid, numbers in zip(self.faces, self._grids, self._numbers, strict=True):
            if support <= set(face):
                around = grid.around(vectors[:, np.array(face)])
                return around._replace(ids=numbers[around.ids])
        raise RuntimeError("a belief that is not among those that were laid on a grid")


def largest_of(supports: Iterable[Face]) -> tuple[Face, ...]:
    """Those that lie within no other."""
    distinct = sorted(set(supports), key=lambda one: (-len(one), one))
    kept: list[Face] = []
    for one in distinct:
        if not any(set(one) <= set(other) for other in kept):
            kept.append(one)
    return tuple(kept)


def points_of(faces: Iterable[Face], parts: int) -> int:
    """How many points so many steps make."""
    return sum(count(len(face), parts) for face in faces)
