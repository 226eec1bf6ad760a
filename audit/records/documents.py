"""Parts of the record: what was asked, curves, witnesses and adversaries as JSON values."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.enclosure import Enclosure
from dpcert.audit.algebra.power import Order, Point, PowerFunction
from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.algebra.thinning import inner, outer
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import ArgumentError, MechanismError
from dpcert.audit.games.paired import Pair
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.border import answering, member, name_of
from dpcert.audit.kernels.draws import within
from dpcert.audit.kernels.label import label
from dpcert.audit.outside.guards import place_of
from dpcert.audit.records.headline import written
from dpcert.audit.solving.analysis import Analysis
from dpcert.audit.solving.replay import Replay
from dpcert.audit.solving.strategy import Branch, Node, Strategy

if TYPE_CHECKING:
    from dpcert.audit.records.contract import (
        BranchDocument,
        DeltaDocument,
        EnclosedDocument,
        EpsilonDocument,
        IntervalDocument,
        NodeDocument,
        ScopeDocument,
        StrategyDocument,
        WitnessDocument,
    )
    from dpcert.audit.records.section import Section

T = TypeVar("T")

MOST_VERTICES = 2_000
"""Vertices of a curve past which a record holds a thinned one, marked as not complete."""
MOST_NODES_WRITTEN = 500
"""Nodes of an adversary past which a record holds the first ones, marked as not complete."""


def scope(question: Question, alphabet: Iterable[object], analysis: Analysis, words: str) -> "ScopeDocument":
    """The scope of the audit; `positions` counts the distinct non-terminal positions solved, `stopped` says what ended
    the work early, where anything did."""
    document: ScopeDocument = {
        "horizon": question.rounds,
        "alphabet": [label(x) for x in alphabet],
        "adjacency": question.adjacency,
        "hops": question.hops,
        "challenge_round": question.challenge_round,
        "positions": analysis.solution.positions,
        "text": words,
    }
    if analysis.stopped is not None:
        document["stopped"] = analysis.stopped
    return {"every_horizon": True, **document} if question.every_horizon else document


def sampled_scope(question: Question, alphabet: Iterable[object], words: str, reason: str) -> "ScopeDocument":
    """The scope of what runs alone tell: no position is solved."""
    document: ScopeDocument = {
        "horizon": question.rounds,
        "alphabet": [label(x) for x in alphabet],
        "adjacency": question.adjacency,
        "hops": question.hops,
        "challenge_round": question.challenge_round,
        "positions": 0,
        "text": words,
    }
    return {**document, "stopped": reason} if reason else document


def curve(
    power: PowerFunction, question: Question, thinned: Callable[..., tuple[Point, ...]] = outer
) -> "EnclosedDocument":
    """One exact power function, read off where the question asks; `thinned` says on which side a long one is cut."""
    vertices = thinned(power, MOST_VERTICES)
    largest = power.largest_ratio
    return {
        "tier": "exact",
        "total_variation": text(power.total_variation),
        "delta_at_infinity": text(power.delta_at_infinity),
        "largest_ratio": None if largest is None else text(largest),
        "delta": [_delta(power, power, e) for e in question.exp_epsilons],
        "delta_at_epsilon": [{"epsilon": text(e), **_interval(power.delta_at(e))} for e in question.epsilons],
        "epsilon": [_epsilon(power, d) for d in question.deltas],
        "vertices": len(power.chain) + 1,
        "complete": len(power.chain) <= MOST_VERTICES,
        "power": [[text(x), text(y)] for x, y in vertices],
    }


def enclosed(bracket: Bracket, question: Question) -> "EnclosedDocument":
    """A curve known between two bounds: the upper one, with the lower one inside; exact where they are the same."""
    if bracket.exact:
        return curve(bracket.lower, question)
    return {
        **curve(bracket.upper, question),
        "tier": "enclosed",
        "delta": [_delta(bracket.lower, bracket.upper, e) for e in question.exp_epsilons],
        "lower": curve(bracket.lower, question, inner),
    }


def _delta(lower: PowerFunction, upper: PowerFunction, exp_epsilon: Fraction) -> "DeltaDocument":
    low = lower.delta(exp_epsilon)
    high = low if upper is lower else upper.delta(exp_epsilon)
    return {"exp_epsilon": text(exp_epsilon), "lower": text(low), "upper": text(high)}


def _epsilon(power: PowerFunction, delta: Fraction) -> "EpsilonDocument":
    exp_epsilon = power.exp_epsilon_for(delta)
    return {
        "delta": text(delta),
        "exp_epsilon": None if exp_epsilon is None else text(exp_epsilon),
        **_interval(power.epsilon_for(delta)),
    }


def _interval(enclosure: Enclosure) -> "IntervalDocument":
    """Both ends, exact; `infinite` where there is none."""
    return {"lower": written(enclosure.lower), "upper": written(enclosure.upper)}


def witness(pairs: Iterable[Pair], power: PowerFunction, exp_epsilon: Fraction, order: Order) -> "WitnessDocument":
    """A pair of fixed streams that attains the fixed-stream value at one slope and order."""
    rounds = list(pairs)
    return {
        "exp_epsilon": text(exp_epsilon),
        "order": order,
        "delta": text(power.hockey_stick(exp_epsilon, order)),
        "stream0": [label(inputs[0]) for inputs in rounds],
        "stream1": [label(inputs[-1]) for inputs in rounds],
    }


class Adversaries:
    """Adversaries of one game as documents; what they share is put into words once.

    Args:
        describe: A position in words.
    """

    def __init__(self, describe: Callable[[Any], str]) -> None:
        self._describe = describe
        self._words: dict[tuple[int, int], tuple[object, Any]] = {}

    def strategy(self, strategy: Strategy, event: Replay, naming: Callable[[Pair, int], Pair]) -> "StrategyDocument":
        """An adversary as a policy graph: node 0 starts; a branch leads to a node or ends in or outside the event.

        Args:
            strategy: The adversary.
            event: What it has in its event, as it was replayed.
            naming: How a report names the pair of a round.
        """
        return {
            "exp_epsilon": text(strategy.exp_epsilon),
            "order": strategy.order,
            "delta": text(strategy.delta),
            "replayed": text(event.delta(strategy.exp_epsilon, strategy.order)),
            "event": [text(event.event0), text(event.event1)],
            "complete": len(strategy.nodes) <= MOST_NODES_WRITTEN,
            "nodes": [self._node(at, node, naming) for at, node in enumerate(strategy.nodes[:MOST_NODES_WRITTEN])],
        }

    def _node(self, number: int, node: Node, naming: Callable[[Pair, int], Pair]) -> "NodeDocument":
        return {
            "id": number,
            "round": node.round,
            "position": self._once(node.position, self._describe),
            "slope": [text(Fraction(c)) for c in node.slope],
            "pair": [self._once(x, label) for x in naming(node.pair, node.round)],
            "branches": [self._branch(branch) for branch in node.branches],
        }

    def _branch(self, branch: Branch) -> "BranchDocument":
        return {
            "observation": self._once(branch.observation, label),
            "probability": [self._once(branch.probability0, text), self._once(branch.probability1, text)],
            "next": branch.after,
            "in_event": branch.in_event,
        }

    def _once(self, value: T, words: Callable[[T], str]) -> str:
        """A value in words; of the very same object the words that it had, for equal values may read differently."""
        key = place_of(value), place_of(words)
        known = self._words.get(key)
        if known is None:
            known = self._words[key] = value, words(value)
        return known[1]


def strategy_too_large(exp_epsilon: Fraction, order: Order, power: PowerFunction) -> "StrategyDocument":
    """Stands in for an adversary that was not written out; its value is the solver's."""
    return {
        "exp_epsilon": text(exp_epsilon),
        "order": order,
        "delta": text(power.hockey_stick(exp_epsilon, order)),
        "replayed": None,
        "event": None,
        "complete": False,
        "nodes": [],
    }


def strategy_played(
    exp_epsilon: Fraction, order: Order, lower: PowerFunction, event: Point | None
) -> "StrategyDocument":
    """The same of an adversary that was played forwards, if it was: what it had in its event in either world."""
    document = strategy_too_large(exp_epsilon, order, lower)
    if event is None:
        return document
    first, second = event if order == "0-1" else (event[1], event[0])
    reached = text(first - exp_epsilon * second)
    return {**document, "delta": reached, "replayed": reached, "event": [text(event[0]), text(event[1])]}


def sections(mechanism: Any, horizon: int, budget: Budget) -> "list[Section]":
    """Titled tables that the mechanism adds with its own `sections(horizon, budget)`; none once the time is over.

    Raises: MechanismError: something else than a list of tables.
    """
    own = member(mechanism, "sections")
    if own is None:
        return []
    with (
        best_so_far(budget),
        within(budget.check),
        answering(f"{name_of(mechanism)}.sections", own),
    ):
        made: list[Section] = own(horizon, budget)
        _check_sections(made)
        return made
    return []


def _check_sections(sections: Any) -> None:
    """Refuses what is no list of tables."""
    if not (isinstance(sections, list) and all(isinstance(one, dict) and "title" in one for one in sections)):
        raise MechanismError(f"Expected a list of titled tables but got {label(sections)}")
    for one in sections:
        grids = [one.get("columns", ()), one.get("rows", ()), *(one.get("rows") or ())]
        if not all(isinstance(grid, (list, tuple)) for grid in grids):
            raise MechanismError(f"Expected columns and rows of a table as lists but got {label(one)}")
        if "figure" in one and not _drawable(one["figure"]):
            raise MechanismError(f"Expected a figure of curves through rational points but got {label(one['figure'])}")


def _drawable(figure: Any) -> bool:
    """Whether a section's figure has what a page needs to draw it."""
    try:
        points = [point for curve in figure["curves"] for point in curve["points"] if isinstance(curve["name"], str)]
        numbers = [parse(number, "point") for x, y in points for number in (x, y)]
    except (KeyError, TypeError, ValueError, AttributeError, ArgumentError):
        return False
    named = isinstance(figure.get("x"), str) and isinstance(figure.get("y"), str)
    return named and all(curve["points"] for curve in figure["curves"]) and bool(numbers)
