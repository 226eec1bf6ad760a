"""The form of a value of each kind: what is inside, read past what the user's classes say."""

import struct
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, partial
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    SimpleNamespace,
    WrapperDescriptorType,
)
from typing import Any

from dpcert.audit.kernels.release import HALT
from dpcert.audit.outside.watching import place_of
from dpcert.audit.scripted.generated import ITEM, NO_FACTORY
from dpcert.audit.scripted.readable import MODULE, SPACE, Origin, is_made, origin_of, origin_of_class
from dpcert.audit.scripted.traversal import METACLASSES, Traversal
from dpcert.audit.scripted.unknown import Unknown

KindForm = Callable[[Traversal, Any], None]
_KEYS = {int, str, bytes, bool, float, complex, type(None), Fraction}
"""Types of keys that are found alike in every dictionary that holds the same: == among them is an equivalence."""


def form_of(kind: type) -> KindForm:
    """The form of the values of a type."""
    known = _FORMS.get(kind)
    return _found(kind) if known is None else known


def _bits(value: float) -> bytes:
    """A float with its sign, and which nan it is."""
    return struct.pack(">d", value)


def _dictionary(traversal: Traversal, value: Any) -> None:
    """Entries in their order; keys that a user's == may call one have no form."""
    traversal.atoms += ("dict", dict.__len__(value), traversal.spaces.get(place_of(value), -1))
    for key, item in dict.items(value):
        if not _is_key(key):
            raise Unknown(f"a key is a {type(key).__name__}")
        traversal.add(key)
        traversal.add(item)


def _is_key(key: Any) -> bool:
    """Whether == finds the key alike wherever it stands: plain numbers and texts, and what is told apart by place."""
    kind: Any = type(key)
    if kind in _KEYS:
        return True
    if kind is tuple:
        return all(map(_is_key, key))
    return kind is FunctionType or _by_place(kind)


@cache
def _by_place(kind: Any) -> bool:
    """Whether values of a user's class, or classes themselves, are told apart as objects."""
    if kind in METACLASSES:
        return True
    if origin_of_class(kind) is not Origin.USERS:
        return False
    return not any({"__eq__", "__hash__"} & SPACE.__get__(k).keys() for k in kind.__mro__[:-1])


def _builtin(traversal: Traversal, value: Any) -> None:
    """A function in C: of a module by its number, of an object by that and its name."""
    holder = value.__self__
    if holder is None or isinstance(holder, ModuleType):
        if value.__module__ is None or origin_of(value.__module__) is not Origin.LIBRARY:
            raise Unknown(f"it leads to {value.__module__}.{value.__name__}")
        traversal.fixed(value)
        return
    traversal.atoms += ("bound", value.__name__)
    traversal.add(holder)


def _cell(traversal: Traversal, value: Any) -> None:
    try:
        inside = value.cell_contents
    except ValueError:
        traversal.atoms.append("empty cell")
        return
    traversal.atoms.append("cell")
    traversal.add(inside)


def _descriptor(traversal: Traversal, value: Any) -> None:
    """A method or attribute of a type in C."""
    traversal.atoms += ("descriptor", value.__name__)
    traversal.add(value.__objclass__)


def _array(traversal: Traversal, value: Any) -> None:
    """An array: type, shape, layout, contents by their bits, and which memory it shares with which other one."""
    kind = value.dtype
    _item_type(traversal, kind)
    traversal.atoms += ("array", value.shape, value.strides, value.flags.num)
    if value.base is None:
        traversal.atoms.append("own")
    else:
        if type(value.base) is not type(value):
            raise Unknown("an array shares memory with something else")
        traversal.atoms += ("at", _address(value) - _address(value.base))
        traversal.add(value.base)
    if kind.kind == "O":
        traversal.all("items", value.flat)
    else:
        traversal.atoms.append(value.tobytes())


def _item_type(traversal: Traversal, kind: Any) -> None:
    """Of which type, size and order of bytes the items of an array are."""
    if kind.kind not in "biufcUSO" or kind.metadata is not None:
        raise Unknown(f"an array has items of {kind}")
    traversal.atoms += ("items of", kind.str, kind.char)


def _address(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _dispatcher(traversal: Traversal, value: Any) -> None:
    """A function of numpy in C, which may have attributes."""
    if hasattr(value, "__dict__"):
        traversal.lasting.unchanged(value, vars(value))
    traversal.fixed(value)


def _frozen_set(traversal: Traversal, value: Any) -> None:
    """A set that stays as it is: the very same one; in which order another one lists its members is not known."""
    if not _KEYS.issuperset(map(type, value)):
        raise Unknown("it holds a frozenset")
    traversal.fixed(value)


def _scalar(traversal: Traversal, value: Any) -> None:
    """A number of numpy."""
    if value.dtype.kind not in "biufcUS":
        raise Unknown(f"it holds a {type(value).__name__}")
    traversal.atoms += ("scalar", value.tobytes())
    traversal.add(type(value))


def _generator(traversal: Traversal, value: Any) -> None:
    """The generator of the run itself, on which the code keeps nothing."""
    own = vars(value)
    if value is not traversal.generator or own.keys() - {"_tape", "_before", "_bits"}:
        raise Unknown("it keeps something on a generator")
    traversal.atoms.append("generator")


def _found(kind: type) -> KindForm:
    """The form of a type that has none of its own in the table."""
    if issubclass(kind, type):
        return Traversal.kind
    origin = origin_of_class(kind)
    if origin is Origin.USERS:
        return _of_users
    if kind is type(HALT):
        return Traversal.fixed
    if origin is Origin.OURS and MODULE.__get__(kind).startswith("dpcert.audit.scripted.generators"):
        return _generator
    if MODULE.__get__(kind).partition(".")[0] == "numpy":
        numpy: Any = sys.modules["numpy"]
        if kind is numpy.ndarray:
            return _array
        if issubclass(kind, numpy.generic) and not is_made(kind):
            return _scalar
        if issubclass(kind, numpy.dtype):
            return _item_type
        if kind.__name__ in ("ufunc", "_ArrayFunctionDispatcher"):
            return _dispatcher
    raise Unknown(f"it holds a {kind.__name__}")


_FACTORY: Any = vars(defaultdict)["default_factory"]
_LONGEST: Any = vars(deque)["maxlen"]
_BASES: dict[type, KindForm] = {
    int: lambda r, v: r.atoms.append(hex(int.__int__(v))),
    str: lambda r, v: r.atoms.append(str.__str__(v)),
    bytes: lambda r, v: r.atoms.append(bytes.__getitem__(v, slice(None))),
    float: lambda r, v: r.atoms.append(_bits(float.__pos__(v))),
    tuple: lambda r, v: r.all("items", tuple.__iter__(v)),
    list: lambda r, v: r.all("items", list.__iter__(v)),
    deque: lambda r, v: r.all("items", (_LONGEST.__get__(v), *deque.__iter__(v))),
    dict: _dictionary,
}
"""Built-in types of which a user's classes may be, and how their own part is read."""
_EMPTY_BASES = {"ABC", "Generic", "Protocol", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"}
"""Classes of the standard library that add nothing to their objects."""


def _of_users(traversal: Traversal, value: Any) -> None:
    """An object of a user's class: its class, its built-in part, its attributes and slots."""
    kind = type(value)
    traversal.atoms.append("object")
    traversal.add(kind)
    for base in kind.__mro__[:-1]:
        if base in _BASES:
            _BASES[base](traversal, value)
        elif base is defaultdict:
            traversal.add(_FACTORY.__get__(value))
        elif origin_of_class(base) is not Origin.USERS:
            if base.__name__ not in _EMPTY_BASES and base is not Counter:
                raise Unknown(f"it holds a {kind.__name__}, which is a {base.__name__}")
            traversal.add(base)
        for name, slot in SPACE.__get__(base).items():
            if type(slot) is MemberDescriptorType and slot.__objclass__ is base:
                traversal.atoms += ("slot", name)
                _slot(traversal, slot, value)
    own = _attributes_of(value, kind)
    if own is not None:
        traversal.add(own)


def _slot(traversal: Traversal, slot: Any, value: Any) -> None:
    try:
        inside = slot.__get__(value)
    except AttributeError:
        traversal.atoms.append("unset")
        return
    traversal.atoms.append("set")
    traversal.add(inside)


def _attributes_of(value: Any, kind: type) -> dict[str, Any] | None:
    """An object's own dictionary, read past what its class says; None where it has none."""
    for base in kind.__mro__:
        reader = SPACE.__get__(base).get("__dict__")
        if reader is not None:
            if type(reader) is not GetSetDescriptorType:
                raise Unknown(f"{base.__qualname__} has a __dict__ of its own making")
            found: dict[str, Any] = reader.__get__(value)
            return found
    return None


def _default_dictionary(traversal: Traversal, value: Any) -> None:
    traversal.all("defaultdict", (value.default_factory,))
    _dictionary(traversal, value)


def _wrapper(traversal: Traversal, value: Any) -> None:
    """A method of an object that its type in C has."""
    traversal.atoms += ("wrapper", value.__name__)
    traversal.add(value.__self__)


def _partial(traversal: Traversal, value: Any) -> None:
    traversal.all("partial", (value.func, value.args, value.keywords, vars(value)))


def _derived(base: type) -> KindForm:
    """A type of the standard library that is a dictionary with attributes."""

    def form(traversal: Traversal, value: Any) -> None:
        traversal.add(base)
        _dictionary(traversal, value)
        traversal.add(vars(value))

    return form


_FORMS: dict[type, KindForm] = {
    int: lambda r, v: r.atoms.extend(("int", hex(v))),
    float: lambda r, v: r.atoms.extend(("float", _bits(v))),
    complex: lambda r, v: r.atoms.extend(("complex", _bits(v.real), _bits(v.imag))),
    str: lambda r, v: r.atoms.extend(("str", v)),
    bytes: lambda r, v: r.atoms.extend(("bytes", v)),
    bytearray: lambda r, v: r.atoms.extend(("bytearray", bytes(v))),
    Fraction: lambda r, v: r.all("Fraction", (v._numerator, v._denominator)),
    Decimal: lambda r, v: r.atoms.extend(("Decimal", str(v))),
    range: lambda r, v: r.all("range", (v.start, v.stop, v.step)),
    slice: lambda r, v: r.all("slice", (v.start, v.stop, v.step)),
    type(NotImplemented): lambda r, _: r.atoms.append("NotImplemented"),
    object: lambda r, _: r.atoms.append("bare object"),
    tuple: lambda r, v: r.all("tuple", v),
    list: lambda r, v: r.all("list", v),
    frozenset: _frozen_set,
    deque: lambda r, v: r.all("deque", (v.maxlen, *v)),
    dict: _dictionary,
    defaultdict: _default_dictionary,
    Counter: _derived(Counter),
    SimpleNamespace: lambda r, v: r.all("namespace", (vars(v),)),
    FunctionType: Traversal.function,
    MethodType: lambda r, v: r.all("method", (v.__func__, v.__self__)),
    BuiltinFunctionType: _builtin,
    CellType: _cell,
    partial: _partial,
    property: lambda r, v: r.all("property", (v.fget, v.fset, v.fdel)),
    staticmethod: lambda r, v: r.all("staticmethod", (v.__func__,)),
    classmethod: lambda r, v: r.all("classmethod", (v.__func__,)),
    cached_property: lambda r, v: r.all("cached property", (v.func, v.attrname)),
    ITEM: lambda r, v: r.atoms.extend(("item", v.__reduce__()[1][0])),
    MemberDescriptorType: lambda r, v: r.atoms.extend(("member", v.__name__)),
    **dict.fromkeys((MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType), _descriptor),
    GetSetDescriptorType: _descriptor,
    MethodWrapperType: _wrapper,
    type(NO_FACTORY): Traversal.fixed,
    ModuleType: Traversal.module,
    type: Traversal.kind,
}
"""The form of exactly these types."""
