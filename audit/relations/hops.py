"""Streams that are k hops apart: joined by a path of whole streams, each a neighbour of the next."""

from collections.abc import Hashable, Iterator
from dataclasses import field
from itertools import product
from typing import Any, Protocol

from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look
from dpcert.audit.relations.adjacency import OVER, Adjacency, Inputs, inputs_of

FIRST = 0
"""The state before round 1, and where states are numbered."""
MOST_INPUT_PAIRS = 100_000
"""Pairs of inputs, of all states of all rounds, past which states are not merged; nothing else depends on it."""
Steps = dict[Inputs, Any]
"""Every legal pair of inputs of one round, each with the one state that follows."""


class Deterministic(Protocol):
    """A relation in which a pair of inputs leads to one state."""

    @property
    def initial(self) -> Hashable:
        """The state before round 1."""
        ...

    def steps(self, state: Any, round_: int) -> Steps:
        """The legal pairs of round `round_` (from 1)."""
        ...


@frozen
class Hops:
    """k-hop neighbours: streams that are the ends of a path of k + 1 streams, each a neighbour of the next.

    A hop goes from one whole stream to another, in either order where the relation is directed. The streams in between
    are no part of the game: what is kept is everything that they may still be, so a pair of inputs leads to one state,
    and with a `horizon` states that allow the same rest are one. Where no input is left that keeps the streams k hops
    apart, the interaction ends. Null inputs may stand in every stream of the path.

    Source: paper.tex, defn:hop-neighboring, as the relation of def:paired_sim; docs/decisions/0010.

    >>> from dpcert.audit.relations.adjacency import HAMMING
    >>> two = Hops(HAMMING, 2, horizon=3)
    >>> once = {after for (x0, x1), after in two.legal(two.initial, 1, (0, 1)) if x0 != x1}
    >>> len(once), [pair for pair, _ in two.legal(*once, 2, (0, 1))]
    (1, [(0, 0), (0, 1), (1, 0), (1, 1)])
    """

    adjacency: Adjacency[Any]
    hops: int
    horizon: int | None = None
    _paths: dict[tuple[Any, ...], Deterministic] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The name of the relation of one hop."""
        return self.adjacency.name

    @property
    def initial(self) -> int:
        """The state before round 1."""
        return FIRST

    def legal(self, state: Any, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, Any]]:
        """The pairs that keep the two streams the ends of a path."""
        path = self._path(inputs_of(self.adjacency, alphabet))
        last = round_ == self.horizon
        for pair, after in path.steps(path.initial if round_ == 1 else state, round_).items():
            yield pair, after if last or path.steps(after, round_ + 1) else OVER

    def _path(self, inputs: tuple[Any, ...]) -> Deterministic:
        if inputs not in self._paths:
            table = None if self.horizon is None else merged(EitherWay(self.adjacency, inputs), self.horizon)
            one: Deterministic = table or EitherWay(self.adjacency, inputs)
            path = one
            for _ in range(1, self.hops):
                path = Joined(path, one, inputs)
                if self.horizon is not None and table is not None:
                    table = merged(path, self.horizon)
                    path = table or path
            self._paths[inputs] = path
        return self._paths[inputs]


@frozen
class EitherWay:
    """One hop: pairs of streams that are legal in one order or in the other.

    A state is every (whether in the other, state of the relation) that the streams so far allow.
    """

    adjacency: Adjacency[Any]
    inputs: tuple[Any, ...]
    _known: dict[tuple[Any, int], Steps] = field(default_factory=dict, compare=False, repr=False)

    @property
    def initial(self) -> Hashable:
        """Either order, and nothing submitted yet."""
        return frozenset({(False, self.adjacency.initial), (True, self.adjacency.initial)})

    def steps(self, state: Any, round_: int) -> Steps:
        """Pairs that are legal in one of the orders that are left."""
        if (state, round_) not in self._known:
            successors: dict[Inputs, set[Any]] = {}
            for turned, at in state:
                look()
                for (x, y), after in self.adjacency.legal(at, round_, self.inputs):
                    successors.setdefault((y, x) if turned else (x, y), set()).add((turned, after))
            self._known[state, round_] = _in_order(successors, self.inputs)
        return self._known[state, round_]


@frozen
class Joined:
    """Two relations with a stream in between. A state is every pair of their states that some such stream allows."""

    first: Deterministic
    second: Deterministic
    inputs: tuple[Any, ...]
    _known: dict[tuple[Any, int], Steps] = field(default_factory=dict, compare=False, repr=False)

    @property
    def initial(self) -> Hashable:
        """Both before round 1."""
        return frozenset({(self.first.initial, self.second.initial)})

    def steps(self, state: Any, round_: int) -> Steps:
        """First and last inputs between which some input lies."""
        if (state, round_) not in self._known:
            successors: dict[Inputs, set[Any]] = {}
            for one, other in state:
                onwards: dict[Any, list[tuple[Any, Any]]] = {}
                for (middle, y), after in self.second.steps(other, round_).items():
                    onwards.setdefault(middle, []).append((y, after))
                for (x, middle), halfway in self.first.steps(one, round_).items():
                    look()
                    for y, after in onwards.get(middle, ()):
                        successors.setdefault((x, y), set()).add((halfway, after))
            self._known[state, round_] = _in_order(successors, self.inputs)
        return self._known[state, round_]


def _in_order(reached: dict[Inputs, set[Any]], inputs: tuple[Any, ...]) -> Steps:
    """Pairs in the order of the alphabet, which no hash decides."""
    return {pair: frozenset(reached[pair]) for pair in product(inputs, repeat=2) if pair in reached}


@frozen
class Merged:
    """A relation up to a horizon: for every round and state its legal pairs, each with the state that follows."""

    rounds: tuple[tuple[Steps, ...], ...]
    initial: int = FIRST

    def steps(self, state: Any, round_: int) -> Steps:
        """The legal pairs of a round, from its table."""
        table: Steps = self.rounds[round_ - 1][state]
        return table


def merged(relation: Deterministic, horizon: int) -> Merged | None:
    """The relation with all states of a round made one that allow the same pairs from there to the horizon.

    None where it has more than MOST_INPUT_PAIRS pairs in all: then it is played as it is, in more positions.
    """
    found = _levels(relation, horizon)
    if found is None:
        return None
    levels, last = found
    tables: list[tuple[Steps, ...]] = []
    numbers = [FIRST] * last
    for level in reversed(levels):
        look()
        classes: dict[frozenset[Any], int] = {}
        table: list[Steps] = []
        before = []
        for steps in level:
            after = {pair: numbers[number] for pair, number in steps.items()}
            number = classes.setdefault(frozenset(after.items()), len(table))
            if number == len(table):
                table.append(after)
            before.append(number)
        tables.append(tuple(table))
        numbers = before
    return Merged(tuple(reversed(tables)))


def _levels(relation: Deterministic, horizon: int) -> tuple[list[list[Steps]], int] | None:
    """The states of every round, numbered, by what they allow; and how many come after the last round."""
    levels: list[list[Steps]] = []
    pairs = 0
    states: dict[Any, int] = {relation.initial: FIRST}
    for round_ in range(1, horizon + 1):
        following: dict[Any, int] = {}
        level = []
        for state in states:
            look()
            steps = relation.steps(state, round_)
            pairs += len(steps)
            if pairs > MOST_INPUT_PAIRS:
                return None
            level.append({pair: following.setdefault(after, len(following)) for pair, after in steps.items()})
        levels.append(level)
        states = following
    return levels, len(states)
