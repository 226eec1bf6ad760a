"""Counts of loops that are kept on what is not the code's own, or in how a set lies: these are seen."""

import builtins
import collections.abc
import enum
import json
import math
import types
import weakref
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from instances.laws_of_code import enumerated, law

from dpcert import MechanismError, Pmf
from dpcert.audit.scripted.repeating import KNOWN

pytestmark = pytest.mark.skipif(not KNOWN, reason="loops are recognised on Python 3.11 alone, and refused on others")
TIMES = 3


def _function() -> None:
    """It is counted on."""


class Plain:
    """The same."""

    @staticmethod
    def still() -> None:
        """The same."""


class Registered:
    """Is said to be a sequence."""


class Mode(enum.Enum):
    """One of them."""

    EXACT = 1


class Asked(dict[str, int]):
    """Counts how often it was asked."""

    times = 0

    def get(self, key: Any, default: Any = None) -> Any:  # noqa: ARG002 - as of a dictionary
        self.times += 1
        return default

    def copy(self) -> Any:
        return self.times


CELLS = np.zeros(4, dtype=int)
PROXY: list[Any] = []
LASTING: list[Any] = []


def _on(holder: Any, name: str, least: Any, more: Any) -> tuple[Callable[..., Any], ...]:
    def begin() -> None:
        setattr(holder, name, least)

    def tick() -> None:
        setattr(holder, name, HELD[holder, name]() + more)

    def read() -> int:
        now = HELD[holder, name]()
        return len(now) if isinstance(now, str) else int(now)

    return begin, tick, read


HELD: dict[Any, Callable[[], Any]] = {
    (_function, "__doc__"): lambda: _function.__doc__,
    (_function, "__name__"): lambda: _function.__name__,
    (Plain, "__doc__"): lambda: Plain.__doc__,
    (Plain, "__name__"): lambda: Plain.__name__,
    (Fraction, "times"): lambda: Fraction.times,  # type: ignore[attr-defined]
    (json.dumps, "times"): lambda: json.dumps.times,  # type: ignore[attr-defined]
    (math, "times"): lambda: math.times,  # type: ignore[attr-defined]
    (builtins, "TIMES_HERE"): lambda: TIMES_HERE,  # type: ignore[name-defined]  # noqa: F821 - it stands there
    (vars(Plain)["still"], "times"): lambda: vars_of_still().times,
}


def vars_of_still() -> Any:
    return Plain.__dict__["still"]


def _proxied() -> None:
    PROXY[:] = [types.MappingProxyType(Asked())]


def _lasting() -> None:
    LASTING[:] = [weakref.finalize(Plain, _function) for _ in range(TIMES)]


def _detached() -> None:
    next(one for one in LASTING if one.alive).detach()


def _annotated() -> None:
    _function.__annotations__ = {}


def _unnamed() -> None:
    del Mode._member_names_[1:]


def _zeros() -> None:
    CELLS[:] = 0


EVERY_OTHER = CELLS[::2]
WHERE: dict[str, tuple[Callable[..., Any], ...]] = {
    "a function's text": _on(_function, "__doc__", "", "x"),
    "a function's name": _on(_function, "__name__", "", "x"),
    "a class's text": _on(Plain, "__doc__", "", "x"),
    "a class's name": _on(Plain, "__name__", "", "x"),
    "a library's class": _on(Fraction, "times", 0, 1),
    "a library's function": _on(json.dumps, "times", 0, 1),
    "a library": _on(math, "times", 0, 1),
    "Python's own names": _on(builtins, "TIMES_HERE", 0, 1),
    "a static method": _on(vars(Plain)["still"], "times", 0, 1),
    "annotations": (
        _annotated,
        lambda: _function.__annotations__.update({str(len(_function.__annotations__)): 1}),
        lambda: len(_function.__annotations__),
    ),
    "an enumeration's names": (
        _unnamed,
        lambda: Mode._member_names_.append("x"),
        lambda: len(Mode._member_names_) - 1,
    ),
    "what an array is a part of": (
        _zeros,
        lambda: EVERY_OTHER.base.__setitem__(1, EVERY_OTHER.base[1] + 1),
        lambda: int(EVERY_OTHER.base[1]),
    ),
    "what a proxy stands for": (_proxied, lambda: PROXY[0].get(1), lambda: PROXY[0].copy()),
    "finalizers": (_lasting, _detached, lambda: sum(not one.alive for one in LASTING)),
    "all globals": (
        lambda: _function.__globals__.update({"UNNAMED": 0}),
        lambda: _function.__globals__.update({"UNNAMED": _function.__globals__["UNNAMED"] + 1}),
        lambda: _function.__globals__["UNNAMED"],
    ),
}


@pytest.fixture
def put_back() -> Iterator[None]:
    yield
    for holder, name in HELD:
        if "times" in name.lower() and name in vars(holder):
            delattr(holder, name)
    _function.__name__, Plain.__name__ = "_function", "Plain"


@pytest.mark.usefixtures("put_back")
@pytest.mark.parametrize("where", WHERE)
def test_a_count_is_seen_on_what_is_not_ones_own(where: str) -> None:
    begin, tick, read = WHERE[where]

    def body(rng: Any) -> int:
        begin()
        while rng.randrange(2):
            if read() >= TIMES:
                return -1
            tick()
        return read()

    assert law(body) == enumerated(body)


def test_what_is_registered_with_a_librarys_class_is_seen() -> None:
    kinds: list[type] = []

    def body(rng: Any) -> int:
        kinds[:] = [type("Registered", (), {})]
        while rng.randrange(2):
            if isinstance(kinds[0](), collections.abc.Sequence):
                return -1
            collections.abc.Sequence.register(kinds[0])
        return int(isinstance(kinds[0](), collections.abc.Sequence))

    assert law(body) == enumerated(body)


def next_of_a_set(rng: Any) -> int:
    pool = {0, 1, 2}
    while True:
        if rng.randrange(2):
            return pool.pop()
        pool.add(pool.pop())


def order_of_a_set(rng: Any) -> int:
    seen: set[int] = set()
    while True:
        if rng.randrange(2):
            seen.add(8)
            seen.add(1)
            return next(iter(seen))
        for i in range(8):
            seen.add(i)
        for i in range(8):
            seen.discard(i)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (next_of_a_set, {0: Fraction(4, 7), 1: Fraction(2, 7), 2: Fraction(1, 7)}),
        (order_of_a_set, {8: Fraction(1, 2), 1: Fraction(1, 2)}),
    ],
)
def test_how_a_set_lies_is_part_of_a_state(body: Callable[[Any], int], expected: dict[int, Fraction]) -> None:
    try:
        assert law(body) == Pmf(expected)
    except MechanismError:
        return  # all turns are run
