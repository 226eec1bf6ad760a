"""Budgets whose clock stands still, and checkpoints after which the process is gone."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpcert import Budget
from dpcert.audit.solving.adaptive import Solver
from dpcert.audit.solving.kept_levels import KeptLevels


@dataclass
class At(Budget):
    """A budget whose clock stands still."""

    now: int = 0

    def nanoseconds(self) -> int:
        return self.now


@dataclass
class Stopping(KeptLevels):
    """Keeps so many levels, and then the process is gone."""

    alive: int = 1

    def keep(self, solver: Solver, value_of: Sequence[tuple[int, ...]], *, last: bool) -> None:
        super().keep(solver, value_of, last=last)
        self.alive -= 1
        if not self.alive:
            raise MemoryError
