"""Code that keeps something in records: dataclasses, named tuples and slots."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
