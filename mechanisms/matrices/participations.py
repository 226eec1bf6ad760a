"""In which rounds one person's records may stand: once, in two adjacent bins, some rounds apart, once an epoch."""

from collections.abc import Iterator
from dataclasses import dataclass

from dpcert.audit.errors import expected

Pattern = tuple[int, ...]
"""Rounds of participations, counted from 0, in order."""


@dataclass(frozen=True)
class Once:
    """One participation, in any round.

    >>> list(Once().patterns(2))
    [(0,), (1,)]
    """

    def check(self, rounds: int) -> None:
        """Fits any horizon."""

    def most(self, rounds: int) -> int:  # noqa: ARG002 - as of the others
        """Participations at most."""
        return 1

    def step(self, rounds: int) -> int:
        """Any step: there is one participation."""
        return rounds

    def patterns(self, rounds: int) -> Iterator[Pattern]:
        """All of them."""
        return ((i,) for i in range(rounds))


@dataclass(frozen=True)
class AdjacentBins:
    """Two participations, in one round and the next: what one edit does to the bins of RandBin.

    Source: paper.tex, lem:randbin_wrapper.

    >>> list(AdjacentBins().patterns(3))
    [(0, 1), (1, 2)]
    """

    def check(self, rounds: int) -> None:
        """Raises: ArgumentError: there are not two rounds."""
        if rounds < 2:
            raise expected("at least 2 rounds for two adjacent bins", rounds=rounds)

    def most(self, rounds: int) -> int:  # noqa: ARG002 - as of the others
        """Participations at most."""
        return 2

    def step(self, rounds: int) -> int:  # noqa: ARG002 - as of the others
        """Rounds from one participation to the next."""
        return 1

    def patterns(self, rounds: int) -> Iterator[Pattern]:
        """All of them."""
        return ((i, i + 1) for i in range(rounds - 1))


@dataclass(frozen=True)
class EpochOrder:
    """One participation an epoch, every time in the same round of it.

    Args:
        epochs: How many, at least 1.
        rounds_an_epoch: Rounds of each, at least 1.

    >>> list(EpochOrder(2, 3).patterns(6))
    [(0, 3), (1, 4), (2, 5)]
    """

    epochs: int
    rounds_an_epoch: int

    def check(self, rounds: int) -> None:
        """Raises: ArgumentError: the epochs do not fit the rounds."""
        at_least_one(epochs=self.epochs, rounds_an_epoch=self.rounds_an_epoch)
        if self.epochs * self.rounds_an_epoch > rounds:
            raise expected(f"epochs that fit {rounds} rounds", **vars(self))

    def most(self, rounds: int) -> int:  # noqa: ARG002 - as of the others
        """Participations at most."""
        return self.epochs

    def step(self, rounds: int) -> int:  # noqa: ARG002 - as of the others
        """Rounds from one participation to the next."""
        return self.rounds_an_epoch

    def patterns(self, rounds: int) -> Iterator[Pattern]:  # noqa: ARG002 - as of the others
        """All of them."""
        step = self.rounds_an_epoch
        return (tuple(range(first, step * self.epochs, step)) for first in range(step))


@dataclass(frozen=True)
class Separated:
    """At most `max_participations`, any two of them at least `min_separation` rounds apart.

    Args:
        max_participations: k, at least 1.
        min_separation: b, at least 1; there are b - 1 rounds strictly between two participations in rounds i and i + b.

    >>> list(Separated(2, 2).patterns(3))
    [(0,), (1,), (2,), (0, 2)]
    """

    max_participations: int
    min_separation: int

    def check(self, rounds: int) -> None:
        """Raises: ArgumentError: so many participations do not fit the rounds."""
        at_least_one(max_participations=self.max_participations, min_separation=self.min_separation)
        if (self.max_participations - 1) * self.min_separation >= rounds:
            raise expected(f"participations that fit {rounds} rounds", **vars(self))

    def most(self, rounds: int) -> int:  # noqa: ARG002 - as of the others
        """Participations at most."""
        return self.max_participations

    def step(self, rounds: int) -> int:  # noqa: ARG002 - as of the others
        """Rounds from one participation to the next, at least."""
        return self.min_separation

    def patterns(self, rounds: int) -> Iterator[Pattern]:
        """All of them, the short ones first: for small horizons only."""
        kept: list[Pattern] = [()]
        for _ in range(self.max_participations):
            kept = [(*p, i) for p in kept for i in range(p[-1] + self.min_separation if p else 0, rounds)]
            yield from kept


Participation = Once | AdjacentBins | EpochOrder | Separated


def moves_as_one(participation: Participation) -> bool:
    """Whether a pattern is settled by its first round."""
    return not isinstance(participation, Separated)


def earliest(participation: Participation, rounds: int) -> Pattern:
    """The earliest and densest of the longest patterns.

    >>> earliest(Separated(3, 2), 9)
    (0, 2, 4)
    """
    step = participation.step(rounds)
    return tuple(range(0, step * participation.most(rounds), step))


def at_least_one(**numbers: int) -> None:
    """Raises: ArgumentError: a number is none of at least 1."""
    for name, value in numbers.items():
        if type(value) is not int or value < 1:
            raise expected("a whole number of at least 1", **{name: value})
