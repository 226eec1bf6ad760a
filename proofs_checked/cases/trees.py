"""The binary tree as a factorisation: its nodes as rows, and prefixes as sums of nodes."""

from collections.abc import Callable, Iterator
from itertools import accumulate

from dpcert.mechanisms.matrices.tree import TreeEncoder

Node = tuple[int, int]
"""(first round, last round)."""
Cover = Callable[[int], dict[Node, int]]
"""Round t -> the nodes that [1..t] is the sum of, each with its coefficient: a row of L."""


def partition(t: int) -> dict[Node, int]:
    """The nodes that partition [1..t]."""
    return dict.fromkeys(TreeEncoder(max(t, 1)).cover(t), 1)


def without_the_rest(t: int) -> dict[Node, int]:
    """The least node [1..2^j] that holds [1..t], and the nodes after t taken away: right, and not causal."""
    after, nodes = t, {(1, 1 << (t - 1).bit_length()): 1}
    while after & (after - 1):
        length = after & -after
        nodes[after + 1, after + length] = -1
        after += length
    return nodes


def row(cover: dict[Node, int], rounds: int) -> list[int]:
    """A row of L R: how often the nodes count each round."""
    steps = [0] * (rounds + 1)
    for (first, last), times in cover.items():
        steps[first - 1] += times
        steps[last] -= times
    return list(accumulate(steps[:-1]))


def counts(rounds: int) -> list[int]:
    """How many nodes that are complete by the last round hold each round: the squared norms of the columns."""
    return row(dict.fromkeys(TreeEncoder(rounds).nodes(), 1), rounds)


def adjacent(height: int) -> Iterator[int]:
    """||R (e_i + e_{i+1})||^2 for i = 1, 2, ... in the tree of 2^height rounds, node by node."""
    nodes = list(TreeEncoder(2**height).nodes())
    for i in range(1, 2**height):
        yield sum(((first <= i <= last) + (first <= i + 1 <= last)) ** 2 for first, last in nodes)
