"""Marks: what tells the value at a place from another one, taken before and after; and which of them differ."""

import decimal
import io
import operator
import os
import sys
import weakref
from abc import ABCMeta
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from contextvars import ContextVar, copy_context
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import FrameType, FunctionType, ModuleType
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.identity import PLAIN, Held, held, same
from dpcert.audit.layout import SPACE, written_in_c
from dpcert.audit.outside.watching import TypeGuard, place_of

LEAVES = frozenset((*PLAIN, bool, float, complex, Fraction, Decimal, Pmf, Held))
"""Kinds of values that have nothing inside that may change."""
CONTAINERS = (list, tuple, set, frozenset, deque)
_SIZED = frozenset((list, dict, set))


def is_looked_into(item: Any) -> bool:
    """Whether an item has anything inside that may change; what has not stands in the mark of its container."""
    return type(item) not in LEAVES


class Names:
    """What stands in a module's namespace, and how many there are inside; a guard counts as the source behind it."""

    def __init__(self, space: dict[str, Any], sources: dict[int, int]) -> None:
        self._module, self._sources = space.get("__name__", "a module"), sources
        self._names, self._values = tuple(space), tuple(space.values())  # kept: nothing else comes to stand there
        self._sizes = [len(value) if type(value) in _SIZED else None for value in self._values]

    def by_name(self) -> dict[str, Any]:
        """The place of each value, and how many there are inside."""
        return {
            f"{self._module}.{name}": (self._sources.get(place_of(value), place_of(value)), size)
            for name, value, size in zip(self._names, self._values, self._sizes, strict=True)
            if not isinstance(value, ModuleType) and not name.startswith("__") and value is not TypeGuard
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names):
            return False
        same = self._names == other._names and self._sizes == other._sizes
        return (same and all(map(operator.is_, self._values, other._values))) or self.by_name() == other.by_name()

    __hash__ = None  # type: ignore[assignment]


def mark_of(value: Any) -> Any:
    """What tells a value from another one at the same place; of what is looked into, its kind and what it holds."""
    if isinstance(value, (dict, *CONTAINERS)):
        return type(value), place_of(value), _Contents(value)
    try:
        if isinstance(value, ABCMeta):
            return type(value), place_of(value), _registered(value), _beside(value)
        if hasattr(value, "cache_info"):
            return str(value.cache_info())
        if hasattr(value, "getstate"):
            return hash(value.getstate())
        if hasattr(value, "gi_frame"):
            return None if value.gi_frame is None else _of_frame(value.gi_frame)
        if isinstance(value, io.StringIO | io.BytesIO):
            return value.getvalue(), value.tell()
        if isinstance(value, io.IOBase):
            return place_of(value), value.tell()
        if hasattr(type(value), "__next__") and written_in_c(type(value)) is not object:
            return _how_far(value)
        if isinstance(value, weakref.ref):
            return place_of(value())
        if hasattr(value, "hexdigest") and hasattr(value, "copy"):
            return place_of(value), value.copy().hexdigest()
        if hasattr(value, "qsize"):
            return place_of(value), value.qsize()
        if hasattr(value, "total_changes"):
            return place_of(value), value.total_changes
        if isinstance(value, decimal.Context):
            return of_context(value)
        if isinstance(value, ContextVar):
            return place_of(value.get(None))
        if hasattr(value, "bit_generator") or isinstance(getattr(value, "state", None), dict):
            return str(getattr(value, "bit_generator", value).state)
        if hasattr(value, "get_state"):
            return str(value.get_state())
        if hasattr(value, "__dict__") and not isinstance(value, Enum):  # its attributes have places of their own
            return type(value), place_of(value), _beside(value)
        return held(value, copying=True)
    except Exception:  # noqa: BLE001 - a foreign object may raise anything; where it stands is its mark then
        with suppress(Exception):
            return type(value), place_of(value), memoryview(value).tobytes()
        return type(value), place_of(value)


class _Contents:
    """What a container held: the same things in the same places, or numbers and texts that are the same."""

    def __init__(self, container: Any) -> None:
        inside: Iterable[Any] = (*container, *container.values()) if isinstance(container, dict) else container
        self._items = tuple(inside)  # kept, so that nothing else comes to stand where they do

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Contents) or len(self._items) != len(other._items):
            return False
        if all(map(operator.is_, self._items, other._items)):
            return True
        return all(one is two or _alike(one, two) for one, two in zip(self._items, other._items, strict=True))

    __hash__ = None  # type: ignore[assignment]


def _alike(one: Any, other: Any) -> bool:
    """Whether two items that cannot change are the same; others are where they are one."""
    return not is_looked_into(one) and not is_looked_into(other) and same(one, other)


def _beside(value: Any) -> Any:
    """What an object holds beside its attributes, as far as that is known: an error's arguments, and bytes."""
    if isinstance(value, type):
        own = SPACE.__get__(value)
        return own.get("__doc__"), _Contents(own.get("__annotations__", {}))
    if isinstance(value, FunctionType):
        parts = (value.__code__, value.__defaults__, value.__kwdefaults__)
        return tuple(map(place_of, parts)), value.__name__, value.__qualname__, value.__doc__
    if isinstance(value, BaseException):
        return _Contents(value.args), place_of(value.__cause__), place_of(value.__context__)
    if written_in_c(type(value)) in _IN_ITSELF:
        return None
    with suppress(TypeError, ValueError, BufferError):
        return memoryview(value).tobytes()
    return None


_IN_ITSELF = (object, ModuleType, staticmethod, classmethod)
"""Classes whose values hold nothing but attributes, or what has places of its own."""


def _registered(kind: ABCMeta) -> str:
    """Which classes count as subclasses of an abstract one because they were registered, which Python keeps apart."""
    told = io.StringIO()
    kind._dump_registry(told)  # as Python prints it, with what it only remembers on other lines
    return next(line for line in told.getvalue().splitlines() if line.startswith("_abc_registry:"))


def _of_frame(frame: FrameType) -> Any:
    """How far a generator is, and what its names stand for."""
    return frame.f_lasti, {n: v if type(v) in PLAIN else place_of(v) for n, v in frame.f_locals.items()}


def _of_iterator(value: Any) -> Any:
    """How far a built-in iterator is, and over what: that is handed out in containers made anew."""
    _, given, *at = value.__reduce__()
    return tuple(map(_gone_through, given)), tuple(map(_gone_through, at)), operator.length_hint(value)


def _how_far(iterator: Any) -> Any:
    """How far an iterator of Python's is; where that cannot be read, what no other mark is equal to."""
    try:
        return _of_iterator(iterator)
    except Exception:  # noqa: BLE001 - whatever cannot be read
        return object()


def of_context(context: decimal.Context) -> Any:
    """What a context of decimal numbers says of rounding; what calculations leave in it is no setting."""
    return (
        (context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp),
        tuple(signal for signal, trapped in context.traps.items() if trapped),
    )


def settings() -> dict[str, Any]:
    """Marks of what there is once in a process, and code may change wherever it stands."""
    decimals = of_context(decimal.getcontext())  # a context variable from now on
    context = copy_context()
    marks: dict[str, Any] = {
        "the context of decimal": decimals,
        "os.environ": tuple(dict(os.environ).items()),
        "sys.getrecursionlimit()": sys.getrecursionlimit(),
        "a context variable": frozenset((place_of(variable), place_of(context[variable])) for variable in context),
    }
    if "numpy" in sys.modules:
        marks["numpy.geterr()"] = tuple(sys.modules["numpy"].geterr().items())
        marks["numpy.get_printoptions()"] = repr(sys.modules["numpy"].get_printoptions())
    for library, holder in (("flint", "ctx"), ("mpmath", "mp")):
        precise = getattr(sys.modules.get(library), holder, None)
        marks[f"{library}.{holder}.prec"] = _USUAL_BITS if precise is None else precise.prec
    return marks


_USUAL_BITS = 53
"""The precision with which such a library begins, once it is loaded."""


def _gone_through(part: Any) -> Any:
    if type(part) in PLAIN or isinstance(part, range):
        return part
    if type(part) is tuple:
        return tuple(map(_gone_through, part))
    return _Contents(part) if isinstance(part, (dict, *CONTAINERS)) else mark_of(part)


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of places whose value is another one, or that came or went, in order."""
    for name in before.keys() | after.keys():
        one, other = (marks.get(name) for marks in (before, after))
        if isinstance(one or other, Names) and one != other:  # a place with a mark of its own keeps that
            before, after = _spread_out(one) | before, _spread_out(other) | after
    names = [name for name in dict.fromkeys([*before, *after]) if before.get(name, _NONE) != after.get(name, _NONE)]
    return [name for name in names if not isinstance(before.get(name, after.get(name)), Names)]


def _spread_out(names: Names | None) -> dict[str, Any]:
    return {} if names is None else names.by_name()


_NONE = object()
