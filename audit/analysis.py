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
    """The curves of a game.

    `solution` holds adversaries that attain the adaptive lower bound, save where fixed streams over more rounds do.
    `streams` is None where no fixed stream was tried; `stopped` says what ended the work early, if anything did.
    """

    solution: Solution
    adaptive: Bracket
    streams: FixedStream | FixedPairs | None
    fixed: Bracket
    stopped: str | None


def analyse(game: Game, budget: Budget) -> Analysis:
    """Explores, solves and enumerates as far as the budget goes; what is left unknown lies between valid bounds."""
    whole = explore(game, budget)
    solution, explored, stopped = _solved(whole, budget)
    upper = _quickly(explored, perfect=True).power if explored.beyond else solution.power
    budget.progress("enumerating fixed streams")
    streams, complete, ended = _fixed(game, whole, budget if stopped is None else _grace(budget))
    stopped = stopped or ended or (None if complete else TOO_MANY_STREAMS)
    reached = PowerFunction.identity() if streams is None else streams.power
    lower = supremum([solution.power, reached]) if explored.beyond else upper
    fixed = exactly(reached) if complete else Bracket(reached, upper)
    return Analysis(solution, Bracket(lower, upper), streams, fixed, stopped)


def _solved(explored: Explored, budget: Budget) -> tuple[Solution, Explored, str | None]:
    """The solution of all rounds or, where that takes too long, of the first ones; which they are, and what ended it.

    Where exploring has left less time than a grace, solving gets a grace.
    """
    started = budget.nanoseconds()
    try:
        allowed = _grace(budget) if explored.stopped == INTERRUPTED else budget
        return solve(explored, allowed), explored, explored.stopped
    except Unsolved as reason:
        stopped, durations = explored.stopped or str(reason), reason.durations
    if budget.nanoseconds() - started < _grace_seconds(budget) * 10**9:
        try:
            return solve(explored, _grace(budget)), explored, stopped
        except Unsolved as reason:
            durations = reason.durations
    shallower = _shallower(explored, durations)
    return _quickly(shallower), shallower, stopped


def _fixed(game: Game, explored: Explored, budget: Budget) -> tuple[FixedStream | FixedPairs | None, bool, str | None]:
    """The fixed streams tried, whether they are all there are, and what ended it early.

    Where not all were tried, those over the first rounds are tried as well, and the better ones kept.
    """
    best, ended = None, None
    rounds = len(explored.levels)
    for depth in sorted({rounds, (rounds + 2) // 3, min(rounds, 1)} - {0}, reverse=True):
        try:
            found = _enumerated(game, closed(_first(explored, depth)), budget)
            shown = found.power.total_variation
            if best is None or best.power.total_variation < shown:
                best = found
            if depth == rounds and found.complete:
                return found, not explored.beyond, None
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


def _grace(budget: Budget) -> Budget:
    """Time for a part of the work once the whole was cut short."""
    return Budget(max_seconds=_grace_seconds(budget), progress=budget.progress)


def _grace_seconds(budget: Budget) -> int:
    """A tenth of the time spent, at least 1."""
    return max(1, budget.nanoseconds() // 10**10)


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
