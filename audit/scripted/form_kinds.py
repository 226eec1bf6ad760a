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
from typing import Any, NamedTuple

from dpcert.audit.kernels.release import HALT
from dpcert.audit.outside.watching import place_of
from dpcert.audit.scripted.readable import HEAP, MODULE, SPACE, Origin, origin_of, origin_of_class
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.walk import METACLASSES, Walk

KindForm = Callable[[Walk, Any], None]
_KEYS = {int, str, bytes, bool, float, complex, type(None), Fraction}
"""Types of keys that are found alike in every dictionary that holds the same: == among them is an equivalence."""


def form_of(kind: type) -> KindForm:
    """The form of the values of a type."""
    known = _FORMS.get(kind)
    return _found(kind) if known is None else known


def _bits(value: float) -> bytes:
    """A float with its sign, and which nan it is."""
    return struct.pack(">d", value)


def _dictionary(walk: Walk, value: Any) -> None:
    """Entries in their order; keys that a user's == may call one have no form."""
    walk.atoms += ("dict", dict.__len__(value), walk.spaces.get(place_of(value), -1))
    for key, item in dict.items(value):
        if not _is_key(key):
            raise Unknown(f"a key is a {type(key).__name__}")
        walk.add(key)
        walk.add(item)


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


def _builtin(walk: Walk, value: Any) -> None:
    """A function in C: of a module by its number, of an object by that and its name."""
    holder = value.__self__
    if holder is None or isinstance(holder, ModuleType):
        if value.__module__ is None or origin_of(value.__module__) is not Origin.LIBRARY:
            raise Unknown(f"it leads to {value.__module__}.{value.__name__}")
        walk.fixed(value)
        return
    walk.atoms += ("bound", value.__name__)
    walk.add(holder)


def _cell(walk: Walk, value: Any) -> None:
    try:
        inside = value.cell_contents
    except ValueError:
        walk.atoms.append("empty cell")
        return
    walk.atoms.append("cell")
    walk.add(inside)


def _descriptor(walk: Walk, value: Any) -> None:
    """A method or attribute of a type in C."""
    walk.atoms += ("descriptor", value.__name__)
    walk.add(value.__objclass__)


def _array(walk: Walk, value: Any) -> None:
    """An array: type, shape, layout, contents by their bits, and which memory it shares with which other one."""
    kind = value.dtype
    if kind.kind not in "biufcUSO" or kind.metadata is not None:
        raise Unknown(f"an array has items of {kind}")
    walk.atoms += ("array", kind.str, value.shape, value.strides, value.flags.num)
    if value.base is None:
        walk.atoms.append("own")
    else:
        if type(value.base) is not type(value):
            raise Unknown("an array shares memory with something else")
        walk.atoms += ("at", _address(value) - _address(value.base))
        walk.add(value.base)
    if kind.kind == "O":
        walk.all("items", value.flat)
    else:
        walk.atoms.append(value.tobytes())


def _address(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _dispatcher(walk: Walk, value: Any) -> None:
    """A function of numpy in C, which may have attributes."""
    if hasattr(value, "__dict__"):
        walk.lasting.unchanged(value, vars(value))
    walk.fixed(value)


def _frozen_set(walk: Walk, value: Any) -> None:
    """A set that stays as it is: the very same one; in which order another one lists its members is not known."""
    if not _KEYS.issuperset(map(type, value)):
        raise Unknown("it holds a frozenset")
    walk.fixed(value)


def _scalar(walk: Walk, value: Any) -> None:
    """A number of numpy."""
    if value.dtype.kind not in "biufcUS":
        raise Unknown(f"it holds a {type(value).__name__}")
    walk.atoms += ("scalar", value.dtype.str, value.tobytes())


def _generator(walk: Walk, value: Any) -> None:
    """The generator of the run itself, on which the code keeps nothing."""
    own = vars(value)
    if value is not walk.generator or own.keys() - {"_tape", "_before", "_bits"}:
        raise Unknown("it keeps something on a generator")
    walk.atoms.append("generator")


def _found(kind: type) -> KindForm:
    """The form of a type that has none of its own in the table."""
    if issubclass(kind, type):
        return Walk.kind
    origin = origin_of_class(kind)
    if origin is Origin.USERS:
        return _of_users
    if kind is type(HALT):
        return Walk.fixed
    if origin is Origin.OURS and MODULE.__get__(kind).startswith("dpcert.audit.scripted.generators"):
        return _generator
    if MODULE.__get__(kind).partition(".")[0] == "numpy":
        numpy: Any = sys.modules["numpy"]
        if kind is numpy.ndarray:
            return _array
        if issubclass(kind, numpy.generic) and kind.__flags__ & HEAP == 0:
            return _scalar
        if issubclass(kind, numpy.dtype):
            return lambda walk, value: walk.atoms.extend(("dtype", repr(value)))
        if kind.__name__ in ("ufunc", "_ArrayFunctionDispatcher"):
            return _dispatcher
    raise Unknown(f"it holds a {kind.__name__}")


_FACTORY: Any = vars(defaultdict)["default_factory"]
_LONGEST: Any = vars(deque)["maxlen"]
_BASES: dict[type, KindForm] = {
    int: lambda w, v: w.atoms.append(hex(int.__int__(v))),
    str: lambda w, v: w.atoms.append(str.__str__(v)),
    bytes: lambda w, v: w.atoms.append(bytes.__getitem__(v, slice(None))),
    float: lambda w, v: w.atoms.append(_bits(float.__pos__(v))),
    tuple: lambda w, v: w.all("items", tuple.__iter__(v)),
    list: lambda w, v: w.all("items", list.__iter__(v)),
    deque: lambda w, v: w.all("items", (_LONGEST.__get__(v), *deque.__iter__(v))),
    dict: _dictionary,
}
"""Built-in types of which a user's classes may be, and how their own part is read."""
_EMPTY_BASES = {"ABC", "Generic", "Protocol", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"}
"""Classes of the standard library that add nothing to their objects."""


def _of_users(walk: Walk, value: Any) -> None:
    """An object of a user's class: its class, its built-in part, its attributes and slots."""
    kind = type(value)
    walk.atoms.append("object")
    walk.add(kind)
    for base in kind.__mro__[:-1]:
        if base in _BASES:
            _BASES[base](walk, value)
        elif base is defaultdict:
            walk.add(_FACTORY.__get__(value))
        elif origin_of_class(base) is not Origin.USERS:
            if base.__name__ not in _EMPTY_BASES and base is not Counter:
                raise Unknown(f"it holds a {kind.__name__}, which is a {base.__name__}")
            walk.add(base)
        for name, slot in SPACE.__get__(base).items():
            if type(slot) is MemberDescriptorType and slot.__objclass__ is base:
                walk.atoms += ("slot", name)
                _slot(walk, slot, value)
    own = _attributes_of(value, kind)
    if own is not None:
        walk.add(own)


def _slot(walk: Walk, slot: Any, value: Any) -> None:
    try:
        inside = slot.__get__(value)
    except AttributeError:
        walk.atoms.append("unset")
        return
    walk.atoms.append("set")
    walk.add(inside)


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


def _default_dictionary(walk: Walk, value: Any) -> None:
    walk.all("defaultdict", (value.default_factory,))
    _dictionary(walk, value)


def _wrapper(walk: Walk, value: Any) -> None:
    """A method of an object that its type in C has."""
    walk.atoms += ("wrapper", value.__name__)
    walk.add(value.__self__)


def _partial(walk: Walk, value: Any) -> None:
    walk.all("partial", (value.func, value.args, value.keywords, vars(value)))


def _derived(base: type) -> KindForm:
    """A type of the standard library that is a dictionary with attributes."""

    def form(walk: Walk, value: Any) -> None:
        walk.add(base)
        _dictionary(walk, value)
        walk.add(vars(value))

    return form


class _Pair(NamedTuple):
    """Named as its items are."""

    one: int


_FORMS: dict[type, KindForm] = {
    int: lambda w, v: w.atoms.extend(("int", hex(v))),
    float: lambda w, v: w.atoms.extend(("float", _bits(v))),
    complex: lambda w, v: w.atoms.extend(("complex", _bits(v.real), _bits(v.imag))),
    str: lambda w, v: w.atoms.extend(("str", v)),
    bytes: lambda w, v: w.atoms.extend(("bytes", v)),
    bytearray: lambda w, v: w.atoms.extend(("bytearray", bytes(v))),
    Fraction: lambda w, v: w.all("Fraction", (v._numerator, v._denominator)),
    Decimal: lambda w, v: w.atoms.extend(("Decimal", str(v))),
    range: lambda w, v: w.all("range", (v.start, v.stop, v.step)),
    slice: lambda w, v: w.all("slice", (v.start, v.stop, v.step)),
    type(NotImplemented): lambda w, _: w.atoms.append("NotImplemented"),
    object: lambda w, _: w.atoms.append("bare object"),
    tuple: lambda w, v: w.all("tuple", v),
    list: lambda w, v: w.all("list", v),
    frozenset: _frozen_set,
    deque: lambda w, v: w.all("deque", (v.maxlen, *v)),
    dict: _dictionary,
    defaultdict: _default_dictionary,
    Counter: _derived(Counter),
    SimpleNamespace: lambda w, v: w.all("namespace", (vars(v),)),
    FunctionType: Walk.function,
    MethodType: lambda w, v: w.all("method", (v.__func__, v.__self__)),
    BuiltinFunctionType: _builtin,
    CellType: _cell,
    partial: _partial,
    property: lambda w, v: w.all("property", (v.fget, v.fset, v.fdel)),
    staticmethod: lambda w, v: w.all("staticmethod", (v.__func__,)),
    classmethod: lambda w, v: w.all("classmethod", (v.__func__,)),
    cached_property: lambda w, v: w.all("cached property", (v.func, v.attrname)),
    type(_Pair.one): lambda w, v: w.atoms.extend(("item", v.__reduce__()[1][0])),
    MemberDescriptorType: lambda w, v: w.atoms.extend(("member", v.__name__)),
    **dict.fromkeys((MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType), _descriptor),
    GetSetDescriptorType: _descriptor,
    MethodWrapperType: _wrapper,
    ModuleType: Walk.module,
    type: Walk.kind,
}
"""The form of exactly these types."""
