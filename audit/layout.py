"""What a class's values have room for beside slots and attributes: what a part of theirs is that is written in C."""

import struct
from _thread import _local
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

SPACE: Any = vars(type)["__dict__"]
"""A class's own attributes; a metaclass may answer otherwise."""
BASE, SIZE, ITEM = (vars(type)[name] for name in ("__base__", "__basicsize__", "__itemsize__"))
"""The class whose layout a class extends, and of how many bytes its values are."""


Kinds = type | tuple[type, ...]


def is_a(value: Any, kinds: Kinds) -> bool:
    """Whether a value is of a class, or of one of several, whatever it says of itself.

    >>> Posing = type("Posing", (), {"__class__": property(lambda self: dict)})
    >>> isinstance(Posing(), dict), is_a(Posing(), dict)
    (True, False)
    """
    return issubclass(type(value), kinds)


def is_in_python(kind: type) -> bool:
    """Whether a class was made by a class statement: its objects have no room for anything but slots and attributes."""
    space, base = SPACE.__get__(kind), BASE.__get__(kind)
    if base is None or ITEM.__get__(kind) != ITEM.__get__(base):
        return False
    if "__slots__" not in space and not any("__dict__" in SPACE.__get__(k) for k in kind.__mro__):
        return False
    address = struct.calcsize("P")  # what a slot takes
    room = SIZE.__get__(kind) - SIZE.__get__(base) - address * (len(members_of(kind)) + ("__weakref__" in space))
    return room in (0, address * ("__dict__" in space))


def members_of(kind: type) -> dict[str, Any]:
    """What reads the slots that a class adds, by name."""
    members = SPACE.__get__(kind).items()
    return {name: v for name, v in members if type(v) is MemberDescriptorType and v.__objclass__ is kind}


def slots_of(kind: type) -> tuple[str, ...] | None:
    """The slots that a class adds, under the names that its values have them by; None where it says others than it has.

    >>> slots_of(type("Pair", (), {"__slots__": ("a", "b")})), slots_of(type("Once", (), {"__slots__": iter("a")}))
    (('a', 'b'), None)
    """
    slots = SPACE.__get__(kind).get("__slots__", ())
    listed = (slots,) if isinstance(slots, str) else tuple(slots)
    mangled = (f"_{kind.__name__.lstrip('_')}{s}" if s.startswith("__") and not s.endswith("__") else s for s in listed)
    told = tuple(s for s in mangled if s not in ("__dict__", "__weakref__"))
    return told if set(told) == members_of(kind).keys() or not is_in_python(kind) else None


def attributes_of(value: Any) -> dict[str, Any] | None:
    """The space in which a value's attributes stand, an empty one where it has none; None where its class hides it."""
    kinds = type(value).__mro__
    if _local in kinds:  # a class made from it has a space as well, which its values leave empty
        return dict(_local.__getattribute__(value, "__dict__"))
    spaces = map(SPACE.__get__, kinds)
    reader = next((space["__dict__"] for space in spaces if "__dict__" in space), None)
    if reader is None:
        return NO_ATTRIBUTES
    if type(reader) not in (GetSetDescriptorType, MemberDescriptorType):
        return None
    space: dict[str, Any] | None = reader.__get__(value)
    return NO_ATTRIBUTES if space is None else space


NO_ATTRIBUTES: dict[str, Any] = {}
"""Nobody writes to it."""


def equals_others(kind: type) -> bool:
    """Whether a class may equal other ones, since its own class says so."""
    above = type(kind)
    return above is not type and (above.__eq__ is not type.__eq__ or above.__hash__ is not type.__hash__)


def laid_out(array: Any) -> tuple[int, int, str]:
    """Whether an array of numpy's lies, and is saved, by columns; may be written to; what its type says beside."""
    return int(array.flags.fnc), int(array.flags.writeable), repr(array.dtype.metadata)


def written_in_c(kind: type) -> type:
    """The class of Python's or of a compiled module whose part of a value is beside its slots and attributes.

    `object` is the one that has no such part.

    >>> from collections import deque
    >>> class Window(deque): pass
    >>> class Sized(Window): __slots__ = ("size",)
    >>> written_in_c(Sized), written_in_c(type("Plain", (), {}))
    (<class 'collections.deque'>, <class 'object'>)
    """
    while kind is not object and is_in_python(kind):
        kind = BASE.__get__(kind)
    return kind
