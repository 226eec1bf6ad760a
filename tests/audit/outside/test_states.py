"""What code leaves in an object of a compiled library shows, or the object is known to be one that cannot be read."""

import collections
import contextlib
import contextvars
import functools
import itertools
import operator
import queue
import re
import struct
import threading
import types
import weakref
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import flint
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
    "a property's words": (lambda: property(len), lambda h: setattr(h, "__doc__", "1")),
}  # fmt: skip


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
