"""Fault: a counter that nobody passes in decides what is answered (DETERMINISTIC_MAP)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.broken.reused_noise import FreshNoise

Bits = tuple[int, ...]


@dataclass(frozen=True)
class HiddenCounter:
    """DETERMINISTIC_MAP fails: it answers the other way round every third time it is asked."""

    asked: Iterator[int] = field(default_factory=count, init=False, repr=False, compare=False)
    alphabet: ClassVar[Bits] = (0, 1)

    def seeds(self, horizon: int) -> Pmf[Bits]:
        """Independent coins."""
        return FreshNoise().seeds(horizon)

    def respond(self, seeds: Bits, stream: Bits) -> Bits:
        """The counter flips all answers now and then."""
        turned = int(next(self.asked) % 3 == 2)
        return tuple(x ^ w ^ turned for x, w in zip(stream, seeds, strict=False))


NoCounter = FreshNoise
"""The repaired twin: nothing but seeds and inputs decides."""
