"""RandBin's algorithm on any law of loads and any scheduler: events leave a queue in bins of random size."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.budget import Budget
from dpcert.audit.errors import MechanismError, expected
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.audit.records.section import Section
from dpcert.audit.relations.bins import BinAdjacency
from dpcert.mechanisms.randbin.bound import bins_within, load_power, scheduler_power
from dpcert.mechanisms.randbin.report import sections
from dpcert.mechanisms.randbin.simulation import State as Simulation
from dpcert.mechanisms.randbin.simulation import simulate
from dpcert.mechanisms.randbin.state import NOTHING, Bin, State
from dpcert.mechanisms.sums.scheduler import Scheduler


class Binning(ABC):
    """Releases whether a bin leaves; the bin itself is the hidden output, for the next mechanism.

    Loads are drawn one bin ahead, so that a bin's size and its time are settled when the bin before it leaves. Events
    never enter: what is drawn, released and kept does not depend on them, and whoever runs it keeps the queue.

    Attributes:
        level: U, even.
        scheduler: Says when bins leave.
    Source: paper.tex, alg:randbin.
    """

    level: int
    scheduler: Scheduler[Any]
    alphabet: ClassVar[tuple[str, ...]] = ("event",)

    @property
    @abstractmethod
    def loads(self) -> Pmf[int]:
        """The law of a load, on [U..2U]."""

    @property
    def initial(self) -> State:
        """Bin 0, which is empty and unseen, leaves in round 2U."""
        return 2 * self.level, 0, 0, self.scheduler.initial

    def waited(self, state: State, rounds: int) -> State:
        """The state after `rounds` more events, fewer than until the next bin: what that many steps lead to."""
        wait, load, backlog, scheduled = state
        if not 0 <= rounds < wait:
            raise expected(f"a number of rounds from 0 to {integer_text(wait - 1)}", rounds=rounds)
        return wait - rounds, load, backlog + rounds, scheduled

    def step(self, state: State, x: object, draw: Draw) -> tuple[Release[bool, Bin], State]:
        """One event more; at most one bin leaves, and then the next load and its time are drawn."""
        del x
        wait, load, backlog, schedule = state
        if wait > 1:
            return NOTHING, (wait - 1, load, backlog + 1, schedule)
        release = Release(True, (backlog + 1, load)) if load else NOTHING
        next_load = draw(self.loads)
        advance, after = self.scheduler.step(schedule, next_load, draw)
        error = self.scheduler.error
        wait, next_backlog = advance.visible + error(after) - error(schedule), backlog + 1 - load  # type: ignore[operator]
        if wait < 1 or next_backlog < 0:
            came = f"wait={integer_text(wait)} with {integer_text(next_backlog)} events left"
            raise MechanismError(f"Expected a scheduler within its error but got {came}")
        return release, (wait, next_load, next_backlog, after)

    @property
    def simulation(self) -> Simulation:
        """No edit yet."""
        return self.initial, None

    @property
    def outputs(self) -> BinAdjacency:
        """~B with this level."""
        return BinAdjacency(self.level)

    def simulate(
        self, branch: int, state: Simulation, pair: tuple[Any, Any], draw: Draw
    ) -> tuple[Release[bool, tuple[Bin | None, Bin | None]], Simulation]:
        """One round of the neighbour-preserving simulation, as `dpcert.mechanisms.randbin.simulation` has it."""
        return simulate(self.step, branch, state, pair, draw)

    def bound(self, horizon: int, budget: Budget) -> PowerFunction:
        """f_load tensor f_sum, what is proven, the scheduler over as many loads as bins can leave.

        Source: paper.tex, lemma:randbin_NPDO.
        """
        loads = bins_within(self.scheduler, self.level, horizon)
        return load_power(self.loads).tensor(self.scheduler_curve(loads, budget))

    def scheduler_curve(self, loads: int, budget: Budget) -> PowerFunction:
        """f_sum over so many loads: the scheduler's own game, solved."""
        return scheduler_power(self.scheduler, self.level, loads, budget)

    def sections(self, horizon: int, budget: Budget) -> list[Section]:
        """What a report adds: the schedule, the bins that an edit touches, backlog and delays."""
        return sections(self, horizon, budget)
