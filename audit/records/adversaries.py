"""Evidence for a record: fixed streams and adversaries that attain its numbers, the adversaries replayed."""

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpcert.audit.algebra.power import ORDERS, Order
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import ReplayError
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import Game, Pair
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.draws import within
from dpcert.audit.kernels.view import View
from dpcert.audit.records import documents
from dpcert.audit.relations.adjacency import Adjacency
from dpcert.audit.solving.adaptive import Solution
from dpcert.audit.solving.analysis import Analysis
from dpcert.audit.solving.replay import Kernels, replay
from dpcert.audit.solving.strategy import Search

if TYPE_CHECKING:
    from dpcert.audit.records.contract import StrategyDocument, WitnessDocument

MOST_NODES, MOST_NODES_IN_ALL = 5_000, 20_000
"""Adversaries with more nodes than this, each and together, are not searched for to the end."""
MOST_ROUNDS_WRITTEN = 10_000
"""Rounds past which no stream is written out, input by input."""
Named = Callable[[Pair, int], Pair]
"""A pair of inputs, and its round, as a report names them."""


def as_is(pair: Pair, round_: int) -> Pair:
    """Inputs that are their own names."""
    del round_
    return pair


def witnesses(analysis: Analysis, question: Question, naming: Named = as_is) -> "list[WitnessDocument]":
    """Fixed streams that attain the known fixed-stream value, by slope and order; none past MOST_ROUNDS_WRITTEN."""
    streams = analysis.streams
    if streams is None or question.rounds > MOST_ROUNDS_WRITTEN:
        return []
    evidence = []
    for e in question.exp_epsilons:
        for order in ORDERS:
            pairs = [naming(pair, t) for t, pair in enumerate(streams.witness(e, order), 1)]
            evidence.append(documents.witness(pairs, streams.power, e, order))
    return evidence


def strategies(
    solution: Solution,
    game: Game[Any] | OfflineGame,
    view: View,
    relation: Adjacency[Any],
    slopes: Iterable[Fraction],
    budget: Budget,
    naming: Named = as_is,
    selection: Collection[tuple[Fraction, Order]] | None = None,
) -> "list[StrategyDocument]":
    """A maximising adversary per slope and order, each replayed; what is too large is left out and says so.

    So is what an interrupt or the end of the budget leaves undone, and what is not in the `selection`, if there is one.
    """
    search, writer = Search(solution), documents.Adversaries(game.describe)
    kernels: Kernels = {}
    adversaries = []
    nodes_left = MOST_NODES_IN_ALL
    for exp_epsilon in slopes:
        for order in ORDERS:
            if selection is not None and (exp_epsilon, order) not in selection:
                adversaries.append(documents.strategy_too_large(exp_epsilon, order, solution.power))
                continue
            strategy, event = None, None
            with best_so_far(budget) as part:
                budget.check()
                strategy = search.strategy(exp_epsilon, order, min(MOST_NODES, nodes_left))
                with within(budget.check):
                    event = None if strategy is None else replay(strategy, view, relation, game.horizon, kernels)
            if part.stopped:
                nodes_left = 0
            if strategy is None or event is None:
                nodes_left -= min(MOST_NODES, nodes_left)
                adversaries.append(documents.strategy_too_large(exp_epsilon, order, solution.power))
                continue
            nodes_left -= len(strategy.nodes)
            replayed = event.delta(exp_epsilon, order)
            if replayed != strategy.delta:
                raise ReplayError(f"replay gave {text(replayed)} where the solver claims {text(strategy.delta)}")
            adversaries.append(writer.strategy(strategy, event, naming))
    return adversaries
