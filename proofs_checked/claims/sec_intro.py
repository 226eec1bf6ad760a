"""sec:intro: fixed blocks, which one edit moves all that come after it."""

from collections.abc import Callable
from itertools import product

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LENGTH = 24
"""Items of a stream."""
Moved = Callable[[int, int], int]
"""(whole blocks, those before the edited place) -> how many differ."""


def blocks(stream: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """The stream in blocks of one size, without what is left at the end."""
    return [stream[start : start + size] for start in range(0, len(stream) - size + 1, size)]


@claim("sec:intro", row=None, method=Method.EXHAUSTIVE, uses=("defn:neighbor_edit",),
       scope="24 items that occur once, every place of a deletion, blocks of 1 to 8 items",
       subject=lambda whole, before: whole - before, mutant=lambda whole, before: min(2, whole - before))  # fmt: skip
def one_edit_moves_every_later_fixed_block(subject: Moved) -> Finding:
    """Of blocks of a fixed size, a deletion changes each from its place on, not two as it does with bins."""
    items = tuple(range(LENGTH + 1))

    def moved(size: int, place: int) -> bool:
        longer, shorter = items[:LENGTH], (*items[:place], *items[place + 1 :])
        pairs = list(zip(blocks(longer, size), blocks(shorter, size), strict=True))
        return sum(a != b for a, b in pairs) == subject(len(pairs), min(place // size, len(pairs)))

    return every("edits", product(range(1, 9), range(LENGTH)), moved)
