"""What a budget allows to be known of a game: both curves, exactly or between bounds."""

from dataclasses import dataclass

from dpcert.audit.bracket import Bracket, exactly
from dpcert.audit.budget import Budget, OutOfBudget
from dpcert.audit.fixed import FixedStream, fixed_stream
from dpcert.audit.fixed_hidden import FixedPairs, fixed_pairs
from dpcert.audit.game import Explored, Game, Level, PairedGame, closed, explore
from dpcert.audit.power import PowerFunction
from dpcert.audit.solve import PERFECT, Solution, Unsolved, solve

TOO_MANY_STREAMS = "there are too many fixed streams to try them all"


@dataclass(frozen=True)
class Analysis:
    """The curves of a game. `solution` holds adversaries that attain the adaptive lower bound.

    `streams` is None where no fixed stream was tried; `stopped` says what ended the work early, if anything did.
    """

    solution: Solution
    adaptive: Bracket
    streams: FixedStream | FixedPairs | None
    fixed: Bracket
    stopped: str | None


def analyse(game: Game, budget: Budget) -> Analysis:
    """Explores, solves and enumerates as far as the budget goes; what is left unknown lies between valid bounds."""
    explored = explore(game, budget)
    stopped = explored.stopped
    try:
        solution = solve(explored, budget)
    except Unsolved as reason:
        stopped = stopped or str(reason)
        explored = _shallower(explored, reason.durations)
        solution = _quickly(explored)
    adaptive = exactly(solution.power)
    if stopped is not None:
        adaptive = Bracket(solution.power, _quickly(explored, perfect=True).power)
    budget.progress("enumerating fixed streams")
    streams, ended = _fixed(game, closed(explored), budget if stopped is None else _grace(budget))
    stopped = stopped or ended
    if stopped is None and streams is not None and streams.complete:
        return Analysis(solution, adaptive, streams, exactly(streams.power), None)
    lower = PowerFunction.identity() if streams is None else streams.power
    return Analysis(solution, adaptive, streams, Bracket(lower, adaptive.upper), stopped or TOO_MANY_STREAMS)


def _fixed(game: Game, levels: tuple[Level, ...], budget: Budget) -> tuple[FixedStream | FixedPairs | None, str | None]:
    """The fixed streams tried, and what ended it early."""
    try:
        if isinstance(game, PairedGame):
            return fixed_stream(levels, budget), None
        return fixed_pairs(levels, budget), None
    except OutOfBudget as reason:
        return None, str(reason)
    except KeyboardInterrupt:
        return None, "interrupted"


def _grace(budget: Budget) -> Budget:
    """A tenth of the time again, at least a second, for the fixed streams of a game that was cut short."""
    return Budget(max_seconds=max(1, (budget.max_seconds or 10) // 10))


def _shallower(explored: Explored, durations: list[int]) -> Explored:
    """The first rounds of a game, as many as take about a tenth of the time that was spent; the rest is unexplored."""
    spent, depth = 0, 0
    while depth < len(durations) and 10 * (spent + durations[depth]) <= sum(durations):
        spent += durations[depth]
        depth += 1
    depth = min(max(depth, 1), len(explored.levels) - 1)
    return Explored(explored.levels[:depth], len(explored.levels[depth].positions), explored.stopped)


def _quickly(explored: Explored, *, perfect: bool = False) -> Solution:
    """A bound from the rounds at hand, outside the budget; a second interrupt ends it."""
    try:
        return solve(explored, beyond=PERFECT) if perfect else solve(explored)
    except Unsolved:
        raise KeyboardInterrupt from None
