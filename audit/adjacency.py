"""Neighbouring relations as automata: which pairs of inputs are legal now, and what is legal afterwards."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

X = TypeVar("X", bound=Hashable)
S = TypeVar("S", bound=Hashable)


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

    def legal(self, state: S, round_: int, alphabet: tuple[X, ...]) -> Iterator[tuple[tuple[X, X], S]]:
        """The pairs (x0, x1) that keep the streams neighbours in round `round_` (from 1), each with the next state."""
        ...


@dataclass(frozen=True, slots=True)
class Hamming:
    """~H: equal-length streams that differ in at most one round. The state says whether that round is past."""

    name: str = "hamming"
    initial: bool = False

    def legal(self, state: bool, round_: int, alphabet: tuple[X, ...]) -> Iterator[tuple[tuple[X, X], bool]]:
        """Equal pairs always; unequal ones until the first was used."""
        del round_
        for x0 in alphabet:
            for x1 in alphabet:
                if x0 == x1 or not state:
                    yield (x0, x1), state or x0 != x1


HAMMING = Hamming()
ADJACENCIES: dict[str, Adjacency[bool]] = {HAMMING.name: HAMMING}


@dataclass(frozen=True, slots=True)
class ChallengeAt(Generic[S]):
    """A relation in which the streams differ in round `challenge_round` and in no other."""

    adjacency: Adjacency[S]
    challenge_round: int

    @property
    def name(self) -> str:
        """The name of the relation that is narrowed."""
        return self.adjacency.name

    @property
    def initial(self) -> S:
        """The state before round 1."""
        return self.adjacency.initial

    def legal(self, state: S, round_: int, alphabet: tuple[X, ...]) -> Iterator[tuple[tuple[X, X], S]]:
        """Unequal pairs in the challenge round, equal ones elsewhere."""
        for pair, after in self.adjacency.legal(state, round_, alphabet):
            if (pair[0] != pair[1]) == (round_ == self.challenge_round):
                yield pair, after
