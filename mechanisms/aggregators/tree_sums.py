"""The binary tree for vectors, in O(d log T) memory: one node a round, [t - 2^z + 1 .. t] with 2^z the lowest bit of t.

Other nodes are in no cover of a prefix: they are neither noised nor released.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.aggregators.core import Arrays, Memory, check_core, check_memory, check_words, root_above
from dpcert.mechanisms.grid_noise.sampling import Words
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.participations import AdjacentBins, Once, Participation
from dpcert.mechanisms.matrices.tree import MOST_TREE_ROUNDS


@dataclass(frozen=True)
class TreeSums:
    """Prefix sums by the tree: round t is in at most floor(log2 T) + 1 nodes, and so many make up any prefix.

    Args:
        rounds: T.
        dimension: d.
        largest: The largest size of a component of an input.
    Raises: ArgumentError: a parameter outside its domain.
    Source: paper.tex, prop:tree_zcdp_rdp; claims 88 (released nodes alone).

    >>> TreeSums(8, 1, 9).shift(Fraction(1), Once())
    Fraction(2, 1)
    """

    rounds: int
    dimension: int
    largest: int

    def __post_init__(self) -> None:
        check_core(self.rounds, self.dimension, self.largest, MOST_TREE_ROUNDS)
        check_words([self.rounds * self.largest], rounds=self.rounds, largest=self.largest)
        check_memory(self.levels * self.dimension, dimension=self.dimension)

    @property
    def name(self) -> str:
        """With all parameters."""
        return repr(self)

    @property
    def row_bits(self) -> int:
        """Nodes are sums of inputs."""
        return 0

    @property
    def levels(self) -> int:
        """floor(log2 T) + 1."""
        return self.rounds.bit_length()

    def start(self) -> Memory:
        """For each level the node that is in the cover, without noise and with it."""
        shape = self.levels, self.dimension
        return Memory((np.zeros(shape, dtype=np.int64),), (np.zeros(shape),))

    def measure(self, inputs: Arrays, t: int, x: Words) -> Words:
        """The node: x, and the nodes of the levels below, all of which are in the cover of t - 1."""
        (nodes,) = inputs
        level = _level(t)
        node: Words = x + nodes[:level].sum(axis=0)
        nodes[:level] = 0
        nodes[level] = node
        return node

    def publish(self, outputs: Arrays, t: int, y: Floats) -> Floats:
        """The sum of the cover of t."""
        (nodes,) = outputs
        level = _level(t)
        nodes[:level] = 0
        nodes[level] = y
        whole: Floats = nodes[[k for k in range(self.levels) if t >> k & 1]].sum(axis=0)
        return whole

    def shift(self, change: Fraction, participation: Participation) -> Fraction:
        """Round 1 is in L + 1 nodes, L = floor(log2 T); rounds 1 and 2 have a squared norm of 4 L + 1: the largest.

        Rounds 2 j - 1 and 2 j share all nodes but the leaf of the first: 4 n + 1, with 2 j in n <= L nodes. Of rounds
        2 j and 2 j + 1, in at most L and L + 1, the last node of the first does not hold the second: at most 4 L - 1.
        """
        top = self.levels - 1
        if isinstance(participation, Once):
            return change * root_above(Fraction(top + 1))
        if isinstance(participation, AdjacentBins):
            participation.check(self.rounds)
            return change * root_above(Fraction(4 * top + 1))
        raise expected("one participation, or two adjacent bins", participation=participation)


def _level(t: int) -> int:
    return (t & -t).bit_length() - 1
