"""The way through all that can be reached from what code keeps, once each, in an order that no address decides."""

from abc import ABCMeta
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import EnumType
from types import CodeType, FunctionType, ModuleType
from typing import Any

from dpcert.audit.outside.watching import original, place_of
from dpcert.audit.scripted.readable import (
    KNOWN_ATTRIBUTES,
    MODULE,
    OF_MODULES,
    SPACE,
    Origin,
    attributes_named,
    globals_read,
    is_changeable,
    origin_of,
    origin_of_class,
    origin_of_function,
    unreadable,
)
from dpcert.audit.scripted.unknown import Unknown

MOST_OBJECTS = 20_000
"""Objects that a state is made of past which it has no form."""


@dataclass
class Lasting:
    """What no run makes anew (functions of libraries, compiled code): a number each, from the first time on.

    All of it is kept, so that nothing else comes to stand where it does.
    """

    _numbers: dict[int, tuple[int, Any]] = field(default_factory=dict)
    _spaces: dict[int, tuple[Any, dict[str, Any]]] = field(default_factory=dict)

    def number(self, value: Any) -> int:
        """Which of these objects it is."""
        known = self._numbers.setdefault(place_of(value), (len(self._numbers), value))
        return known[0]

    def unchanged(self, owner: Any, space: Any) -> None:
        """Keeps the names of a library's module or class. Raises: Unknown: they are others than the first time."""
        _, before = self._spaces.setdefault(place_of(owner), (owner, dict(space)))
        if len(space) != len(before) or any(before.get(name, before) is not value for name, value in space.items()):
            raise Unknown(f"{getattr(owner, '__name__', 'a library')} was changed")


@dataclass
class Traversal:
    """One way through what can be reached, depth first, everything once."""

    lasting: Lasting
    form_of: "Callable[[type], Callable[[Traversal, Any], None]]"
    generator: Any
    atoms: list[Any] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    spaces: dict[int, int] = field(default_factory=dict)
    names: set[tuple[int, str]] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    libraries: list[ModuleType] = field(default_factory=list)

    def add(self, value: Any) -> None:
        """Adds a value, and all that is inside; of what came before, only which it was."""
        if value is None or value is True or value is False or value is ...:
            self.atoms.append(repr(value))
        elif not self.seen(value):
            self.form_of(type(value))(self, value)

    def seen(self, value: Any) -> bool:
        """Whether it came before, which is then added; else it is the next one."""
        number = self.numbers.get(place_of(value))
        if number is not None:
            self.atoms += ("seen", number)
            return True
        if len(self.kept) >= MOST_OBJECTS:
            raise Unknown(f"it has more than {MOST_OBJECTS} parts (MOST_OBJECTS)")
        self.numbers[place_of(value)] = len(self.kept)
        self.kept.append(value)
        return False

    def fixed(self, value: Any, what: str = "fixed") -> None:
        """Adds what no run makes anew, by its number."""
        self.atoms += (what, self.lasting.number(value))

    def all(self, what: str, values: Iterable[Any]) -> None:
        """Adds what these are parts of, how many, and each of them."""
        listed = list(values)
        self.atoms += (what, len(listed))
        for value in listed:
            self.add(value)

    def named(self, what: str, items: Iterable[tuple[str, Any]]) -> None:
        """The same with a name before each."""
        listed = list(items)
        self.atoms += (what, len(listed))
        for name, value in listed:
            self.atoms.append(name)
            self.add(value)

    def code(self, code: CodeType, space: dict[str, Any]) -> None:
        """Adds code, its constants, and what it can read by name. Raises: Unknown: it may read more."""
        why = unreadable(code)
        if why:
            raise Unknown(why)
        self.fixed(code, "code")
        self._constants(code)
        self.space(space)
        for name in globals_read(code):
            self._global(name, space)
        self.atoms.append("end")
        self.attributes.update(attributes_named(code))

    def _constants(self, code: CodeType) -> None:
        """Adds which constants are the very objects that stand elsewhere too."""
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._constants(constant)
            else:
                self.add(constant)

    def space(self, space: dict[str, Any]) -> None:
        """Adds which namespace it is, and whether it stands somewhere as a dictionary."""
        number = self.spaces.setdefault(place_of(space), len(self.spaces))
        self.atoms += ("space", number, self.numbers.get(place_of(space), -1))

    def _global(self, name: str, space: dict[str, Any]) -> None:
        """Adds what a name stands for in a namespace, once."""
        place = place_of(space), name
        if place in self.names or name not in space:
            return
        self.names.add(place)
        self.atoms += ("global", name)
        self.add(original(space[name]))

    def function(self, function: FunctionType) -> None:
        """Adds a function: its code, what it closes over, its defaults and attributes."""
        origin = origin_of_function(function)
        if origin is Origin.OURS:
            self._ours(function)
            return
        if origin is Origin.UNKNOWN:
            raise Unknown(f"it leads to {function.__module__}.{function.__qualname__}")
        self.atoms += ("function", function.__name__, function.__qualname__)
        if origin is Origin.USERS:
            self.code(function.__code__, function.__globals__)
        else:
            self.fixed(function.__code__, "code")
        if origin is Origin.USERS or function.__globals__["__name__"] not in _GUARDS_OF_REPR:
            self.all("closure", function.__closure__ or ())
        self.all("defaults", (function.__defaults__, function.__kwdefaults__))
        self.named("attributes", vars(function).items())

    def behind_libraries(self) -> None:
        """Adds modules and classes behind the libraries that were met, where code has names that lead there."""
        for module in self.libraries:  # which grows meanwhile
            for name in sorted(self.attributes & vars(module).keys()):
                behind = vars(module)[name]
                is_module = type(behind) is ModuleType and origin_of(behind.__name__, behind) is Origin.LIBRARY
                if is_module or (type(behind) in METACLASSES and origin_of_class(behind) is Origin.LIBRARY):
                    self.add(behind)

    def _ours(self, function: FunctionType) -> None:
        """A guard before a source, a function of math that knows draws, or a call of the generator."""
        inner = original(function)
        inner = vars(function).get("__wrapped__") if inner is function else inner
        if inner is not None:
            self.add(inner)
        elif function.__module__.startswith(_GENERATORS):
            self.fixed(function.__code__, "code")
        else:
            raise Unknown(f"it leads to {function.__module__}.{function.__qualname__}")

    def module(self, module: ModuleType) -> None:
        """Adds a module: one of a library by its number, one of a user's with all its names."""
        space = vars(module)
        name = space.get("__name__")
        origin = origin_of(name, module)
        if origin is Origin.LIBRARY:
            self.lasting.unchanged(module, space)
            self.fixed(module)
            self.libraries.append(module)
        elif origin is Origin.USERS and type(module) is ModuleType:
            self.atoms.append("module")
            self.space(space)
            for attribute in list(space):
                if attribute not in OF_MODULES:
                    self._global(attribute, space)
            self.atoms.append("end")
        else:
            raise Unknown(f"it leads to {name}")

    def kind(self, kind: Any) -> None:
        """Adds a class: one of a library by its number, one of a user's with its bases and attributes."""
        origin = origin_of_class(kind)
        if origin is Origin.UNKNOWN:
            raise Unknown(f"it leads to a class of {MODULE.__get__(kind)}")
        space = SPACE.__get__(kind)
        if origin is not Origin.USERS:
            if origin is Origin.LIBRARY and is_changeable(kind):
                self.lasting.unchanged(kind, space)
            self.fixed(kind)
            return
        if type(kind) not in METACLASSES:
            raise Unknown("a class is made by a metaclass")
        if "__del__" in space:
            raise Unknown(f"{kind.__qualname__} has __del__")
        self.atoms += ("class", kind.__name__, kind.__qualname__, str(kind.__module__))
        self.fixed(type(kind))
        self.all("bases", kind.__bases__)
        self.named("attributes", [(n, original(v)) for n, v in space.items() if n not in KNOWN_ATTRIBUTES])


METACLASSES = {type, ABCMeta, EnumType}
"""Classes of classes that are told apart as objects."""
_GUARDS_OF_REPR = {"dataclasses", "reprlib"}
"""Modules whose functions close over a set of what they are in the middle of, which is empty outside of them."""
_GENERATORS = "dpcert.audit.scripted.generators"
