"""Fault: one draw of noise is used in every round (FRESH_RANDOMNESS)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli, point
from dpcert.audit.algebra.pmf import Pmf

Bits = tuple[int, ...]


@dataclass(frozen=True)
class ReusedNoise:
    """FRESH_RANDOMNESS fails: one coin, drawn before round 1, flips the answers of all rounds or of none."""

    flip: Fraction = Fraction(1, 4)
    alphabet: ClassVar[Bits] = (0, 1)

    def seeds(self, horizon: int) -> Pmf[Bits]:
        """The coin is the seed of round 1; later rounds have none."""
        return bernoulli(self.flip).map(lambda coin: (coin, *(0,) * (horizon - 1)))

    def respond(self, seeds: Bits, stream: Bits) -> Bits:
        """Every answer is flipped by the coin of round 1."""
        return tuple(x ^ seeds[0] for x in stream)


@dataclass(frozen=True)
class FreshNoise:
    """The repaired twin: every round flips its own coin."""

    flip: Fraction = Fraction(1, 4)
    alphabet: ClassVar[Bits] = (0, 1)

    def seeds(self, horizon: int) -> Pmf[Bits]:
        """Independent coins."""
        law: Pmf[Bits] = point(())
        for _ in range(horizon):
            law = law.product(bernoulli(self.flip)).map(lambda pair: (*pair[0], pair[1]))
        return law

    def respond(self, seeds: Bits, stream: Bits) -> Bits:
        """Every answer is flipped by its own coin."""
        return tuple(x ^ w for x, w in zip(stream, seeds, strict=False))
