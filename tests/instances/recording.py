"""Code that keeps something in records: dataclasses, named tuples, slots; and in what looks like such and is none."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, NamedTuple

from instances.keeping import Keeps


@dataclass
class Point:
    """Two numbers."""

    one: Any = 0
    other: Any = 0


@dataclass(frozen=True, order=True)
class Still:
    """The same, which stays as it is."""

    one: Any = 0
    other: Any = 0


@dataclass(frozen=True, slots=True)
class Narrow:
    """The same in slots."""

    one: Any
    other: Any = field(default_factory=list)


@dataclass
class Longer(Point):
    """With a third one, that is made of the others."""

    third: list[int] = field(default_factory=list, kw_only=True)

    def __post_init__(self) -> None:
        self.third.append(self.one)


class Item(NamedTuple):
    """Two numbers by their names."""

    one: Any = 0
    other: Any = 0

    def both(self) -> Any:
        return self.one, self.other


class Entry(NamedTuple):
    """The same under another name."""

    one: Any = 0
    other: Any = 0


class Slotted:
    """Two slots, of which one may be empty."""

    __slots__ = ("one", "other")

    def __init__(self, one: Any) -> None:
        self.one = one


class Wider(Slotted):
    """One more."""

    __slots__ = ("third",)

    def __init__(self, one: Any) -> None:
        super().__init__(one)
        self.third = [one]


class OfPoint(Keeps):
    def keep(self, u: int) -> Any:
        return Point(u, [0])

    def read(self) -> Any:
        return self.kept == Point(1, [0]), self.kept == Item(1, [0]), self.kept.one


class SharedPoints(Keeps):
    def keep(self, u: int) -> Any:
        point = Point()
        return point, point if u else Point()

    def read(self) -> Any:
        self.kept[0].one = 1
        return self.kept[1].one, self.kept[0] == self.kept[1]


class OfStill(Keeps):
    def keep(self, u: int) -> Any:
        return replace(Still(u), other=1)

    def read(self) -> Any:
        return self.kept < Still(1), self.kept == Still(1, 1), self.kept.other


class OfNarrow(Keeps):
    def keep(self, u: int) -> Any:
        return Narrow(0, [1]) if u else Narrow(0)

    def read(self) -> Any:
        return len(self.kept.other)


class OfLonger(Keeps):
    def keep(self, u: int) -> Any:
        return Longer(u, third=[3])

    def read(self) -> Any:
        return self.kept.third[1], self.kept == Point(1)


class EqualTypes(Keeps):
    """Equal, and of two types in it."""

    def keep(self, u: int) -> Any:
        return Point(True if u else 1.0)

    def read(self) -> Any:
        return isinstance(self.kept.one, float), self.kept == Point(1)


class OfItem(Keeps):
    def keep(self, u: int) -> Any:
        return Item(1) if u else Entry(1)

    def read(self) -> Any:
        return isinstance(self.kept, Item), self.kept == (1, 0), self.kept._replace(other=3)[1]


class Unpacked(Keeps):
    def keep(self, u: int) -> Any:
        return Item(u, other=[u])

    def read(self) -> Any:
        one, other = self.kept
        return one, other[0], self.kept.both()[0], sorted(self.kept._asdict())[0]


class OnDefaults(Keeps):
    def keep(self, u: int) -> Any:
        Item._field_defaults["one"] = u
        return 0

    def read(self) -> Any:
        return Item._field_defaults["one"]


class OnClassOfPoint(Keeps):
    """What stands in the class is what `one` says of a point that has none."""

    def keep(self, u: int) -> Any:
        Point.one = u
        return 0

    def read(self) -> Any:
        told, Point.one = Point.one, 0
        return told


class OfSlots(Keeps):
    def keep(self, u: int) -> Any:
        return Wider(u)

    def read(self) -> Any:
        return self.kept.one, self.kept.third[0]


class SharedInSlots(Keeps):
    def keep(self, u: int) -> Any:
        kept = Slotted([])
        kept.other = kept.one if u else []
        return kept

    def read(self) -> Any:
        self.kept.one.append(1)
        return len(self.kept.other)


class OfMethod(Keeps):
    def first(self) -> int:
        return 1

    def second(self) -> int:
        return 2

    def keep(self, u: int) -> Any:
        return self.first if u else self.second

    def read(self) -> Any:
        return self.kept(), self.kept == self.first


class OfStatic(Keeps):
    told = 0

    @staticmethod
    def noted(u: int) -> int:
        return u + 1

    @classmethod
    def tell(cls, u: int) -> None:
        cls.told = u

    def keep(self, u: int) -> Any:
        self.tell(self.noted(u))
        return 0

    def read(self) -> Any:
        told = self.told
        self.tell(0)
        return told


RECORDED = [
    OfPoint, SharedPoints, OfStill, OfNarrow, OfLonger, EqualTypes, OfItem, Unpacked, OnDefaults, OnClassOfPoint,
    OfSlots, SharedInSlots, OfMethod, OfStatic,
]  # fmt: skip
"""Plain records, all of which tell what was kept."""


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
