"""Fault: noise on each coordinate, so that no one distance orders the shifts (SCALAR; VECTOR holds)."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf

Vector = tuple[int, int]


@dataclass(frozen=True)
class PlaneNoise:
    """SCALAR fails: y_t = x_t + (eta, eta'), each with weights ratio^-|k| on -reach..reach.

    The shifts (2, 2) and (3, 0) have incomparable power functions. Source: claims, row 64.
    """

    ratio: int = 2
    reach: int = 4
    alphabet: ClassVar[tuple[Vector, ...]] = ((0, 0), (2, 2), (3, 0))
    initial: ClassVar[Vector] = (0, 0)

    def advance(self, state: Vector, x: Vector) -> Vector:
        """The last input."""
        del state
        return x

    def law(self, state: Vector) -> Pmf[Vector]:
        """Each coordinate plus its own noise."""
        return geometric(state[0], self.ratio, self.reach).product(geometric(state[1], self.ratio, self.reach))


@dataclass(frozen=True)
class LineNoise:
    """The repaired twin: one coordinate, whose shifts are ordered by their size."""

    ratio: int = 2
    reach: int = 4
    alphabet: ClassVar[tuple[int, ...]] = (0, 2, 3)
    initial: ClassVar[int] = 0

    def advance(self, state: int, x: int) -> int:
        """The last input."""
        del state
        return x

    def law(self, state: int) -> Pmf[int]:
        """The input plus noise."""
        return geometric(state, self.ratio, self.reach)


def geometric(centre: int, ratio: int, reach: int) -> Pmf[int]:
    """Weights ratio^(reach - |k|) at centre + k for k = -reach, ..., reach."""
    return from_weights({centre + k: ratio ** (reach - abs(k)) for k in range(-reach, reach + 1)})
