"""Adversaries that attain the supremum: extracted from the solved game, replayed forwards by an independent path."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import groupby
from math import gcd, lcm
from typing import Any

from dpcert.audit.adjacency import Adjacency
from dpcert.audit.game import Move, Pair
from dpcert.audit.mechanism import Core
from dpcert.audit.pmf import Pmf
from dpcert.audit.power import Order
from dpcert.audit.solve import Solution, Value, option_of, scaled

Slope = tuple[int, int]
"""Coefficients (c0, c1), one positive and one negative: an atom counts max(0, c0 mass0 + c1 mass1)."""


@dataclass(frozen=True, slots=True)
class Branch:
    """What the adversary does after one observation: go on at node `after`, or stop and guess.

    `in_event` says, where it stops, whether the transcript belongs to the event S that it bets on.
    """

    observation: Hashable
    after: int | None
    in_event: bool | None


@dataclass(frozen=True, slots=True)
class Node:
    """A (position, slope) of the policy graph: the pair to submit, and a branch for each observation.

    The slope is coprime and in units of probability: what follows is worth sum max(0, slope[0] p0 + slope[1] p1).
    """

    round: int
    position: Any
    slope: Slope
    pair: Pair
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Strategy:
    """An adversary as a policy graph; node 0 is the start. Without nodes it stops at once.

    `delta` is what it attains: P_first(S) - exp_epsilon P_second(S), P_first the world that `order` names first.
    """

    exp_epsilon: Fraction
    order: Order
    delta: Fraction
    nodes: tuple[Node, ...]


class Search:
    """Reads adversaries that attain the supremum off a solved game, one slope at a time."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    def strategy(self, exp_epsilon: Fraction, order: Order, most_nodes: int) -> Strategy | None:
        """A maximising adversary at this slope and order; None if it needs more than `most_nodes` nodes."""
        solution = self._solution
        root = solution.values[solution.value_of[0][0]]
        gain, cost = exp_epsilon.denominator, -exp_epsilon.numerator
        c0, c1 = (
            (gain * root.total1, cost * root.total0) if order == "0-1" else (cost * root.total1, gain * root.total0)
        )
        attained = solution.power.hockey_stick(exp_epsilon, order)
        start = _coprime(c0, c1)
        if _settled(root, *start):
            return Strategy(exp_epsilon, order, attained, ())
        numbers: dict[tuple[int, int, Slope], int] = {(0, 0, start): 0}
        pending = [(0, 0, start)]
        nodes = []
        while pending:
            following: list[tuple[int, int, Slope]] = []
            for level, position, slope in pending:
                nodes.append(self._node(level, position, slope, numbers, following))
                if len(numbers) > most_nodes:
                    return None
            pending = following
        return Strategy(exp_epsilon, order, attained, tuple(nodes))

    def _node(
        self,
        level: int,
        position: int,
        slope: Slope,
        numbers: dict[tuple[int, int, Slope], int],
        following: list[tuple[int, int, Slope]],
    ) -> Node:
        here = self._solution.levels[level]
        value = self._solution.values[self._solution.value_of[level][position]]
        move = self._move(level, position, value, slope)
        branches = []
        for outcome, (number, after) in zip(move.outcomes, self._continued(level, value, move, slope), strict=True):
            child = self._solution.values[number]
            if _settled(child, *after):
                in_event = after[0] * child.total0 + after[1] * child.total1 > 0
                branches.append(Branch(outcome.observation, None, in_event))
                continue
            key = level + 1, outcome.after, _coprime(*after)
            if key not in numbers:
                numbers[key] = len(numbers)
                following.append(key)
            branches.append(Branch(outcome.observation, numbers[key], None))
        worth = _coprime(slope[0] * value.total0, slope[1] * value.total1)
        return Node(level + 1, here.positions[position], worth, move.pair, tuple(branches))

    def _move(self, level: int, position: int, value: Value, slope: Slope) -> Move:
        """A move that attains the position's chain at this slope."""
        moves = self._solution.levels[level].moves[position]
        after = self._solution.value_of[level + 1]
        by_option = {option_of(move, after): move for move in reversed(moves)}
        if len(by_option) == 1:
            return moves[0]
        return by_option[value.options[value.choice.at(abs(slope[0]), abs(slope[1]))]]

    def _continued(self, level: int, value: Value, move: Move, slope: Slope) -> list[tuple[int, Slope]]:
        """Per outcome, the value that follows and the coefficients in its own units."""
        after = self._solution.value_of[level + 1]
        runs = tuple((after[o.after], o.weight0, o.weight1) for o in move.outcomes)
        option = move.denominator0, move.denominator1, runs
        return [
            (number, (slope[0] * m0, slope[1] * m1))
            for number, m0, m1 in scaled(option, self._solution.values, value.total0, value.total1)
        ]


def _coprime(c0: int, c1: int) -> Slope:
    common = gcd(c0, c1)
    return c0 // common, c1 // common


def _settled(value: Value, c0: int, c1: int) -> bool:
    """Whether no continuation can change the guess any more: all atoms count, or none does."""
    signs = [c0 * a + c1 * b for a, b in (value.first, value.last)]
    return all(s >= 0 for s in signs) or all(s <= 0 for s in signs)


class ReplayError(Exception):
    """An extracted adversary did not give the number that the solver claims: a fault of dpcert, never of a user."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The probability of the strategy's event S in world 0 and in world 1."""

    event0: Fraction
    event1: Fraction

    def delta(self, exp_epsilon: Fraction, order: Order) -> Fraction:
        """P_first(S) - exp_epsilon P_second(S)."""
        first, second = (self.event0, self.event1) if order == "0-1" else (self.event1, self.event0)
        return first - exp_epsilon * second


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A node reached in the replay: relation state, both mechanism states, and both masses over the round's units."""

    states: tuple[Any, Any, Any]
    mass0: int
    mass1: int


def replay(strategy: Strategy, core: Core, adjacency: Adjacency[Any], horizon: int) -> Replay:
    """The event's probability in both worlds under a strategy, played forwards on the mechanism itself.

    Independent of the solver: it asks the mechanism for its laws again, checks that every pair is legal, and reads
    from the strategy only what an adversary could know.
    """
    if not strategy.nodes:
        sure = Fraction(int(strategy.exp_epsilon < 1))
        return Replay(sure, sure)
    won0 = won1 = Fraction(0)
    law = cache(core.law)
    arrived = {0: _Arrival((adjacency.initial, core.initial, core.initial), 1, 1)}
    unit0 = unit1 = 1
    for round_, same in groupby(enumerate(strategy.nodes), key=lambda numbered: numbered[1].round):
        if round_ > horizon:
            raise ReplayError(f"Expected at most {horizon} rounds but a node plays round {round_}")
        plays = [(node, _played(node, arrived.pop(number), core, law, adjacency)) for number, node in same]
        scale0 = lcm(*(law0.integer_weights()[1] for _, (_, law0, _) in plays))
        scale1 = lcm(*(law1.integer_weights()[1] for _, (_, _, law1) in plays))
        unit0, unit1 = unit0 * scale0, unit1 * scale1
        event0 = event1 = 0
        for node, (arrival, law0, law1) in plays:
            (weights0, own0), (weights1, own1) = law0.integer_weights(), law1.integer_weights()
            mass0, mass1 = arrival.mass0 * (scale0 // own0), arrival.mass1 * (scale1 // own1)
            for branch in node.branches:
                share0 = mass0 * weights0.get(branch.observation, 0)
                share1 = mass1 * weights1.get(branch.observation, 0)
                if branch.after is not None:
                    _arrive(arrived, branch.after, _Arrival(arrival.states, share0, share1))
                elif branch.in_event:
                    event0 += share0
                    event1 += share1
        won0 += Fraction(event0, unit0)
        won1 += Fraction(event1, unit1)
    return Replay(won0, won1)


def _played(
    node: Node, arrival: _Arrival, core: Core, law: Callable[[Any], Pmf[Any]], adjacency: Adjacency[Any]
) -> tuple[_Arrival, Pmf[Any], Pmf[Any]]:
    """The node's pair submitted: the states after it and the law of the release in either world."""
    relation, state0, state1 = arrival.states
    legal = dict(adjacency.legal(relation, node.round, core.alphabet))
    if node.pair not in legal:
        raise ReplayError(f"round {node.round}: the pair {node.pair!r} is not legal")
    states = legal[node.pair], core.advance(state0, node.pair[0]), core.advance(state1, node.pair[1])
    law0, law1 = law(states[1]), law(states[2])
    if {branch.observation for branch in node.branches} != {*law0.support, *law1.support}:
        raise ReplayError(f"round {node.round}: the branches are not the possible observations")
    return _Arrival(states, arrival.mass0, arrival.mass1), law0, law1


def _arrive(arrived: dict[int, _Arrival], number: int, arrival: _Arrival) -> None:
    """Adds the masses of another way to the same node; all ways must lead to one position."""
    known = arrived.get(number)
    if known is not None:
        if known.states != arrival.states:
            raise ReplayError(f"node {number} stands for two positions")
        arrival = _Arrival(arrival.states, known.mass0 + arrival.mass0, known.mass1 + arrival.mass1)
    arrived[number] = arrival
