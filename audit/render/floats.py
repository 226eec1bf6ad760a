"""Numbers of pictures: evenly apart, and read off lines. Lists of floats: reading numpy takes as long as a page."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import exp, log

Floats = list[float]


def spaced(low: float, high: float, count: int) -> Floats:
    """So many numbers evenly apart, both ends among them.

    >>> spaced(0.0, 1.0, 5)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    step = (high - low) / (count - 1)
    return [*(low + i * step for i in range(count - 1)), high]


def spaced_by_factor(low: float, high: float, count: int) -> Floats:
    """So many positive numbers, each the same factor above the one before."""
    return [exp(x) for x in spaced(log(low), log(high), count)]


def read_off(at: Iterable[float], x: Sequence[float], y: Sequence[float]) -> Floats:
    """The heights of a line through points whose x never falls; where it stands upright, that from which it goes on.

    >>> read_off([0.0, 0.5, 2.0], [0.0, 0.0, 1.0], [0.0, 0.5, 1.0])
    [0.5, 0.75, 1.0]
    """
    return [_height(one, x, y) for one in at]


def _height(at: float, x: Sequence[float], y: Sequence[float]) -> float:
    i = bisect_right(x, at) - 1
    if i < 0:
        return y[0]
    if i >= len(x) - 1:
        return y[-1]
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]) * (at - x[i]) + y[i]
