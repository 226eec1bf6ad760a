"""Adversaries that attain the supremum: read off the solved game; `replay` plays them forwards."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from dpcert.audit.algebra.power import Order
from dpcert.audit.games.paired import Move, Outcome, Pair
from dpcert.audit.solving.adaptive import Option, Solution, Value, option_of, value_after

Slope = tuple[int, int]
"""Coefficients (c0, c1), one positive and one negative: an atom counts max(0, c0 mass0 + c1 mass1)."""


@dataclass(frozen=True, slots=True)
class Branch:
    """What the adversary does after one observation: go on at node `after`, or stop and guess.

    `in_event` says, where it stops, whether the transcript belongs to the event S that it bets on.
    """

    observation: Hashable
    probability0: Fraction
    probability1: Fraction
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


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One outcome of a move, as every slope needs it: what follows, and the factors from one slope to the next."""

    observation: Hashable
    probability0: Fraction
    probability1: Fraction
    after: int
    number: int
    factor0: int
    factor1: int


class Search:
    """Reads adversaries that attain the supremum off a solved game, one slope at a time."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        self._by_option: dict[tuple[int, int], dict[Option, Move]] = {}
        self._outcomes: dict[tuple[int, int, Pair], tuple[_Outcome, ...]] = {}

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
        for o in self._outcomes_of(level, position, value, move):
            child = self._solution.values[o.number]
            after = _coprime(slope[0] * o.factor0, slope[1] * o.factor1)
            settled = _settled(child, *after)
            key = level + 1, o.after, after
            if not settled and key not in numbers:
                numbers[key] = len(numbers)
                following.append(key)
            branches.append(
                Branch(
                    o.observation,
                    o.probability0,
                    o.probability1,
                    None if settled else numbers[key],
                    after[0] * child.total0 + after[1] * child.total1 > 0 if settled else None,
                )
            )
        worth = _coprime(slope[0] * value.total0, slope[1] * value.total1)
        return Node(level + 1, here.positions[position], worth, move.pair, tuple(branches))

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

    def _outcomes_of(self, level: int, position: int, value: Value, move: Move) -> tuple[_Outcome, ...]:
        """The outcomes of a move; a slope times the factors is what follows an outcome, up to a common factor."""
        key = level, position, move.pair
        known = self._outcomes.get(key)
        if known is None:
            known = self._outcomes[key] = tuple(self._outcome(level, value, move, o) for o in move.outcomes)
        return known

    def _outcome(self, level: int, value: Value, move: Move, o: Outcome) -> _Outcome:
        number = value_after(o, self._solution.value_of[level + 1])
        child = self._solution.values[number]
        return _Outcome(
            o.observation,
            Fraction(o.weight0, move.denominator0),
            Fraction(o.weight1, move.denominator1),
            o.after,
            number,
            *_coprime(
                o.weight0 * value.total0 * move.denominator1 * child.total1,
                o.weight1 * value.total1 * move.denominator0 * child.total0,
            ),
        )


def _coprime(c0: int, c1: int) -> Slope:
    common = gcd(c0, c1)
    return c0 // common, c1 // common


def _settled(value: Value, c0: int, c1: int) -> bool:
    """Whether no continuation can change the guess any more: all atoms count, or none does."""
    (a, b), (c, d) = value.first, value.last
    first, last = c0 * a + c1 * b, c0 * c + c1 * d
    return (first >= 0 and last >= 0) or (first <= 0 and last <= 0)
