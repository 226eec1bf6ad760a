"""Adversaries played forwards on the mechanism itself: an independent path to the number that the solver claims."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby
from math import lcm
from typing import Any

from dpcert.audit.algebra.power import Order
from dpcert.audit.errors import ReplayError, short
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.view import View
from dpcert.audit.relations.adjacency import Adjacency
from dpcert.audit.solving.strategy import Node, Strategy

States = dict[Any, int]
"""Hidden state -> unnormalised integer mass, the history's own mass included."""


@frozen(slots=True)
class Replay:
    """The probability of the strategy's event S in world 0 and in world 1."""

    event0: Fraction
    event1: Fraction

    def delta(self, exp_epsilon: Fraction, order: Order) -> Fraction:
        """P_first(S) - exp_epsilon P_second(S)."""
        first, second = (self.event0, self.event1) if order == "0-1" else (self.event1, self.event0)
        return first - exp_epsilon * second


@frozen(slots=True)
class _ReachedNode:
    """A node reached: the relation's state, and the mass of every hidden state in both worlds."""

    relation: Any
    worlds: tuple[States, States]


Kernels = dict[tuple[Any, Any], Kernel]
"""By state and input, as the mechanism answered when it was asked to replay."""


def replay(
    strategy: Strategy, view: View, adjacency: Adjacency[Any], horizon: int, kernels: Kernels | None = None
) -> Replay:
    """The event's probability in both worlds under a strategy, played forwards on the mechanism.

    It asks the mechanism for its kernels again (once for all replays that share `kernels`), carries the mass of every
    hidden state instead of beliefs, checks that every pair is legal and that the branches are the possible
    observations, and reads from the strategy only what an adversary could know. Histories that share a node add up,
    which never helps the adversary.
    """
    if not strategy.nodes:
        sure = Fraction(int(strategy.exp_epsilon < 1))
        return Replay(sure, sure)
    won = [Fraction(0), Fraction(0)]
    units = [1, 1]
    arrivals = {0: _ReachedNode(adjacency.initial, ({view.initial: 1}, {view.initial: 1}))}
    kernels = {} if kernels is None else kernels
    for round_, same in groupby(enumerate(strategy.nodes), key=lambda numbered: numbered[1].round):
        if round_ > horizon:
            raise ReplayError(f"Expected at most {horizon} rounds but a node plays round {round_}")
        plays = [(node, arrivals.pop(number)) for number, node in same]
        relations = [_relation_after(node, arrival, view, adjacency) for node, arrival in plays]
        for world in (0, 1):
            for node, arrival in plays:
                for state in arrival.worlds[world]:
                    if (state, node.pair[-world]) not in kernels:
                        kernels[state, node.pair[-world]] = view.kernel(state, node.pair[-world])
        for world in (0, 1):
            scale = lcm(*(kernels[s, n.pair[-world]].denominator for n, a in plays for s in a.worlds[world]))
            units[world] *= scale
            event = 0
            for (node, arrival), relation in zip(plays, relations, strict=True):
                released = _released(arrival.worlds[world], node.pair[-world], kernels, scale)
                event += _follow(node, released, world, relation, arrivals)
            won[world] += Fraction(event, units[world])
    return Replay(won[0], won[1])


def _relation_after(node: Node, arrival: _ReachedNode, view: View, adjacency: Adjacency[Any]) -> Any:
    """The relation's state after the node's pair, which must be legal."""
    for pair, after in adjacency.legal(arrival.relation, node.round, view.alphabet):
        if pair == node.pair:
            return after
    raise ReplayError(f"round {node.round}: the pair {short(node.pair)} is not legal")


def _released(states: States, x: Any, kernels: Kernels, scale: int) -> dict[Any, States]:
    """Visible output -> mass of every next state, over the round's common denominator."""
    releases: dict[Any, States] = {}
    for state, mass in states.items():
        kernel = kernels[state, x]
        factor = mass * (scale // kernel.denominator)
        for visible, after, weight in kernel.entries:
            by_state = releases.setdefault(visible, {})
            by_state[after] = by_state.get(after, 0) + factor * weight
    return releases


def _follow(
    node: Node, releases: dict[Any, States], world: int, relation: Any, arrivals: dict[int, _ReachedNode]
) -> int:
    """Sends the masses along the node's branches; the mass that ends in the event."""
    event = 0
    branches = {branch.observation: branch for branch in node.branches}
    for visible, states in releases.items():
        branch = branches.get(visible)
        if branch is None:
            raise ReplayError(f"round {node.round}: no branch for the observation {short(visible)}")
        if branch.after is not None:
            _arrive(arrivals, branch.after, world, relation, states.items())
        elif branch.in_event:
            event += sum(states.values())
    return event


def _arrive(
    arrived: dict[int, _ReachedNode], number: int, world: int, relation: Any, states: Iterable[tuple[Any, int]]
) -> None:
    """Adds the masses of another history to a node; the relation's state must be the same on every way there."""
    arrival = arrived.setdefault(number, _ReachedNode(relation, ({}, {})))
    if arrival.relation != relation:
        raise ReplayError(f"node {number} stands for two positions")
    masses = arrival.worlds[world]
    for state, mass in states:
        masses[state] = masses.get(state, 0) + mass
