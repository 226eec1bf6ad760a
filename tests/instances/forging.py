"""Code whose classes look like records and are none, or tell more than their fields: none of its states are one."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, NamedTuple

from instances.keeping import Keeps
from instances.recording import Item, Point


@dataclass
class Liar:
    """Equal as it likes."""

    one: Any

    def __eq__(self, other: object) -> bool:
        return bool(self.one)


@dataclass(eq=False)
class Borrowed:
    """Equal as points are, which have another number."""

    first: Any = 0
    __eq__ = Point.__eq__


@dataclass
class Shown:
    """With a text of its own."""

    one: Any

    def __repr__(self) -> str:
        return "shown"


@dataclass(eq=False)
class Hashed:
    """With a hash of its own."""

    one: Any

    def __hash__(self) -> int:
        return 1


@dataclass
class Popping:
    """Made of what a list held last."""

    one: Any
    other: Any = field(default_factory=[3, 2, 1].pop)


class Swapped:
    """Whose slots have changed places."""

    __slots__ = ("one", "other")


Swapped.one, Swapped.other = vars(Swapped)["other"], vars(Swapped)["one"]  # type: ignore[attr-defined]


class Covered:
    """One slot has the name of the other as well, and the other none."""

    __slots__ = ("one", "other")


Covered.again = vars(Covered)["one"]  # type: ignore[attr-defined]
del Covered.other  # type: ignore[attr-defined]


class Crossed(NamedTuple):
    """Whose items have changed places."""

    one: Any
    other: Any


Crossed.one, Crossed.other = vars(Crossed)["other"], vars(Crossed)["one"]

Forged: Any = namedtuple("Forged", ("one", "other"))
LAST: list[Any] = [0]


def remembered(kind: type, items: tuple[Any, ...]) -> Any:
    """Notes what it makes."""
    LAST[0] = items[0]
    return tuple.__new__(kind, items)


Forged.__new__ = FunctionType(Forged.__new__.__code__, {"_tuple_new": remembered, "__builtins__": {}}, "__new__")


class Heir(Item):
    """Has attributes as well."""


class Masked:
    """Shows other attributes than it has."""

    def __init__(self, one: Any) -> None:
        self.one = one

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return {}


class OfForgery(Keeps):
    """Whether something is kept that is no record."""

    def make(self, u: int) -> Any:
        raise NotImplementedError

    def keep(self, u: int) -> Any:
        return self.make(u)

    def read(self) -> Any:
        return self.kept.one


def forging(make: Any) -> Any:
    """A class that keeps such a thing."""
    return type(f"Forging{make.__name__}", (OfForgery,), {"make": lambda _, u: make(u), "__module__": __name__})


def slots(kind: Any) -> Any:
    """Keeps an object of slots, made empty."""

    def make(u: int) -> Any:
        kept = kind()
        kept.one = u
        return kept

    make.__name__ = kind.__name__
    return forging(make)


def renewed(kind: Any) -> Any:
    """Keeps an object of two items."""

    def make(u: int) -> Any:
        return kind(u, 1)

    make.__name__ = kind.__name__
    return forging(make)


class AnyClass(Keeps):
    """Calls `super()` by a class that it has put there."""

    def keep(self, u: int) -> Any:
        nonlocal_class = __class__  # type: ignore[name-defined]
        return [nonlocal_class, u]

    def read(self) -> Any:
        return self.kept[1]


class KeptSuper(Keeps):
    """Keeps what `super()` gives."""

    def keep(self, u: int) -> Any:
        return [super(), u]

    def read(self) -> Any:
        return self.kept[1]


class ByName(Keeps):
    """Begins the generator anew, by the name that `super()` may be asked for."""

    def keep(self, u: int) -> Any:
        self.rng.__init__(self.rng)  # type: ignore[misc]
        return u


class Says:
    """What a field is said to be."""

    name, init, default = "__sizeof__", True, None
    _field_type: Any = None


class SaysItself:
    """Says of itself what its fields are, so that a copy gets more than anybody could name."""

    __dataclass_fields__ = {"one": Says()}  # noqa: RUF012 - what it is about

    def __init__(self, **more: Any) -> None:
        self.one = more


class Copied(Keeps):
    def keep(self, u: int) -> Any:
        return replace(SaysItself(), one=u)  # type: ignore[type-var]

    def read(self) -> Any:
        return len(self.kept.one)


class Renames(Keeps):
    """Lets `super` give the generator for a while, and begins it anew."""

    def give(self) -> Any:
        return self.rng

    def keep(self, u: int) -> Any:
        global super
        super = self.give
        kept = super().getrandbits(1)
        del super
        return kept + u


NAMES: dict[str, Any] = {"__name__": "names_of_its_own"}
exec(  # a namespace that its functions can reach as a dictionary
    "def change(u):\n    NAMES['told'] = u\ndef told():\n    return NAMES.get('told', 0)\nNAMES = {}\n", NAMES
)
NAMES["NAMES"] = NAMES
del NAMES["__builtins__"]
change, told = NAMES["change"], NAMES["told"]


class ByNames(Keeps):
    def keep(self, u: int) -> Any:
        change(u)
        return 0

    def read(self) -> Any:
        return told()


FORGED = [
    Copied, Renames, ByNames,
    *map(forging, (Liar, Shown, Hashed, Popping, Heir, Masked)), *map(slots, (Borrowed, Swapped, Covered)),
    *map(renewed, (Crossed, Forged)), AnyClass, KeptSuper, ByName,
]  # fmt: skip
"""What looks like a record, and is none."""
