"""sec:prefix-sum: streams of whole numbers that are neighbours, and what a prefix sum then differs by."""

from itertools import accumulate, product
from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, Adjacency
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "sec:prefix-sum"
Stream = tuple[int, ...]


def accepted(relation: Adjacency[Any], one: Stream, other: Stream) -> bool:
    """Whether the automaton goes through."""
    state = relation.initial
    for t, pair in enumerate(zip(one, other, strict=True), 1):
        steps = dict(relation.legal(state, t, tuple({*one, *other})))
        if pair not in steps:
            return False
        state = steps[pair]
    return True


@claim(LABEL, row=None, method=Method.EXHAUSTIVE, scope="all pairs of streams of three numbers in -1..2",
       subject=UNIT_HAMMING, mutant=HAMMING)  # fmt: skip
def unit_hamming_is_as_defined(subject: Adjacency[Any]) -> Finding:
    """The automaton reads streams that differ in at most one round, by exactly 1; their prefix sums are 1 apart."""

    def defined(one: Stream, other: Stream) -> bool:
        gaps = [abs(u - v) for u, v in zip(one, other, strict=True) if u != v]
        sums = zip(accumulate(one), accumulate(other), strict=True)
        near = gaps in ([], [1])
        return accepted(subject, one, other) == near and (not near or all(abs(u - v) <= 1 for u, v in sums))

    streams = list(product(range(-1, 3), repeat=3))
    return every("pairs of streams", product(streams, streams), defined)
