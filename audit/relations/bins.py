"""BIN: sequences of bins that leave at the same times and differ, because of one edit, in at most two adjacent bins."""

from typing import Any, ClassVar, NamedTuple

from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import as_is

Queues = tuple[tuple[Any, ...], tuple[Any, ...]]
Slice = tuple[int, int]
"""A bin as (start, length): `items[-start:][:length]` of the items so far, the newest included."""


class Bins(NamedTuple):
    """Where two bin sequences stand: the items not yet in a bin, and what the difference so far obliges to.

    `ways` holds (longer sequence, item u that its next bin must begin with) between the two affected bins.
    """

    queues: Queues = ((), ())
    ways: frozenset[tuple[int, Any]] = frozenset()
    over: bool = False


as_is(Bins)


@frozen(slots=True)
class BinAdjacency:
    """~B as an automaton that reads, round by round, the items that arrive and the bins that leave.

    Args:
        level: U, even; a bin holds at least 1 item and at most 2U + 1.
    Source: paper.tex, defn:neighbor_bin.
    """

    level: int
    name: str = "bin"
    initial: ClassVar[Bins] = Bins()

    def __post_init__(self) -> None:
        if self.level < 2 or self.level % 2:
            raise expected("an even level of at least 2", level=self.level)

    def after(self, state: Bins, items: tuple[Any, Any], bins: tuple[Slice | None, Slice | None]) -> Bins | None:
        """The state after a round in which `items` arrived and then `bins` left, None where the sequences are no longer
        neighbours: bins that are not the oldest items, of another size, at other times, or too different.
        """
        queues = (*state.queues[0], items[0]), (*state.queues[1], items[1])
        first, second = bins
        if first is None and second is None:
            return state._replace(queues=queues)
        if first is None or second is None or not (self._fits(first, queues[0]) and self._fits(second, queues[1])):
            return None
        contents = queues[0][: first[1]], queues[1][: second[1]]
        rests = queues[0][first[1] :], queues[1][second[1] :]
        if state.ways:
            paid = any(contents[longer] == (due, *contents[1 - longer]) for longer, due in state.ways)
            return Bins(rests, over=True) if paid else None
        if contents[0] == contents[1]:
            return Bins(rests, over=state.over)
        ways = frozenset(
            (longer, contents[1 - longer][-1]) for longer in (0, 1) if _one_out(contents[longer], contents[1 - longer])
        )
        return None if state.over or not ways else Bins(rests, ways)

    def _fits(self, taken: Slice, queue: tuple[Any, ...]) -> bool:
        start, length = taken
        return start == len(queue) and 1 <= length <= min(start, 2 * self.level + 1)


def _one_out(bin_: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether `other` is `bin_` without one item and with another one at its end: [a, w, b] and [a, b, u]."""
    if len(bin_) != len(other):
        return False
    at = next(i for i, (x, y) in enumerate(zip(bin_, other, strict=True)) if x != y)
    return (*bin_[:at], *bin_[at + 1 :]) == other[:-1]
