"""What a mechanism's code can reach: its attributes, its class, globals, closures and defaults of its functions.

It is looked at before an audit and after it: what has changed outlives a round, and may decide what a later one
releases.
"""

import decimal
import io
import operator
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from decimal import Decimal
from dis import get_instructions
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from inspect import unwrap
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.identity import PLAIN, Held, held
from dpcert.audit.outside.watching import TypeGuard, guarded_sources, original, place_of

MOST_PLACES = 20_000
"""Places looked into, past which the rest is not: what has changed is not known then. Numbers, texts and laws in a
container are no places of their own."""
_LEAVES = frozenset((*PLAIN, bool, float, complex, Fraction, Decimal, Pmf, Held))
_CONTAINERS = (list, tuple, set, frozenset, deque)
_SIZED = frozenset((list, dict, set))
_OURS = "dpcert"


@dataclass
class Reach:
    """Every place that was met.

    Attributes:
        values: What stands there, by name.
        globals: (namespace, name) of each global that the code reads.
        code: Every function's code.
        complete: False where there were more than MOST_PLACES.
        read: The names in `values` of the globals that the code reads.
        remembered: The names in `values` of what a cached property remembers.
    """

    values: dict[str, Any] = field(default_factory=dict)
    globals: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    code: list[CodeType] = field(default_factory=list)
    complete: bool = True
    read: set[str] = field(default_factory=set)
    remembered: set[str] = field(default_factory=set)

    @property
    def looks_quiet(self) -> bool:
        """Whether all that was met can be marked, and no function looks as if it changed anything.

        A guess that saves work: what has changed all the same shows in the marks.
        """
        known = all(
            isinstance(value, _MARKED) or not _foreign(type(value).__module__) for value in self.values.values()
        )
        return self.complete and known and not self.looks_outside and not any(map(_stores, self.code))

    @cached_property
    def looks_outside(self) -> bool:
        """Whether code calls, or can get at, functions of Python's of which it is not known that they are harmless."""
        return bool(self._outside)

    @cached_property
    def _outside(self) -> list[str]:
        """The modules of such functions, and names that lead anywhere."""
        held = map(_leads_outside, self.values.values())
        named = map(_asks_around, self.code)
        return [name for name in dict.fromkeys((*held, *(name for names in named for name in names))) if name]

    @property
    def unseen(self) -> str:
        """Why not all that code can change is seen here; empty where it is."""
        if not self.complete:
            return f"it leads to more than MOST_PLACES = {MOST_PLACES} places"
        beyond = next((name for name in self._outside if name not in _WATCHED), "")
        return f"its code leads to {beyond}, which cannot be looked into" if beyond else ""

    @property
    def modules(self) -> list[ModuleType]:
        """The user's modules in which the code, or a class, was written."""
        kinds = {v.__module__ for v in self.values.values() if isinstance(v, type)}
        kinds |= {type(v).__module__ for v in self.values.values()}
        kinds |= {str(space.get("__name__")) for space, _ in self.globals}
        users = (name for name in sorted(kinds) if not _foreign(name) and name.partition(".")[0] != _OURS)
        return [sys.modules[name] for name in users if name in sys.modules]

    def marks(self) -> dict[str, Any]:
        """What tells the value at each place from another one, and what there is once in a process."""
        return self._of_process() | {name: _mark(value) for name, value in self.values.items()}

    def _of_process(self) -> dict[str, Any]:
        """Marks of what code may change wherever it stands: the names of modules, the environment, settings."""
        spaces = {place_of(space): space for space, _ in self.globals}
        spaces |= {place_of(vars(v)): vars(v) for v in self.values.values() if isinstance(v, ModuleType)}
        if self.looks_outside:
            spaces |= {place_of(vars(m)): vars(m) for m in _modules_of_users()}
        sources = guarded_sources()
        marks: dict[str, Any] = {}
        for at, space in spaces.items():
            marks[f"{space.get('__name__', 'a module')} at {at}"] = _Names(space, sources)
        now = decimal.getcontext()
        marks["the context of decimal"] = (now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp)
        marks["os.environ"] = tuple(dict(os.environ).items())
        marks["sys.getrecursionlimit()"] = sys.getrecursionlimit()
        context = copy_context()
        marks["a context variable"] = {variable: place_of(context[variable]) for variable in context}
        if "numpy" in sys.modules:
            marks["numpy.geterr()"] = tuple(sys.modules["numpy"].geterr().items())
        return marks


def reach(mechanism: object) -> Reach:
    """Follows everything from a mechanism on, up to what belongs to Python, to other packages and to dpcert."""
    found = Reach()
    seen: set[int] = set()
    keep: list[Any] = []
    pending: deque[tuple[str, Any]] = deque([(type(mechanism).__name__, mechanism)])
    while pending:
        name, value = pending.popleft()
        if len(found.values) >= MOST_PLACES:
            found.complete = False
            break
        value = original(value)
        while name in found.values and found.values[name] is not value:
            name += "'"  # two places of one name
        found.values[name] = value
        if type(value) in _LEAVES or place_of(value) in seen:
            continue
        seen.add(place_of(value))
        keep.append(value)
        with suppress(Exception):  # a foreign object may raise anything when it is looked into
            pending.extend(_inside(name, value, found))
    return found


def _inside(name: str, value: Any, found: Reach) -> Iterator[tuple[str, Any]]:
    """The places inside a value, with their names."""
    if isinstance(value, FunctionType):
        yield from _of_function(name, value, found)
    elif isinstance(value, MethodType):
        yield from ((name, value.__func__), (f"{name} of", value.__self__))
    elif isinstance(value, (staticmethod, classmethod)):
        yield name, value.__func__
    elif isinstance(value, property):
        yield from ((name, part) for part in (value.fget, value.fset) if part is not None)
    elif isinstance(value, partial):
        yield from ((name, value.func), (f"{name} arguments", value.args), (f"{name} keywords", value.keywords))
    elif isinstance(value, type):
        yield from _of_class(value)
    elif isinstance(value, dict):
        for n, (key, item) in enumerate(list(value.items())):
            yield from ((at, part) for at, part in ((f"{name} key {n}", key), (f"{name}[{n}]", item)) if _looked(part))
    elif isinstance(value, _CONTAINERS):
        yield from ((f"{name}[{n}]", item) for n, item in enumerate(list(value)) if _looked(item))
    elif isinstance(value, (BuiltinFunctionType, MethodWrapperType)):
        yield f"{name} of", value.__self__
    elif not isinstance(value, ModuleType):
        yield from _of_object(name, value, found)


def _looked(item: Any) -> bool:
    """Whether an item has anything inside that may change; what has not stands in the mark of its container."""
    return type(item) not in _LEAVES


def _of_object(name: str, value: Any, found: Reach) -> Iterator[tuple[str, Any]]:
    kind = type(value)
    if _foreign(kind.__module__):
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None:
            yield name, wrapped
        if kind.__module__.partition(".")[0] not in _LEFT_ALONE:
            yield from (
                (f"{name}.{attribute}", part) for attribute, part in list(getattr(value, "__dict__", {}).items())
            )
        return
    ours = kind.__module__.partition(".")[0] == _OURS
    own = getattr(value, "__dict__", {})
    for attribute, part in list(own.items()):
        place = f"{name}.{attribute}"
        if isinstance(getattr(kind, attribute, None), cached_property):
            place += " (remembered)"  # the property stands in the class, under a name like this one
            found.remembered.add(place)
        if not (ours and attribute.startswith("_")):
            yield place, part
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if not (ours and slot.startswith("_")) and hasattr(value, slot):
                yield f"{name}.{slot}", getattr(value, slot)
    if not ours:
        yield kind.__name__, kind


def _of_class(kind: type) -> Iterator[tuple[str, Any]]:
    for base in kind.__mro__:
        if not (_foreign(base.__module__) or base.__module__.partition(".")[0] == _OURS):
            for attribute, part in list(vars(base).items()):
                if attribute not in _OF_PYTHON:
                    yield f"{base.__name__}.{attribute}", part


def _of_function(name: str, function: FunctionType, found: Reach) -> Iterator[tuple[str, Any]]:
    module = function.__globals__.get("__name__", "")
    if _foreign(module) or str(module).partition(".")[0] == _OURS:
        yield from ((f"{name}.{attribute}", part) for attribute, part in vars(function).items())
        return
    if function.__name__ not in _NOT_ASKED:
        found.code.append(function.__code__)
    inner = unwrap(function)
    if inner is not function:
        yield name, inner
    for n, default in enumerate((*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())):
        yield f"{name} default {n + 1}", default
    for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"{name} closure {free}", cell.cell_contents
        except ValueError:  # nothing there yet
            continue
    for attribute, part in vars(function).items():
        yield f"{name}.{attribute}", part
    for read in _names(function.__code__):
        if read in function.__globals__:
            found.globals.append((function.__globals__, read))
            value = function.__globals__[read]
            if read == "type" and getattr(value, "__module__", "").partition(".")[0] == _OURS:  # the guard itself
                continue
            if isinstance(value, ModuleType):
                yield from _of_module(value, function.__code__, found)
            yield f"{module}.{read}", value
        elif read == "type":  # not the user's own: a guard may take its place
            found.globals.append((function.__globals__, read))


def _of_module(module: ModuleType, code: CodeType, found: Reach) -> Iterator[tuple[str, Any]]:
    """What code may read of a user's module: the names that it has in common with it."""
    if _foreign(module.__name__) or module.__name__.partition(".")[0] == _OURS:
        return
    for read in _names(code):
        if read in vars(module):
            found.globals.append((vars(module), read))
            found.read.add(f"{module.__name__}.{read}")
            yield f"{module.__name__}.{read}", vars(module)[read]


def _names(code: CodeType) -> list[str]:
    """Every name that code and the code inside it reads from somewhere else."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= dict.fromkeys(_names(constant))
    return list(names)


@lru_cache(maxsize=4_096)
def _stores(code: CodeType) -> bool:
    """Whether code looks as if it changed something that is not its own: by what it does, or by what it calls."""
    for step in get_instructions(code):
        if step.opname in _STORING or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars):
            return True
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return not _CHANGING.isdisjoint(code.co_names) or any(map(_stores, inner))


def _leads_outside(value: Any) -> str:
    """The module of Python's that a value is, or belongs to, if it is not known to be harmless; else empty."""
    if isinstance(value, ModuleType):
        module: str | None = value.__name__
    elif isinstance(value, BuiltinFunctionType) and not isinstance(value.__self__, (ModuleType, type)):
        return f"{type(value.__self__).__name__}.{value.__name__}"
    elif isinstance(value, (BuiltinFunctionType, FunctionType, type)):
        module = value.__module__
    else:
        return ""
    return str(module) if _is_outside(module) else ""


def _is_outside(module: str | None) -> bool:
    return module is not None and _foreign(module) and module.partition(".")[0].lstrip("_") not in _HARMLESS


@lru_cache(maxsize=4_096)
def _asks_around(code: CodeType) -> tuple[str, ...]:
    """What code names that leads anywhere, and imports from modules that are not known to be harmless."""
    imported = [step.argval for step in get_instructions(code) if step.opname == "IMPORT_NAME"]
    named = [name for name in code.co_names if name in _LEADING]
    inner = [name for part in code.co_consts if isinstance(part, CodeType) for name in _asks_around(part)]
    return (*filter(_is_outside, imported), *named, *inner)


_LEFT_ALONE = {"logging", "numpy", "typing", "enum", "re", "abc"}
"""Modules of Python's whose objects keep books of their own."""
_HARMLESS = {
    "abc", "bisect", "builtins", "cmath", "collections", "copy", "dataclasses", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "math", "numbers", "operator", "re", "statistics", "string", "struct",
    "textwrap", "types", "typing", "zlib", "numpy", "hashlib", "contextlib", "weakref",
    "scipy", "sympy", "flint", "mpmath",
}  # fmt: skip
_WATCHED = {"random", "secrets", "time", "datetime", "uuid", "_random"}
"""Modules whose functions are refused where they are used; nothing else in them is changed."""
_LEADING = {
    "__import__", "import_module", "eval", "exec", "compile", "globals", "modules", "__self__", "__globals__",
    "__dict__", "__builtins__", "__subclasses__", "__base__", "__bases__", "__mro__", "methodcaller", "attrgetter",
    "_getframe", "vars",
}  # fmt: skip
"""Names by which code gets at anything."""
_STORING = {
    "STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_SUBSCR", "DELETE_SUBSCR", "IMPORT_NAME",
    "YIELD_VALUE",
}  # fmt: skip
_CHANGING = {
    "append", "appendleft", "extend", "extendleft", "insert", "remove", "pop", "popleft", "popitem", "clear", "reverse",
    "sort", "rotate", "update", "setdefault", "add", "discard", "difference_update", "intersection_update",
    "next", "setattr", "delattr", "__setattr__", "__dict__", "vars", "globals", "locals", "exec", "eval", "__import__",
    "import_module", "send", "write", "open", "super", "setitem", "delitem", "iadd", "ior", "iconcat", "heappush",
    "heappop", "heapreplace", "heappushpop", "heapify", "insort", "insort_left", "insort_right", "subtract",
    "move_to_end", "symmetric_difference_update", "__setitem__", "__delitem__", "__iadd__", "__ior__", "__ixor__",
    "__iand__", "__isub__", "__imul__", "__init__", "__next__", "seed", "shuffle", "setstate", "fill", "put", "itemset",
    "resize", "setflags", "cache_clear", "reduce",
}  # fmt: skip
_OF_PYTHON = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__dataclass_fields__",
    "__dataclass_params__", "__match_args__", "__abstractmethods__", "_abc_impl", "__orig_bases__", "__parameters__",
    "__slotnames__",
}  # fmt: skip
"""Attributes of a class that Python keeps for itself."""
_NOT_ASKED = {"__init__", "__post_init__", "__setattr__", "__delattr__", "__repr__", "__eq__", "__hash__", "__new__"}
"""Methods that an audit does not call, or that say what a value is."""
_MARKED = (
    *_LEAVES, Enum, list, tuple, dict, set, frozenset, deque, range, FunctionType,
    MethodType, BuiltinFunctionType, ModuleType, staticmethod, classmethod, property, partial, type,
    WrapperDescriptorType, MethodDescriptorType, GetSetDescriptorType, MemberDescriptorType, MethodWrapperType,
    GenericAlias,
)  # fmt: skip


def _foreign(module: str | None) -> bool:
    """Whether a module is Python's own or another package's, which are not looked into."""
    top = str(module).partition(".")[0]
    if top == "__main__":
        return False
    if top in sys.stdlib_module_names or top.startswith("_cython_"):  # what compiled libraries share has no file
        return True
    file = getattr(sys.modules.get(str(module)), "__file__", None) or ""
    return "site-packages" in file


_OF_OTHERS: dict[str, ModuleType] = {}
"""Modules that were seen to be Python's own, another package's or ours, by name: there are thousands of them."""


def _modules_of_users() -> list[ModuleType]:
    """All loaded modules but those of Python, of other packages and of dpcert."""
    users = []
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and _OF_OTHERS.get(name) is not module:
            if _foreign(name) or module.__name__.partition(".")[0] == _OURS:
                _OF_OTHERS[name] = module
            else:
                users.append(module)
    return users


class _Names:
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
        if not isinstance(other, _Names):
            return False
        same = self._names == other._names and self._sizes == other._sizes
        return (same and all(map(operator.is_, self._values, other._values))) or self.by_name() == other.by_name()

    __hash__ = None  # type: ignore[assignment]


def _mark(value: Any) -> Any:
    """What tells a value from another one at the same place; of what is looked into, its kind and what it holds."""
    if isinstance(value, (dict, *_CONTAINERS)):
        return type(value), place_of(value), _Contents(value)
    try:
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
        if hasattr(type(value), "__next__"):
            return repr(value) if type(value).__module__ == "itertools" else _of_iterator(value)
        if isinstance(value, ContextVar):
            return place_of(value.get(None))
        if hasattr(value, "bit_generator") or isinstance(getattr(value, "state", None), dict):
            return str(getattr(value, "bit_generator", value).state)
        if hasattr(value, "get_state"):
            return str(value.get_state())
        if hasattr(value, "__dict__") and not isinstance(value, Enum):  # its attributes have places of their own
            return type(value), place_of(value)
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
    return not _looked(one) and not _looked(other) and bool(held(one, copying=True) == held(other, copying=True))


def _of_frame(frame: FrameType) -> Any:
    """How far a generator is, and what its names stand for."""
    return frame.f_lasti, {n: v if type(v) in PLAIN else place_of(v) for n, v in frame.f_locals.items()}


def _of_iterator(value: Any) -> Any:
    """How far a built-in iterator is, and over what: that is handed out in containers made anew."""
    _, given, *at = value.__reduce__()
    return tuple(map(_gone_through, given)), tuple(map(_gone_through, at)), operator.length_hint(value)


def _gone_through(part: Any) -> Any:
    if type(part) in PLAIN or isinstance(part, range):
        return part
    return _Contents(part) if isinstance(part, (dict, *_CONTAINERS)) else _mark(part)


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of places whose value is another one, or that came or went, in order."""
    for name in before.keys() | after.keys():
        one, other = (marks.get(name) for marks in (before, after))
        if isinstance(one or other, _Names) and one != other:  # a place with a mark of its own keeps that
            before, after = _spread_out(one) | before, _spread_out(other) | after
    names = [name for name in dict.fromkeys([*before, *after]) if before.get(name, _NONE) != after.get(name, _NONE)]
    return [name for name in names if not isinstance(before.get(name, after.get(name)), _Names)]


def _spread_out(names: _Names | None) -> dict[str, Any]:
    return {} if names is None else names.by_name()


_NONE = object()
