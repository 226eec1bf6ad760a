"""Neighbouring relations as automata: which inputs are legal now, and what is legal afterwards."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, Protocol, TypeVar

from dpcert.audit.edits import EDIT

S = TypeVar("S", bound=Hashable)
Inputs = tuple[Any, ...]
"""What the adversary submits in a round: (x in world 0, x in world 1), or the k + 1 inputs of a k-hop game."""


class Adjacency(Protocol[S]):
    """A prefix-closed neighbouring relation on pairs of equal-length streams. Source: paper.tex, assume:ns."""

    @property
    def name(self) -> str:
        """The name that `--adjacency` takes."""
        ...

    @property
    def initial(self) -> S:
        """The state before round 1."""
        ...

    def legal(self, state: S, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, S]]:
        """The inputs that keep the streams neighbours in round `round_` (from 1), each with the next state."""
        ...


@dataclass(frozen=True, slots=True)
class Hamming:
    """~H: equal-length streams that differ in at most one round. The state says whether that round is past."""

    name: str = "hamming"
    initial: bool = False

    def legal(self, state: bool, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, bool]]:
        """Equal pairs always; unequal ones until the first was used."""
        del round_
        for x0, x1 in product(alphabet, repeat=2):
            if x0 == x1 or not state:
                yield (x0, x1), state or x0 != x1


@dataclass(frozen=True, slots=True)
class UnitHamming:
    """Streams of whole numbers that differ in at most one round, and there by exactly 1. Source: sec:prefix-sum."""

    name: str = "unit-hamming"
    initial: bool = False

    def legal(self, state: bool, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, bool]]:
        """The legal pairs of Hamming whose difference is at most 1."""
        for pair, after in HAMMING.legal(state, round_, alphabet):
            if abs(pair[0] - pair[1]) <= 1:
                yield pair, after


@dataclass(frozen=True, slots=True)
class ZeroOut:
    """One round's input against a null input in world 1; the relation is directed, and both orders of worlds count.

    Over more hops it is not: see Hops.
    """

    null: Any = None
    name: str = "zero-out"
    initial: bool = False

    def legal(self, state: bool, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, bool]]:
        """Equal pairs always; until it was used, any input against the null input."""
        del round_
        for x in alphabet:
            yield (x, x), state
            if not state and x != self.null:
                yield (x, self.null), True


HAMMING = Hamming()
UNIT_HAMMING = UnitHamming()
ZERO_OUT = ZeroOut()
ADJACENCIES: dict[str, Adjacency[Any]] = {
    relation.name: relation for relation in (HAMMING, UNIT_HAMMING, ZERO_OUT, EDIT)
}


@dataclass(frozen=True, slots=True)
class ChallengeAt(Generic[S]):
    """A relation in which the streams differ in round `challenge_round` and in no other.

    Unless `forced`, they may be equal there too.
    """

    adjacency: Adjacency[S]
    challenge_round: int
    forced: bool = True

    @property
    def name(self) -> str:
        """The name of the relation that is narrowed."""
        return self.adjacency.name

    @property
    def initial(self) -> S:
        """The state before round 1."""
        return self.adjacency.initial

    def legal(self, state: S, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, S]]:
        """Unequal inputs in the challenge round, equal ones elsewhere."""
        here = round_ == self.challenge_round
        for inputs, after in self.adjacency.legal(state, round_, alphabet):
            differ = inputs[0] != inputs[-1]
            if differ == here or (here and not self.forced):
                yield inputs, after


@dataclass(frozen=True, slots=True)
class Hops(Generic[S]):
    """k-hop neighbours: k + 1 streams, each a neighbour of the next; worlds 0 and 1 are the first and the last.

    Each hop may go either way, also where the relation is directed: with zero-out, two hops lead from x over the null
    input to x'. Source: paper.tex, defn:hop-neighboring and defn:hop_sim. One way through the middle is listed for each
    first, last and next state.
    """

    adjacency: Adjacency[S]
    hops: int

    @property
    def name(self) -> str:
        """The name of the relation of one hop."""
        return self.adjacency.name

    @property
    def initial(self) -> tuple[S, ...]:
        """The state of every hop before round 1."""
        return (self.adjacency.initial,) * self.hops

    def legal(
        self, state: tuple[S, ...], round_: int, alphabet: tuple[Any, ...]
    ) -> Iterator[tuple[Inputs, tuple[S, ...]]]:
        """Inputs x^0, ..., x^k whose consecutive pairs are all legal."""
        ways: dict[tuple[Any, Any, tuple[S, ...]], Inputs] = {
            (x0, x1, (after,)): (x0, x1) for (x0, x1), after in self._either_way(state[0], round_, alphabet)
        }
        for hop in state[1:]:
            steps = self._either_way(hop, round_, alphabet)
            longer: dict[tuple[Any, Any, tuple[S, ...]], Inputs] = {}
            for (first, last, reached), inputs in ways.items():
                for (x, y), after in steps:
                    if x == last:
                        longer.setdefault((first, y, (*reached, after)), (*inputs, y))
            ways = longer
        for (_, _, reached), inputs in ways.items():
            yield inputs, reached

    def _either_way(self, hop: S, round_: int, alphabet: tuple[Any, ...]) -> list[tuple[Inputs, S]]:
        """The legal pairs of one hop and, where they are others, those that they make the other way round."""
        there = list(self.adjacency.legal(hop, round_, alphabet))
        back = [((y, x), after) for (x, y), after in there]
        return list(dict.fromkeys([*there, *back]))
