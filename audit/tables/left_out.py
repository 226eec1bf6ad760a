"""Bounds on tables, and why one is left out."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from dpcert.audit.frozen import frozen

R = TypeVar("R")

MOST_TABLE_ROWS = 5_000
"""Rows past which `dpcert tables TARGET` leaves a table out; it stops there and does not make them."""
MOST_TABLE_STREAMS = 2_000
"""Pairs of fixed streams that `dpcert tables TARGET` tries one by one for those that attain; past it, it tries none."""
MOST_TABLE_NODES = 2_000
"""Nodes of an adversary past which its transcripts are left out."""
MOST_TABLE_POSITIONS = 20_000
"""Positions that `dpcert tables TARGET` explores; --max-positions replaces it."""


@frozen
class LeftOut:
    """A table, or a figure, that is not made, and why."""

    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.name} ({self.why})"


class NotTabulated(Exception):
    """A table that is not made; its text says why."""


def bounded(rows: Iterator[R]) -> Sequence[R]:
    """The rows, as long as there are not more than MOST_TABLE_ROWS. Raises: NotTabulated: there are."""
    listing: list[R] = []
    for row in rows:
        if len(listing) == MOST_TABLE_ROWS:
            raise NotTabulated(f"more than MOST_TABLE_ROWS = {MOST_TABLE_ROWS:,} rows")
        listing.append(row)
    return listing
