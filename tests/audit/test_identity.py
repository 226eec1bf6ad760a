"""Tokens: what is counted anywhere in a value makes another one of it, or the value has none."""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, cast
from uuid import UUID, SafeUUID

import numpy as np
import pytest
import sympy
from instances.holders import HOLDERS, Named

from dpcert.audit.errors import ArgumentError
from dpcert.audit.identity import held, same
from dpcert.audit.layout import written_in_c


@pytest.mark.parametrize("where", HOLDERS)
def test_what_counts_has_another_token_or_none(where: str) -> None:
    made, tick, _ = HOLDERS[where]
    holder, tokens = made(), []
    for _ in range(3):
        try:
            tokens.append(held(holder, copying=True))
        except ArgumentError:
            return
        tick(holder)
    if where not in OF_CLASSES:
        assert len(set(tokens)) == 3


OF_CLASSES = {"a named tuple's methods", "a slotted class"}
"""Where what counts is no part of the value, but of its class."""


@dataclass(frozen=True)
class Amount(Decimal):
    """A number that is a dataclass as well."""

    unit: str = ""


@dataclass(frozen=True, init=False)
class Day(date):
    """A date that is."""

    name: str = ""


class Stack(deque[int], Enum):
    """An enumeration of containers."""

    EMPTY = ()


@dataclass
class Table(OrderedDict[str, int]):
    """Entries and a field."""

    name: str = ""


@pytest.mark.parametrize("value", [Day(2026, 1, 1), Stack.EMPTY, Table(), ValueError("x")])
def test_what_holds_more_than_attributes_has_no_token(value: Any) -> None:
    with pytest.raises(ArgumentError, match="with an identity by type and value"):
        held(value, copying=True)


class Kept(float):
    """A number with a slot."""

    __slots__ = ("times",)


class Hidden(Kept):
    """One that answers something else under the slot's name."""

    times = property(lambda _: 0, lambda _, times: Kept.times.__set__(_, times))  # type: ignore[attr-defined]


def test_a_slot_that_a_class_below_hides_is_a_part() -> None:
    one, other = Hidden(1), Hidden(1)
    slot: Any = Kept.times
    slot.__set__(one, 1)
    slot.__set__(other, 2)
    assert not same(one, other)


def test_slots_that_a_class_does_not_tell_leave_it_without_a_token() -> None:
    made = type("Once", (float,), {"__slots__": iter(("times",))})
    with pytest.raises(ArgumentError, match="slots"):
        held(made(1))


class Planet(Enum):
    """Members that keep what they were made of."""

    EARTH = (1, 2)

    def __init__(self, mass: int, radius: int) -> None:
        self.mass, self.radius = mass, radius


class Level(IntEnum):
    """Numbers."""

    LOW = 1

    @classmethod
    def _missing_(cls, value: object) -> Any:
        made = int.__new__(cls, cast(int, value))
        made._name_, made._value_ = "OTHER", 0
        return made


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (defaultdict(int), defaultdict(list)),
        (defaultdict(int), defaultdict(None)),
        (Counter("ab"), Counter("abb")),
        (Planet.EARTH, Level.LOW),
        (Level.LOW, 1),
        (datetime(2026, 1, 1), date(2026, 1, 1)),
        (Fraction(1), 1),
        (Fraction(np.int64(1), np.int64(2)), Fraction(1, 2)),
        (UUID(int=1), UUID(int=1, is_safe=SafeUUID.safe)),
        (next(iter(tuple[int])), tuple[int]),
        (np.zeros((2, 2)), np.zeros((2, 2), order="F")),
        (np.zeros(1), np.broadcast_to(np.zeros(1), 1)),
        (np.dtype("i4", metadata={"x": 0}), np.dtype("i4", metadata={"x": 1})),
        (Level(7), Level(8)),
    ],
)
def test_different_values_have_different_tokens(one: Any, other: Any) -> None:
    assert same(one, one)
    assert not same(one, other)


def test_an_attribute_is_no_entry() -> None:
    plain, marked = OrderedDict(times=1), OrderedDict[str, int]()
    marked.times = 1  # type: ignore[attr-defined]
    assert not same(plain, marked)


def test_a_dictionary_that_is_filled_by_code_has_no_token() -> None:
    with pytest.raises(ArgumentError, match="default factory"):
        held(defaultdict(lambda: 0), copying=True)


@pytest.mark.parametrize(
    ("value", "part"), [(Amount("1"), Decimal), (Named(), dict), (Level.LOW, int), (Planet.EARTH, object)]
)
def test_what_is_written_in_c_is_found(value: Any, part: type) -> None:
    assert written_in_c(type(value)) is part


class Reply(int):
    """One that remembers a sum."""

    @cached_property
    def total(self) -> int:
        return 0


def test_what_a_cached_property_remembers_is_a_part() -> None:
    one, other = Reply(1), Reply(1)
    one.total, other.total = 0, 1  # type: ignore[misc]
    assert not same(one, other)
    assert same(one, one)


def test_parameters_of_a_class_are_told_apart() -> None:
    assert same(list[int], list[int])
    assert not same(list[int], list[str])
    assert not same(Sequence[int], Sequence[str])


def test_expressions_that_are_written_alike_have_no_token() -> None:
    x = sympy.Symbol("x")
    assert same(x + 1, 1 + x)
    for value in (sympy.Poly(x), sympy.Wild("w", exclude=[x])):
        with pytest.raises(ArgumentError, match="sympy"):
            held(value)


def test_a_value_that_cannot_be_copied_has_no_token() -> None:
    class Stuck(dict[str, int]):
        def __deepcopy__(self, memo: Any) -> Any:
            raise RuntimeError(memo)

    class Holder(int):
        pass

    one = Holder(1)
    one.kept = Stuck()  # type: ignore[attr-defined]
    with pytest.raises(ArgumentError):
        held(one, copying=True)


class Alike(type):
    """Classes of one name are equal."""

    def __eq__(cls, other: object) -> bool:
        return cls.__name__ == getattr(other, "__name__", "")

    def __hash__(cls) -> int:
        return hash(cls.__name__)


def test_a_class_that_equals_others_leaves_its_values_without_a_token() -> None:
    one, other = (dataclass(frozen=True)(Alike("Reply", (), {"text": text})) for text in "ab")
    for kind in (one, other):
        with pytest.raises(ArgumentError, match="what it equals"):
            held(kind())
