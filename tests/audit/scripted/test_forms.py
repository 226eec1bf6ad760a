"""Canonical forms of states: what behaves otherwise has another form or none, and what is the same has the same."""

import functools
import itertools
import math
import random
import threading
import weakref
from abc import ABC
from collections import Counter, OrderedDict, UserDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpcert.audit.identity import held
from dpcert.audit.scripted.forms import Forms
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.unknown import Unknown

FORMS = Forms()
BIG = 2**80


def form(*values: Any) -> tuple[Any, ...]:
    return FORMS.of(values, None)


class Plain:
    """An object with attributes."""

    def __init__(self, **own: Any) -> None:
        self.__dict__.update(own)


class Other(Plain):
    """The same under another name."""


class Lying(Plain):
    """Equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class Numbered(int):
    """A number with attributes."""


class Slotted:
    """Two slots, of which one may be empty."""

    __slots__ = ("first", "second")

    def __init__(self, **own: Any) -> None:
        for name, value in own.items():
            setattr(self, name, value)


@dataclass(frozen=True)
class Frozen:
    """A frozen dataclass."""

    one: int
    two: tuple[int, ...] = ()


class Named(NamedTuple):
    """A named tuple."""

    one: int
    two: str


class Colour(Enum):
    """An enumeration."""

    RED = 1


class Abstract(ABC):  # noqa: B024 - its class is what it is about
    """A class of the standard library's metaclass."""


class Concrete:
    """With two methods."""

    def answer(self) -> int:
        return 1

    def other(self) -> int:
        return 2


class Hiding:
    """Shows other attributes than it has."""

    def __init__(self, own: Any) -> None:
        object.__setattr__(self, "own", own)

    def __getattribute__(self, name: str) -> Any:
        raise AttributeError(name)


def aliased(value: Any) -> list[Any]:
    return [value, value]


def defaulted(kept: Any) -> Callable[..., Any]:
    def function(more: Any = kept) -> Any:
        return more

    return function


def noted(kept: Any) -> Callable[..., Any]:
    function = closing(0)
    function.kept = kept  # type: ignore[attr-defined]
    return function


def closing(kept: Any) -> Callable[[], Any]:
    return lambda: kept


def sharing(*, one_cell: bool) -> list[Any]:
    """Two closures, over one variable or over two."""

    def made() -> tuple[Callable[[], None], Callable[[], int]]:
        n = 0

        def add() -> None:
            nonlocal n
            n += 1

        return add, lambda: n

    first, second = made(), made()
    return [first[0], first[1] if one_cell else second[1]]


def counter_class(count: int) -> Any:
    class Counting:
        total = count

    return Counting()


def in_module(**names: Any) -> ModuleType:
    module = ModuleType("a_users_module")
    vars(module).update(names)
    return module


def reading_global(value: Any, kept: str = "GLOBAL") -> Any:
    """A function that reads a global of its own namespace."""
    space: dict[str, Any] = {"__name__": "a_users_module", kept: value}
    exec(READER, space)
    return space["read"]


READER = compile("def read():\n    return GLOBAL\n", "reader.py", "exec")


def in_space(*, beside: bool) -> list[Any]:
    """A function and the namespace that it reads, or a dictionary like it."""
    read = reading_global(1)
    space = read.__globals__
    del space["__builtins__"]
    return [read, space if beside else dict(space)]


def reordered() -> dict[str, int]:
    one = {"a": 1, "b": 2}
    one["a"] = one.pop("a")
    return one


def same_int(*, twice: bool) -> list[int]:
    number = int("9" * 30)
    return [number, number] if twice else [number, int("9" * 30)]


def own_attributes(*, first: str, second: str) -> Plain:
    made = Plain()
    setattr(made, first, 1)
    setattr(made, second, 1)
    return made


def cyclic(length: int) -> list[Any]:
    first: list[Any] = []
    last = first
    for _ in range(length - 1):
        last.append([])
        last = last[0]
    last.append(first)
    return first


APART: list[tuple[Any, Any]] = [
    (1, True), (1, 1.0), (True, 1.0), (0, False), (0.0, -0.0), (1, Fraction(1)), (1.0, np.float64(1)),
    ("a", b"a"), ((), []), ([1], (1,)), ({}, []), (None, False), (1, "0x1"), (range(3), range(0, 3, 2)), ("", b""),
    ([1, [2]], [[1], 2]), ([[], []], aliased([])), (same_int(twice=True), same_int(twice=False)),
    (Plain(a=1), Plain(a=True)), (Plain(a=1), Plain(b=1)), (Plain(), Other()),
    (Lying(a=1), Lying(a=2)), ({1: 0}, {True: 0}), ({"a": 1, "b": 2}, reordered()), ([0], [0, 0]), (deque(), []),
    (deque([1]), deque([1], 3)), (Slotted(first=1), Slotted(second=1)), (Slotted(first=None), Slotted()),
    (Frozen(1), Frozen(2)), (Named(1, "a"), (1, "a")), (Named(1, "a"), Named(1, "b")), (Hiding(1), Hiding(2)),
    (closing(1), closing(2)), (len, sum), (np.int64(0), np.float64(0)), (np.True_, np.int64(1)), (np.True_, True),
    (defaulted([]), defaulted([1])), (sharing(one_cell=True), sharing(one_cell=False)),
    (counter_class(1), counter_class(2)), (reading_global(1), reading_global(2)),
    (np.zeros(2), np.zeros(2, dtype=np.int64)), (np.zeros((2, 1)), np.zeros((1, 2))), (np.zeros(1), -np.zeros(1)),
    (np.zeros(1), np.zeros(1, bool)), ([np.zeros(1)] * 2, [np.zeros(1), np.zeros(1)]), (np.array(1), np.int64(1)),
    (own_attributes(first="a", second="b"), own_attributes(first="b", second="a")), (cyclic(2), cyclic(3)),
    (int, bool), (property(closing(1)), property(closing(2))), (Concrete().answer, Concrete().other),
    (in_space(beside=True), in_space(beside=False)),
]  # fmt: skip
"""Values that behave otherwise, some of them equal."""

ALIKE: list[Callable[[], Any]] = [
    lambda: int("9" * 30), lambda: [1, "a", b"b", None, 0.5, True], lambda: Plain(a=[1], b={"c": (2,)}),
    lambda: {"b": 1, "a": 2}, lambda: Lying(a=1), lambda: same_int(twice=True), lambda: sharing(one_cell=True),
    lambda: Slotted(first=1), lambda: Frozen(1, (2,)), lambda: Named(1, "a"), lambda: Concrete().answer,
    lambda: deque([1], 3), lambda: Fraction(1, 3), lambda: np.arange(3), lambda: np.float64(0.5),
    lambda: closing([1]), lambda: defaulted({}), lambda: cyclic(3), lambda: [np, math, Fraction, len],
    lambda: {Plain(a=[1]): 2}, lambda: Hiding([1]), lambda: np.zeros((2, 3)), lambda: reordered(),
]  # fmt: skip
"""What is made anew, and the same."""


def running() -> Any:
    yield 1


class Dying(Plain):
    """Does something when it is forgotten."""

    def __del__(self) -> None:
        Plain.forgotten = True  # type: ignore[attr-defined]


class Meta(type):
    """A metaclass of a user's."""


class ByMeta(metaclass=Meta):
    """A class of that."""


class Readable(dict[str, int]):
    """Answers for its own dictionary."""

    __dict__ = property(lambda _: {})  # type: ignore[assignment]


def named(text: str) -> Any:
    """A function of one line."""
    space: dict[str, Any] = {"__name__": "a_users_module"}
    exec(f"def f(self=None):\n    {text}\n", space)
    return space["f"]


UNKNOWN: list[Callable[[], Any]] = [
    lambda: [{1}], lambda: frozenset((Plain(),)), lambda: iter([1]), lambda: running(), lambda: itertools.count(),
    lambda: map(abs, [1]), lambda: {}.keys(), lambda: memoryview(b"a"), lambda: weakref.ref(Plain),
    lambda: weakref.WeakValueDictionary(), lambda: functools.lru_cache(closing(1)), lambda: random.Random(1),
    lambda: np.random.default_rng(1), lambda: threading.Lock(), lambda: OrderedDict(), lambda: UserDict(),
    lambda: MappingProxyType({}), lambda: ValueError(1), lambda: Dying(), lambda: ByMeta(), lambda: {Lying(): 1},
    lambda: {Decimal(1): 1}, lambda: {(1, Lying()): 1}, lambda: {functools.partial(max): 1}, lambda: held,
    lambda: {Frozen(1): 1}, lambda: Readable(), lambda: named("return id(self)"),
    lambda: named("return globals()"), lambda: named("import sys"), lambda: named("return eval('1')"),
    lambda: named("return self.__sizeof__()"), lambda: named("return self.__doc__"), lambda: threading,
    lambda: np.zeros(1, dtype=[("a", int)]),
    lambda: np.frombuffer(b"a", "u1"), lambda: np.random, lambda: Numbered(1), lambda: noted(1), lambda: Colour.RED,
    lambda: Abstract(), lambda: functools.partial(max, 1), lambda: defaultdict(int), lambda: Counter("a"),
    lambda: Decimal(1), lambda: SimpleNamespace(), lambda: object(), lambda: slice(1), lambda: ..., lambda: 1j,
    lambda: bytearray(), lambda: in_module(n=[1]), lambda: str.upper, lambda: [].append, lambda: np.sum,
    lambda: np.dtype("i4"), lambda: np.zeros(3)[1:], lambda: np.zeros((2, 3)).T, lambda: np.int32(1), lambda: math.nan,
    lambda: np.float64(math.nan),
    lambda: Subclassed(), lambda: open, lambda: threading.local(),
    lambda: random.Random(1).random, lambda: np.dtype("i4", metadata={"a": 1}),
]  # fmt: skip
"""What keeps more than can be read, or may read more than can be followed."""


class Subclassed(random.Random):
    """A generator of its own."""


@pytest.mark.parametrize("pair", APART, ids=range(len(APART)))
def test_what_behaves_otherwise_has_another_form(pair: tuple[Any, Any]) -> None:
    one, other = pair
    assert form(one) == form(one) != form(other)
    assert form(Plain(a=one)) != form(Plain(a=other))


@pytest.mark.parametrize("make", ALIKE, ids=range(len(ALIKE)))
def test_what_is_made_anew_has_the_same_form(make: Callable[[], Any]) -> None:
    kept = [make() for _ in range(3)]
    assert len({form(Plain(a=one, b=1)) for one in kept}) == 1
    assert form(kept[0], kept[0]) != form(kept[0], kept[1]) or kept[0] is kept[1]


@pytest.mark.parametrize("make", UNKNOWN, ids=range(len(UNKNOWN)))
def test_what_cannot_be_known_has_no_form_or_is_not_plain(make: Callable[[], Any]) -> None:
    def asked(value: Any) -> None:
        only_plain((value,), None)
        form(value)

    for value in (make(), [make()]):
        with pytest.raises(Unknown):
            asked(value)
