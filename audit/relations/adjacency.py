"""Neighbouring relations as automata: which inputs are legal now, and what is legal afterwards."""

from collections.abc import Hashable, Iterator
from enum import Enum
from itertools import product
from typing import Any, Generic, Protocol, TypeVar

from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.relations.edits import EDIT

S = TypeVar("S", bound=Hashable)
Inputs = tuple[Any, ...]
"""What the adversary submits in a round: (x in world 0, x in world 1)."""


class NoPairLeft(Enum):
    """In place of a state: the pair is legal, and no pair after it is, so the interaction ends."""

    OVER = "no legal pair is left"


OVER = NoPairLeft.OVER


class Adjacency(Protocol[S]):
    """x ~ x', a prefix-closed neighbouring relation on pairs of equal-length streams, as an automaton.

    `examine(adjacency=...)` takes any object like this, and `--adjacency` its file.py:Name or package.module:Name. It
    may be directed: both orders of the worlds are looked at. States and inputs are compared and kept, so they are
    hashable and are not changed.

    Source: paper.tex, assume:ns.

    >>> class FirstRound:
    ...     name, initial = "first-round", None
    ...     def legal(self, state, round_, alphabet):
    ...         return (((x0, x1), None) for x0, x1 in product(alphabet, repeat=2) if x0 == x1 or round_ == 1)
    >>> [len(list(FirstRound().legal(None, t, ("a", "b")))) for t in (1, 2)]
    [4, 2]
    """

    @property
    def name(self) -> str:
        """What a report calls it; of ours, what `--adjacency` takes."""
        ...

    @property
    def initial(self) -> S:
        """The state before round 1, hashable."""
        ...

    def legal(self, state: S, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, S]]:
        """The pairs (x_t, x'_t) that keep the streams neighbours, each once, with the state after it.

        Args:
            state: What the rounds so far left.
            round_: t, from 1.
            alphabet: The inputs of one round.
        Returns: At least one, all of the alphabet.
        """
        ...


@frozen(slots=True)
class Hamming:
    """~H: equal-length streams that differ in at most one round. The state says whether that round is past.

    Args:
        name, initial: As every relation has them.
    Source: paper.tex, assume:ns; sec:setting.

    >>> len(list(HAMMING.legal(False, 1, (0, 1)))), len(list(HAMMING.legal(True, 2, (0, 1))))
    (4, 2)
    """

    name: str = "hamming"
    initial: bool = False

    def legal(self, state: bool, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, bool]]:
        """Equal pairs always; unequal ones until the first was used. As in `Adjacency`."""
        del round_
        for x0, x1 in product(alphabet, repeat=2):
            if x0 == x1 or not state:
                yield (x0, x1), state or x0 != x1


@frozen(slots=True)
class UnitHamming:
    """Streams of whole numbers that differ in at most one round, and there by exactly 1. The state is Hamming's.

    Args:
        name, initial: As every relation has them.
    Source: paper.tex, sec:prefix-sum.

    >>> [pair for pair, _ in UNIT_HAMMING.legal(False, 1, (0, 1, 2)) if pair[0] == 0]
    [(0, 0), (0, 1)]
    """

    name: str = "unit-hamming"
    initial: bool = False

    def legal(self, state: bool, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, bool]]:
        """The legal pairs of Hamming whose difference is at most 1. As in `Adjacency`."""
        for pair, after in HAMMING.legal(state, round_, alphabet):
            if abs(pair[0] - pair[1]) <= 1:
                yield pair, after


@frozen(slots=True)
class ZeroOut:
    """One round's input against a null input in world 1; the relation is directed, and both orders of worlds count.

    The null input need not be in the alphabet; streams in between two of more hops may hold it (see Hops).

    Args:
        null: The null input; in an audit the mechanism's own takes its place where it names one.
        name, initial: As every relation has them.
    Source: none; ours.

    >>> [pair for pair, _ in ZERO_OUT.legal(False, 1, ("a",))]
    [('a', 'a'), ('a', None)]
    """

    null: Any = None
    name: str = "zero-out"
    initial: bool = False

    def legal(self, state: bool, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, bool]]:
        """Equal pairs always; until it was used, any input against the null input. As in `Adjacency`."""
        del round_
        for x in alphabet:
            yield (x, x), state
            if not state and x != self.null:
                yield (x, self.null), True


@frozen(slots=True)
class AnyRounds:
    """All pairs of equal-length streams: every round may differ. There is one state, None.

    Args:
        name, initial: As every relation has them.
    Source: none; ours.

    >>> len(list(ANY.legal(None, 5, (0, 1))))
    4
    """

    name: str = "any"
    initial: None = None

    def legal(self, state: None, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[Inputs, None]]:
        """Every pair, always. As in `Adjacency`."""
        del state, round_
        for pair in product(alphabet, repeat=2):
            yield pair, None


HAMMING = Hamming()
UNIT_HAMMING = UnitHamming()
ZERO_OUT = ZeroOut()
ANY = AnyRounds()
ADJACENCIES: dict[str, Adjacency[Any]] = {
    relation.name: relation for relation in (HAMMING, UNIT_HAMMING, ZERO_OUT, EDIT, ANY)
}


@frozen(slots=True)
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
        here, is_any_legal = round_ == self.challenge_round, False
        for inputs, after in self.adjacency.legal(state, round_, alphabet):
            differ = inputs[0] != inputs[-1]
            if differ == here or (here and not self.forced):
                is_any_legal = True
                yield inputs, after
        if self.forced and not is_any_legal:
            wanted = f"{'unequal' if here else 'equal'} inputs to be legal in round {round_} ({self.name})"
            raise expected(wanted, challenge_round=self.challenge_round)


def innermost(relation: Any) -> Any:
    """The relation that hops, a challenge in one round and the like are made of; zero-out is one by itself."""
    while not isinstance(relation, ZeroOut) and hasattr(relation, "adjacency"):
        relation = relation.adjacency
    return relation


def inputs_of(relation: Adjacency[Any], alphabet: tuple[Any, ...]) -> tuple[Any, ...]:
    """All that a world can be handed: the alphabet, and with zero-out the null input where it is not one of it."""
    inner = innermost(relation)
    return tuple(dict.fromkeys((*alphabet, inner.null))) if isinstance(inner, ZeroOut) else alphabet
