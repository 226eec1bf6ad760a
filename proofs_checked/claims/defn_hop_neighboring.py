"""defn:hop-neighboring: k-hop neighbours are the ends of a chain of k neighbours."""

from itertools import product

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.relations import Stream, hamming
from dpcert.proofs_checked.ledger import claim

TRIPLES = list(product((0, 1, 2), repeat=3))


@claim("defn:hop-neighboring", row=None, method=Method.EXHAUSTIVE, scope="all streams of three rounds on three inputs",
       subject=2, mutant=1, uses=("assume:ns",))  # fmt: skip
def two_hops_are_two_differing_rounds(subject: int) -> Finding:
    """Two-hop Hamming neighbours are the streams that differ in at most two rounds."""

    def reached(x: Stream, y: Stream) -> bool:
        ends = {x}
        for _ in range(subject):
            ends = {z for z in TRIPLES if any(hamming(end, z) for end in ends)}
        few = sum(a != b for a, b in zip(x, y, strict=True)) <= 2
        return few is (y in ends)

    return every("pairs of streams", product(TRIPLES, repeat=2), reached)
