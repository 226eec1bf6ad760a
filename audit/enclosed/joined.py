"""What both tiers know of a game, where the exact one came to its end: the better bound on either side."""

from dataclasses import replace
from itertools import pairwise

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.algebra.thinning import outer
from dpcert.audit.beliefs.difference_fixed import DifferenceStreamBounds
from dpcert.audit.beliefs.differences import by_differences, few_differences
from dpcert.audit.beliefs.hidden import HiddenGame, by_hidden_states
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.enclosed.analysis import MOST_BELIEF_PAIRS, refined, slopes_of, within_words
from dpcert.audit.enclosed.effort import Effort
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import Exploration, PairedGame
from dpcert.audit.games.question import Question
from dpcert.audit.grids.bounding import Line
from dpcert.audit.grids.refining import Refinement
from dpcert.audit.grids.root import above
from dpcert.audit.grids.stages import explored_stages, stages
from dpcert.audit.grids.streams import StreamBounds
from dpcert.audit.solving.analysis import Analysis

MOST_STREAM_POSITIONS = 20_000
"""Positions past which fixed streams are not followed."""
MOST_UPPER_EDGES = 200
"""Edges that are kept of an upper bound of the exact tier, where it is put together with another."""


def refined_where_explored(
    whole: Exploration, by_states: HiddenGame | None, question: Question, budget: Budget, effort: Effort
) -> Refinement | None:
    """Bounds on all rounds, on the positions that were explored or on beliefs; None where neither will do.

    Beliefs are laid on a grid where not all positions were explored, or too many, or differences are fewer.
    """
    few = by_states is None or (whole.positions <= MOST_BELIEF_PAIRS and not few_differences(by_states, budget))
    bounds: Refinement | None = None
    if whole.stopped is None and few:
        bounds = refined(explored_stages(whole), question, effort, budget)
    elif by_states is not None:
        bounds = refined(by_states, question, effort, budget)
    return bounds if bounds is not None and bounds.steps else None


def closer(solution: Analysis, bounds: Refinement, question: Question, effort: Effort) -> Analysis:
    """What both tiers know of a game, the better of either side, and why the exact one came to its end.

    Args:
        solution: What the exact tier knows.
        bounds: What the enclosed one does.
        question: Where bounds are to be near each other.
        effort: How near.
    """
    both = Bracket(
        supremum([solution.adaptive.lower, bounds.bracket.lower]),
        _lower_of(solution.adaptive.upper, bounds.bracket.upper),
    )
    streams = solution.fixed if solution.fixed.exact else Bracket(solution.fixed.lower, both.upper)
    apart = max(both.upper.delta(e) - both.lower.delta(e) for e in slopes_of(question))
    stopped, words = within_words(replace(bounds, bracket=both, gap=apart), effort)
    enclosure = f"{words}; it was not solved, for {solution.stopped}"
    return replace(solution, adaptive=both, fixed=streams, stopped=stopped, enclosed=enclosure, events=bounds.events)


def with_streams(
    found: Analysis, game: PairedGame | BeliefGame, question: Question, budget: Budget, effort: Effort
) -> Analysis:
    """The same with closer bounds on what fixed streams reach, and streams that were seen to reach it.

    Args:
        found: What is known of a game whose fixed streams are not known exactly.
        game: It.
        question: Where bounds are to be near each other.
        budget: Bounds the time, and the positions.
        effort: How near.
    """
    known: StreamBounds | DifferenceStreamBounds | None = None
    bracket: Bracket | None = None
    with best_so_far(budget):
        if isinstance(game, PairedGame):
            known = _of_core(game, question, budget, effort)
        else:
            known = _of_hidden(found, game, question, budget, effort)
        bracket = None if known is None else known.run()
    if known is None or bracket is None:
        return found
    lower = supremum([found.fixed.lower, bracket.lower])
    fixed = Bracket(lower, _lower_of(found.fixed.upper, bracket.upper))
    better = bool(known.reached.pairs) and (found.streams is None or found.fixed.lower != lower)
    adaptive = Bracket(supremum([found.adaptive.lower, lower]), found.adaptive.upper)
    return replace(found, adaptive=adaptive, fixed=fixed, streams=known.reached if better else found.streams)


def _of_core(game: PairedGame, question: Question, budget: Budget, effort: Effort) -> StreamBounds:
    """The fixed streams of a core, to be enclosed."""
    few = min(MOST_STREAM_POSITIONS, budget.max_positions or MOST_STREAM_POSITIONS)
    explored = stages(game, replace(budget, max_positions=few, positions=0))
    return StreamBounds(explored, slopes_of(question), effort.gap, budget)


def _of_hidden(
    found: Analysis, game: BeliefGame, question: Question, budget: Budget, effort: Effort
) -> DifferenceStreamBounds | None:
    """Those of a game of few hidden states, where streams part once; None of any other."""
    by_states = by_hidden_states(game, budget)
    differences = None if by_states is None else by_differences(by_states, budget)
    if differences is None:
        return None
    return DifferenceStreamBounds(differences, slopes_of(question), found.fixed, effort.gap, budget)


def _lower_of(one: PowerFunction, other: PowerFunction) -> PowerFunction:
    """The lower of two upper bounds, slope by slope; a long one is thinned, and corners are moved outward."""
    if other <= one:
        return other
    return above([*_lines(one), *_lines(other)])


def _lines(power: PowerFunction) -> list[Line]:
    """Lines that bound a curve, about one along each of its edges."""
    edges = pairwise(outer(power, MOST_UPPER_EDGES))
    slopes = ((x0, y0, (y1 - y0) / (x1 - x0)) for (x0, y0), (x1, y1) in edges if x1 > x0)
    return [(slope, y - slope * x) for x, y, slope in slopes]
