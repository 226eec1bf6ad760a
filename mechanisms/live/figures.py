"""What a live run of a RandBin shows: how many events wait, and for how long."""

import time
from dataclasses import dataclass
from fractions import Fraction

from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.session import sample
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.randbin.algorithm import Binning

EVENTS_AT_ONCE = 10_000
"""Events of a live run that are pushed at a time."""


@dataclass(frozen=True)
class LiveFigures:
    """One run. Sampled: it estimates, and proves nothing.

    Attributes:
        events: Events taken.
        bins: Bins that left.
        waiting: The most events that waited at the end of a round.
        least_delay, mean_delay, most_delay: Inclusion delay of the events whose bins left, in rounds; 0 without any.
        seconds: How long the run took.
    """

    events: int
    bins: int
    waiting: int
    least_delay: int
    mean_delay: Fraction
    most_delay: int
    seconds: float


def live_figures(mechanism: Binning, events: int, draw: Draw = sample) -> LiveFigures:
    """Runs `mechanism` on so many events, with the draws that a session makes."""
    run = RandBinSession(mechanism, draw=draw)
    began = time.perf_counter()
    waiting = total = count = most = 0
    least = events
    for first in range(0, events, EVENTS_AT_ONCE):
        for out in run.push_all(range(first, min(first + EVENTS_AT_ONCE, events))):
            delays = out.inclusion_delay
            least, most = min(least, delays[-1]), max(most, delays[0])
            waiting = max(waiting, delays[0])  # the round before, all that came since the oldest waited
            total += (delays[0] + delays[-1]) * len(delays)
            count += len(delays)
    seconds = time.perf_counter() - began
    least, mean = (least, Fraction(total, 2 * count)) if count else (0, Fraction(0))
    return LiveFigures(run.rounds, run.bins, max(waiting, run.backlog), least, mean, most, seconds)
