"""The hybrid prefix sum's schedule written down anew: intervals, covers, and shares of epsilon as fractions."""

from collections.abc import Callable
from fractions import Fraction

Interval = tuple[int, int]
"""(first, last) round."""
Share = Callable[[int], Fraction]
"""Round -> the part of epsilon that its noise spends."""


def segment(t: int) -> int:
    """k: round t lies in [2^k..2^(k+1) - 1]."""
    k = 0
    while 2 ** (k + 1) <= t:
        k += 1
    return k


def interval(t: int) -> Interval:
    """I_t: of the dyadic intervals of t's segment that end at t, the longest.

    >>> [interval(t) for t in range(1, 8)]
    [(1, 1), (2, 2), (2, 3), (4, 4), (4, 5), (6, 6), (4, 7)]
    """
    start = 2 ** segment(t)
    length = 1
    while (t + 1 - start) % (2 * length) == 0:
        length *= 2
    return t + 1 - length, t


def cover(t: int) -> tuple[int, ...]:
    """Rounds whose intervals make up [1..t], found from t backwards.

    >>> cover(6)
    (1, 3, 5, 6)
    """
    ends: list[int] = []
    while t:
        ends.append(t)
        t = interval(t)[0] - 1
    return tuple(reversed(ends))


def holding(item: int, horizon: int) -> tuple[int, ...]:
    """The rounds up to `horizon` whose intervals hold the item."""
    return tuple(t for t in range(item, horizon + 1) if interval(t)[0] <= item)


def uniform_share(t: int) -> Fraction:
    """1 / (k + 1)."""
    return Fraction(1, segment(t) + 1)


def sharp_share(t: int) -> Fraction:
    """1 / (k + 1) for the root; below it, with b left over a subtree of height j, the left child spends b / j.

    The right child is no round's interval, so that all of b is left below it.
    """
    low, high = 2 ** segment(t), 2 ** (segment(t) + 1) - 1
    node, budget = interval(t), 1 - uniform_share(t)
    if node == (low, high):
        return uniform_share(t)
    while True:
        height = (high - low + 1).bit_length() - 1
        middle = (low + high) // 2
        if t > middle:
            low = middle + 1
            continue
        spent: Fraction = budget / height
        if node == (low, middle):
            return spent
        high, budget = middle, budget - spent
