"""Fault: noise that only ever adds (SCALAR; VECTOR holds)."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf


@dataclass(frozen=True)
class AsymmetricNoise:
    """SCALAR fails: y_t = x_t + eta, and eta = 0 or 1 with weights 2 and 1 only ever adds.

    Source: claims, row 63.
    """

    noise: tuple[int, ...] = (2, 1)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def advance(self, state: int, x: int) -> int:
        """The last input."""
        del state
        return x

    def law(self, state: int) -> Pmf[int]:
        """x_t plus noise."""
        return from_weights({state + k: w for k, w in enumerate(self.noise)})


@dataclass(frozen=True)
class SymmetricNoise:
    """The repaired twin: eta = -1, 0, 1 with weights 1, 2, 1."""

    noise: tuple[int, ...] = (1, 2, 1)
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def advance(self, state: int, x: int) -> int:
        """The last input."""
        del state
        return x

    def law(self, state: int) -> Pmf[int]:
        """x_t plus noise."""
        half = len(self.noise) // 2
        return from_weights({state + k - half: w for k, w in enumerate(self.noise)})
