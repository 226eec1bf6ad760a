"""Adversaries that attain the supremum: read off the solved game; `replay` plays them forwards."""

from collections.abc import Hashable
from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

from dpcert.audit.algebra.power import Order
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import Move, Outcome, Pair
from dpcert.audit.solving.adaptive import Option, Solution, Value, option_of, value_after

Slope = tuple[int, int]
"""Coefficients (c0, c1), one positive and one negative: an atom counts max(0, c0 mass0 + c1 mass1)."""


@frozen(slots=True)
class Branch:
    """What the adversary does after one observation: go on at node `after`, or stop and guess.

    `in_event` says, where it stops, whether the transcript belongs to the event S that it bets on.
    """

    observation: Hashable
    probability0: Fraction
    probability1: Fraction
    after: int | None
    in_event: bool | None


@frozen(slots=True)
class Node:
    """A (position, slope) of the policy graph: the pair to submit, and a branch for each observation.

    The slope is coprime and in units of probability: what follows is worth sum max(0, slope[0] p0 + slope[1] p1).
    """

    round: int
    position: Any
    slope: Slope
    pair: Pair
    branches: tuple[Branch, ...]


@frozen(slots=True)
class Strategy:
    """An adversary as a policy graph; node 0 is the start. Without nodes it stops at once.

    `delta` is what it attains: P_first(S) - exp_epsilon P_second(S), P_first the world that `order` names first.
    """

    exp_epsilon: Fraction
    order: Order
    delta: Fraction
    nodes: tuple[Node, ...]


class _Following(NamedTuple):
    """What follows some outcomes of a move: the factors from one slope to the next, and whose atoms are to count.

    `first0` to `last1` are the first and the last atom of what follows, and `total0` and `total1` all of it.
    """

    after: int
    factor0: int
    factor1: int
    first0: int
    first1: int
    last0: int
    last1: int
    total0: int
    total1: int


@frozen(slots=True)
class _MoveOutcomes:
    """A move as every slope needs it: each outcome with the number of its way, and the ways that there are."""

    pair: Pair
    outcomes: tuple[tuple[Hashable, Fraction, Fraction, int], ...]
    ways: tuple[_Following, ...]


Key = tuple[int, int, Slope]
"""Level, position and slope of a node."""


End = tuple[int | None, bool | None]
"""The node that the adversary goes on at, or the guess that it stops with."""


class _PlannedNode(NamedTuple):
    """A node before it is written out: what is released there, and how each way of it ends."""

    key: Key
    value: Value
    released: _MoveOutcomes
    ends: list[End]


class Search:
    """Reads adversaries that attain the supremum off a solved game, one slope at a time."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        self._by_option: dict[tuple[int, int], dict[Option, Move]] = {}
        self._known: dict[tuple[int, int, Pair], _MoveOutcomes] = {}

    def strategy(self, exp_epsilon: Fraction, order: Order, most_nodes: int) -> Strategy | None:
        """A maximising adversary at this slope and order; None if it needs more than `most_nodes` nodes."""
        solution = self._solution
        root = solution.values[solution.value_of[0][0]]
        gain, cost = exp_epsilon.denominator, -exp_epsilon.numerator
        c0, c1 = (
            (gain * root.total1, cost * root.total0) if order == "0-1" else (cost * root.total1, gain * root.total0)
        )
        delta = solution.power.hockey_stick(exp_epsilon, order)
        start = _coprime(c0, c1)
        if _settled(root, *start):
            return Strategy(exp_epsilon, order, delta, ())
        plans = self._plans((0, 0, start), most_nodes)
        if plans is None:
            return None
        return Strategy(exp_epsilon, order, delta, tuple(map(self._node, plans)))

    def _plans(self, start: Key, most_nodes: int) -> list[_PlannedNode] | None:
        """Every node that is reached from the first one, round by round; None if these are more than `most_nodes`.

        Nothing is written out before it is known that they are not too many.
        """
        numbers: dict[Key, int] = {start: 0}
        pending = [start]
        plans = []
        while pending:
            following: list[Key] = []
            for key in pending:
                plans.append(self._plan(key, numbers, following))
                if len(numbers) > most_nodes:
                    return None
            pending = following
        return plans

    def _plan(self, key: Key, numbers: dict[Key, int], following: list[Key]) -> _PlannedNode:
        """One node; those that it leads to are numbered, and new ones added to `following`."""
        level, position, (c0, c1) = key
        value = self._solution.values[self._solution.value_of[level][position]]
        release = self._released(level, position, value, self._move(level, position, value, (c0, c1)))
        ends: list[End] = []
        for way in release.ways:
            after0, after1 = c0 * way.factor0, c1 * way.factor1
            if _same_guess(after0 * way.first0 + after1 * way.first1, after0 * way.last0 + after1 * way.last1):
                ends.append((None, after0 * way.total0 + after1 * way.total1 > 0))
                continue
            next_key = level + 1, way.after, _coprime(after0, after1)
            if next_key not in numbers:
                numbers[next_key] = len(numbers)
                following.append(next_key)
            ends.append((numbers[next_key], None))
        return _PlannedNode(key, value, release, ends)

    def _node(self, plan: _PlannedNode) -> Node:
        """A node as an adversary reads it."""
        level, position, slope = plan.key
        outcomes = plan.released.outcomes
        branches = tuple(Branch(y, p0, p1, *plan.ends[number]) for y, p0, p1, number in outcomes)
        worth = _coprime(slope[0] * plan.value.total0, slope[1] * plan.value.total1)
        return Node(level + 1, self._solution.levels[level].positions[position], worth, plan.released.pair, branches)

    def _move(self, level: int, position: int, value: Value, slope: Slope) -> Move:
        """A move that attains the position's chain at this slope."""
        moves = self._solution.levels[level].moves[position]
        by_option = self._by_option.get((level, position))
        if by_option is None:
            after = self._solution.value_of[level + 1]
            by_option = {option_of(move, after): move for move in reversed(moves)}
            self._by_option[level, position] = by_option
        if len(by_option) == 1:
            return moves[0]
        return by_option[value.options[value.choice.at(abs(slope[0]), abs(slope[1]))]]

    def _released(self, level: int, position: int, value: Value, move: Move) -> _MoveOutcomes:
        """What a move reveals; outcomes of one likelihood ratio that lead on alike share their way."""
        key = level, position, move.pair
        release = self._known.get(key)
        if release is None:
            numbers: dict[_Following, int] = {}
            outcomes = tuple(
                (
                    o.observation,
                    Fraction(o.weight0, move.denominator0),
                    Fraction(o.weight1, move.denominator1),
                    numbers.setdefault(self._way(level, value, move, o), len(numbers)),
                )
                for o in move.outcomes
            )
            release = self._known[key] = _MoveOutcomes(move.pair, outcomes, tuple(numbers))
        return release

    def _way(self, level: int, value: Value, move: Move, o: Outcome) -> _Following:
        """A slope times the factors is what follows an outcome, up to a common factor."""
        child = self._solution.values[value_after(o, self._solution.value_of[level + 1])]
        factors = _coprime(
            o.weight0 * value.total0 * move.denominator1 * child.total1,
            o.weight1 * value.total1 * move.denominator0 * child.total0,
        )
        return _Following(o.after, *factors, *child.first, *child.last, child.total0, child.total1)


def _coprime(c0: int, c1: int) -> Slope:
    common = gcd(c0, c1)
    return c0 // common, c1 // common


def _settled(value: Value, c0: int, c1: int) -> bool:
    """Whether no continuation can change the guess any more: all atoms count, or none does."""
    (a, b), (c, d) = value.first, value.last
    return _same_guess(c0 * a + c1 * b, c0 * c + c1 * d)


def _same_guess(first: int, last: int) -> bool:
    """Whether the first and the last atom count alike."""
    return (first >= 0 and last >= 0) or (first <= 0 and last <= 0)
