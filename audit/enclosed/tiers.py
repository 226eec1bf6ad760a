"""Which tier answers for a game: the exact one, and past its bound, or where it comes to its end, the enclosed one.

What the enclosed tier is made of is read only where it is needed.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpcert.audit.budget import INTERRUPTED, Budget, Stopped
from dpcert.audit.enclosed.effort import MOST_EXACT_ROUNDS, Effort
from dpcert.audit.games.paired import Exploration, Game, PairedGame, explore
from dpcert.audit.games.question import Question
from dpcert.audit.relations.adjacency import ANY, Hamming, UnitHamming, ZeroOut, innermost
from dpcert.audit.solving.analysis import Analysis, analyse, analyse_explored

if TYPE_CHECKING:
    from dpcert.audit.beliefs.hidden import HiddenGame
    from dpcert.audit.solving.kept_levels import KeptLevels

MOST_HELD_SEGMENTS = 8_000_000
"""Segments of the chains that solving holds at once, past which it ends and the game is enclosed."""
MOST_BELIEFS_FIRST, MOST_BELIEFS_UNASKED = 20_000, 100_000
"""Positions of a hidden game past which it is seen whether differences enclose it; and past which, if they do and
nobody bounds the work, no more are explored."""
MOST_STREAM_ROUNDS = 64
"""Rounds past which fixed streams are bounded as adaptive adversaries are."""
PARTS_FOR_THE_LADDER = 4
"""What follows an enclosure, the ladder or fixed streams, has one of so many parts of the time that is left."""
PARTS_OF_TIME, PARTS_UNEXPLORED = 2, 8
"""Solving has one of so many parts of the time where another tier follows it; and where rounds are unexplored."""


def analyse_within(game: Game[Any], question: Question, budget: Budget, effort: Effort) -> Analysis:
    """What is known of a game in the tier that is asked for; unless that is named, in the exact one as far as it goes.

    Source: docs/decisions/0015.
    """
    if effort.tier == "enclosed" or (effort.tier == "auto" and game.horizon > MOST_EXACT_ROUNDS):
        from dpcert.audit.enclosed.analysis import analyse_enclosed, past_exact

        rounds = None if effort.tier == "enclosed" else past_exact(game, budget)
        if effort.tier == "enclosed" or rounds is not None:
            return analyse_enclosed(game, question, budget, effort, rounds)
    levels = _kept(question, effort) if effort.checkpoint else None
    if effort.tier == "exact":
        return analyse(game, budget, levels)
    return _one_after_another(game, question, budget, effort, levels)


def streams_within(game: object, found: Analysis, question: Question, budget: Budget, effort: Effort) -> Analysis:
    """The same where fixed streams are known more closely than by the bound on adaptive adversaries.

    Those of cores and of hidden states, over no more than MOST_STREAM_ROUNDS; nothing is done for the exact tier alone.
    """
    if found.fixed.exact or effort.tier == "exact" or found.stopped == INTERRUPTED:
        return found
    from dpcert.audit.games.beliefs import BeliefGame

    if not isinstance(game, PairedGame | BeliefGame) or game.horizon > MOST_STREAM_ROUNDS:
        return found
    from dpcert.audit.enclosed.joined import with_streams

    return with_streams(found, game, question, budget, effort)


def _kept(question: Question, effort: Effort) -> "KeptLevels":
    from dpcert.audit.solving.kept_levels import KeptLevels

    return KeptLevels(effort.checkpoint, question.told, effort.kept_after)


def _one_after_another(
    game: Game[Any], question: Question, budget: Budget, effort: Effort, levels: "KeptLevels | None"
) -> Analysis:
    """What the exact tier knows; where it came to its end before it knew the curve, with bounds of the other one."""
    by_states = _hidden(game, budget) if budget.max_seconds is not None else None
    with budget.share(PARTS_OF_TIME if by_states is not None else 1):
        whole = _unasked(game, budget) or explore(game, budget)
    share = PARTS_UNEXPLORED if whole.stopped else PARTS_OF_TIME
    solution = analyse_explored(game, whole, budget, levels, share=share, most_held=MOST_HELD_SEGMENTS)
    if solution.adaptive.exact or solution.stopped == INTERRUPTED:
        return solution
    from dpcert.audit.enclosed.joined import closer, refined_where_explored

    if budget.max_seconds is None:
        by_states = _hidden(game, budget)
    alone = replace(effort, checkpoint="")  # the file stays the exact tier's
    with budget.keeping(PARTS_FOR_THE_LADDER):
        bounds = refined_where_explored(whole, by_states, question, budget, alone)
    return solution if bounds is None else closer(solution, bounds, question, effort)


@dataclass
class _Few(Budget):
    """A budget that nothing bounds but a number of positions, so that rounds are estimated before they are begun."""

    most: int = MOST_BELIEFS_FIRST

    def explored(self, count: int = 1) -> None:
        """Counts positions. Raises: Stopped: they are too many."""
        self.positions += count
        if self.positions > self.most:
            raise Stopped(f"it has more than {self.most:,} positions (MOST_BELIEFS_UNASKED)")
        self.check()


def _unasked(game: Game[Any], budget: Budget) -> Exploration | None:
    """The rounds of a hidden game where nobody bounds the work, the first of those that have too many positions.

    None of any other game, and of one that differences do not enclose: there every round is explored.
    """
    if isinstance(game, PairedGame) or budget.bounded:
        return None
    if not isinstance(innermost(getattr(game, "adjacency", ANY)), Hamming | UnitHamming | ZeroOut):
        return None
    for most in (MOST_BELIEFS_FIRST, MOST_BELIEFS_UNASKED):
        few = _Few(progress=budget.progress, most=most)
        whole = explore(game, few)
        if whole.stopped == INTERRUPTED:
            budget.cut()
        if few.positions <= most or most == MOST_BELIEFS_UNASKED:
            return whole
        from dpcert.audit.beliefs.differences import few_differences

        by_states = _hidden(game, budget)
        if by_states is None or not few_differences(by_states, budget):
            return None
    return None


def _hidden(game: Game[Any], budget: Budget) -> "HiddenGame | None":
    """A game of few hidden states by them, in a part of the time."""
    if isinstance(game, PairedGame):
        return None
    from dpcert.audit.beliefs.hidden import by_hidden_states

    with budget.share(PARTS_UNEXPLORED):
        return by_hidden_states(game, budget)
