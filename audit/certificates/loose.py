"""Curves of a game that was not solved: each is made of those that follow, thinned, and none is ever exact."""

from collections.abc import Sequence
from fractions import Fraction

from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.certificates.bounding import Bounding, mirrors
from dpcert.audit.certificates.heights import Ray
from dpcert.audit.certificates.outward import Outward
from dpcert.audit.certificates.tolerances import LeftOver
from dpcert.audit.certificates.unsolved import GameValues, UnsolvedGame, unsolved
from dpcert.audit.errors import ArgumentError, expected
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.limits import within
from dpcert.audit.records.assembled import Request
from dpcert.audit.solving.adaptive import lattice_of

MOST_SEGMENTS_AT_ONCE = 2_000_000
"""Segments of exact curves past which curves of a certificate are as near to the truth at one slope as at any; and of
curves of a game that was not solved, past which there is no certificate."""
MOST_CERTIFIED_POSITIONS = 100_000
"""Positions, of all rounds, past which there is no certificate of an audit that did not solve its game."""


def loosely_bounded(game: PairedGame | BeliefGame, request: Request, gap: Fraction) -> tuple[UnsolvedGame, Bounding]:
    """The game by its values and their curves, worked out in as much time as the audit was allowed.

    Args:
        game: What was played.
        request: What was asked of it.
        gap: What bounds may exceed delta by at the e^epsilon asked for, above 0.
    Raises: ArgumentError: the game is too large, or its curves are.
    """
    most = min(request.budget.max_positions or MOST_CERTIFIED_POSITIONS, MOST_CERTIFIED_POSITIONS)
    budget = Budget(most, request.budget.max_seconds)
    with best_so_far(budget) as part, within(budget.check):
        valued = _explored(game, budget)
        slopes = request.question.exp_epsilons
        return valued, loose_bounds(valued, slopes, Outward.of_gap(gap, game.horizon, max(slopes)))
    raise ArgumentError(f"Expected time for a certificate of bounds but got none: {part.stopped}")


def _explored(game: PairedGame | BeliefGame, budget: Budget) -> UnsolvedGame:
    """A game by its values. Raises: ArgumentError: it has too many positions, or the time is over."""
    exploration = explore(game, budget)
    if exploration.stopped:
        if budget.positions > MOST_CERTIFIED_POSITIONS:
            demand = f"a game of at most {MOST_CERTIFIED_POSITIONS} positions (MOST_CERTIFIED_POSITIONS)"
            raise expected(f"{demand} for a certificate of bounds", rounds=game.horizon)
        raise ArgumentError(f"Expected an audit of one whole game, for a certificate, but got: {exploration.stopped}")
    return unsolved(exploration.levels)


def loose_bounds(valued: GameValues, exp_epsilons: Sequence[Fraction], outward: Outward) -> Bounding:
    """The curves of values within what the gap leaves, each from those that follow.

    Args:
        valued: The game.
        exp_epsilons: What is asked for.
        outward: What the gap leaves.
    Raises: ArgumentError: they have too many segments.
    """
    values, root, mirror = valued.values, valued.value_of[0][0], mirrors(valued.values)
    tolerances = LeftOver(values, root, mirror, room(exp_epsilons, outward), ()).tolerances()
    bounds = Bounding(values, Hulls(lambda: lattice_of(valued.levels)), mirror, outward, tolerances)
    if not bounds.all(MOST_SEGMENTS_AT_ONCE):
        demand = f"bounds of at most {MOST_SEGMENTS_AT_ONCE} segments (MOST_SEGMENTS_AT_ONCE)"
        raise expected(f"{demand} for a certificate: a larger --certificate-gap gives them,", values=len(values))
    return bounds


def room(exp_epsilons: Sequence[Fraction], outward: Outward) -> dict[Ray, Fraction]:
    """What a bound at the root may exceed the truth by, by slope.

    Args:
        exp_epsilons: What is asked for; either order of worlds counts.
        outward: What the gap leaves.
    """
    ends = [ray for e in exp_epsilons for ray in ((e.numerator, e.denominator), (e.denominator, e.numerator))]
    return dict.fromkeys(ends, Fraction(1, outward.within))
