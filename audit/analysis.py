"""What a budget allows to be known of a game: both curves, exactly or between bounds."""

from dataclasses import dataclass

from dpcert.audit.bracket import Bracket, exactly
from dpcert.audit.budget import Budget, OutOfBudget
from dpcert.audit.fixed import FixedStream, fixed_stream
from dpcert.audit.fixed_hidden import FixedPairs, fixed_pairs
from dpcert.audit.game import Explored, Game, Level, PairedGame, closed, explore
from dpcert.audit.power import PowerFunction, supremum
from dpcert.audit.solve import PERFECT, Solution, Unsolved, solve

INTERRUPTED = "interrupted"
TOO_MANY_STREAMS = "there are too many fixed streams to try them all"


@dataclass(frozen=True)
class Analysis:
    """The curves of a game. `solution` holds adversaries that attain the adaptive lower bound, or, where fixed streams
    over more rounds reach further, its own part of it.

    `streams` is None where no fixed stream was tried; `stopped` says what ended the work early, if anything did.
    """

    solution: Solution
    adaptive: Bracket
    streams: FixedStream | FixedPairs | None
    fixed: Bracket
    stopped: str | None


def analyse(game: Game, budget: Budget) -> Analysis:
    """Explores, solves and enumerates as far as the budget goes; what is left unknown lies between valid bounds."""
    explored = whole = explore(game, budget)
    stopped = explored.stopped
    try:
        solution = solve(explored, _allowed(budget, stopped))
    except Unsolved as reason:
        stopped = stopped or str(reason)
        explored = _shallower(explored, reason.durations)
        solution = _quickly(explored)
    upper = solution.power if stopped is None else _quickly(explored, perfect=True).power
    budget.progress("enumerating fixed streams")
    streams, complete, ended = _fixed(game, whole, budget if stopped is None else _grace(budget))
    stopped = stopped or ended or (None if complete else TOO_MANY_STREAMS)
    reached = PowerFunction.identity() if streams is None else streams.power
    lower = upper if upper is solution.power else supremum([solution.power, reached])
    fixed = exactly(reached) if complete else Bracket(reached, upper)
    return Analysis(solution, Bracket(lower, upper), streams, fixed, stopped)


def _fixed(game: Game, explored: Explored, budget: Budget) -> tuple[FixedStream | FixedPairs | None, bool, str | None]:
    """The fixed streams tried, whether they are all there are, and what ended it early.

    Where not all were tried, those over the first rounds are tried as well, and the better ones kept.
    """
    best, ended = None, None
    rounds = len(explored.levels)
    for depth in sorted({rounds, (rounds + 2) // 3, min(rounds, 1)} - {0}, reverse=True):
        try:
            found = _enumerated(game, closed(_first(explored, depth)), budget)
            if best is None or best.power.total_variation < found.power.total_variation:
                best = found
            if depth == rounds and found.complete:
                return found, explored.stopped is None, None
            budget.check()
        except OutOfBudget as reason:
            ended = ended or str(reason)
        except KeyboardInterrupt:
            ended = ended or INTERRUPTED
        budget = _grace(budget)
    return best, False, ended


def _enumerated(game: Game, levels: tuple[Level, ...], budget: Budget) -> FixedStream | FixedPairs:
    return fixed_stream(levels, budget) if isinstance(game, PairedGame) else fixed_pairs(levels, budget)


def _first(explored: Explored, depth: int) -> Explored:
    """The first `depth` rounds; the rest counts as unexplored."""
    if depth == len(explored.levels):
        return explored
    return Explored(explored.levels[:depth], len(explored.levels[depth].positions), explored.stopped)


def _allowed(budget: Budget, stopped: str | None) -> Budget:
    """The budget for solving: what is left of it; a grace where an interrupt came or nothing is left."""
    try:
        budget.check()
    except OutOfBudget:
        return _grace(budget)
    return _grace(budget) if stopped == INTERRUPTED else budget


def _grace(budget: Budget) -> Budget:
    """A tenth of the time spent, at least a second, for a part of the work once the whole was cut short."""
    return Budget(max_seconds=max(1, budget.nanoseconds() // 10**10), progress=budget.progress)


def _shallower(explored: Explored, durations: list[int]) -> Explored:
    """The first rounds of a game, as many as take about a tenth of the time that was spent; the rest is unexplored."""
    spent, depth = 0, 0
    while depth < len(durations) and 10 * (spent + durations[depth]) <= sum(durations):
        spent += durations[depth]
        depth += 1
    depth = min(max(depth, 1), len(explored.levels) - 1)
    return _first(explored, depth)


def _quickly(explored: Explored, *, perfect: bool = False) -> Solution:
    """A bound from the rounds at hand, outside the budget; a second interrupt ends it."""
    try:
        return solve(explored, beyond=PERFECT) if perfect else solve(explored)
    except Unsolved:
        raise KeyboardInterrupt from None
