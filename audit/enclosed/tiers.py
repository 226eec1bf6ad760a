"""Which tier answers for a game: the exact one, and past its bound, or where it comes to its end, the enclosed one."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.algebra.thinning import outer
from dpcert.audit.budget import INTERRUPTED, Budget, best_so_far
from dpcert.audit.enclosed.analysis import (
    MOST_BELIEF_PAIRS,
    Effort,
    analyse_enclosed,
    asked_of,
    played_level,
    refined,
    slopes_of,
    within_words,
)
from dpcert.audit.enclosed.bounding import Line
from dpcert.audit.enclosed.hidden import HiddenGame
from dpcert.audit.enclosed.refining import Refined
from dpcert.audit.enclosed.root import above
from dpcert.audit.enclosed.stages import Stages, explored_stages, stages
from dpcert.audit.errors import MechanismError
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import Explored, Game, PairedGame, explore
from dpcert.audit.games.question import Question
from dpcert.audit.limits import within
from dpcert.audit.solving.adaptive import segments_by_round
from dpcert.audit.solving.analysis import Analysis, analyse, analyse_explored
from dpcert.audit.solving.kept_levels import KeptLevels

MOST_EXACT_ROUNDS = 24
"""Rounds up to which it is not foreseen whether a game is past the exact tier: it is tried."""
MOST_EXACT_SEGMENTS = 40_000_000
"""Segments of all chains of a game past which, by its last rounds, it is enclosed and not solved."""
MOST_HELD_SEGMENTS = 8_000_000
"""Segments of the chains that solving holds at once, past which it ends and the game is enclosed."""
MOST_POSITIONS_AHEAD = 20_000
"""Positions past which nothing is foreseen of a game, and the exact tier is tried."""
MOST_ROUNDS_AHEAD = 64
"""Last rounds by which it is foreseen how many segments all rounds have."""
MOST_UPPER_EDGES = 200
"""Edges that are kept of an upper bound of the exact tier, where it is put together with another."""
SHARES, SHARES_UNEXPLORED = 2, 8
"""Solving has one of so many parts of the time where another tier follows it; and where rounds are unexplored."""


def analyse_within(game: Game[Any], question: Question, budget: Budget, effort: Effort) -> Analysis:
    """What is known of a game in the tier that is asked for; unless that is named, in the exact one as far as it goes.

    Source: docs/decisions/0015.
    """
    if effort.tier == "enclosed":
        return analyse_enclosed(game, question, budget, effort)
    kept = KeptLevels(effort.checkpoint, asked_of(question)) if effort.checkpoint else None
    if effort.tier == "exact":
        return analyse(game, budget, kept)
    explored = _past_exact(game, budget)
    if explored is not None:
        return analyse_enclosed(game, question, budget, effort, explored)
    return _one_after_another(game, question, budget, effort, kept)


def _one_after_another(
    game: Game[Any], question: Question, budget: Budget, effort: Effort, kept: KeptLevels | None
) -> Analysis:
    """What the exact tier knows; where it came to its end before it knew the curve, with bounds of the other one."""
    hidden = _hidden(game, budget) if budget.max_seconds is not None else None
    with budget.share(SHARES if hidden is not None else 1):
        whole = explore(game, budget)
    share = SHARES_UNEXPLORED if whole.stopped else SHARES
    found = analyse_explored(game, whole, budget, kept, share=share, most_held=MOST_HELD_SEGMENTS)
    if found.adaptive.exact or found.stopped == INTERRUPTED:
        return found
    if budget.max_seconds is None:
        hidden = _hidden(game, budget)
    alone = replace(effort, checkpoint="")  # the file stays the exact tier's
    known = _refined(whole, hidden, question, budget, alone)
    return found if known is None else closer(found, known, question, effort)


def _hidden(game: Game[Any], budget: Budget) -> HiddenGame | None:
    """A game of few hidden states by them.

    Its laws are asked for apart, so that they are not among those of the game; a mechanism need not have any of states
    that it only reaches after its last round.
    """
    if not isinstance(game, BeliefGame):
        return None
    with (
        best_so_far(budget),
        contextlib.suppress(MechanismError),
        budget.share(SHARES_UNEXPLORED),
        within(budget.check),
    ):
        return HiddenGame.of(BeliefGame(game.view, game.adjacency, game.horizon))
    return None


def _refined(
    whole: Explored, hidden: HiddenGame | None, question: Question, budget: Budget, effort: Effort
) -> Refined | None:
    """Bounds on all rounds, on the positions that were explored or, where those are not all or too many, on grids of
    beliefs; None where neither will do."""
    few = hidden is None or whole.positions <= MOST_BELIEF_PAIRS
    known: Refined | None = None
    if whole.stopped is None and few:
        known = refined(explored_stages(whole), question, effort, budget)
    elif hidden is not None:
        known = refined(hidden, question, effort, budget)
    return known if known is not None and known.steps else None


def closer(found: Analysis, known: Refined, question: Question, effort: Effort) -> Analysis:
    """What both tiers know of a game, the better of either side, and why the exact one came to its end.

    Args:
        found: What the exact tier knows.
        known: What the enclosed one does.
        question: Where bounds are to be near each other.
        effort: How near.
    """
    both = Bracket(
        supremum([found.adaptive.lower, known.bracket.lower]), _lower_of(found.adaptive.upper, known.bracket.upper)
    )
    fixed = found.fixed if found.fixed.exact else Bracket(found.fixed.lower, both.upper)
    apart = max(both.upper.delta(e) - both.lower.delta(e) for e in slopes_of(question))
    stopped, words = within_words(replace(known, bracket=both, gap=apart), effort)
    ended = f"{words}; it was not solved, for {found.stopped}"
    return replace(found, adaptive=both, fixed=fixed, stopped=stopped, enclosed=ended, played=known.played)


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


def _past_exact(game: Game[Any], budget: Budget) -> Stages | None:
    """The rounds of a game whose chains would have more segments than MOST_EXACT_SEGMENTS; None for any other.

    How many they would have is told by how they grow in the last rounds.
    """
    if game.horizon <= MOST_EXACT_ROUNDS or not isinstance(game, PairedGame):
        return None
    few = replace(budget, max_positions=MOST_POSITIONS_AHEAD, positions=0)
    with best_so_far(few):
        explored = stages(game, few)
        rounds = min(MOST_ROUNDS_AHEAD, game.horizon // 4)
        levels = [played_level(explored, round_) for round_ in range(game.horizon - rounds + 1, game.horizon + 1)]
        counts = segments_by_round(levels, rounds, MOST_EXACT_SEGMENTS // 16, few)
        if len(counts) < rounds or _foreseen(counts, game.horizon) > MOST_EXACT_SEGMENTS:
            return explored
    return None


def _foreseen(counts: Sequence[int], rounds: int) -> int:
    """The segments of all rounds, if they go on growing like the power of the round's number that they grew by."""
    last, half = counts[-1], max(1, counts[len(counts) // 2 - 1])
    power = max(0, (last * 8 // half).bit_length() - 4)  # ln 2 of how often more in twice as many rounds
    foreseen: int = last * rounds ** (power + 1) // (len(counts) ** power * (power + 1))
    return foreseen
