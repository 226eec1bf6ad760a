"""Both exact curves of a small game, by the solver."""

from functools import cache
from typing import Any, NamedTuple

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import Game, explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING, Adjacency
from dpcert.audit.solving.adaptive import solve
from dpcert.audit.solving.analysis import analyse


class FixedAndAdaptive(NamedTuple):
    """The power functions against fixed streams and against adaptive adversaries."""

    fixed: PowerFunction
    adaptive: PowerFunction

    @property
    def lift(self) -> bool:
        """Whether adaptive adversaries gain nothing at any epsilon."""
        return self.fixed == self.adaptive


def curves(mechanism: object, horizon: int, relation: Adjacency[Any] = HAMMING) -> FixedAndAdaptive:
    """(fixed-stream, adaptive), exact for every epsilon.

    Raises: RuntimeError: the game is too large for an exact answer.
    """
    found = analyse(game_of(view_of(mechanism), relation, horizon), Budget())
    if not (found.fixed.exact and found.adaptive.exact):
        raise RuntimeError(f"no exact curves: {found.stopped}")
    return FixedAndAdaptive(found.fixed.lower, found.adaptive.lower)


@cache
def known_curves(mechanism: object, horizon: int) -> FixedAndAdaptive:
    """Those of Hamming neighbours, remembered: several claims look at one family of games."""
    return curves(mechanism, horizon)


def adaptive(mechanism: object, horizon: int, relation: Adjacency[Any] = HAMMING) -> PowerFunction:
    """The power function against adaptive adversaries, exact for every epsilon."""
    return exact_power(game_of(view_of(mechanism), relation, horizon))


def exact_power(game: Game[Any]) -> PowerFunction:
    """The value of a game, exact for every epsilon; no fixed streams are looked at.

    Raises: RuntimeError: the game is too large for an exact answer.
    """
    explored = explore(game)
    if explored.stopped is not None:
        raise RuntimeError(f"no exact curve: {explored.stopped}")
    return solve(explored).power
