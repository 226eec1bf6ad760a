"""The way through all that can be reached from what code keeps, once each, in an order that no address decides."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

from dpcert.audit.errors import ArgumentError
from dpcert.audit.kernels.code_words import code_words
from dpcert.audit.layout import SPACE
from dpcert.audit.outside.guards import original, place_of
from dpcert.audit.scripted import generated
from dpcert.audit.scripted.readable import globals_read, is_users_class
from dpcert.audit.scripted.unknown import Unknown

MOST_OBJECTS = 20_000
"""Objects and items of arrays that a state is made of past which it has no form."""
KEPT_BY_PYTHON = {
    "__module__", "__doc__", "__dict__", "__weakref__", "__qualname__", "__annotations__", "__firstlineno__",
    "__slotnames__", "__static_attributes__",
}  # fmt: skip
"""Names in a class that Python keeps, and that plain code has no way to read."""


def _words(value: Any) -> str:
    """Code by all that it does, a class or a function by its name, anything else by its type."""
    if isinstance(value, CodeType):
        try:
            return hashlib.sha256("\n".join(code_words(value)).encode(errors="surrogatepass")).hexdigest()
        except ArgumentError as error:
            raise Unknown(str(error)) from None
    named = value if hasattr(value, "__name__") else type(value)
    return f"{type(value).__name__} {getattr(named, '__module__', '')} {getattr(named, '__qualname__', named.__name__)}"


@dataclass
class Lasting:
    """What no run makes anew (functions of libraries, compiled code): a number each, from the first time on.

    All of it is kept, so that nothing else comes to stand where it does.
    """

    _numbers: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._numbers)

    def words(self) -> tuple[str, ...]:
        """What each of these is, in words that are the same in every process. Raises: Unknown: it has none."""
        return tuple(_words(value) for _, value in self._numbers.values())

    def number(self, value: Any) -> int:
        """Which of these objects it is."""
        known = self._numbers.setdefault(place_of(value), (len(self._numbers), value))
        return known[0]


@dataclass
class Traversal:
    """One way through what can be reached, depth first, everything once."""

    lasting: Lasting
    form_of: "Callable[[type], Callable[[Traversal, Any], None]]"
    generator: Any
    unread: frozenset[tuple[type, str]] = frozenset()
    atoms: list[Any] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    spaces: dict[int, int] = field(default_factory=dict)
    attributes: set[int] = field(default_factory=set)
    names: set[tuple[int, str]] = field(default_factory=set)
    parts: int = 0

    def add(self, value: Any) -> None:
        """Adds a value, and all that is inside; of what came before, only which it was."""
        if value is None or value is True or value is False:
            self.atoms.append(repr(value))
        elif not self.seen(value):
            self.form_of(type(value))(self, value)

    def seen(self, value: Any) -> bool:
        """Whether it came before, which is then added; else it is the next one."""
        number = self.numbers.get(place_of(value))
        if number is not None:
            self.atoms += ("seen", number)
            return True
        self.count(1)
        self.numbers[place_of(value)] = len(self.kept)
        self.kept.append(value)
        return False

    def count(self, parts: int) -> None:
        """Raises: Unknown: with so many more there are too many."""
        self.parts += parts
        if self.parts > MOST_OBJECTS:
            raise Unknown(f"it has more than {MOST_OBJECTS} parts (MOST_OBJECTS)")

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
        """Adds code, its constants, and what it can read by name; whether that stands somewhere as a dictionary."""
        self.fixed(code, "code")
        self._constants(code)
        number = self.spaces.setdefault(place_of(space), len(self.spaces))
        self.atoms += ("space", number, self.numbers.get(place_of(space), -1))
        for name in globals_read(code):
            self._global(name, space)
        self.atoms.append("end")

    def _constants(self, code: CodeType) -> None:
        """Adds which constants are the very objects that stand elsewhere too."""
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._constants(constant)
            else:
                self.add(constant)

    def _global(self, name: str, space: dict[str, Any]) -> None:
        """Adds what a name stands for in a namespace, once."""
        place = place_of(space), name
        if place in self.names or name not in space:
            return
        self.names.add(place)
        self.atoms += ("global", name)
        self.add(original(space[name]))

    def function(self, function: FunctionType) -> None:
        """Adds a function: its code, what it closes over, and its defaults."""
        if generated.is_replace(function):
            self.fixed(function)
            return
        if vars(function):
            raise Unknown(f"something is kept on {function.__qualname__}")
        self.atoms.append("function")
        self.code(function.__code__, function.__globals__)
        self.all("closure", function.__closure__ or ())
        self.all("defaults", (function.__defaults__, function.__kwdefaults__))

    def kind(self, kind: Any) -> None:
        """Adds a class: one of Python's by its number, one of a user's with its bases and attributes."""
        if not is_users_class(kind):
            self.fixed(kind)
            return
        self.fixed(kind, "class")
        self.all("bases", kind.__bases__)
        written = generated.written(kind)
        for name, hangs in written.items():
            self.all(name, hangs)
        passed_over = KEPT_BY_PYTHON | generated.KEPT | written.keys()
        passed_over |= {name for own, name in self.unread if own is kind}
        self.named("attributes", [(n, original(v)) for n, v in SPACE.__get__(kind).items() if n not in passed_over])
