"""Neighbouring relations on finite sequences, as the definitions put them: predicates, not automata."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

Stream = tuple[Any, ...]
Relation = Callable[[Stream, Stream], bool]
NO_BIN: tuple[str, ...] = ()
"""The output of a step in which no bin is emitted; bins are not empty."""


def hamming(x: Stream, y: Stream) -> bool:
    """~H: one length, and at most one place that differs."""
    return len(x) == len(y) and sum(a != b for a, b in zip(x, y, strict=True)) <= 1


def edit(x: Stream, y: Stream) -> bool:
    """~E: prefixes of one length of infinite streams of which one is the other with an item deleted."""
    return len(x) == len(y) and (x == y or any(_deleted(x, y, t) or _deleted(y, x, t) for t in range(len(x))))


def _deleted(x: Stream, y: Stream, t: int) -> bool:
    """Whether y goes on like x without its item at t; the last item of y lies beyond the end of x."""
    return y[:-1] == (*x[:t], *x[t + 1 :])


def bins(x: Stream, y: Stream) -> bool:
    """~B: bins emitted at the same times, and equal but for one last bin or two adjacent ones."""
    if len(x) != len(y) or any((a == NO_BIN) != (b == NO_BIN) for a, b in zip(x, y, strict=True)):
        return False
    emissions = [(a, b) for a, b in zip(x, y, strict=True) if a != NO_BIN]
    differ = [i for i, (a, b) in enumerate(emissions) if a != b]
    if len(differ) == 1 and differ[0] == len(emissions) - 1:
        a, b = emissions[-1]
        return _shift(a, b) or _shift(b, a)
    if len(differ) == 2 and differ[1] == differ[0] + 1:
        (a, b), (c, d) = (emissions[i] for i in differ)
        return (_shift(a, b) and c == (b[-1], *d)) or (_shift(b, a) and d == (a[-1], *c))
    return not differ


def _shift(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether a = [s1, w, s2] and b = [s1, s2, u]."""
    return len(a) == len(b) and any(tuple(b[:-1]) == (*a[:k], *a[k + 1 :]) for k in range(len(a)))


def same_items(x: Stream, y: Stream) -> bool:
    """One stream is the other in another order: not prefix-closed."""
    return sorted(x) == sorted(y)


def neighbours(relation: Relation, items: Sequence[Any], length: int) -> list[tuple[Stream, Stream]]:
    """Every pair of related sequences with entries from `items`, of lengths up to `length`, not both empty."""
    streams = [x for n in range(1, length + 1) for x in product(items, repeat=n)]
    return [(x, y) for x in streams for y in streams if relation(x, y)]
