"""Numbers of laws to classes of prefixes: which have one law and one future, by whole numbers in numpy's arrays."""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcert.audit.frozen import frozen
from dpcert.audit.limits import look

Numbers = np.ndarray[Any, np.dtype[np.int64]]

KEY_LIMIT = 1 << 62
"""Size of keys from which they are numbered anew: they would not fit a machine word."""


@frozen
class Classes:
    """The classes of the prefixes of one round.

    Attributes:
        of: The class of each prefix.
        first: The first prefix of each class.
    """

    of: Numbers
    first: Numbers


def classes_of(rounds: Sequence["array[int]"], width: int) -> list[Classes]:
    """Round by round the classes of prefixes of one law that each input leads to one class; the last round by law.

    Args:
        rounds: The number of each prefix's law; prefixes stand in the order of `product`.
        width: How many inputs there are.
    """
    levels: list[Classes] = []
    for row in reversed(rounds):
        look()
        keys = np.frombuffer(row, dtype=np.intc).astype(np.int64)
        if levels:
            for column in levels[-1].of.reshape(-1, width).T:
                keys = _paired(keys, column)
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        levels.append(Classes(of, first))
    return levels[::-1]


def _paired(keys: Numbers, column: Numbers) -> Numbers:
    """A number for each pair of numbers, equal where both are."""
    size = int(column.max()) + 1
    if (int(keys.max()) + 1) * size >= KEY_LIMIT:
        keys = np.unique(keys, return_inverse=True)[1]
    return keys * size + column
