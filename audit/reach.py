"""What a mechanism's code can reach: its attributes, its class, globals, closures and defaults of its functions.

It is looked at before an audit and after it: what has changed outlives a round, and may decide what a later one
releases.
"""

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from dis import get_instructions
from enum import Enum
from fractions import Fraction
from functools import partial
from inspect import unwrap
from types import (
    BuiltinFunctionType,
    CodeType,
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

from dpcert.audit.identity import PLAIN, Held, held
from dpcert.audit.pmf import Pmf

MOST_PLACES = 5_000
"""Places looked at past which the rest is not: an audit says so."""
MOST_ITEMS = 1_000
"""Items of one container looked at."""
_LEAVES = (*PLAIN, bool, Pmf, Held)
_OURS = "dpcert"


@dataclass
class Reach:
    """Every place that was met.

    Attributes:
        values: What stands there, by name.
        globals: (namespace, name) of each global that the code reads.
        code: Every function's code.
        complete: False where there were more than MOST_PLACES.
    """

    values: dict[str, Any] = field(default_factory=dict)
    globals: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    code: list[CodeType] = field(default_factory=list)
    complete: bool = True

    @property
    def looks_quiet(self) -> bool:
        """Whether all that was met can be marked, and no function looks as if it changed anything.

        A guess that saves work: what has changed all the same shows in the marks.
        """
        known = all(
            isinstance(value, _MARKED) or not _foreign(type(value).__module__) for value in self.values.values()
        )
        return self.complete and known and not any(map(_stores, self.code))

    def marks(self) -> dict[str, Any]:
        """What tells the value at each place from another one."""
        return {name: _mark(value) for name, value in self.values.items()}


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
        found.values.setdefault(name, value)
        if type(value) in _LEAVES or id(value) in seen:
            continue
        seen.add(id(value))
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
        yield from ((name, value.func), (f"{name} arguments", (value.args, value.keywords)))
    elif isinstance(value, type):
        yield from _of_class(value)
    elif isinstance(value, dict):
        for n, (key, item) in enumerate(list(value.items())[:MOST_ITEMS]):
            yield from ((f"{name} key {n}", key), (f"{name}[{n}]", item))
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        yield from ((f"{name}[{n}]", item) for n, item in enumerate(list(value)[:MOST_ITEMS]))
    elif not isinstance(value, (ModuleType, BuiltinFunctionType)):
        yield from _of_object(name, value)


def _of_object(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    kind = type(value)
    if _foreign(kind.__module__):
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None:
            yield name, wrapped
        return
    ours = kind.__module__.partition(".")[0] == _OURS
    own = getattr(value, "__dict__", {})
    for attribute, part in list(own.items()):
        if not (ours and attribute.startswith("_")):
            yield f"{name}.{attribute}", part
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
            yield f"{module.__name__}.{read}", vars(module)[read]


def _names(code: CodeType) -> list[str]:
    """Every name that code and the code inside it reads from somewhere else."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= dict.fromkeys(_names(constant))
    return list(names)


def _stores(code: CodeType) -> bool:
    """Whether code looks as if it changed something that is not its own: by what it does, or by what it calls."""
    for step in get_instructions(code):
        if step.opname in _STORING or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars):
            return True
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return not _CHANGING.isdisjoint(code.co_names) or any(map(_stores, inner))


_STORING = {
    "STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_SUBSCR", "DELETE_SUBSCR", "IMPORT_NAME",
    "YIELD_VALUE",
}  # fmt: skip
_CHANGING = {
    "append", "appendleft", "extend", "extendleft", "insert", "remove", "pop", "popleft", "popitem", "clear", "reverse",
    "sort", "rotate", "update", "setdefault", "add", "discard", "difference_update", "intersection_update",
    "next", "setattr", "delattr", "__setattr__", "__dict__", "vars", "globals", "locals", "exec", "eval", "__import__",
    "import_module", "send", "write", "open", "super",
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
    *_LEAVES, float, complex, Fraction, Decimal, Enum, list, tuple, dict, set, frozenset, deque, range, FunctionType,
    MethodType, BuiltinFunctionType, ModuleType, staticmethod, classmethod, property, partial, type,
    WrapperDescriptorType, MethodDescriptorType, GetSetDescriptorType, MemberDescriptorType, MethodWrapperType,
    GenericAlias,
)  # fmt: skip


def _foreign(module: str | None) -> bool:
    """Whether a module is Python's own or another package's, which are not looked into."""
    top = str(module).partition(".")[0]
    if top == "__main__":
        return False
    if top in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(str(module)), "__file__", None) or ""
    return "site-packages" in file


def _mark(value: Any) -> Any:
    """What tells a value from another one at the same place; of what is looked into, its kind and size."""
    if isinstance(value, (list, tuple, dict, set, frozenset, deque)):
        return type(value), len(value), id(value)
    try:
        if hasattr(value, "cache_info"):
            return str(value.cache_info())
        if hasattr(value, "getstate"):
            return hash(value.getstate())
        if hasattr(value, "gi_frame"):
            return None if value.gi_frame is None else value.gi_frame.f_lasti
        if hasattr(value, "bit_generator"):
            return str(value.bit_generator.state)
        if hasattr(value, "__dict__") and not isinstance(value, Enum):  # its attributes have places of their own
            return type(value), id(value)
        return held(value, copying=True)
    except Exception:  # noqa: BLE001 - a foreign object may raise anything; where it stands is its mark then
        return type(value), id(value), repr(value) if type(value).__module__ == "itertools" else ""


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of places whose value is another one, or that came or went, in order."""
    return [name for name in dict.fromkeys([*before, *after]) if before.get(name, _NONE) != after.get(name, _NONE)]


_NONE = object()
