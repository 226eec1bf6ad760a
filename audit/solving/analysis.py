"""What a budget allows to be known of a game: both curves, exactly or between bounds."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from dpcert.audit.algebra.bracket import Bracket, exactly
from dpcert.audit.algebra.power import Order, Point, PowerFunction, supremum
from dpcert.audit.budget import INTERRUPTED, Budget, Interrupted, best_so_far
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import Exploration, Game, Pair, PairedGame, closed, explore
from dpcert.audit.limits import within
from dpcert.audit.solving.adaptive import (
    MOST_BOUND_SEGMENTS,
    PERFECT,
    TOO_MANY_SEGMENTS,
    ChainCollector,
    Solution,
    solve,
)
from dpcert.audit.solving.fixed import FixedStream, fixed_stream

if TYPE_CHECKING:
    from dpcert.audit.solving.fixed_hidden import FixedPairs
    from dpcert.audit.solving.fixed_search import Values
    from dpcert.audit.solving.kept_levels import KeptLevels

    Enumerated = FixedStream | FixedPairs

TOO_MANY_STREAMS = (
    "there are too many fixed streams to try them all (MOST_STREAMS, MOST_PRODUCTS, MOST_ATOMS, MOST_BOUND_SEGMENTS)"
)

NOTHING_KNOWN = Bracket(PowerFunction.identity(), PowerFunction(PERFECT))
"""Between these lies every curve."""
SOLVING, BOUNDING, STREAMS, REST = 30, 15, 15, 6
"""Hundredths of the grace: for the first rounds' lower bounds, an upper one, fixed streams, and each later part."""


class Streams(Protocol):
    """Fixed streams that were tried, or that a theorem names: their curves, and which attain what."""

    @property
    def curves(self) -> Mapping[Any, PowerFunction]:
        """Curve by key."""
        ...

    @property
    def power(self) -> PowerFunction:
        """Their supremum."""
        ...

    @property
    def streams(self) -> Callable[[Any], tuple[Pair, ...]]:
        """The pairs of inputs, round by round, behind a key."""
        ...

    def witness(self, exp_epsilon: Fraction, order: Order) -> tuple[Pair, ...]:
        """A pair of streams that attains the value at a slope and order."""
        ...


@frozen
class Analysis:
    """The curves of a game.

    `solution` holds adversaries that attain the adaptive lower bound, save where fixed streams over more rounds do;
    `streams` is the best of the enumerations that make up the fixed-stream bound, None where no stream was tried;
    `stopped` says what ended the work early, if anything did; `enclosed`, of curves over all rounds that are known
    between bounds alone, how near those are, in words; `events` then has what adversaries of the lower bound were
    seen to have in their event in either world, by e^epsilon and order.
    """

    solution: Solution
    adaptive: Bracket
    streams: Streams | None
    fixed: Bracket
    stopped: str | None
    enclosed: str = ""
    events: Mapping[tuple[Fraction, Order], Point] = field(default_factory=dict)


def nothing_known(analysis: Analysis) -> Analysis:
    """What is known where it is open whether what was played is the mechanism: no bound but 0 and 1, no evidence."""
    return replace(analysis, adaptive=NOTHING_KNOWN, fixed=NOTHING_KNOWN, streams=None)


def analyse(game: Game[Any], budget: Budget, keeper: "KeptLevels | None" = None) -> Analysis:
    """Explores, solves and enumerates as far as the budget goes; what is left unknown lies between valid bounds.

    Args:
        game: What is played.
        budget: Bounds the work.
        keeper: Where levels are kept that are solved, and taken from; None for nowhere.
    """
    return analyse_explored(game, explore(game, budget), budget, keeper)


def analyse_explored(
    game: Game[Any],
    whole: Exploration,
    budget: Budget,
    keeper: "KeptLevels | None" = None,
    *,
    share: int = 1,
    most_held: int | None = None,
) -> Analysis:
    """The same of a game that is explored, as far as it is.

    Args:
        whole: Its rounds.
        share: Solving has one of so many parts of the time that is left.
        most_held: Segments past which the solving ends; None for no bound.
    """
    if keeper is not None:
        keeper.begin(game.laws(), whole)
    collector = None if isinstance(game, PairedGame) or whole.beyond else ChainCollector(MOST_BOUND_SEGMENTS)
    solution, exploration, reason = _solved(whole, budget, keeper, collector, share, most_held)
    timed = budget.max_seconds is not None or reason == INTERRUPTED
    upper = solution.power
    if exploration.beyond:
        upper = _upper(exploration, budget, _grace(budget, BOUNDING, reason) if timed else None, most_held)
        reason = INTERRUPTED if budget.interrupted else reason
    budget.progress("enumerating fixed streams")
    values = None if collector is None else collector.whole(len(whole.levels))
    streams = _fixed(game, whole, reason, budget, values)
    reason = reason or streams.reason or (None if streams.complete else TOO_MANY_STREAMS)
    lower = supremum([solution.power, streams.power]) if exploration.beyond else upper
    fixed = exactly(streams.power) if streams.complete else Bracket(streams.power, upper)
    return Analysis(solution, Bracket(lower, upper), streams.best, fixed, reason)


def _solved(
    exploration: Exploration,
    budget: Budget,
    keeper: "KeptLevels | None",
    collector: ChainCollector | None,
    share: int,
    most_held: int | None,
) -> tuple[Solution, Exploration, str | None]:
    """The solution of all rounds or, where that takes too long, of the first ones; which these are; what ended it."""
    with best_so_far(budget) as whole:
        if exploration.stopped != INTERRUPTED:
            with budget.share(share):
                solution = solve(exploration, budget, keeper=keeper, collector=collector, most_held=most_held)
            return solution, exploration, exploration.stopped
    reason = exploration.stopped or whole.stopped
    grace = _grace(budget, SOLVING, reason)
    first = _first(exploration, 0)
    solution = solve(first)
    with best_so_far(grace):
        for depth in _depths(exploration):
            longer = _first(exploration, depth)
            solution, first = solve(longer, grace, most_held=most_held), longer
    return solution, first, reason


def _upper(exploration: Exploration, budget: Budget, grace: Budget | None, most_held: int | None) -> PowerFunction:
    """A bound from the rounds at hand, which takes about as long as the lower one did; from fewer, within a grace."""
    upper = PowerFunction(PERFECT)
    with best_so_far(grace or budget):
        for depth in (len(exploration.levels),) if grace is None else _depths(exploration):
            upper = solve(_first(exploration, depth), grace, beyond=PERFECT, most_held=most_held).power
    return upper


@frozen
class _FixedTrials:
    """Fixed streams that were tried.

    Attributes:
        best: The enumeration that makes up most; None where no stream was tried.
        power: The supremum over all that were tried.
        complete: Whether these are all there are.
        reason: What ended the trying, if anything did.
    """

    best: "Enumerated | None" = None
    power: PowerFunction = field(default_factory=PowerFunction.identity)
    complete: bool = False
    reason: str | None = None


def _fixed(
    game: Game[Any], exploration: Exploration, reason: str | None, budget: Budget, values: "Values | None"
) -> _FixedTrials:
    """The fixed streams over all rounds or, where not all of those were tried, over the first rounds as well.

    Once the budget is spent only those, in an order that does not depend on how far the exploration came, so that a
    larger budget never reaches less.
    """
    if not exploration.levels:
        return _FixedTrials()
    whole = _over_all_rounds(game, exploration, budget, values) if reason is None else _FixedTrials()
    if whole.best is not None and whole.best.complete:
        return whole
    return _over_first_rounds(game, exploration, whole, _grace(budget, STREAMS, whole.reason or reason))


def _over_all_rounds(
    game: Game[Any], exploration: Exploration, budget: Budget, values: "Values | None"
) -> _FixedTrials:
    """The fixed streams over all explored rounds, as far as the budget goes."""
    allowance, attempt = remaining(budget, STREAMS), _FixedTrials()
    with best_so_far(budget) as part:
        enumeration = _enumerated(game, exploration, allowance, values)
        attempt = _FixedTrials(enumeration, enumeration.power, enumeration.complete and not exploration.beyond)
        if not enumeration.complete:
            _pass_on(enumeration)
            allowance.check()
    return replace(attempt, reason=part.stopped or None)


def _over_first_rounds(game: Game[Any], exploration: Exploration, so_far: _FixedTrials, grace: Budget) -> _FixedTrials:
    """What was tried before, and the fixed streams over ever more of the first rounds, within a grace."""
    with best_so_far(grace) as part:
        for depth in _depths(exploration):
            enumeration = _enumerated(game, _first(exploration, depth), grace)
            if not enumeration.complete:
                _pass_on(enumeration)
                break
            if depth == len(exploration.levels):
                return _FixedTrials(enumeration, enumeration.power, not exploration.beyond, so_far.reason)
            better = so_far.best is None or so_far.best.power.total_variation <= enumeration.power.total_variation
            reached = supremum([so_far.power, enumeration.power])
            so_far = replace(so_far, best=enumeration if better else so_far.best, power=reached)
    return replace(so_far, reason=so_far.reason or INTERRUPTED) if part.interrupted else so_far


def _pass_on(enumeration: "Enumerated") -> None:
    """The interrupt that an enumeration kept to itself."""
    if enumeration.interrupted:
        raise Interrupted


def _enumerated(game: Game[Any], explored: Exploration, budget: Budget, values: "Values | None" = None) -> "Enumerated":
    with within(budget.check):  # the last of many positions takes as long as a round of them
        levels = closed(explored)
    if isinstance(game, PairedGame):
        return fixed_stream(levels, budget)
    from dpcert.audit.solving.fixed_search import fixed_supremum

    return fixed_supremum(levels, budget, values)


def _depths(exploration: Exploration) -> Iterator[int]:
    """Numbers of first rounds to try, ever further apart; all rounds where they are the whole game.

    They do not depend on how far the exploration came, so that a larger budget never ends with fewer rounds.
    """
    depth, rounds = 1, len(exploration.levels)
    while depth < rounds:
        yield depth
        depth = max(depth + 1, depth * 5 // 4)
    if rounds and (depth == rounds or not exploration.beyond):
        yield rounds


def _first(exploration: Exploration, depth: int) -> Exploration:
    """The first `depth` rounds; the rest counts as unexplored."""
    if depth == len(exploration.levels):
        return exploration
    return Exploration(exploration.levels[:depth], len(exploration.levels[depth].positions), exploration.stopped)


def remaining(budget: Budget, percent: int = REST) -> Budget:
    """The budget itself while more of it is left than a part of the grace, and else that."""
    grace = _grace(budget, percent, None)
    time = budget.left()
    return budget if time is None or grace.work is None or time > grace.work else grace


def left(analysis: Analysis, budget: Budget) -> Budget:
    """The budget for what comes after an analysis; only a part of the grace where an interrupt ended that."""
    return _grace(budget, REST, INTERRUPTED) if analysis.stopped == INTERRUPTED else remaining(budget)


def _grace(budget: Budget, percent: int, reason: str | None) -> Budget:
    """Time for a part of the work once the whole was cut short: so much of the grace.

    Where no time was set, as much again as was spent, at least five seconds; after an interrupt, and where another tier
    goes on, a tenth, at least one.
    """
    spent = budget.nanoseconds()
    again = max(10**9, spent // 10) if reason in (INTERRUPTED, TOO_MANY_SEGMENTS) else max(5 * 10**9, spent)
    allowed = again if budget.max_seconds is None else budget.grace * percent // 100
    return Budget(max_seconds=budget.max_seconds, allowed=allowed, progress=budget.progress, whole=budget)
