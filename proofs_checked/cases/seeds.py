"""Mechanisms that draw one seed before round 1 and answer every round from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release

TWO_TO_ONE = bernoulli(Fraction(2, 3))
State = tuple[int, int] | None


@dataclass(frozen=True)
class OneSeed:
    """Y_1 and Y_2 are looked up under the seed r in {0, 1} and the inputs so far; the seed never changes.

    Args:
        first: The answers of round 1, in the order of (r, x_1).
        second: The answers of round 2, in the order of (r, x_1, x_2).
        seeds: The law of r.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    seeds: Pmf[int] = TWO_TO_ONE
    horizon: ClassVar[int] = 2
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[State] = None

    def step(self, state: State, x: int, draw: Draw) -> tuple[Release[int, None], State]:
        """State: (r, x_1) after round 1."""
        if state is None:
            seed = draw(self.seeds)
            return Release(self.first[2 * seed + x]), (seed, x)
        return Release(self.second[4 * state[0] + 2 * state[1] + x]), state


def one_seed() -> Iterator[OneSeed]:
    """Every such mechanism, up to the names of the two answers in each round: the first answer listed is 0."""
    for first in product((0, 1), repeat=3):
        for second in product((0, 1), repeat=7):
            yield OneSeed((0, *first), (0, *second))
