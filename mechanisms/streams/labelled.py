"""Labelled events as rows of features, and the label of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import Labels

MOST_STREAM_NUMBERS = 1 << 28
"""Numbers of a stream that is held in memory at most: two gibibytes."""


@dataclass(frozen=True, eq=False)
class LabelledEvents:
    """Events in their order.

    Features are scaled by what is known before any event comes, never by events: that would tell of them.

    Attributes:
        x: A row of features an event.
        y: Labels from 0.
        classes: How many there are.
        distinct: Rows that the stream has before they come again; None where every event is new. Whoever has a row in
            a stream that comes again takes part as many times.
    """

    x: Floats
    y: Labels
    classes: int
    distinct: int | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def features(self) -> int:
        """Numbers of an event."""
        return int(self.x.shape[1])

    @property
    def passes(self) -> int:
        """How often a row comes at most."""
        return 1 if self.distinct is None else -(-len(self) // self.distinct)


def collected(pairs: Iterable[tuple[Any, int]], events: int, classes: int) -> LabelledEvents:
    """Events of a generator that does not end."""
    rows, labels = [], []
    for _, (row, label) in zip(range(events), pairs, strict=False):
        rows.append(row)
        labels.append(label)
    return LabelledEvents(np.array(rows, dtype=np.float64), np.array(labels, dtype=np.int64), classes)


def repeated(x: Floats, y: Labels, classes: int, events: int, seed: int) -> LabelledEvents:
    """Rows of a file, in a new order in each pass."""
    dice, order = np.random.default_rng(seed), []
    for _ in range(-(-events // len(y))):
        order.append(dice.permutation(len(y)))
    chosen = np.concatenate(order)[:events]
    return LabelledEvents(x[chosen], y[chosen], classes, len(y))


def check_stream_size(events: int, features: int) -> None:
    """Raises: ArgumentError: no event, or more than fits."""
    if events < 1:
        raise expected("a stream of at least 1 event", events=events)
    if events * features > MOST_STREAM_NUMBERS:
        raise expected(f"at most {MOST_STREAM_NUMBERS // features} events of {features} features", events=events)
