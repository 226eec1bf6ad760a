"""The least whole number at which a statement begins to hold."""

from bisect import bisect_left
from collections.abc import Callable


def least(holds: Callable[[int], bool], *, above: int = 0) -> int:
    """The least whole number k > above with holds(k), for a statement that stays true once it is.

    Steps double until it holds; the rest is a bisection. Where it never does there is no end.

    Args:
        holds: Asked of whole numbers up to twice as far from `above` as the answer.
        above: The largest number that is not asked about.
    Returns: A whole number.

    >>> least(lambda k: k * k >= 2000), least(lambda k: k >= -5, above=-10)
    (45, -5)
    """
    low, step = above, 1
    while not holds(above + step):
        low, step = above + step, 2 * step
    return low + 1 + bisect_left(range(low + 1, above + step), True, key=holds)
