"""What code leaves in an object of a compiled library shows, or the object is known to be one that cannot be read."""

import collections
import contextlib
import contextvars
import dataclasses
import enum
import functools
import itertools
import operator
import queue
import re
import sqlite3
import struct
import threading
import types
import typing
import weakref
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import sympy

from dpcert.audit.outside.marks import changed
from dpcert.audit.outside.reach import Reach, reach


class Mech:
    """A mechanism that keeps something."""

    def __init__(self, kept: Any) -> None:
        self.kept = kept


class Posing:
    """Says that it is of another class."""

    times = 0
    __class__ = property(lambda _: dict)  # type: ignore[assignment]


class Shy:
    """Hides its attributes."""

    __dict__ = property(lambda _: {})  # type: ignore[assignment]


class Weak:
    """Reached through a weak reference alone, by the code."""

    times = 0


def _counting() -> Iterator[int]:
    seen: list[int] = []
    while True:
        yield len(seen)
        seen.append(1)


def _going_through(kept: list[int]) -> Iterator[int]:
    for _ in itertools.repeat(kept):
        yield len(kept)
        kept.append(1)


@contextlib.contextmanager
def _managed() -> Iterator[list[int]]:
    yield _MANAGED


_MANAGED: list[int] = []
_WEAK = Weak()
_VARIABLE: contextvars.ContextVar[Any] = contextvars.ContextVar("kept")


def _up(holder: Any) -> None:
    holder.times = getattr(holder, "times", 0) + 1


def _given(holder: Any) -> Callable[[], Any]:
    def made() -> Any:
        _VARIABLE.set(holder)
        return _VARIABLE

    return made


def _on_next(made: Iterator[Any]) -> Iterator[Any]:
    next(made)
    return made


async def _awaited(kept: list[int]) -> None:
    while True:
        kept.append(1)
        await _Step()


class _Step:
    def __await__(self) -> Iterator[None]:
        yield


def _with(word: int) -> dict[str, Any]:
    state = dict(np.random.MT19937(1).state)
    key = np.array(state["state"]["key"])
    key[300] = word
    return state | {"state": state["state"] | {"key": key}}


SEEN: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "a list in a generator": (lambda: _on_next(_counting()), next),
    "a list that a generator goes through": (lambda: _on_next(_going_through([])), next),
    "a coroutine's": (lambda: _awaited([]), lambda h: h.send(None)),
    "a polynomial of numpy's": (lambda: np.poly1d([1, 2]), lambda h: h.__setitem__(0, 7)),
    "a masked array's mask": (
        lambda: np.ma.array([1, 2], mask=[0, 0]), lambda h: h.__setitem__(0, np.ma.masked),
    ),
    "an array of objects": (lambda: np.array([[1], None], object), lambda h: h[0].append(1)),
    "objects in an array": (lambda: np.array([Weak()], object), lambda h: _up(h[0])),
    "an array of dates": (lambda: np.zeros(1, "M8[D]"), lambda h: h.__setitem__(0, 5)),
    "an array's flag": (lambda: np.zeros(2), lambda h: h.setflags(write=False)),
    "a record of numpy's": (lambda: np.zeros(1, [("a", int)])[0], lambda h: h.__setitem__("a", 1)),
    "a seed sequence": (lambda: np.random.SeedSequence(1), lambda h: h.spawn(1)),
    "a generator of bits": (lambda: np.random.PCG64(1), lambda h: h.advance(1)),
    "an old generator": (lambda: np.random.RandomState(1), lambda h: h.set_state(("MT19937", [0] * 624, 5))),
    "a generator of numpy's": (lambda: np.random.default_rng(1), lambda h: h.bit_generator.advance(1)),
    "a partial call's attribute": (lambda: functools.partial(len), _up),
    "a list in a partial call": (lambda: functools.partial(len, []), lambda h: h.args[0].append(1)),
    "a static method's attribute": (lambda: staticmethod(len), _up),
    "what is referred to weakly": (lambda: weakref.ref(_WEAK), lambda h: _up(h())),
    "a dictionary of weak ones": (
        lambda: weakref.WeakValueDictionary({1: _WEAK}), lambda h: _up(h[1]),
    ),
    "a list in a context variable": (_given([]), lambda h: h.get().append(1)),
    "a context variable": (_given(7), lambda h: h.set(8)),
    "a variable's default": (
        lambda: contextvars.ContextVar("own", default=[]),  # noqa: B039 - what such code leaves in it is looked for
        lambda h: h.get().append(1),
    ),
    "an annotation": (lambda: _on_next, lambda h: h.__annotations__.update(times=1)),
    "one word of many": (lambda: np.random.MT19937(1), lambda h: setattr(h, "state", _with(7))),
    "a view of a dictionary": (lambda: types.MappingProxyType({1: []}), lambda h: h[1].append(1)),
    "the items of one": (lambda: {1: []}.items(), lambda h: next(iter(h))[1].append(1)),
    "a map's function": (lambda: map([].append, itertools.repeat(1)), next),
    "a list that is gone through": (lambda: iter([[]]), lambda h: h.__reduce__()[1][0][0].append(1)),
    "a lock": (threading.Lock, lambda h: h.acquire()),
    "a lock of its owner": (threading.RLock, lambda h: h.acquire()),
    "a queue": (queue.SimpleQueue, lambda h: h.put(1)),
    "a queue of Python's": (queue.Queue, lambda h: h.put(1)),
    "a matrix of sympy's": (lambda: sympy.Matrix([[1]]), lambda h: h.__setitem__((0, 0), 2)),
    "a matrix of flint's": (lambda: flint.fmpz_mat([[1]]), lambda h: h.__setitem__((0, 0), 2)),
    "a polynomial of flint's": (lambda: flint.fmpz_poly([1]), lambda h: h.__setitem__(0, 2)),
    "what packs": (zlib.compressobj, lambda h: h.compress(b"a")),
    "one that says it is another": (Posing, _up),
    "one that hides its attributes": (Shy, lambda h: object.__setattr__(h, "times", 1)),
    "a manager's list": (_managed, lambda h: h.__enter__().append(1)),
    "a counter of a class": (lambda: collections.ChainMap({}, {}), lambda h: h.__setitem__(1, 1)),
    "a dictionary that lists nothing": (lambda: Quiet(a=1), lambda h: h.__setitem__("a", 2)),
    "what is in it": (lambda: Quiet(a=[]), lambda h: h["a"].append(1)),
    "a list that lists nothing": (lambda: QuietList([1]), lambda h: h.__setitem__(0, 2)),
    "what is in that": (lambda: QuietList([[]]), lambda h: h[0].append(1)),
    "an order": (lambda: collections.OrderedDict(a=1, b=2), lambda h: h.move_to_end("a")),
    "an order that is not listed": (lambda: QuietOrder(a=1, b=2), lambda h: h.move_to_end("a")),
    "a queue as long as before": (lambda: _filled(queue.SimpleQueue(), 1), lambda h: (h.get(), h.put(2))),
    "a list in a queue": (lambda: _filled(queue.SimpleQueue(), [1]), lambda h: _tick_queued(h)),
    "a function of numpy's that calls": (lambda: np.frompyfunc(Called(), 1, 1), lambda h: h(1)),
    "names of columns": (
        lambda: np.zeros(1, [("a", [("b", int)])]), lambda h: setattr(h.dtype["a"], "names", ("c",)),
    ),
    "names of a type": (lambda: np.dtype([("a", int)]), lambda h: setattr(h, "names", ("b",))),
    "a struct": (lambda: struct.Struct("b"), lambda h: h.__init__("bb")),
    "an automatic value": (enum.auto, lambda h: setattr(h, "value", 7)),
    "a variable of types": (lambda: typing.TypeVar("T"), _up),
    "a new type": (lambda: typing.NewType("Own", int), _up),
    "what a generic class with an argument has": (lambda: Generic_[int], lambda h: setattr(h, "times", h.times + 1)),
    "a class's name": (lambda: type("Kept", (), {}), lambda h: setattr(h, "__name__", "Other")),
    "its whole name": (lambda: type("Kept", (), {}), lambda h: setattr(h, "__qualname__", "Other")),
    "its module": (lambda: type("Kept", (), {}), lambda h: setattr(h, "__module__", "other")),
    "its arguments": (lambda: type("Kept", (), {}), lambda h: setattr(h, "__match_args__", ("a",))),
    "a record's settings": (
        lambda: dataclasses.make_dataclass("Kept", ["a"]), lambda h: setattr(h.__dataclass_params__, "order", 7),
    ),
    "a record's field": (
        lambda: dataclasses.make_dataclass("Kept", ["a"]),
        lambda h: setattr(dataclasses.fields(h)[0], "default", 7),
    ),
    "a function's module": (lambda: lambda: 0, lambda h: setattr(h, "__module__", "other")),
    "what an error says was written": (
        lambda: BlockingIOError(1, "a", 0), lambda h: setattr(h, "characters_written", 1),
    ),
    "what is called when it goes": (
        lambda: weakref.ref(_WEAK, lambda _: None), lambda h: _up(h.__callback__),
    ),
    "a number at hand": (lambda: _at_hand(0), lambda h: (h.send(None), next(h), h.send(1))),
    "a function that a library remembers": (
        lambda: mpmath.memoize(_counting_up([])), lambda h: h(1),
    ),
    "a version of tables": (
        lambda: sqlite3.connect(":memory:"), lambda h: h.execute("PRAGMA user_version = 1"),
    ),
    "what an array is a part of": (lambda: np.zeros(4)[:2], lambda h: h.base.__setitem__(3, 1)),
    "what a view of bytes is a part of": (lambda: memoryview(bytearray(4))[:2], lambda h: h.obj.__setitem__(3, 1)),
    "what an array's type says beside": (
        lambda: np.zeros(1, np.dtype("i4", metadata={"kept": []})), lambda h: h.dtype.metadata["kept"].append(1),
    ),
    "what a type of arrays does": (
        lambda: np.dtype("i4", metadata={"kept": []}), lambda h: h.metadata["kept"].append(1),
    ),
    "what a field says beside": (
        lambda: dataclasses.make_dataclass("Kept", [("a", int, dataclasses.field(metadata={"kept": []}))]),
        lambda h: dataclasses.fields(h)[0].metadata["kept"].append(1),
    ),
    "a space of a thread": (lambda: Local(), _up),
    "a property's words": (lambda: property(len), lambda h: setattr(h, "__doc__", "1")),
}  # fmt: skip


class Quiet(dict[str, Any]):
    """Holds more than it lists."""

    def __iter__(self) -> Iterator[str]:
        return iter(())

    keys = values = items = __iter__  # type: ignore[assignment]


class QuietOrder(collections.OrderedDict[str, Any]):
    """The same in an order."""

    __iter__, keys, values, items = Quiet.__iter__, Quiet.keys, Quiet.values, Quiet.items  # type: ignore[assignment]


class QuietList(list[Any]):
    """The same of a list."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())


class Local(threading.local):
    """Has a space for each thread."""

    times = 0


class Called:
    """Counts its calls."""

    times = 0

    def __call__(self, x: Any) -> Any:
        self.times += 1
        return x


class Generic_(typing.Generic[typing.TypeVar("T")]):  # type: ignore[misc]  # noqa: N801
    """Has an attribute that shows on what it is with an argument."""

    times = 0


def _filled(made: Any, item: Any) -> Any:
    made.put(item)
    return made


def _tick_queued(made: Any) -> None:
    item = made.get()
    item.append(1)
    made.put(item)


def _at_hand(first: int) -> Any:
    def going() -> Any:
        while True:
            yield ((yield 0), (yield 1))[0]

    made = going()
    next(made), made.send(first)
    return made


def _counting_up(kept: list[int]) -> Callable[[Any], Any]:
    def counting(x: Any) -> Any:
        kept.append(1)
        return x

    return counting


def _sees(found: Reach, before: dict[str, Any], mech: Mech) -> bool:
    return bool(found.unseen or changed(before, reach(mech).marks()))


@pytest.mark.parametrize("where", SEEN)
def test_what_code_leaves_shows_or_cannot_be_read(where: str) -> None:
    made, tick = SEEN[where]
    mech = Mech(made())
    found = reach(mech)
    before = found.marks()
    assert changed(before, reach(mech).marks()) == [], "a look changes nothing"
    tick(mech.kept)
    assert _sees(found, before, mech)


READABLE: tuple[Any, ...] = (
    re.compile("a"), struct.Struct("i"), operator.itemgetter(1), np.sin, np.dtype("int64"), np.float64(1), slice(2),
    flint.fmpz(1), flint.fmpq(1, 2), flint.arb(1), sympy.Symbol("x"), functools.partial(len), np.zeros(3),
    functools.lru_cache(len), types.SimpleNamespace(a=1),
    collections.namedtuple("Pair", "a b")(1, 2), np.random.PCG64(1),
)  # fmt: skip


@pytest.mark.parametrize("value", READABLE, ids=lambda v: type(v).__name__)
def test_what_never_changes_is_no_reason_to_doubt(value: Any) -> None:
    mech = Mech(value)
    assert reach(mech).unread == ""
    assert changed(reach(mech).marks(), reach(mech).marks()) == []
