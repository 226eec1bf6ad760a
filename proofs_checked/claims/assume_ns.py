"""assume:ns: neighbouring sequences have one length, and all their prefixes are neighbouring."""

from itertools import product
from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.relations import NO_BIN, Relation, Stream, bins, edit, hamming, neighbours, same_items
from dpcert.proofs_checked.ledger import claim

BINS = [NO_BIN, *((a,) for a in "ab"), *product("ab", repeat=2)]
RELATIONS: tuple[tuple[Relation, Any, int], ...] = ((hamming, "abc", 4), (edit, "abc", 4), (bins, BINS, 3))


@claim("assume:ns", row=24, method=Method.EXHAUSTIVE, subject=RELATIONS, mutant=((same_items, "abc", 4),),
       scope="~H and ~E on up to 4 items of 3 kinds, ~B on up to 3 steps with bins of up to 2")  # fmt: skip
def relations_are_prefix_closed(subject: tuple[tuple[Relation, Any, int], ...]) -> Finding:
    """The relations ~H, ~E and ~B keep lengths equal and are prefix-closed."""

    def closed(relation: Relation, x: Stream, y: Stream) -> bool:
        return len(x) == len(y) and all(relation(x[:t], y[:t]) for t in range(1, len(x)))

    pairs = ((relation, x, y) for relation, items, length in subject for x, y in neighbours(relation, items, length))
    return every("pairs of neighbours", pairs, closed)
