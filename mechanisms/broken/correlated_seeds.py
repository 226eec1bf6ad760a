"""Fault: every round has a seed of its own, but the seeds are correlated (FRESH_RANDOMNESS)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights, point
from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.broken.reused_noise import FreshNoise

Bits = tuple[int, ...]


@dataclass(frozen=True)
class CorrelatedSeeds:
    """FRESH_RANDOMNESS fails: after a flipped answer the next one is never flipped."""

    alphabet: ClassVar[Bits] = (0, 1)

    def seeds(self, horizon: int) -> Pmf[Bits]:
        """A chain of coins: 1 with probability 1/4 to begin with and after 0, never after 1."""
        law: Pmf[Bits] = point(())
        for _ in range(horizon):
            steps = ((w, (*seeds, bit), odds) for seeds, w in law.items() for bit, odds in _next(seeds))
            law = Pmf([(seeds, w * odds) for w, seeds, odds in steps])
        return law

    def respond(self, seeds: Bits, stream: Bits) -> Bits:
        """Every answer is flipped by its own coin."""
        return tuple(x ^ w for x, w in zip(stream, seeds, strict=False))


def _next(seeds: Bits) -> list[tuple[int, Fraction]]:
    return list(from_weights({0: 3, 1: 1} if not seeds or seeds[-1] == 0 else {0: 1}).items())


IndependentSeeds = FreshNoise
"""The repaired twin: coins that do not know of each other."""
