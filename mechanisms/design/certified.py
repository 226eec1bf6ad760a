"""A RandBin with a proof for any size: what it gives away at most, and how long events wait at most."""

from abc import abstractmethod
from fractions import Fraction

from dpcert.mechanisms.design.parts import loads_within
from dpcert.mechanisms.randbin.algorithm import Binning
from dpcert.mechanisms.sums.stream_sum import StreamSum


class Certified(Binning):
    """RandBin's algorithm on a StreamSum, with delta by theorem at every e^epsilon.

    Attributes:
        horizon: Events that it takes, None for any number.
    """

    scheduler: StreamSum
    horizon: int | None

    @abstractmethod
    def delta_at(self, exp_epsilon: Fraction) -> Fraction:
        """At least delta at e^epsilon, of the neighbour-preserving game over all events that it takes."""

    def error_within(self, events: int) -> int:
        """E of the last load that can be drawn within so many events."""
        return self.scheduler.error_function(self._last(events))

    def waiting(self, events: int) -> int:
        """The most events that ever wait in the first so many rounds: 4U + E[i] + E[i-1] - 1. Source: claims 46.

        An event whose bin leaves within these rounds has waited no longer, in rounds (claims 47).
        """
        if events < 2 * self.level:
            return events
        last, error = self._last(events), self.scheduler.error_function
        return min(events, 4 * self.level + error(last) + error(last - 1) - 1)

    def _last(self, events: int) -> int:
        """The number of that load, at most the last one that the error function knows."""
        last = loads_within(events, self.level) or 1
        known = self.scheduler.error_function.horizon
        return last if known is None else min(last, known)
