"""The tree of partial sums, of any arity and any number of rounds: nodes that are complete by the last round alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.encoder import MOST_ENTRIES, Columns
from dpcert.mechanisms.matrices.gram import Gram, check_size
from dpcert.mechanisms.matrices.rounding import NormBounds

MOST_TREE_ROUNDS = 1 << 22
"""Rounds of a tree."""


@dataclass(frozen=True)
class TreeEncoder:
    """R, a row for each node [q a^l + 1 .. (q + 1) a^l] with (q + 1) a^l <= T, released in its last round.

    Rows come in the order of their rounds, the leaf first.

    Args:
        rounds: T, at least 1.
        arity: a, at least 2.
    Source: paper.tex, prop:tree_zcdp_rdp (arity 2, T a power of 2).

    >>> TreeEncoder(3).row_rounds
    (1, 2, 2, 3)
    """

    rounds: int
    arity: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_TREE_ROUNDS:
            raise expected(f"from 1 to {MOST_TREE_ROUNDS} rounds", rounds=self.rounds)
        if self.arity < 2:
            raise expected("an arity of at least 2", arity=self.arity)

    @property
    def is_nonnegative(self) -> bool:
        """Entries are 0 and 1."""
        return True

    def nodes(self) -> Iterator[tuple[int, int]]:
        """(first round, last round) of every node, row by row.

        >>> list(TreeEncoder(4).nodes())
        [(1, 1), (2, 2), (1, 2), (3, 3), (4, 4), (3, 4), (1, 4)]
        """
        for last in range(1, self.rounds + 1):
            length = 1
            while last % length == 0:
                yield last - length + 1, last
                length *= self.arity

    @cached_property
    def row_rounds(self) -> tuple[int, ...]:
        """The last round of every node."""
        return tuple(last for _, last in self.nodes())

    def columns(self, at: Sequence[int]) -> Columns:
        """1 in the rows of nodes that hold the round."""
        nodes = list(self.nodes())
        return Columns([[int(first <= i + 1 <= last) for first, last in nodes] for i in at], 0, 0)

    def squared_norms(self) -> NormBounds:
        """How many nodes hold each round."""
        counts = [0] * self.rounds
        for length in self._lengths():
            whole = self.rounds // length * length
            counts[:whole] = [n + 1 for n in counts[:whole]]
        return NormBounds(counts, counts, 0)

    def size_norms(self) -> NormBounds:
        """The same numbers."""
        return self.squared_norms()

    def _lengths(self) -> Iterator[int]:
        length = 1
        while length <= self.rounds:
            yield length
            length *= self.arity

    def gram(self, participations: int) -> Gram:  # noqa: ARG002 - as of the others
        """How many nodes hold both rounds. Raises: ArgumentError: too many rounds."""
        check_size(self.rounds)
        counts = np.zeros((self.rounds, self.rounds), dtype=np.int64)
        for length in self._lengths():
            for start in range(0, self.rounds // length * length, length):
                counts[start : start + length, start : start + length] += 1
        return Gram(counts, 0)

    def is_earliest_worst(self, min_separation: int, *, as_one: bool = False) -> bool:
        """Where there is one participation alone: no round is in more nodes than the first."""
        return not as_one and min_separation >= self.rounds

    def decoder(self) -> Floats:
        """L, rounds by rows: the prefix [1..t] is the union of as many nodes as its digits in base a sum up to.

        Raises: ArgumentError: a matrix too large to be written out.
        """
        places = {node: row for row, node in enumerate(self.nodes())}
        if self.rounds * len(places) > MOST_ENTRIES:
            raise expected(f"a decoder of at most {MOST_ENTRIES} entries", rounds=self.rounds)
        found = np.zeros((self.rounds, len(places)))
        for t in range(1, self.rounds + 1):
            found[t - 1, [places[node] for node in self.cover(t)]] = 1
        return found

    def cover(self, t: int) -> Iterator[tuple[int, int]]:
        """The nodes that partition [1..t], the longest first.

        >>> list(TreeEncoder(7).cover(7))
        [(1, 4), (5, 6), (7, 7)]
        """
        end = 0
        for length in reversed(list(self._lengths())):
            while end + length <= t:
                yield end + 1, end + length
                end += length
