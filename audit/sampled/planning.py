"""Policies for a learnt model: backwards over its positions, with what was observed as one log likelihood ratio.

One pass serves every e^epsilon and both orders of worlds: they differ in where the ratio starts.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcert.audit.algebra.power import Order
from dpcert.audit.budget import Budget
from dpcert.audit.frozen import frozen
from dpcert.audit.relations.adjacency import OVER, Adjacency
from dpcert.audit.sampled.learnt import Floats, Learnt
from dpcert.audit.sampled.policy import Pair, Policy, PolicyNode, Way

MOST_LEARNT_POSITIONS = 4_000
"""Positions of a learnt model past which one that remembers less is planned on."""
MOST_POLICY_NODES = 4_000
"""Nodes of a policy past which likelihood ratios are told apart less finely."""
FINENESS = (1e-9, 0.05, 0.25, 1.0, 4.0)
"""How far apart log likelihood ratios are that a policy tells apart, the finest first."""
FARTHEST_RATIO = 14.0
"""The log likelihood ratio past which an event is taken to be decided."""
GRID = np.linspace(-FARTHEST_RATIO, FARTHEST_RATIO, 225)
Position = tuple[int, Hashable, Hashable, Hashable]
"""Round, what is kept of either world, and the state of the relation; round past the last at the end."""


class TooLarge(Exception):
    """A model with more positions than are planned on."""


@frozen
class LegalPair:
    """A legal pair at a position: the laws of the classes in either world, and the positions after each class."""

    pair: Pair
    laws: tuple[Floats, Floats]
    after: tuple[Position, ...]

    def ratios(self) -> Floats:
        """What each class adds to the log likelihood ratio of world 1 against world 0."""
        made: Floats = np.log(self.laws[1]) - np.log(self.laws[0])
        return made


@dataclass
class Plan:
    """What an adversary can gain at each position of a model, as values on GRID.

    Attributes:
        model: The learnt laws.
        relation: Which pairs are legal.
        alphabet: Tokens of inputs.
        rounds: The horizon.
        choices: By position.
        values: By position, what is gained in all from a log likelihood ratio on.
    """

    model: Learnt
    relation: Adjacency[Any]
    alphabet: tuple[Any, ...]
    rounds: int
    choices: dict[Position, tuple[LegalPair, ...]]
    values: dict[Position, Floats]

    @property
    def start(self) -> Position:
        """Before round 1."""
        return 1, (), (), self.relation.initial

    def value(self, position: Position, ratio: Floats) -> Floats:
        """E max(0, e^l - 1), l being `ratio` with all that is still to be observed, per mass of world 0."""
        if position[0] > self.rounds:
            return np.maximum(0.0, np.expm1(np.minimum(ratio, 50.0)))
        inner = np.interp(ratio, GRID, self.values[position])
        return np.where(
            ratio > FARTHEST_RATIO, np.expm1(np.minimum(ratio, 50.0)), np.where(ratio < -FARTHEST_RATIO, 0.0, inner)
        )

    def gained(self, choice: LegalPair, ratio: Floats) -> Floats:
        """The same, once a pair is chosen."""
        return sum(
            (
                share * self.value(after, ratio + more)
                for share, more, after in zip(choice.laws[0], choice.ratios(), choice.after, strict=True)
            ),
            np.zeros_like(ratio),
        )


def plan(model: Learnt, relation: Adjacency[Any], alphabet: tuple[Any, ...], rounds: int, budget: Budget) -> Plan:
    """The values of all positions. Raises: TooLarge: more than MOST_LEARNT_POSITIONS. Stopped: the work ended early."""
    policy = Plan(model, relation, alphabet, rounds, {}, {})
    layer = [policy.start]
    for round_ in range(1, rounds + 1):
        following: dict[Position, None] = {}
        for position in layer:
            budget.check()
            choices = policy.choices[position] = tuple(_choices(policy, position))
            following |= dict.fromkeys(after for choice in choices for after in choice.after if after[0] <= rounds)
            if len(policy.choices) + len(following) > MOST_LEARNT_POSITIONS:
                raise TooLarge
        del round_
        layer = list(following)
    for position in sorted(policy.choices, key=lambda one: -one[0]):
        budget.check()
        policy.values[position] = np.max([policy.gained(choice, GRID) for choice in policy.choices[position]], axis=0)
    return policy


def _choices(plan: Plan, position: Position) -> Iterator[LegalPair]:
    """Every legal pair with where it leads."""
    round_, kept0, kept1, state = position
    memory = plan.model.memory
    for pair, after in plan.relation.legal(state, round_, plan.alphabet):
        conditions = memory.given(kept0, pair[0]), memory.given(kept1, pair[-1])
        laws = plan.model.law(round_, conditions[0]), plan.model.law(round_, conditions[1])
        following = plan.rounds + 1 if after is OVER else round_ + 1
        yield LegalPair(
            pair,
            laws,
            tuple(
                (following, memory.kept(conditions[0], y), memory.kept(conditions[1], y), after)
                for y in range(len(laws[0]))
            )
            if following <= plan.rounds
            else ((plan.rounds + 1, (), (), None),) * len(laws[0]),
        )


def policy_for(plan: Plan, exp_epsilon: float, order: Order) -> Policy:
    """The policy that gains most at a slope and an order, its event being where the learnt ratio is past the slope."""
    start = float(np.log(exp_epsilon)) * (1 if order == "0-1" else -1)
    for fineness in FINENESS:
        found = _compiled(plan, start, order, fineness)
        if found is not None:
            return found
    raise TooLarge


def _compiled(plan: Plan, start: float, order: Order, fineness: float) -> Policy | None:
    """The policy as a graph, likelihood ratios told apart by `fineness`; None where it is too large."""
    numbers: dict[tuple[Position, int], int] = {(plan.start, round(start / fineness)): 0}
    waiting = [(plan.start, start)]
    nodes: list[PolicyNode] = []
    for position, ratio in waiting:  # grows as it is read
        choice = _best(plan, position, ratio)
        ways: list[Way] = []
        for after, more in zip(choice.after, choice.ratios(), strict=True):
            there = min(max(ratio + float(more), -2 * FARTHEST_RATIO), 2 * FARTHEST_RATIO)
            if after[0] > plan.rounds:
                ways.append(bool(there > 0 if order == "1-0" else there < 0))
                continue
            key = after, round(there / fineness)
            if key not in numbers:
                numbers[key] = len(numbers)
                waiting.append((after, there))
            ways.append(numbers[key])
        nodes.append(PolicyNode(position[0], choice.pair, tuple(ways)))
        if len(waiting) > MOST_POLICY_NODES:
            return None
    return Policy(tuple(nodes))


def _best(plan: Plan, position: Position, ratio: float) -> LegalPair:
    """The pair that gains most; of those that gain as much, the first."""
    at = np.array([ratio])
    return max(plan.choices[position], key=lambda choice: float(plan.gained(choice, at)[0]))


def foreseen(plan: Plan, policy: Policy) -> tuple[float, float]:
    """The probabilities of a policy's event in both worlds, by the model."""
    mass: list[dict[Position, list[float]]] = [{} for _ in policy.nodes]
    mass[0][plan.start] = [1.0, 1.0]
    won = [0.0, 0.0]
    for node, here in zip(policy.nodes, mass, strict=True):
        for position, shares in here.items():
            choice = next(one for one in plan.choices[position] if one.pair == node.pair)
            for y, way in enumerate(node.ways):
                arriving = [share * float(law[y]) for share, law in zip(shares, choice.laws, strict=True)]
                if isinstance(way, bool):
                    won = [w + a * way for w, a in zip(won, arriving, strict=True)]
                    continue
                there = mass[way].setdefault(choice.after[y], [0.0, 0.0])
                there[0] += arriving[0]
                there[1] += arriving[1]
    return won[0], won[1]
