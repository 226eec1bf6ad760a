"""RandBin whose loads are drawn as late as they can be: the same laws of all that is seen, on far fewer states."""

from typing import Any

from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import value_of
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.release import Release
from dpcert.audit.relations.bins import BinAdjacency
from dpcert.mechanisms.randbin.algorithm import Binning
from dpcert.mechanisms.randbin.simulation import State as Simulation
from dpcert.mechanisms.randbin.simulation import simulate
from dpcert.mechanisms.randbin.state import NOTHING, Bin, State

NOT_DRAWN = -1
"""In place of a load: it will be drawn in the first round in which its bin can leave."""


@frozen
class DrawnLate:
    """The algorithm of a Binning, for exploring alone: what runs draws a load when the bin before it leaves.

    A load, and the advance that the scheduler makes of it, depend on what the scheduler kept when the bin before left,
    and on nothing after that; nothing that is released depends on them before the first round in which their bin can
    leave, U + E[i] - E[i-1] rounds later. So it makes no difference to any law of releases when in between they are
    drawn, and until then there is one hidden state in place of one for each load and noise.
    """

    binning: Binning

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The algorithm's."""
        return self.binning.alphabet

    @property
    def horizon(self) -> int | None:
        """Events that it takes, None for any number."""
        return getattr(self.binning, "horizon", None)

    @property
    def initial(self) -> State:
        """The algorithm's: bin 0 is empty, and leaves when it does."""
        return self.binning.initial

    @property
    def simulation(self) -> Simulation:
        """No edit yet."""
        return self.initial, None

    @property
    def outputs(self) -> BinAdjacency:
        """The algorithm's relation of bins."""
        return self.binning.outputs

    def step(self, state: State, x: object, draw: Draw) -> tuple[Release[bool, Bin], State]:
        """One event more; the load is drawn, with its time, in the first round in which its bin can leave."""
        del x
        wait, load, backlog, schedule = state
        if wait > 1:
            return NOTHING, (wait - 1, load, backlog + 1, schedule)
        if load == NOT_DRAWN:
            load, longer, schedule = self._drawn(schedule, draw)
            if longer:
                return NOTHING, (longer, load, backlog + 1, schedule)
        if load > backlog + 1:
            events = f"{integer_text(backlog + 1)} events for {label(load)}"
            raise MechanismError(f"Expected a scheduler within its error but got {events}")
        release = Release(True, (backlog + 1, load)) if load else NOTHING
        return release, (self._earliest(schedule), NOT_DRAWN, backlog + 1 - load, schedule)

    def simulate(
        self, branch: int, state: Simulation, pair: tuple[Any, Any], draw: Draw
    ) -> tuple[Release[bool, tuple[Bin | None, Bin | None]], Simulation]:
        """One round of the neighbour-preserving simulation, on this order of draws."""
        return simulate(self.step, branch, state, pair, draw)

    def _drawn(self, schedule: Any, draw: Draw) -> tuple[int, int, Any]:
        """The load, by how many rounds its bin leaves later than it can, and what the scheduler keeps."""
        scheduler, level = self.binning.scheduler, self.binning.level
        load = draw(self.binning.loads)
        advance, after = scheduler.step(schedule, load, draw)
        longer = advance.visible - level  # type: ignore[operator]
        if longer < 0 or scheduler.error(after) - scheduler.error(schedule) != self._earliest(schedule) - level:
            raise MechanismError(
                f"Expected a scheduler within its error but got an advance of {label(advance.visible)}"
            )
        return load, longer, after

    def _earliest(self, schedule: Any) -> int:
        """U + E[i] - E[i-1], the rounds between two bins at least; E[i] is the same whatever is drawn, as it is public.

        Raises: MechanismError: E falls.
        """
        scheduler, level = self.binning.scheduler, self.binning.level
        _, after = scheduler.step(schedule, level, _first)
        risen = scheduler.error(after) - scheduler.error(schedule)
        if risen < 0:
            raise MechanismError(f"Expected an error that never falls but got one that is {-risen} less")
        return level + risen


def _first(law: Any) -> Any:
    return value_of(next(iter(law.token_weights()[0])))  # its whole support may be long
