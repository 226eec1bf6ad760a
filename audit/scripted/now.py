"""What a value is now, as far as code can read it: what can be reached from it, and what cannot be compared."""

import decimal
import dis
import gc
import random
import sys
import typing
from array import array
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from dataclasses import make_dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import EnumType
from fractions import Fraction
from functools import WRAPPER_ASSIGNMENTS, lru_cache
from itertools import chain
from pathlib import Path
from reprlib import recursive_repr
from struct import pack
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GenericAlias,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any
from uuid import UUID

from dpcert.audit.identity import held
from dpcert.audit.layout import SPACE, attributes_of, members_of, written_in_c
from dpcert.audit.outside.of_libraries import Libraries, is_of_library, named_by
from dpcert.audit.outside.settings import settings
from dpcert.audit.outside.states import LEAVES
from dpcert.audit.scripted.generators import keeps_something
from dpcert.audit.scripted.layouts import LAYOUTS_KNOWN, layout_of_set
from dpcert.audit.scripted.looking import LOOKING, is_blind, may_look, nested
from dpcert.audit.scripted.put_on import changes_of, put_on_builtins, put_on_class, put_on_module
from dpcert.audit.scripted.readable import functions_of, is_users_class
from dpcert.audit.scripted.unresolved import Unresolved

_LIBRARY = str(Path(random.__file__).parent)
_PLAIN = {int, str, bytes, bool, float, type(None), Fraction, Decimal, range}
_HOLDING = {deque, set, frozenset, OrderedDict, Counter, defaultdict, MappingProxyType}
"""Containers of Python's, beside those that have a form of their own below."""
_DERIVED: dict[type, Callable[[Any], Iterable[Any]]] = {
    int: lambda v: (int.__int__(v),),
    str: lambda v: (str.__str__(v),),
    float: lambda v: (float.__float__(v),),
    tuple: tuple.__iter__,
}
"""Built-in types whose subclasses are known, and how what they hold is read past what the subclass says."""
_STANDING = {MemberDescriptorType, type(vars(namedtuple("_", "a"))["a"])}
"""Types whose values do not change."""
_WRITING = {recursive_repr()(lambda _: "").__code__, vars(make_dataclass("_", []))["__repr__"].__code__}
"""What dataclasses are written by: it remembers nothing but which values it is writing just now."""
_BY_PYTHON = {"__dict__", "__weakref__"}
"""What Python puts into a class, which no code of the user's changes."""
_OF_ENUMERATIONS = {
    "_generate_next_value_",
    "_new_member_",
    "_use_args_",
    "_member_type_",
    "_value_repr_",
    "__new__",
}
"""What it puts into an enumeration beside its members, which are looked at."""
_OF_ITSELF = {complex, bytearray, array, UUID, date, datetime, time, timedelta, timezone}
"""Types whose values hold nothing that is of another one."""
_STEADY = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType)


class Numbers(dict[int, int]):
    """The numbers of what was met, by where it stands; and the globals that any function met writes to."""

    def __init__(self) -> None:
        super().__init__()
        self.written: set[str] = set()


@lru_cache(maxsize=4096)
def globals_written(code: CodeType) -> frozenset[str]:
    """The globals that code writes to, what is defined in it left out."""
    steps = dis.get_instructions(code)
    return frozenset(step.argval for step in steps if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"))


def written_in(space: dict[str, Any]) -> set[str]:
    """The globals that the functions of a module, and those of its classes, write to."""
    inside = (SPACE.__get__(v).values() if isinstance(v, type) else (v,) for v in list(space.values()))
    functions = (
        part for parts in map(functions_of, chain.from_iterable(inside)) for part in parts if part.__globals__ is space
    )
    return set().union(*(globals_written(code) for function in functions for code in nested(function.__code__)))


class Incomparable(Exception):
    """A value whose state cannot be compared."""


def settings_now() -> Any:
    """What there is once in a process, with what calculations leave in the context of decimals, which code may read."""
    return *settings().items(), tuple(signal for signal, met in decimal.getcontext().flags.items() if met)


def globals_now(code: CodeType, space: dict[str, Any], numbers: Numbers) -> Any:
    """What stands under the global names that code has, and the code inside it. Raises: Incomparable."""
    codes = nested(code)
    names = sorted({n for c in codes for n in c.co_names if n in space})
    beside = (*put_on_builtins(codes, space), *_in_libraries(codes, [space[n] for n in names]))
    return tuple((name, as_it_is(value, numbers)) for name, value in [*((n, space[n]) for n in names), *beside])


def _in_libraries(codes: Iterable[CodeType], values: Iterable[Any]) -> list[tuple[str, Any]]:
    """What stands in libraries among some values under names that code has. Raises: Incomparable: more is set there."""
    libraries = Libraries(named_by(codes, ()))
    for value in values:
        if isinstance(value, ModuleType) and is_of_library(value.__name__):
            libraries.follow(value.__name__, value)
    if libraries.setting:
        raise Incomparable
    return libraries.found


def as_it_is(value: Any, numbers: Numbers) -> Any:
    """What a value is now, and all that can be reached from it."""
    kind = type(value)
    if kind in _PLAIN and not _is_not_itself(value):
        return kind, _spelled(value)
    if kind is Unresolved:
        uniform = value._uniform
        return id(uniform), uniform.low, uniform.high, value._steps
    if id(value) in numbers:
        return "seen", numbers[id(value)]
    numbers[id(value)] = len(numbers)
    return (id(value), *_FORMS.get(kind, _other)(value, numbers))


def _is_not_itself(value: Any) -> bool:
    """Whether it is a NaN, which is in a list if it is the very one that stands there."""
    return value.is_nan() if type(value) is Decimal else type(value) is float and value != value


def _spelled(value: Any) -> str:
    """A plain value as text that no other of its type has; integers in hexadecimal, which is written at any length."""
    if type(value) is int:
        return hex(value)
    if type(value) is Fraction:
        return f"{hex(value.numerator)}/{hex(value.denominator)}"
    if type(value) is range:
        return "range(" + ", ".join(map(hex, (value.start, value.stop, value.step))) + ")"
    return repr(value)


def _function(value: Any, numbers: Numbers) -> Any:
    code = value.__code__
    if _of_library(code.co_filename):
        if is_blind(value.__module__) or value.__globals__ is vars(typing):
            return tuple(_named(vars(value).items(), numbers))
        if code in _WRITING:
            wrapped = value.__closure__[code.co_freevars.index("user_function")]
            return code, _cell(wrapped, numbers), as_it_is(vars(value), numbers)
    if may_look(code):
        raise Incomparable
    numbers.written.update(*map(globals_written, nested(code)))
    cells = [_cell(cell, numbers) for cell in value.__closure__ or ()]
    own = [as_it_is(part, numbers) for part in (value.__defaults__, value.__kwdefaults__, vars(value))]
    names = value.__name__, value.__qualname__, value.__module__, value.__doc__
    told = [(n, part if type(part) is str else id(part)) for n, part in value.__annotations__.items()]
    return (code, *cells, *own, *map(repr, names), *told, globals_now(code, value.__globals__, numbers))


def _wrapped(value: Any, numbers: Numbers) -> Any:
    """A static or class method by its function, and what was put on it."""
    put = ((name, part) for name, part in vars(value).items() if name not in WRAPPER_ASSIGNMENTS)
    return as_it_is(value.__func__, numbers), *_named(put, numbers)


def _cell(cell: Any, numbers: Numbers) -> Any:
    """What stands in a variable that functions share, and which one it is."""
    try:
        return id(cell), as_it_is(cell.cell_contents, numbers)
    except ValueError:
        return id(cell), "empty"


def _class(value: Any, numbers: Numbers) -> Any:
    top = str(value.__module__).partition(".")[0]
    known = (top in sys.stdlib_module_names or top == "numpy") and is_blind(top)
    if is_ours(value):
        return (changes_of(value),)
    if known and not is_users_class(value):
        return tuple(_named(put_on_class(value), numbers))
    if type(value) not in (type, EnumType):
        raise Incomparable
    made = _BY_PYTHON | _OF_ENUMERATIONS if type(value) is EnumType else _BY_PYTHON
    own = _named(((n, v) for n, v in SPACE.__get__(value).items() if n not in made), numbers)
    return (value.__name__, value.__qualname__, *own, *(as_it_is(base, numbers) for base in value.__bases__))


def _named(parts: Iterable[tuple[str, Any]], numbers: Numbers) -> list[tuple[str, Any]]:
    return [(name, as_it_is(part, numbers)) for name, part in parts]


def _module(value: Any, numbers: Numbers) -> Any:
    top = value.__name__.partition(".")[0]
    if not _of_library(getattr(value, "__file__", None) or _LIBRARY) or not is_blind(value.__name__):
        raise Incomparable
    if top != "numpy" and top not in sys.stdlib_module_names:
        raise Incomparable  # it may have settings that are known to it alone
    return tuple(_named(put_on_module(value), numbers))


def _other(value: Any, numbers: Numbers) -> Any:
    """An object of a class of the user's by its attributes; whatever has an identity by type and value by that."""
    kind = type(value)
    if kind is float or kind is Decimal:
        return (_bits_of(value),)
    if is_ours(kind) and "_tape" in getattr(value, "__dict__", ()):
        if keeps_something(value):
            raise Incomparable
        return (changes_of(kind),)  # it hands out draws that are known elsewhere
    if kind in LEAVES:
        return (token_now(value),)
    if isinstance(value, type):
        return _class(value, numbers)
    if isinstance(value, _STEADY):
        if value.__name__ in LOOKING or not is_blind(getattr(value, "__module__", None)):
            raise Incomparable
        holder = getattr(value, "__self__", None)
        return () if holder is None or isinstance(holder, ModuleType) else (as_it_is(holder, numbers),)
    if kind in _HOLDING:
        return _of_standard(value, numbers)
    if kind in _OF_ITSELF:
        return (token_now(value),)
    if str(kind.__module__).partition(".")[0] == "numpy":
        return _of_numpy(value, numbers)
    if kind in _STANDING:
        return ()
    if kind in (GenericAlias, UnionType):
        return tuple(as_it_is(part, numbers) for part in (getattr(value, "__origin__", None), *value.__args__))
    base = written_in_c(kind)
    if base is not object and base not in _DERIVED:
        raise Incomparable
    inside = () if base is object else tuple(as_it_is(part, numbers) for part in _DERIVED[base](value))
    slots = (slot for one in kind.__mro__ for slot in members_of(one).items())
    room = [(name, _slot(slot, value, numbers)) for name, slot in slots]
    own = attributes_of(value)
    if own is None:
        raise Incomparable
    return as_it_is(kind, numbers), inside, *room, as_it_is(own, numbers)


def _bits_of(value: float | Decimal) -> Any:
    """A NaN with its sign and payload."""
    return pack("d", value).hex() if type(value) is float else repr(value)


def _of_numpy(value: Any, numbers: Numbers) -> Any:
    """A number or an array of numpy's by its bits, where it lies, whether it may be written to, and of what it is."""
    told = token_now(value)
    if not hasattr(value, "strides") or not hasattr(value, "flags"):
        return (told,)
    if value.dtype.hasobject:
        raise Incomparable
    at = value.__array_interface__["data"] if value.ndim else ()
    return told, value.flags.num, value.strides, at, as_it_is(value.base, numbers)


def _of_standard(value: Any, numbers: Numbers) -> Any:
    """A container of Python's by what it holds, which may be of a class of the user's; a set by how it lies as well."""
    if type(value) is MappingProxyType:
        return tuple(as_it_is(part, numbers) for part in gc.get_referents(value))
    if type(value) is set and not LAYOUTS_KNOWN:
        raise Incomparable
    places = layout_of_set(value) if type(value) is set else ()
    inside = chain(value.keys(), value.values()) if isinstance(value, dict) else value
    beside = (getattr(value, "maxlen", None), getattr(value, "default_factory", None), getattr(value, "__dict__", None))
    return places, *(as_it_is(part, numbers) for part in beside), *(as_it_is(item, numbers) for item in inside)


def _slot(slot: Any, value: Any, numbers: Numbers) -> Any:
    try:
        return as_it_is(slot.__get__(value), numbers)
    except AttributeError:
        return "empty"


def token_now(value: Any) -> Any:
    """What a value without anything of the user's inside is. Raises: Incomparable: it has no identity."""
    try:
        return held(value, copying=True)
    except Exception:  # noqa: BLE001 - whatever cannot be told apart
        raise Incomparable from None


def is_ours(kind: type) -> bool:
    """Whether a class is one of dpcert's."""
    return str(kind.__module__).startswith("dpcert.")


def _of_library(file: str) -> bool:
    return file.startswith(_LIBRARY) or "site-packages" in file


_FORMS: dict[type, Callable[[Any, Numbers], Any]] = {
    tuple: lambda v, numbers: tuple(as_it_is(x, numbers) for x in v),
    list: lambda v, numbers: tuple(as_it_is(x, numbers) for x in v),
    dict: lambda v, numbers: tuple((as_it_is(k, numbers), as_it_is(x, numbers)) for k, x in v.items()),
    FunctionType: _function,
    MethodType: lambda v, numbers: (as_it_is(v.__func__, numbers), as_it_is(v.__self__, numbers)),
    type: _class,
    ModuleType: _module,
    CodeType: lambda v, _: (v,),  # which cannot change, and stands in annotations that are texts
    property: lambda v, numbers: tuple(as_it_is(f, numbers) for f in (v.fget, v.fset, v.fdel, v.__doc__)),
    staticmethod: _wrapped,
    classmethod: _wrapped,
}
