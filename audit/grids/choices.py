"""What a policy chooses at the nodes of a stage: which release of each class, from place to place, in few numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.columns import LeadColumn, Whole
from dpcert.audit.grids.passes import Choices

LONG_SPAN = 1_000
"""Places of a span, on average, from which spans are worked out one by one on slices, and not all places at once."""
MOST_SPANS = 1_024
"""Spans of one class in one stage; where a policy would change more often, it is told at fewer places."""
CLASSES_KEPT = 1_024
"""Classes whose releases are kept as arrays."""
Span = tuple[int, int, int]
"""(release, first place, the one after the last) between which it is chosen."""
ClassPlaces = dict[int, tuple[int, int]]
"""Per class the first place at which anybody may be, and the one after the last."""


@frozen
class Chosen:
    """Places of several classes in a row, class by class, and what is chosen at each.

    Attributes:
        numbers: The class of each.
        places: The places themselves.
        releases: The release that is chosen there.
    """

    numbers: Whole
    places: Whole
    releases: Whole

    def __len__(self) -> int:
        return len(self.places)

    def only(self, at: Whole) -> "Chosen":
        """Some of them."""
        return Chosen(self.numbers[at], self.places[at], self.releases[at])


@frozen
class ReachedSpans:
    """Spans of places, class by class, in columns.

    Attributes:
        numbers: The class of each.
        releases: The release that is chosen there.
        lows: Its first place.
        highs: The one after its last.
    """

    numbers: Whole
    releases: Whole
    lows: Whole
    highs: Whole

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def count(self) -> int:
        """Their places, all told."""
        return int((self.highs - self.lows).sum())

    @property
    def long(self) -> bool:
        """Whether slices are worth their while."""
        return self.count >= LONG_SPAN * len(self)

    def by_class(self) -> ClassPlaces:
        """Per class, in order, its first place and the one after its last: the spans of a class follow one another."""
        places: ClassPlaces = {}
        for number, low, high in zip(self.numbers.tolist(), self.lows.tolist(), self.highs.tolist(), strict=True):
            reach(places, number, low, high)
        return places

    def blocks(self, most: int) -> Iterator[tuple[int, int, int, int]]:
        """(class, release, first place, the one after the last), so many places at most, in order."""
        columns = (column.tolist() for column in (self.numbers, self.releases, self.lows, self.highs))
        for number, release, low, high in zip(*columns, strict=True):
            for first in range(low, high, most):
                yield number, release, first, min(first + most, high)

    def place_by_place(self) -> Chosen:
        """What is chosen at each of their places."""
        counts = self.highs - self.lows
        return Chosen(self.numbers.repeat(counts), in_a_row(self.lows, counts), self.releases.repeat(counts))

    def lead(self, onto: ClassPlaces, columns: Iterable[LeadColumn]) -> None:
        """Notes where runs lead, on either side of their slopes."""
        for column in columns:
            there = column.there[self.releases].nonzero()[0]
            after, steps = (numbers[self.releases[there]] for numbers in (column.after, column.steps))
            rows = zip(
                after.tolist(), (self.lows[there] + steps).tolist(), (self.highs[there] + steps).tolist(), strict=True
            )
            for number, low, high in rows:
                reach(onto, number, low, high + 1)


def reach(places: ClassPlaces, number: int, low: int, high: int) -> None:
    """Notes that places of a class are reached."""
    first, end = places.get(number, (low, high))
    places[number] = min(first, low), max(end, high)


def covers(places: ClassPlaces, others: ClassPlaces) -> bool:
    """Whether all that is reached of others is.

    >>> covers({1: (0, 5)}, {1: (2, 5)}), covers({1: (0, 5)}, {1: (2, 6)}), covers({1: (0, 5)}, {2: (2, 5)})
    (True, False, False)
    """
    return all(
        number in places and places[number][0] <= low and high <= places[number][1]
        for number, (low, high) in others.items()
    )


@frozen
class Spans:
    """Where the classes of a stage choose which release: all places of its window, in order.

    Attributes:
        firsts: By class its first span, and in the end how many there are of all.
        releases: By span, the release that is chosen there.
        lows: Its first place.
        highs: The one after its last.
    """

    firsts: NDArray[np.int32]
    releases: NDArray[np.int32]
    lows: NDArray[np.int32]
    highs: NDArray[np.int32]

    @classmethod
    def of(cls, classes: Sequence[tuple[int, ...]], choices: Sequence[Choices | None], low: int, high: int) -> "Spans":
        """Those of choices at the places of a window.

        Args:
            classes: By class its releases.
            choices: By class which of them at each place; None where there is none to choose.
            low: The first place.
            high: The one after the last.

        >>> spans = Spans.of([(), (3,), (4, 5)], [None, None, np.array([0, 1, 1])], -1, 2)
        >>> spans.of_class(0), spans.of_class(1), spans.of_class(2)
        ((), ((3, -1, 2),), ((4, -1, 0), (5, 0, 2)))
        """
        found = [_starts(releases, choice) for releases, choice in zip(classes, choices, strict=True)]
        firsts = np.cumsum([0, *(len(starts) for starts, _ in found)], dtype=np.int32)
        lows = np.concatenate([starts for starts, _ in found], dtype=np.int32) + np.int32(low)
        highs = np.empty_like(lows)
        if len(highs):
            highs[:-1] = lows[1:]
            highs[firsts[1:] - 1] = high  # a class without any names the last one of a class before it, or of all
        return cls(firsts, np.concatenate([chosen for _, chosen in found], dtype=np.int32), lows, highs)

    def __len__(self) -> int:
        return len(self.firsts) - 1

    def of_class(self, number: int) -> tuple[Span, ...]:
        """Those of a class."""
        a, b = self.firsts[number], self.firsts[number + 1]
        columns = (column[a:b].tolist() for column in (self.releases, self.lows, self.highs))
        return tuple(zip(*columns, strict=True))

    def everywhere(self) -> "ReachedSpans":
        """All of them, where every place is reached."""
        columns = (column.astype(np.int64) for column in (self.releases, self.lows, self.highs))
        return ReachedSpans(self._numbers, *columns)

    @property
    def _numbers(self) -> Whole:
        """By span, its class."""
        return np.arange(len(self), dtype=np.int64).repeat(self.firsts[1:] - self.firsts[:-1])

    def reached(self, places: Mapping[int, tuple[int, int]]) -> "ReachedSpans":
        """As much of each span as is reached."""
        numbers = np.array(sorted(places), dtype=np.int64)
        within = np.array([places[number] for number in numbers.tolist()], dtype=np.int64).reshape(-1, 2)
        counts = self.firsts[numbers + 1] - self.firsts[numbers]
        spans = in_a_row(self.firsts[numbers], counts)
        a = np.maximum(self.lows[spans], within[:, 0].repeat(counts))
        b = np.minimum(self.highs[spans], within[:, 1].repeat(counts))
        met = a < b
        return ReachedSpans(numbers.repeat(counts)[met], self.releases[spans[met]].astype(np.int64), a[met], b[met])


def in_a_row(lows: "NDArray[np.int32] | Whole", counts: "NDArray[np.int32] | Whole") -> Whole:
    """So many whole numbers from each one on.

    >>> in_a_row(np.array([5, -1]), np.array([2, 3])).tolist()
    [5, 6, -1, 0, 1]
    """
    ends = counts.cumsum(dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    row: Whole = np.arange(total, dtype=np.int64) + (lows - (ends - counts)).repeat(counts)
    return row


def _starts(releases: tuple[int, ...], choice: Choices | None) -> tuple[Whole, Whole]:
    """Where the spans of a class begin, from the first place on, and the releases that are chosen there."""
    own = _in_order(releases)
    if choice is None:
        return np.zeros(len(own), dtype=np.int64), own
    every = 1
    while True:
        samples = choice[::every]
        changes = (samples[1:] != samples[:-1]).nonzero()[0] + 1
        if len(changes) < MOST_SPANS:
            break
        every *= 2
    starts = np.zeros(len(changes) + 1, dtype=np.int64)
    starts[1:] = changes
    return starts * every, own[samples[starts]]


@lru_cache(maxsize=CLASSES_KEPT)
def _in_order(releases: tuple[int, ...]) -> Whole:
    return np.array(releases, dtype=np.int64)
