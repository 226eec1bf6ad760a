"""The form of a plain value of each kind: what is inside, read past what the user's classes say."""

import struct
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from dpcert.audit.kernels.release import HALT
from dpcert.audit.layout import SPACE
from dpcert.audit.outside.guards import place_of
from dpcert.audit.scripted.generated import NO_FACTORY
from dpcert.audit.scripted.generators import keeps_something
from dpcert.audit.scripted.layouts import layout
from dpcert.audit.scripted.plain_arrays import is_array, is_number
from dpcert.audit.scripted.readable import is_users_class
from dpcert.audit.scripted.traversal import Traversal
from dpcert.audit.scripted.unknown import Unknown

KindForm = Callable[[Traversal, Any], None]


def form_of(kind: type) -> KindForm:
    """The form of the values of a type."""
    return _FORMS.get(kind, _other)


def _bits(value: float) -> bytes:
    """A float with its sign."""
    return struct.pack(">d", value)


def _dictionary(traversal: Traversal, value: Any) -> None:
    """Entries in their order, and how they lie, which a loop can tell that changes what it goes through."""
    traversal.atoms += ("dict", len(value), traversal.spaces.get(place_of(value), -1), layout(value))
    _entries(traversal, value)


def _attributes(traversal: Traversal, value: dict[str, Any]) -> None:
    """The attributes of an object: nothing plain goes through them as a dictionary."""
    if not traversal.seen(value):
        traversal.attributes.add(place_of(value))
        traversal.atoms += ("attributes", len(value))
        _entries(traversal, value)


def _entries(traversal: Traversal, value: dict[Any, Any]) -> None:
    for key, item in value.items():
        traversal.add(key)
        traversal.add(item)


def _set(traversal: Traversal, what: str, value: set[Any] | frozenset[Any]) -> None:
    """What is in it, in an order of its own: plain code sees neither that of the set nor which objects these are."""
    traversal.count(len(value))
    traversal.atoms += (what, len(value), *sorted(repr(member_of_set(member)) for member in value))


def member_of_set(value: Any) -> tuple[str, Any]:
    """A member of a set by its type and bits. Raises: Unknown: it is none that is known."""
    kind = type(value)
    if kind is tuple:
        return "tuple", tuple(map(member_of_set, value))
    if value is None or any(kind is one for one in (bool, str, bytes)):
        return kind.__name__, value
    if kind is int or kind is float:
        return kind.__name__, hex(value) if kind is int else _bits(value)
    raise Unknown(f"a set holds a {kind.__name__}")


def _cell(traversal: Traversal, value: Any) -> None:
    _where_set(traversal, "cell", lambda: value.cell_contents)


def _where_set(traversal: Traversal, what: str, inside: Callable[[], Any]) -> None:
    """What is inside, or that nothing is."""
    try:
        held = inside()
    except (AttributeError, ValueError):
        traversal.atoms += (what, "unset")
        return
    traversal.atoms += (what, "set")
    traversal.add(held)


def _other(traversal: Traversal, value: Any) -> None:
    """The generator of the run, the class of fractions, a number or an array of numpy, or an object of a user's."""
    kind = type(value)
    if value is traversal.generator:
        _generator(traversal, value)
    elif value is Fraction:
        traversal.fixed(value)
    elif is_number(value):
        traversal.atoms += ("number", value.dtype.str, value.tobytes())
    elif is_array(value):
        traversal.count(value.size)
        traversal.atoms += ("array", value.dtype.str, value.shape, value.strides, value.tobytes())
    elif is_users_class(kind) and type(kind) is type:
        _of_users(traversal, value)
    else:
        raise Unknown(f"it holds a {kind.__name__}")


def _generator(traversal: Traversal, value: Any) -> None:
    """The generator of the run itself, on which the code keeps nothing."""
    if keeps_something(value):
        raise Unknown("it keeps something on a generator")
    traversal.atoms.append("generator")


def _of_users(traversal: Traversal, value: Any) -> None:
    """An object of a user's class: its class, its items where it is a tuple, its slots and attributes."""
    kind = type(value)
    traversal.atoms.append("object")
    traversal.add(kind)
    if issubclass(kind, tuple):
        traversal.all("items", tuple.__iter__(value))
    for base in kind.__mro__[:-1]:
        if base is not tuple and not is_users_class(base):
            raise Unknown(f"it holds a {kind.__name__}, which is a {base.__name__}")
        for name, slot in SPACE.__get__(base).items():
            if type(slot) is MemberDescriptorType and slot.__objclass__ is base:
                traversal.atoms.append(name)
                _where_set(traversal, "slot", lambda slot=slot: slot.__get__(value))  # type: ignore[misc]
            elif name == "__dict__" and type(slot) is GetSetDescriptorType:
                _attributes(traversal, slot.__get__(value))


_FORMS: dict[type, KindForm] = {
    int: lambda r, v: r.atoms.extend(("int", hex(v))),
    float: lambda r, v: r.atoms.extend(("float", _bits(v))),
    str: lambda r, v: r.atoms.extend(("str", v)),
    bytes: lambda r, v: r.atoms.extend(("bytes", v)),
    Fraction: lambda r, v: r.all("Fraction", (v._numerator, v._denominator)),
    range: lambda r, v: r.all("range", (v.start, v.stop, v.step)),
    tuple: lambda r, v: r.all("tuple", v),
    list: lambda r, v: r.all("list", v),
    frozenset: lambda r, v: _set(r, "frozenset", v),
    set: lambda r, v: _set(r, "set", v),
    deque: lambda r, v: r.all("deque", (v.maxlen, *v)),
    dict: _dictionary,
    FunctionType: Traversal.function,
    MethodType: lambda r, v: r.all("method", (v.__func__, v.__self__)),
    BuiltinFunctionType: Traversal.fixed,
    CellType: _cell,
    property: lambda r, v: r.all("property", (v.fget, v.fset, v.fdel)),
    staticmethod: lambda r, v: r.all("staticmethod", (v.__func__,)),
    classmethod: lambda r, v: r.all("classmethod", (v.__func__,)),
    MemberDescriptorType: lambda r, v: r.atoms.extend(("member", v.__name__)),
    type(NO_FACTORY): Traversal.fixed,
    type(HALT): Traversal.fixed,
    ModuleType: Traversal.fixed,
    type: Traversal.kind,
}
"""The form of exactly these types. What no run makes anew is known by its place."""
