"""How a dictionary lies in memory, as far as a loop over it can tell: which places are used up, and how many are left.

A loop that takes entries out and puts others in goes by places: one that was given up stays empty until all are laid
out anew, and what comes later is met, or is not. So the layout is part of a form. It is read past the interpreter,
where its structure is known; on any other, plain code takes nothing out of what may be a dictionary.
"""

import ctypes
import sys
from struct import calcsize
from typing import Any

from dpcert.audit.outside.guards import place_of
from dpcert.audit.scripted.unknown import Unknown

LAYOUTS_KNOWN = (
    sys.implementation.name == "cpython"
    and sys.version_info[:2] == (3, 11)
    and calcsize("PP") == 2 * 8
    and not hasattr(sys, "gettotalrefcount")
)
"""Whether the structure of a dictionary is known of this Python."""
_ENTRY = (3, 2)
"""Words of an entry where keys are anything, and where all are texts."""


def _word() -> int:
    """Bytes of an address."""
    return calcsize("P")


def layout(entries: dict[Any, Any]) -> tuple[Any, ...]:
    """The kind of its table, its size, how many places are left, and which of those used up are empty.

    Raises: Unknown: its keys are shared with others, as those of an object's attributes are.
    """
    if not LAYOUTS_KNOWN:
        return ()
    keys, values = _words(place_of(entries) + 4 * _word(), 2)
    if values:
        raise Unknown("it holds the attributes of an object as a dictionary")
    size, index_bytes, kind = ctypes.string_at(keys + _word(), 3)
    left, used_up = _words(keys + 2 * _word(), 2)
    if kind >= len(_ENTRY):
        raise Unknown("it holds the attributes of an object as a dictionary")
    words = _ENTRY[kind]
    table = _words(keys + 4 * _word() + (1 << index_bytes), words * used_up)
    empty = tuple(i for i, value in enumerate(table[words - 1 :: words]) if not value)
    return kind, size, left, empty


def layout_of_set(members: set[Any]) -> tuple[Any, ...]:
    """The size of its table, where `pop` looks next, and which of its places are taken or were given up.

    In which order it lists what is put into it later depends on that; so it does on what is taken out next.
    """
    _, _, mask, table, _, finger = _words(place_of(members) + 2 * _word(), 6)
    entries = _words(table, 2 * (mask + 1))
    return mask, finger & mask, tuple(_place(*entries[i : i + 2]) for i in range(0, len(entries), 2))


def _place(key: int, hashed: int) -> int:
    """0 of a place that was never taken, 2 of one that was given up."""
    return 0 if not key else 2 if hashed == _GIVEN_UP else 1


_GIVEN_UP = (1 << 64) - 1
"""The hash, -1, of what stands in a place that was given up: no value has it."""


def _words(begin: int, count: int) -> tuple[int, ...]:
    """So many words of memory."""
    return tuple(memoryview(ctypes.string_at(begin, count * _word())).cast("Q"))
