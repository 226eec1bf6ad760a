"""How many bins to expect, and how long an event waits on average: of the law of loads, for the eye, not for proofs.

The scheduler's noise is taken to have mean 0, as its raw sums have; clipping moves it by next to nothing.
"""

from fractions import Fraction

from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.design.certified import Certified

MOST_AVERAGED = 4_096
"""Bins, evenly spread, over which the scheduler's error is averaged."""


def load_moments(loads: Pmf[int]) -> tuple[Fraction, Fraction]:
    """E C and E C^2 of a load."""
    mean = sum((loads.probability(z) * z for z in loads.support), Fraction(0))
    return mean, sum((loads.probability(z) * z * z for z in loads.support), Fraction(0))


def expected_releases(randbin: Certified, events: int) -> Fraction:
    """About the mean number of bins that leave within so many events, by the renewal theorem; 0 where none can.

    Bin i leaves in round C_1 + ... + C_i + noise + E[i] + 2U.
    """
    mean, square = load_moments(randbin.loads)
    left = events - 2 * randbin.level - randbin.error_within(events)
    if left < randbin.level:
        return Fraction(0)
    found = (left + 1) / mean + (square - mean) / (2 * mean * mean) - 1
    return min(max(found, Fraction(0)), Fraction(events // randbin.level))


def expected_delay(randbin: Certified, events: int) -> Fraction | None:
    """About the mean inclusion delay in rounds, of events whose bins leave; None where no bin is expected to leave.

    An event has waited E[i] + 2U, and as long as those of its bin that came after it took.
    """
    bins = int(expected_releases(randbin, events))
    if not bins:
        return None
    mean, square = load_moments(randbin.loads)
    step = -(-bins // MOST_AVERAGED)
    errors = [randbin.scheduler.error_function(i) for i in range(1, bins + 1, step)]
    return Fraction(sum(errors), len(errors)) + 2 * randbin.level + (square / mean - 1) / 2
