"""Which code may tell values and ask them for nothing, and which classes may leave what they have looked up."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import pytest

from dpcert.audit.outside.unasked import is_worked_out, may_tell_values


class Mark(Enum):
    """Two objects."""

    ONE, OTHER = range(2)


def told_none(x: Any) -> object:
    return x is None or (None, x) == (x, None) or x is not None


def asks_operation(x: Any) -> object:
    return (5).__eq__(x)


def asks_object(x: Any) -> object:
    return x is Mark.ONE


def asks_objects_within(x: Any) -> object:
    return [one for one in Mark if one is x]


def asks_made_up_name(x: Any) -> object:
    return [getattr(x, name) for name in ("real", "imag")]


def asks_text(x: Any) -> object:
    return eval("type(x)", {"x": x})


def has_pattern(x: Any) -> object:
    match x:
        case (True, _):
            return 1
    return 2


@pytest.mark.parametrize("code", [asks_operation, asks_object, asks_objects_within, asks_made_up_name, asks_text])
def test_code_that_may_tell_values_is_known(code: Callable[[Any], object]) -> None:
    assert may_tell_values(code.__code__)
    assert may_tell_values(has_pattern.__code__)
    assert not may_tell_values(told_none.__code__)


@dataclass(frozen=True, order=True)
class Plain:
    """Nothing but parts."""

    items: tuple[Any, ...] = ()


class Slots(NamedTuple):
    """The same."""

    items: tuple[Any, ...] = ()


def short(items: tuple[Any, ...]) -> bool:
    return len(items) < 9


@dataclass(frozen=True)
class Checked(Plain):
    """Looks whether it is one, and leaves nothing."""

    def __post_init__(self) -> None:
        if not short(self.items) or self.items.count(None) > self.most:
            raise ValueError

    @property
    def most(self) -> int:
        return 3


class Heir(Slots):
    """Made by code of its own."""

    def __new__(cls, items: tuple[Any, ...] = ()) -> "Heir":
        return super().__new__(cls, items)


@dataclass(frozen=True)
class Storing(Plain):
    """Stores what it works out."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", len(self.items))


def filled(one: Any) -> None:
    object.__setattr__(one, "size", 1)


@dataclass(frozen=True)
class ByFunction(Plain):
    """Has a function store it."""

    def __post_init__(self) -> None:
        filled(self)


@dataclass(frozen=True)
class ByMethod(Plain):
    """Has a method do so."""

    def __post_init__(self) -> None:
        self._fill()

    def _fill(self) -> None:
        filled(self)


class Filler:
    """Does so for others."""

    def fill(self, one: Any) -> None:
        filled(one)


FILLER = Filler()


@dataclass(frozen=True)
class ByOther(Plain):
    """Has somebody else do so."""

    def __post_init__(self) -> None:
        FILLER.fill(self)


@dataclass(frozen=True)
class ByPart(Plain):
    """Has a part do so."""

    def __post_init__(self) -> None:
        self.items[0].fill(self)


@dataclass
class ByHand:
    """Has its own way of being made."""

    items: Any

    def __init__(self, items: Any) -> None:
        self.items = items


@pytest.mark.parametrize("kind", [int, tuple, Plain, Slots, Checked])
def test_classes_that_leave_nothing_are_known(kind: type) -> None:
    assert not is_worked_out(kind)


@pytest.mark.parametrize("kind", [Heir, Storing, ByFunction, ByMethod, ByOther, ByPart, ByHand])
def test_classes_that_may_leave_something_are_known(kind: type) -> None:
    assert is_worked_out(kind)
