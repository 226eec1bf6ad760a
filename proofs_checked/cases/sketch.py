"""RandBin as its interface-level skeleton has it: the size of a bin is drawn in the step in which it leaves."""

from typing import Any

from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.randbin.on_geometric_loads import NOTHING, Bin, RandBin, State


class AtEmission(RandBin):
    """The same scheduler, but it hears of a load only when its bin has left: bin i leaves at S[i-1] + E[i-1] + 2U."""

    def step(self, state: State, x: object, draw: Draw) -> tuple[Release[bool, Bin], State]:
        """One event more; if a bin is due, its size is drawn, and then when the next one is due."""
        del x
        wait, load, backlog, schedule = state
        if wait > 1:
            return NOTHING, (wait - 1, load, backlog + 1, schedule)
        next_load = draw(self.loads)
        advance, after = self.scheduler.step(schedule, next_load, draw)
        error: Any = self.scheduler.error
        wait = advance.visible + error(after) - error(schedule)
        return Release(True, (backlog + 1, next_load)), (wait, next_load, backlog + 1 - next_load, after)
