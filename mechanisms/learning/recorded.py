"""Randomness of a simulation: a function of a seed and of how far a run is. NOT PRIVATE: who has the seed, has it all.

The same run again, or one that was killed and goes on, draws the same; two runs on other events share what is drawn.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, TypeVar

import numpy as np

from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.grid_noise.sampling import SampledGaussian, Words, sampled_gaussian

T = TypeVar("T")
_BINS, _SUMS = 1, 2
"""What a place of recorded randomness is for."""


class Progressing(Protocol):
    """What says how far a run is."""

    @property
    def rounds(self) -> int:
        """Events taken."""

    @property
    def released(self) -> int:
        """Models released."""


class RecordedRandomness:
    """Draws of a simulation, never of a run whose privacy counts.

    Args:
        seed: What all of it is made of, from 0.

    Draws of RandBin depend on the round, noise on the number of the release, and both on the seed; hand `draw` and
    `noise` to a run, and then `follow` it.
    """

    def __init__(self, seed: int) -> None:
        self._seed, self._run = seed, None
        self._place, self._bytes = (0, 0), self._generator(0, 0)

    _run: Progressing | None

    def follow(self, run: Progressing) -> None:
        """Says whose progress counts."""
        self._run = run

    def draw(self, law: Pmf[T]) -> T:
        """An outcome for RandBin."""
        total = law.token_weights()[1]
        size = (total.bit_length() + 7) // 8 + 8  # 64 bits more, so that what is left over tells next to nothing
        read = self._at(_BINS, self._run.rounds if self._run else 0)
        return law.outcome_at(int.from_bytes(read(size), "big") % total)

    def noise(self, sigma: Fraction) -> "RecordedGaussian":
        """Rounded Gaussian noise for the sums."""
        return RecordedGaussian(sigma, lambda count: self._at(_SUMS, self._run.released if self._run else 0)(count))

    def _at(self, what: int, number: int) -> Callable[[int], bytes]:
        """Where bytes for a place come from: anew when the place is another."""
        if (what, number) != self._place:
            self._place, self._bytes = (what, number), self._generator(what, number)
        return self._bytes

    def _generator(self, what: int, number: int) -> Callable[[int], bytes]:
        return np.random.Generator(np.random.SFC64(np.random.SeedSequence([self._seed, what, number]))).bytes


class RecordedGaussian:
    """Noise by the law of `SampledGaussian`, from a seed: nothing is proven of it, and a lease says so.

    Attributes:
        sigma: In grid units.
        shift: 0.
        distance: None.
    """

    shift, distance = Fraction(0), None

    def __init__(self, sigma: Fraction, entropy: Callable[[int], bytes]) -> None:
        self.sigma = sigma
        self._drawn = SampledGaussian(sampled_gaussian(sigma).law, entropy)

    def sample(self, count: int) -> Words:
        """So many draws."""
        return self._drawn.sample(count)
