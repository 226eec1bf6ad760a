"""The game that a view is played in."""

from typing import Any

from dpcert.audit.games.paired import Game, PairedGame
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.view import View
from dpcert.audit.relations.adjacency import Adjacency


def game_of(view: View, relation: Adjacency[Any], horizon: int) -> Game[Any]:
    """The paired game of a checked view: on states where they are seen, on beliefs where they are hidden."""
    if isinstance(view, Core):
        return PairedGame(view, relation, horizon)
    from dpcert.audit.games.beliefs import BeliefGame

    return BeliefGame(view, relation, horizon)
