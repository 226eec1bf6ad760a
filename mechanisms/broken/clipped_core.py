"""Fault: noisy sums clipped to the range of the true ones, and certified as clipped (every rung)."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf

State = tuple[int, int]


@dataclass(frozen=True)
class ClippedCore:
    """Every rung fails: Z_1 = x_1 + eta clipped to [0, 1], Z_2 = x_1 + x_2 + eta' clipped to [0, 2].

    The state is (round, sum).

    Fixed streams reach total variation 55/128, adaptive adversaries 31/64. Source: claims, row 66.
    """

    noise: tuple[int, ...] = (1, 4, 6, 4, 1)
    horizon: ClassVar[int] = 2
    alphabet: ClassVar[State] = (0, 1)
    initial: ClassVar[State] = (0, 0)

    def advance(self, state: State, x: int) -> State:
        """The round and the sum so far."""
        return state[0] + 1, state[1] + x

    def law(self, state: State) -> Pmf[int]:
        """The noisy sum, clipped to what a sum of so many bits can be."""
        rounds, total = state
        return noisy(total, self.noise).map(lambda z: min(rounds, max(0, z)))


@dataclass(frozen=True)
class IdealCore:
    """The repaired twin: the sums as they are; clipping is left to what is published."""

    noise: tuple[int, ...] = (1, 4, 6, 4, 1)
    horizon: ClassVar[int] = 2
    alphabet: ClassVar[State] = (0, 1)
    initial: ClassVar[State] = (0, 0)

    def advance(self, state: State, x: int) -> State:
        """The round and the sum so far."""
        return state[0] + 1, state[1] + x

    def law(self, state: State) -> Pmf[int]:
        """The noisy sum."""
        return noisy(state[1], self.noise)

    def publish(self, core: tuple[int, ...]) -> int:
        """The latest sum, clipped to what a sum of so many bits can be."""
        return min(len(core), max(0, core[-1]))


def noisy(total: int, noise: tuple[int, ...]) -> Pmf[int]:
    """`total` plus noise with these weights on -k, ..., k."""
    half = len(noise) // 2
    return from_weights({total + k - half: w for k, w in enumerate(noise)})
