"""Fault: the law depends on the time of day (DETERMINISTIC_MAP)."""

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.broken.earlier_scale import FixedScale


@dataclass(frozen=True)
class WallClock:
    """DETERMINISTIC_MAP fails: it lies more or less often from one nanosecond to the next."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[int] = 0

    def advance(self, state: int, x: int) -> int:
        """The last input."""
        del state
        return x

    def law(self, state: int) -> Pmf[int]:
        """x_t, or its opposite with a probability between 1/4 and 1/2."""
        lie = Fraction(1, 4) + Fraction(time.perf_counter_ns() % 10**9, 4 * 10**9)
        return bernoulli(lie if state == 0 else 1 - lie)


FixedLaw = FixedScale
"""The repaired twin: the input alone decides the law."""
