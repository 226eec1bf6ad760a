"""What the proof allows RandBin to give away: a load shifted by one, and what its scheduler gives away."""

from dataclasses import replace
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.budget import INTERRUPTED, Budget, Stopped
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.hidden import Hidden, enumerated_steps
from dpcert.audit.relations.adjacency import UNIT_HAMMING
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.sums.scheduler import Scheduler

_SOLVED: dict[tuple[Any, int, int], PowerFunction] = {}
"""What is solved already, by scheduler, level and number of loads: the bound and its parts both need it."""


def load_power(loads: Pmf[int]) -> PowerFunction:
    """f_load, the supremum of Pow(Z || Z - theta) over theta = -1, 1. Source: paper.tex, eq:randbin_load_profile.

    >>> from fractions import Fraction
    >>> from dpcert.mechanisms.noise.geometric import load_law
    >>> load_power(load_law(Fraction(2), 2)).vertices[1:3]
    ((Fraction(0, 1), Fraction(1, 3)), (Fraction(2, 3), Fraction(1, 1)))
    """
    shifted = (loads.map(lambda z: z - 1), loads.map(lambda z: z + 1))
    return supremum([PowerFunction.from_laws(loads, other) for other in shifted])


def scheduler_power(scheduler: Scheduler[Any], level: int, rounds: int, budget: Budget) -> PowerFunction:
    """f_sum over finitely many loads: the supremum over adaptive adversaries that submit unit-Hamming pairs of loads in
    [U-1..2U+1], which is where the lengths of both bin sequences lie.

    Raises: Stopped: the budget's time ended first.
    """
    if not rounds:
        return PowerFunction.identity()
    if (scheduler, level, rounds) not in _SOLVED:
        loads = tuple(range(level - 1, 2 * level + 2))
        view = Hidden("scheduler", loads, scheduler.initial, None, enumerated_steps("scheduler", scheduler.step))
        explored = explore(BeliefGame(view, UNIT_HAMMING, rounds), replace(budget, max_positions=None))
        if explored.beyond:
            raise Stopped(explored.stopped or INTERRUPTED)
        _SOLVED[scheduler, level, rounds] = solve(explored, budget).power
    return _SOLVED[scheduler, level, rounds]


def bins_within(scheduler: Scheduler[Any], level: int, horizon: int) -> int:
    """How many bins can leave within the horizon: bin i leaves no earlier than round 2U + iU + E[i]."""
    state, bins = scheduler.initial, 0
    while True:
        _, state = scheduler.step(state, level, _first)
        if 2 * level + (bins + 1) * level + scheduler.error(state) > horizon:
            return bins
        bins += 1


def _first(law: Pmf[Any]) -> Any:
    return law.support[0]
