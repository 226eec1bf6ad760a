"""How many nodes of a tree partition an interval, for many intervals at once: the squared norms of a decoder's rows."""

import numpy as np

from dpcert.mechanisms.matrices.dyadic import Integers


def node_counts(first: Integers, last: Integers, arity: int) -> Integers:
    """For each interval first..last of rounds, counted from 1, the nodes of which it is the union, as few as there are.

    From the left, each takes the longest node that starts there and does not reach past the end: all are complete by
    the last round.

    Args:
        first: First rounds.
        last: Last rounds, as many, none before its first one.
        arity: Of the tree.

    >>> node_counts(np.array([1, 2]), np.array([7, 7]), 2).tolist()
    [3, 4]
    """
    ends, counts = first.astype(np.int64) - 1, np.zeros(len(first), dtype=np.int64)
    while (active := np.flatnonzero(ends < last)).size:
        start, left = ends[active], last[active] - ends[active]
        length = np.ones(len(active), dtype=np.int64)
        while (longer := (start % (length * arity) == 0) & (length * arity <= left)).any():
            length[longer] *= arity
        ends[active] += length
        counts[active] += 1
    return counts
