"""What RandBin keeps between rounds, and what a report reads of it."""

from typing import Any, Protocol

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.sums.scheduler import Scheduler

State = tuple[int, int, int, Any]
"""(wait, load, backlog, scheduler): rounds until the current bin leaves, how many events it takes (0 for bin 0, which
is never seen), events in the queue, and the scheduler's state. Nothing in it counts from the beginning of time."""
Bin = tuple[int, int]
"""(start, length), the hidden output: with the newest event counted as 1, the bin begins with the event that is number
`start` from the end of the sequence so far and holds the `length` oldest events of the queue, which are
`events[-start:][:length]`. Since bins leave in the order of arrival, start is the backlog before the bin leaves."""
NOTHING: Release[bool, Bin] = Release(False)


class RandBinParts(Protocol):
    """A RandBin as its report plays it forwards: the parts of `Binning` that are read there."""

    @property
    def level(self) -> int:
        """U, events."""
        ...

    @property
    def loads(self) -> Pmf[int]:
        """The law of a load, on [U..2U]."""
        ...

    @property
    def scheduler(self) -> Scheduler[Any]:
        """Says when bins leave."""
        ...

    @property
    def initial(self) -> State:
        """The state before the first event."""
        ...

    def waited(self, state: State, rounds: int) -> State:
        """The state after `rounds` more events, fewer than until the next bin."""
        ...

    def step(self, state: State, x: object, draw: Draw) -> tuple[Release[bool, Bin], State]:
        """One event more."""
        ...

    def scheduler_curve(self, loads: int, budget: Budget) -> PowerFunction:
        """f_sum over so many loads."""
        ...
