"""What a mechanism's code can reach: its attributes, its class, globals, closures and defaults of its functions.

It is looked at before an audit and after it: what has changed outlives a round, and may decide what a later one
releases.
"""

import decimal
import sys
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, partial
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

from dpcert.audit.layout import NO_ATTRIBUTES, attributes_of, is_a, members_of
from dpcert.audit.outside.beyond import (
    OURS,
    WATCHED,
    asks_around,
    is_foreign,
    is_of_users,
    is_of_users_class,
    is_of_users_space,
    is_read,
    leads_outside,
    look_into_home,
    modules_of_users,
)
from dpcert.audit.outside.code_names import IN_PLACE, asked_of, imported_by, in_place, makes_up_names, names_of, stores
from dpcert.audit.outside.guards import guarded_sources, original, place_of
from dpcert.audit.outside.marks import Names, mark_of
from dpcert.audit.outside.of_libraries import Libraries, is_of_library, is_users, named_by
from dpcert.audit.outside.put_there import builtin_of_users
from dpcert.audit.outside.settings import drawn, settings
from dpcert.audit.outside.states import (
    CONTAINERS,
    LEAVES,
    OF_ITEMS_ALONE,
    flags_of,
    has_identity,
    held_by,
    is_looked_into,
    items_of,
    values_of,
)

MOST_PLACES = 20_000
"""Places looked into, past which the rest is not: what has changed is not known then. Numbers, texts and laws in a
container are no places of their own."""


@dataclass(eq=False, repr=False)
class Reach:
    """Every place that was met.

    Attributes:
        values: What stands there, by name.
        globals: (namespace, name) of each global that the code reads.
        code: Every function's code, but that of methods that make or tell a value.
        making: The code of those.
        complete: False where there were more than MOST_PLACES.
        read: The names in `values` of the globals that the code reads.
        remembered: The names in `values` of what a cached property remembers, and that.
        of_libraries: The names in `values` of what code has a name for in libraries.
        setting: Functions of libraries that set what nobody can look at.
    """

    values: dict[str, Any] = field(default_factory=dict)
    globals: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    code: list[CodeType] = field(default_factory=list)
    making: list[CodeType] = field(default_factory=list)
    complete: bool = True
    read: set[str] = field(default_factory=set)
    remembered: dict[str, Any] = field(default_factory=dict)
    of_libraries: set[str] = field(default_factory=set)
    setting: list[str] = field(default_factory=list)

    @property
    def looks_quiet(self) -> bool:
        """Whether all that was met can be marked, and no function looks as if it changed anything.

        A guess that saves work: what has changed all the same shows in the marks.
        """
        known = all(is_a(value, _MARKED) or not is_foreign(type(value).__module__) for value in self.values.values())
        seen = self.complete and known and not self.looks_outside and not self.unread
        return seen and not any(map(stores, self.code)) and not self._changed_in_place

    @property
    def _changed_in_place(self) -> bool:
        """Whether code has a sign that changes a container for all who have it, and can reach such a one."""
        signs = frozenset[str]().union(*map(in_place, self.code))
        kinds = tuple(kind for kind, of_kind in IN_PLACE.items() if of_kind & signs)
        return bool(kinds) and any(is_a(value, kinds) for value in self.values.values())

    @cached_property
    def looks_outside(self) -> bool:
        """Whether code calls, or can get at, functions of Python's of which it is not known that they are harmless."""
        return bool(self._outside)

    @cached_property
    def _outside(self) -> list[str]:
        """The modules of such functions, and names that lead anywhere."""
        held = map(leads_outside, self.values.values())
        named = map(asks_around, self.code)
        leading = (*held, *(name for names in named for name in names), *self.setting)
        return [name for name in dict.fromkeys(leading) if name]

    @property
    def unseen(self) -> str:
        """Why not all that code can change is seen here; empty where it is."""
        if not self.complete:
            return f"it leads to more than MOST_PLACES = {MOST_PLACES} places"
        beyond = next((name for name in self._outside if name not in WATCHED), "") or self.unread
        return f"its code leads to {beyond}, which cannot be looked into" if beyond else ""

    @cached_property
    def unread(self) -> str:
        """The class of an object of which not all that may change can be read; empty where there is none."""
        kinds = (type(value) for value in self.values.values() if not is_read(value))
        return next((f"{kind.__module__}.{kind.__qualname__}" for kind in kinds), "")

    @property
    def modules(self) -> list[ModuleType]:
        """The user's modules in which the code, or a class, was written."""
        kinds = {str(v.__module__) for v in self.values.values() if is_a(v, type)}
        kinds |= {str(type(v).__module__) for v in self.values.values()}
        kinds |= {str(space.get("__name__")) for space, _ in self.globals}
        users = filter(is_of_users, sorted(kinds))
        return [sys.modules[name] for name in users if name in sys.modules]

    def marks(self) -> dict[str, Any]:
        """What tells the value at each place from another one, and what there is once in a process."""
        return self._of_process() | {name: mark_of(value) for name, value in self.values.items()}

    def _of_process(self) -> dict[str, Any]:
        """Marks of what code may change wherever it stands: the names of modules, the environment, settings."""
        spaces = {place_of(space): space for space, _ in self.globals}
        spaces |= {place_of(vars(v)): vars(v) for v in self.values.values() if is_a(v, ModuleType)}
        if self.looks_outside:
            spaces |= {place_of(vars(m)): vars(m) for m in modules_of_users()}
        sources = guarded_sources()
        marks: dict[str, Any] = {}
        for at, space in spaces.items():
            marks[f"{space.get('__name__', 'a module')} at {at}"] = Names(space, sources)
        return marks | settings() | drawn() | self._flags()

    def _flags(self) -> dict[str, Any]:
        """Marks of what calculations leave in contexts of decimal numbers, where code has a name for that."""
        if not any("flags" in asked_of(code) for code in self.code):
            return {}
        held = {name: value for name, value in self.values.items() if is_a(value, decimal.Context)}
        contexts = {"the context of decimal": decimal.getcontext(), **held}
        return {f"{name}.flags": flags_of(context) for name, context in contexts.items()}


def reach(mechanism: object) -> Reach:
    """Follows everything from a mechanism on, up to what belongs to Python, to other packages and to dpcert."""
    look_into_home(mechanism)
    places = Reach()
    numbers: set[int] = set()
    keep: list[Any] = []
    pending: deque[tuple[str, Any]] = deque([(type(mechanism).__name__, mechanism)])
    while pending or (pending := deque((*_by_way_of_modules(places), *_by_way_of_libraries(places)))):
        name, value = pending.popleft()
        if len(places.values) >= MOST_PLACES:
            places.complete = False
            break
        value = original(value)
        while name in places.values and places.values[name] is not value:
            name += "'"  # two places of one name
        places.values[name] = value
        if type(value) in LEAVES or place_of(value) in numbers:
            continue
        numbers.add(place_of(value))
        keep.append(value)
        with suppress(Exception):  # a foreign object may raise anything when it is looked into
            pending.extend(_inside(name, value, places))
    return places


def _by_way_of_modules(places: Reach) -> list[tuple[str, Any]]:
    """What code may read of users' modules that stand elsewhere than among its globals: by names that any of it has."""
    codes = (*places.code, *places.making)
    names = {"__getattr__": None} | {name: None for code in codes for name in asked_of(code)}
    made_up = any(map(makes_up_names, codes))
    loaded = (sys.modules.get(name) for code in codes for name in imported_by(code))
    met = [value for value in places.values.values() if is_a(value, ModuleType)]
    found = []
    for module in {place_of(one): one for one in (*met, *loaded) if is_a(one, ModuleType)}.values():
        if not is_of_users(module.__name__):
            continue
        every = {name: None for name in vars(module) if made_up and not name.startswith("__")}
        for name in names | every:
            place = f"{module.__name__}.{name}"
            if name in vars(module) and place not in places.read:
                places.globals.append((vars(module), name))
                places.read.add(place)
                found.append((place, vars(module)[name]))
    return found


def _by_way_of_libraries(places: Reach) -> list[tuple[str, Any]]:
    """What code may have left in libraries, or put on them: what stands there under names that any of it has."""
    libraries = Libraries(named_by(places.code, places.making))
    loaded = {name: sys.modules.get(name) for code in (*places.code, *places.making) for name in imported_by(code)}
    for value in (*places.values.values(), *loaded.values()):
        if is_a(value, ModuleType):
            if is_of_library(value.__name__):
                libraries.follow(value.__name__, value)
        elif type(value) not in LEAVES:
            kind = value if is_a(value, type) else type(value)
            libraries.follow(kind.__name__, kind)
    places.setting = libraries.setting
    found = [place for place in libraries.found if place[0] not in places.of_libraries]
    places.of_libraries.update(name for name, _ in found)
    return found


def _inside(name: str, value: Any, places: Reach) -> Iterator[tuple[str, Any]]:
    """The places inside a value, with their names."""
    kind = type(value)
    if kind in OF_ITEMS_ALONE:
        yield from _of_parts(name, value, kind)
    elif issubclass(kind, FunctionType):
        yield from _of_function(name, value, places)
    elif issubclass(kind, type):
        yield from _of_class(value)
    elif issubclass(kind, (BuiltinFunctionType, MethodWrapperType)):
        yield f"{name} of", value.__self__
    elif not issubclass(kind, ModuleType):
        yield from _of_parts(name, value, kind)
        yield from _of_object(name, value, places)


def _of_parts(name: str, value: Any, kind: type) -> Iterator[tuple[str, Any]]:
    """What a value of a built-in type, or of one made from that, holds beside attributes."""
    if issubclass(kind, dict):
        if issubclass(kind, defaultdict):
            yield f"{name} default", value.default_factory
        for n, (key, item) in enumerate(zip(items_of(value), values_of(value), strict=True)):
            yield from (
                (at, part) for at, part in ((f"{name} key {n}", key), (f"{name}[{n}]", item)) if is_looked_into(part)
            )
    elif issubclass(kind, CONTAINERS):
        yield from ((f"{name}[{n}]", item) for n, item in enumerate(items_of(value)) if is_looked_into(item))
    elif issubclass(kind, MethodType):
        yield from ((name, value.__func__), (f"{name} of", value.__self__))
    elif issubclass(kind, (staticmethod, classmethod)):
        yield name, value.__func__
    elif issubclass(kind, property):
        yield from ((name, part) for part in (value.fget, value.fset, value.fdel) if part is not None)
    elif issubclass(kind, partial):
        yield from ((name, value.func), (f"{name} arguments", value.args), (f"{name} keywords", value.keywords))
    elif issubclass(kind, BaseException):
        yield f"{name}.args", value.args
    else:
        yield from ((f"{name} holds {n}", part) for n, part in enumerate(held_by(value)) if is_looked_into(part))


def _of_object(name: str, value: Any, places: Reach) -> Iterator[tuple[str, Any]]:
    """What stands in a value's attributes and slots; and its class, where that is the user's."""
    kind = type(value)
    top = str(kind.__module__).partition(".")[0]
    ours = top == OURS
    foreign = not ours and not is_of_users_class(kind)
    if foreign:
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None:
            yield name, wrapped
        if attributes_of(value) is NO_ATTRIBUTES and has_identity(value):
            return
    for attribute, part in list((attributes_of(value) or {}).items()):
        place = f"{name}.{attribute}"
        if is_a(getattr(kind, attribute, None), cached_property):
            place += " (remembered)"  # the property stands in the class, under a name like this one
            places.remembered[place] = getattr(kind, attribute)
        if not (ours and attribute.startswith("_")):
            yield place, part
    for base in kind.__mro__:
        for slot, member in members_of(base).items():
            if not (ours and slot.startswith("_")):
                with suppress(AttributeError):  # nothing stands there
                    yield f"{name}.{slot}", member.__get__(value)
    if not (foreign or ours):
        yield kind.__name__, kind


def _of_class(kind: type) -> Iterator[tuple[str, Any]]:
    for base in kind.__mro__:
        own = is_of_users_class(base)
        for attribute, part in list(vars(base).items()):
            if attribute not in _OF_PYTHON and (own or is_users(part)):
                yield f"{base.__name__}.{attribute}", part
    for field_name, part in dict(vars(kind).get("__dataclass_fields__") or {}).items():
        if part.metadata:
            yield f"{kind.__name__}.{field_name}.metadata", part.metadata
    meta = type(kind)
    if is_of_users_class(meta):
        yield meta.__name__, meta


def _of_function(name: str, function: FunctionType, places: Reach) -> Iterator[tuple[str, Any]]:
    module = function.__globals__.get("__name__", "")
    if not is_of_users_space(function.__globals__):
        yield from ((f"{name}.{attribute}", part) for attribute, part in vars(function).items())
        yield from _of_closure(name, function)
        return
    (places.making if function.__name__ in _NOT_ASKED else places.code).append(function.__code__)
    inner = unwrap(function)
    if inner is not function:
        yield name, inner
    for n, default in enumerate((*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())):
        yield f"{name} default {n + 1}", default
    yield from _of_closure(name, function)
    for attribute, part in vars(function).items():
        yield f"{name}.{attribute}", part
    for global_name in names_of(function.__code__):
        if global_name in function.__globals__:
            places.globals.append((function.__globals__, global_name))
            value = function.__globals__[global_name]
            if global_name == "type" and getattr(value, "__module__", "").partition(".")[0] == OURS:  # the guard itself
                continue
            if is_a(value, ModuleType):
                yield from _of_module(value, function.__code__, places)
            yield f"{module}.{global_name}", value
        elif global_name == "type":  # not the user's own: a guard may take its place
            places.globals.append((function.__globals__, global_name))
        elif added := builtin_of_users(global_name):
            yield f"builtins.{global_name}", added[0]


def _of_closure(name: str, function: FunctionType) -> Iterator[tuple[str, Any]]:
    for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"{name} closure {free}", cell.cell_contents
        except ValueError:  # nothing there yet
            continue


def _of_module(module: ModuleType, code: CodeType, places: Reach) -> Iterator[tuple[str, Any]]:
    """What code may read of a user's module, and of another numbers, texts and what users have put there."""
    own = is_of_users(module.__name__)
    for name in names_of(code):
        if name not in vars(module):
            continue
        if not own:
            if type(vars(module)[name]) in LEAVES or is_users(vars(module)[name]):
                yield f"{module.__name__}.{name}", vars(module)[name]
        else:
            places.globals.append((vars(module), name))
            places.read.add(f"{module.__name__}.{name}")
            yield f"{module.__name__}.{name}", vars(module)[name]


_OF_PYTHON = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__dataclass_fields__",
    "__dataclass_params__", "__match_args__", "__abstractmethods__", "_abc_impl", "__orig_bases__", "__parameters__",
    "__slotnames__",
}  # fmt: skip
"""Attributes of a class that Python keeps for itself."""
_NOT_ASKED = {"__init__", "__post_init__", "__setattr__", "__delattr__", "__repr__", "__eq__", "__hash__", "__new__"}
"""Methods that an audit does not call, or that say what a value is."""
_MARKED = (
    *LEAVES, Enum, list, tuple, dict, set, frozenset, deque, range, FunctionType,
    MethodType, BuiltinFunctionType, ModuleType, staticmethod, classmethod, property, partial, type,
    WrapperDescriptorType, MethodDescriptorType, GetSetDescriptorType, MemberDescriptorType, MethodWrapperType,
    GenericAlias,
)  # fmt: skip
