"""Noisy sums over intervals of the stream, modulo m: the one-sum-a-round shape of prefix-sum cores."""

from dataclasses import dataclass
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected


@dataclass(frozen=True)
class IntervalSums:
    """Y_t = sum of x over I_t, plus noise, modulo m.

    Args:
        intervals: I_1, I_2, ... as (first, last) rounds, both inclusive and at most t.
        noise: Integer weights of the noise values 0, 1, ..., m - 1; their number is m, inputs are 0 to m - 1.
    Source: paper.tex, thm:dp_unbounded_prefix_sum (certified core structure), over Z_m.
    """

    intervals: tuple[tuple[int, ...], ...] = ((1, 1), (1, 2), (3, 3))
    noise: tuple[int, ...] = (2, 1, 1)
    null: ClassVar[int] = 0

    def __post_init__(self) -> None:
        for t, interval in enumerate(self.intervals, 1):
            if len(interval) != 2 or not 1 <= interval[0] <= interval[1] <= t:
                raise expected(f"an interval (first, last) within rounds 1 to {t}", interval=interval)

    @property
    def modulus(self) -> int:
        """m."""
        return len(self.noise)

    @property
    def alphabet(self) -> tuple[int, ...]:
        """Z_m."""
        return tuple(range(self.modulus))

    @property
    def horizon(self) -> int:
        """One round an interval."""
        return len(self.intervals)

    def weights(self, t: int) -> tuple[int, ...]:
        """1 on I_t."""
        first, last = self.intervals[t - 1]
        return (0,) * (first - 1) + (1,) * (last - first + 1) + (0,) * (t - last)

    def noise_law(self, t: int) -> Pmf[int]:
        """The same every round."""
        del t
        return from_weights(dict(enumerate(self.noise)))


def noisy(total: int, noise: tuple[int, ...]) -> Pmf[int]:
    """The law of total + noise modulo m = len(noise), noise value i having weight noise[i].

    >>> noisy(1, (2, 1, 1))
    Pmf({1: 1/2, 2: 1/4, 0: 1/4})
    """
    return from_weights(dict(enumerate(noise))).map(lambda eta: (total + eta) % len(noise))
