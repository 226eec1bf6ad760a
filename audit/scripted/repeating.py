"""Loops that draw again: where a draw is asked for in the very state in which it was asked for before.

What a loop threw away is then gone, so that its law in the end is that of one turn, given that the turn ends it. The
state is all that the code after the draw can read: the locals that are still live, cells and globals, and whatever
hangs on them; and nothing may wait on a stack of values, such as the iterator of a `for`. Whatever cannot be compared
is taken to differ, and the loop is then one like any other; so is one whose code may look at frames, and thereby at
locals that are not live. Functions of libraries are taken to remember nothing.
"""

import decimal
import dis
import random
import sys
import typing
from array import array
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, make_dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import EnumType
from fractions import Fraction
from functools import lru_cache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, getattr_static
from itertools import chain
from pathlib import Path
from reprlib import recursive_repr
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
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

from dpcert.audit.errors import AUDIT
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held
from dpcert.audit.layout import SPACE, attributes_of, written_in_c
from dpcert.audit.outside.marks import LEAVES, settings
from dpcert.audit.scripted.looking import LOOKING, is_blind, may_look, nested
from dpcert.audit.scripted.readable import is_users_class
from dpcert.audit.scripted.sites import Site, Source, site
from dpcert.audit.scripted.unresolved import Unresolved

KNOWN = sys.version_info[:2] == (3, 11)
"""Whether this Python's instructions are known here; loops are not recognised on any other."""
MOST_TURNS = 40
"""Draws in loops of one round after which no state is looked at any more: it has not come again, as in a count."""
SINGLE = {"randrange", "randint", "choice"}
"""Functions of `random` that draw once."""
DRAWS = {"random", "randrange", "randint", "choice", "getrandbits", "integers", "binomial"}
"""Calls of a generator that draw once, where they are not asked for many."""
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
_BY_PYTHON = {"__dict__", "__weakref__", "__doc__"}
"""What Python puts into a class, which no code of the user's changes."""
_OF_ENUMERATIONS = {
    "_generate_next_value_", "_new_member_", "_use_args_", "_member_names_", "_value2member_map_",
    "_unhashable_values_", "_member_type_", "_value_repr_", "__new__",
}  # fmt: skip
"""What it puts into an enumeration beside its members, which are looked at."""
_OF_ITSELF = {complex, bytearray, array, UUID, date, datetime, time, timedelta, timezone}
"""Types whose values hold nothing that is of another one."""
_ASKING = (random.__file__, "/scripted/generators.py", "/scripted/generators_numpy.py")
"""Where the functions stand that code draws by: what they hold decides what a draw comes to."""
_HANDING_OUT = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
"""Flags of code whose frame waits in one place while who asks it for more goes on."""
_STEADY = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType)


class _Numbers(dict[int, int]):
    """The numbers of what was met, by where it stands; and the globals that any function met writes to."""

    def __init__(self) -> None:
        super().__init__()
        self.written: set[str] = set()


@lru_cache(maxsize=4096)
def _globals_written(code: CodeType) -> frozenset[str]:
    """The globals that code writes to, what is defined in it left out."""
    steps = dis.get_instructions(code)
    return frozenset(step.argval for step in steps if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"))


class _Unknown(Exception):
    """A value whose state cannot be compared."""


@frozen(slots=True)
class _Arrival:
    """A draw: its number, the frames of the user's that wait for it, innermost first, and what the code can read."""

    number: int
    frames: tuple[FrameType, ...]
    at: tuple[tuple[CodeType, int], ...]
    states: tuple[Any, ...]


@dataclass
class Loops:
    """The draws of the round so far that stand in loops; `entries` are the functions of ours that call the code."""

    entries: Iterable[CodeType]
    round: int = 0
    looked_at: int = 0
    arrivals: dict[Any, list[_Arrival]] = field(default_factory=dict)

    def begun_anew(self, round_: int, number: int) -> int | None:
        """The number of the earlier draw at which the code was in the state in which it is now, if there is one."""
        if round_ != self.round:
            self.round, self.looked_at, self.arrivals = round_, 0, {}
        frame: FrameType | None = sys._getframe(1)
        frames = _waiting(frame, self.entries) if KNOWN and self.looked_at < MOST_TURNS else None
        if not frames or any(f.f_code.co_flags & _HANDING_OUT for f in frames):
            return None
        sites = [site(f.f_code, f.f_lasti) for f in frames]
        if not any(s.looping for s in sites):
            return None
        inner = (None, *frames)
        self.looked_at += 1
        states = tuple(
            _state(f, s) if _direct(f, s, i) else None for f, s, i in zip(frames, sites, inner, strict=False)
        )
        now = _Arrival(number, frames, tuple((f.f_code, f.f_lasti) for f in frames), states)
        if states[0] is None:
            return None
        try:
            states = ((states[0], _asked_for(frame, frames[0])), *states[1:])
        except _Unknown:
            return None
        alike = self.arrivals.setdefault((now.at, states[0]), [])
        for before in alike:
            if _same(before, now):
                return before.number
        alike.append(now)
        return None


def _asked_for(frame: FrameType | None, innermost: FrameType) -> Any:
    """What a draw was asked for with: what the functions of `random` and of ours, between it and the code, hold."""
    numbers = _Numbers()
    held_there: list[Any] = []
    while frame is not None and frame is not innermost:
        if frame.f_code.co_filename.endswith(_ASKING):
            own = frame.f_locals
            held_there.append((frame.f_code, *((name, _argument(own[name], numbers)) for name in sorted(own))))
        frame = frame.f_back
    return tuple(held_there)


def _argument(value: Any, numbers: _Numbers) -> Any:
    """An argument by its value alone where that is a plain one: a list may have been made for the call."""
    if type(value) in (list, tuple):
        return type(value), *(_argument(item, numbers) for item in value)
    if isinstance(value, Iterator):
        raise _Unknown
    return _frozen(value, numbers)


def _same(before: _Arrival, now: _Arrival) -> bool:
    """Whether two draws are asked for in one state; frames outside of the innermost common one did not move."""
    if before.at != now.at:
        return False
    common = next((i for i, (a, b) in enumerate(zip(before.frames, now.frames, strict=True)) if a is b), None)
    if common is None:
        return False
    pairs = zip(before.states[: common + 1], now.states[: common + 1], strict=True)
    return all(a is not None and a == b for a, b in pairs)


def _waiting(frame: FrameType | None, entries: Iterable[CodeType]) -> tuple[FrameType, ...] | None:
    """The frames between the draw and the call of the code, innermost first, without ours and those of `random`."""
    frames: list[FrameType] = []
    while frame is not None and frame.f_code not in entries:
        ours, drawing = _standing(frame.f_code)
        if not ours:
            if drawing and not frames:
                if frame.f_code.co_name not in SINGLE:
                    return None
            else:
                frames.append(frame)
        elif frames:
            return None
        frame = frame.f_back
    return tuple(frames) if frame is not None else None


@lru_cache(maxsize=4096)
def _standing(code: CodeType) -> tuple[bool, bool]:
    """Whether code is ours, and whether it stands in `random`."""
    file = code.co_filename
    return file.startswith(AUDIT) or "/dpcert/audit/" in file, file == random.__file__


def _direct(frame: FrameType, at: Site, inner: FrameType | None) -> bool:
    """Whether a frame's call is one of the generator's, or of the function of `inner`, with no C code in between."""
    try:
        callee = _found(frame, at.callee)
    except (AttributeError, KeyError, TypeError):
        return False
    if inner is not None:
        function = callee.__func__ if type(callee) is MethodType else callee
        return type(function) is FunctionType and function.__code__ is inner.f_code
    return type(callee) is MethodType and _ours(type(callee.__self__)) and callee.__name__ in DRAWS


def _found(frame: FrameType, source: Source) -> Any:
    """What an expression of names and attributes stands for, without running any code of the user's."""
    if len(source) < 2:
        raise KeyError(*source)
    how, name, *of = source
    if how == "local":
        return frame.f_locals[name]
    if how == "global":
        return frame.f_globals[name]
    holder = _found(frame, of[0])
    if _ours(type(holder)):
        return getattr(holder, name)
    attribute = getattr_static(holder, name)
    return (
        MethodType(attribute, holder)
        if type(attribute) is FunctionType and name not in getattr(holder, "__dict__", {})
        else attribute
    )


def _state(frame: FrameType, at: Site) -> Any:
    """All that the frame's code can read after its call; None where that cannot be told."""
    if not at.bare or may_look(frame.f_code):
        return None
    try:
        numbers = _Numbers()
        values = frame.f_locals
        here = [(name, _frozen(values[name], numbers)) for name in at.live if name in values]
        state = tuple(here), _globals(frame.f_code, frame.f_globals, numbers), _settings()
    except (_Unknown, RecursionError):
        return None
    written = numbers.written.union(*map(_globals_written, nested(frame.f_code)))
    return None if any(n in written for n in at.waiting if n in frame.f_globals) else state


def _settings() -> Any:
    """What there is once in a process, with what calculations leave in the context of decimals, which code may read."""
    return *settings().items(), tuple(signal for signal, met in decimal.getcontext().flags.items() if met)


def _globals(code: CodeType, space: dict[str, Any], numbers: _Numbers) -> Any:
    names = sorted({n for c in nested(code) for n in c.co_names if n in space})
    return tuple((name, _frozen(space[name], numbers)) for name in names)


def _frozen(value: Any, numbers: _Numbers) -> Any:
    """What a value is now, and all that can be reached from it."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, _spelled(value)
    if kind is Unresolved:
        uniform = value._uniform
        return id(uniform), uniform.low, uniform.high, value._steps
    if id(value) in numbers:
        return "seen", numbers[id(value)]
    numbers[id(value)] = len(numbers)
    return (id(value), *_FORMS.get(kind, _other)(value, numbers))


def _spelled(value: Any) -> str:
    """A plain value as text that no other of its type has; integers in hexadecimal, which is written at any length."""
    if type(value) is int:
        return hex(value)
    if type(value) is Fraction:
        return f"{hex(value.numerator)}/{hex(value.denominator)}"
    if type(value) is range:
        return "range(" + ", ".join(map(hex, (value.start, value.stop, value.step))) + ")"
    return repr(value)


def _function(value: Any, numbers: _Numbers) -> Any:
    code = value.__code__
    if _of_library(code.co_filename):
        if is_blind(value.__module__) or value.__globals__ is vars(typing):
            return ()
        if code in _WRITING:
            wrapped = value.__closure__[code.co_freevars.index("user_function")]
            return code, _cell(wrapped, numbers), _frozen(vars(value), numbers)
    if may_look(code):
        raise _Unknown
    numbers.written.update(*map(_globals_written, nested(code)))
    cells = [_cell(cell, numbers) for cell in value.__closure__ or ()]
    own = [_frozen(part, numbers) for part in (value.__defaults__, value.__kwdefaults__, vars(value))]
    return (code, *cells, *own, _globals(code, value.__globals__, numbers))


def _cell(cell: Any, numbers: _Numbers) -> Any:
    try:
        return _frozen(cell.cell_contents, numbers)
    except ValueError:
        return "empty"


def _class(value: Any, numbers: _Numbers) -> Any:
    top = str(value.__module__).partition(".")[0]
    known = (top in sys.stdlib_module_names or top == "numpy") and is_blind(top)
    if _ours(value) or (known and not is_users_class(value)):
        return ()
    if type(value) not in (type, EnumType):
        raise _Unknown
    made = _BY_PYTHON | _OF_ENUMERATIONS if type(value) is EnumType else _BY_PYTHON
    own = [(n, _frozen(v, numbers)) for n, v in SPACE.__get__(value).items() if n not in made]
    return (*own, *(_frozen(base, numbers) for base in value.__bases__))


def _module(value: Any, numbers: _Numbers) -> Any:
    del numbers
    top = value.__name__.partition(".")[0]
    if not _of_library(getattr(value, "__file__", None) or _LIBRARY) or not is_blind(value.__name__):
        raise _Unknown
    if top != "numpy" and top not in sys.stdlib_module_names:
        raise _Unknown  # it may have settings that are known to it alone
    return tuple((name, _spelled(part)) for name, part in vars(value).items() if type(part) in _PLAIN)


def _other(value: Any, numbers: _Numbers) -> Any:
    """An object of a class of the user's by its attributes; whatever has an identity by type and value by that."""
    kind = type(value)
    if _ours(kind) and "_tape" in getattr(value, "__dict__", ()):
        return _of_generator(value)
    if kind in LEAVES:
        return (_token(value),)
    if isinstance(value, type):
        return _class(value, numbers)
    if isinstance(value, _STEADY):
        if value.__name__ in LOOKING or not is_blind(getattr(value, "__module__", None)):
            raise _Unknown
        holder = getattr(value, "__self__", None)
        return () if holder is None or isinstance(holder, ModuleType) else (_frozen(holder, numbers),)
    if kind in _HOLDING:
        return _of_standard(value, numbers)
    if kind in _OF_ITSELF:
        return (_token(value),)
    if str(kind.__module__).partition(".")[0] == "numpy":
        return _of_numpy(value)
    if kind in _STANDING:
        return ()
    if kind in (GenericAlias, UnionType):
        return tuple(_frozen(part, numbers) for part in (getattr(value, "__origin__", None), *value.__args__))
    base = written_in_c(kind)
    if base is not object and base not in _DERIVED:
        raise _Unknown
    inside = () if base is object else tuple(_frozen(part, numbers) for part in _DERIVED[base](value))
    slots = [s for k in kind.__mro__ for s in SPACE.__get__(k).values() if type(s) is MemberDescriptorType]
    room = [(s.__name__, _slot(s, value, numbers)) for s in slots if s.__objclass__ in kind.__mro__]
    own = attributes_of(value)
    if own is None:
        raise _Unknown
    return _frozen(kind, numbers), inside, *room, _frozen(own, numbers)


def _of_generator(value: Any) -> Any:
    """The generator itself, which hands out draws that are known elsewhere: nothing, as nobody put anything on it."""
    if vars(value).keys() - {"_tape", "_before", "_bits"}:
        raise _Unknown
    return ()


def _of_numpy(value: Any) -> Any:
    """A number or an array of numpy's by its bits, where it lies, and whether it may be written to."""
    told = _token(value)
    if not hasattr(value, "strides") or not hasattr(value, "flags"):
        return (told,)
    if value.dtype.hasobject:
        raise _Unknown
    at = value.__array_interface__["data"] if value.ndim else ()
    return told, value.flags.num, value.strides, at


def _of_standard(value: Any, numbers: _Numbers) -> Any:
    """A container of Python's by what it holds, which may be of a class of the user's."""
    inside = chain(value.keys(), value.values()) if isinstance(value, (dict, MappingProxyType)) else value
    beside = (getattr(value, "maxlen", None), getattr(value, "default_factory", None), getattr(value, "__dict__", None))
    return *(_frozen(part, numbers) for part in beside), *(_frozen(item, numbers) for item in inside)


def _slot(slot: Any, value: Any, numbers: _Numbers) -> Any:
    try:
        return _frozen(slot.__get__(value), numbers)
    except AttributeError:
        return "empty"


def _token(value: Any) -> Any:
    try:
        return held(value, copying=True)
    except Exception:  # noqa: BLE001 - whatever cannot be told apart
        raise _Unknown from None


def _ours(kind: type) -> bool:
    return str(kind.__module__).startswith("dpcert.")


def _of_library(file: str) -> bool:
    return file.startswith(_LIBRARY) or "site-packages" in file


_FORMS: dict[type, Callable[[Any, _Numbers], Any]] = {
    tuple: lambda v, numbers: tuple(_frozen(x, numbers) for x in v),
    list: lambda v, numbers: tuple(_frozen(x, numbers) for x in v),
    dict: lambda v, numbers: tuple((_frozen(k, numbers), _frozen(x, numbers)) for k, x in v.items()),
    FunctionType: _function,
    MethodType: lambda v, numbers: (_frozen(v.__func__, numbers), _frozen(v.__self__, numbers)),
    type: _class,
    ModuleType: _module,
    property: lambda v, numbers: tuple(_frozen(f, numbers) for f in (v.fget, v.fset, v.fdel)),
    staticmethod: lambda v, numbers: (_frozen(v.__func__, numbers),),
    classmethod: lambda v, numbers: (_frozen(v.__func__, numbers),),
}
