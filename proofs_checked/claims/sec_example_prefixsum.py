"""sec:example_prefixsum: one deletion moves every item; the binnings that are displayed to undo it."""

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.relations import NO_BIN, Stream, bins, edit
from dpcert.proofs_checked.ledger import claim, found

LABEL = "sec:example_prefixsum"
LONG, SHORT = tuple("abcdef"), tuple("bcdefg")
Binnings = tuple[Stream, Stream]


def _binning(*listed: str) -> Stream:
    """Two empty steps before each bin."""
    return tuple(step for held in listed for step in (NO_BIN, NO_BIN, tuple(held)))


PRINTED = _binning("ab", "cde"), _binning("b", "cde")
KEPT_SIZES = _binning("ab", "cde"), _binning("bc", "de")


@claim(LABEL, row=32, method=Method.EXHAUSTIVE, scope="the streams 1, 0, 1, 0, ... and 0, 1, 0, 1, ... up to 12 items",
       subject=(1, 0), mutant=(1, 1), uses=("defn:neighbor_edit",))  # fmt: skip
def one_deletion_moves_every_item(subject: tuple[int, int]) -> Finding:
    """Edit neighbours may differ in every place: deleting the first item of an alternating stream flips all others."""

    def differ(n: int) -> bool:
        stream = subject * n
        x, y = stream[:n], stream[1 : n + 1]
        return edit(x, y) and all(a != b for a, b in zip(x, y, strict=True))

    return every("lengths", [(n,) for n in range(1, 13)], differ)


@claim(LABEL, row=32, method=Method.EXHAUSTIVE, scope="the two binnings that are displayed",
       subject=PRINTED, control=KEPT_SIZES,
       corrected="{b, c}, {d, e} is a neighbour of {a, b}, {c, d, e}: sizes agree but in one bin, by 1.",
       uses=("defn:neighbor_bin", "defn:neighbor_edit"))  # fmt: skip
def the_displayed_binnings_are_neighbours(subject: Binnings) -> Finding:
    """The binnings displayed for abcdef and bcdefg are ~B: false, {a,b} and {b} differ in size; {b,c}, {d,e} mends it.

    A difference in one bin alone must be in the last one, and keeps its size; otherwise the next bin pays for it.
    """
    one, other = subject
    concatenated = [tuple(item for held in binning for item in held) for binning in subject]
    prefixes = concatenated[0] == LONG[: len(concatenated[0])] and concatenated[1] == SHORT[: len(concatenated[1])]
    sizes = [[len(held) for held in binning if held] for binning in subject]
    where = [t for t, (a, b) in enumerate(zip(one, other, strict=True), 1) if a != b]
    detail = (
        f"Both are prefixes of their streams; they differ at {where}, with bins of sizes {sizes[0]} and {sizes[1]}."
    )
    return found(prefixes and bins(one, other), detail, sizes=sizes, differ_at=where)
