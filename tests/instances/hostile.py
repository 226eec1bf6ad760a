"""Mechanisms that remember, or read, what they must not; each way to do it as one small part."""

import builtins
import collections
import contextvars
import decimal
import functools
import io
import operator
import queue
import sys
import threading
import types
import weakref
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcert import Draw, Pmf, Release, point

Memory = tuple[Callable[[int], Any], Callable[[], Any]]
"""What remembers a bit, and what tells it."""
MEMORIES: dict[str, Callable[[], Memory]] = {}
KEPT = 0


def memory(make: Callable[[], Memory]) -> Callable[[], Memory]:
    MEMORIES[make.__name__] = make
    return make


def of_attribute(holder: Any) -> Memory:
    holder.v = 0

    def remember(x: int) -> None:
        holder.v = x

    return remember, lambda: holder.v


def of_item(holder: Any, at: Any = 0) -> Memory:
    def remember(x: int) -> None:
        holder[at] = x

    return remember, lambda: int(holder[at])


@memory
def closure() -> Memory:
    v = 0

    def remember(x: int) -> None:
        nonlocal v
        v = x

    return remember, lambda: v


@memory
def global_name() -> Memory:
    def remember(x: int) -> None:
        global KEPT
        KEPT = x

    remember(0)
    return remember, lambda: KEPT


@memory
def default_argument() -> Memory:
    def both(x: int | None = None, kept: list[int] = [0]) -> Any:  # noqa: B006 - what is tested
        if x is None:
            return kept[0]
        kept[0] = x
        return None

    both(0)
    return both, both


@memory
def generator() -> Memory:
    def going() -> Any:
        v = 0
        while True:
            told = yield v
            v = v if told is None else told

    made = going()
    next(made)
    return made.send, lambda: next(made)


@memory
def partial_call() -> Memory:
    kept = [0]
    return functools.partial(operator.setitem, kept, 0), functools.partial(operator.getitem, kept, 0)


@memory
def bound_method() -> Memory:
    kept = collections.deque([0], maxlen=1)
    return kept.append, lambda: kept[0]


@memory
def slots() -> Memory:
    class Slotted:
        __slots__ = ("v",)

    return of_attribute(Slotted())


@memory
def frozen_dataclass() -> Memory:
    @dataclass(frozen=True)
    class Frozen:
        v: int = 0

    kept = Frozen()
    return lambda x: object.__setattr__(kept, "v", x), lambda: kept.v


@memory
def class_attribute() -> Memory:
    return of_attribute(type("Kept", (), {}))


@memory
def class_of_classes() -> Memory:
    meta = type("Meta", (type,), {})
    kept = meta("Kept", (), {})
    remember, _ = of_attribute(meta)
    return remember, lambda: kept.v


@memory
def function_attribute() -> Memory:
    return of_attribute(lambda: None)


@memory
def function_of_python() -> Memory:
    return of_attribute(functools.singledispatch(lambda _: 0))


@memory
def cached() -> Memory:
    @functools.cache
    def kept() -> list[int]:
        return [0]

    def remember(x: int) -> None:
        kept()[0] = x

    return remember, lambda: kept()[0]


@memory
def cached_property() -> Memory:
    class Kept:
        @functools.cached_property
        def all(self) -> list[int]:
            return [0]

    kept = Kept()

    def remember(x: int) -> None:
        kept.all[0] = x

    return remember, lambda: kept.all[0]


@memory
def python_module() -> Memory:
    return of_attribute(sys)


@memory
def builtins_module() -> Memory:
    return of_attribute(builtins)


@memory
def unnamed_module() -> Memory:
    made = types.ModuleType("unnamed_module_of_a_user")
    sys.modules[made.__name__] = made
    made.__dict__["v"] = 0
    name = made.__name__
    return lambda x: setattr(sys.modules[name], "v", x), lambda: sys.modules[name].v


@memory
def context_variable() -> Memory:
    kept = contextvars.ContextVar("kept", default=0)
    return kept.set, kept.get


@memory
def thread_local() -> Memory:
    return of_attribute(threading.local())


@memory
def namespace() -> Memory:
    return of_attribute(types.SimpleNamespace())


@memory
def user_dict() -> Memory:
    return of_item(collections.UserDict({0: 0}))


@memory
def chain_map() -> Memory:
    return of_item(collections.ChainMap({0: 0}))


@memory
def weak_dict() -> Memory:
    key = type("Key", (), {})()
    return of_item(weakref.WeakKeyDictionary({key: 0}), key)


@memory
def numpy_array() -> Memory:
    return of_item(np.zeros(1, dtype=int))


@memory
def bytes_array() -> Memory:
    return of_item(bytearray(1))


@memory
def number_array() -> Memory:
    return of_item(array("i", [0]))


@memory
def queued() -> Memory:
    kept: queue.Queue[int] = queue.Queue()
    return kept.put, lambda: kept.get() if kept.qsize() else 0


@memory
def text_buffer() -> Memory:
    kept = io.StringIO()
    return lambda x: kept.write(str(x)), lambda: int(kept.getvalue()[-1:] or 0)


@memory
def decimal_context() -> Memory:
    def remember(x: int) -> None:
        decimal.getcontext().prec = 28 + x

    return remember, lambda: decimal.getcontext().prec - 28


@memory
def recursion_limit() -> Memory:
    usual = sys.getrecursionlimit()
    return lambda x: sys.setrecursionlimit(usual + x), lambda: sys.getrecursionlimit() - usual


@memory
def built_in_iterator() -> Memory:
    kept = iter([0, 1] * 10_000)

    def remember(x: int) -> None:
        if x:
            next(kept)

    return remember, lambda: next(kept)


@dataclass
class Steps:
    """It releases what was remembered in the round before."""

    memory: Memory
    alphabet = (0, 1)
    initial = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        del state, draw
        remember, tell = self.memory
        told = tell()
        remember(x)
        return Release(told), 0


@dataclass
class States:
    """The same as a MarkovCore; what was told comes out in the law."""

    memory: Memory
    last: Any = 0
    alphabet = (0, 1)
    initial = 0

    def advance(self, state: int, x: int) -> int:
        del state
        remember, tell = self.memory
        self.last = tell()
        remember(x)
        return 0

    def law(self, state: int) -> Pmf[Any]:
        del state
        return point(self.last)


@dataclass
class Pairs:
    """Eight inputs: 5 is remembered until the next one, and 3 tells; at the end of most runs all is as it was."""

    memory: Memory
    alphabet = tuple(range(8))
    initial = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        del state, draw
        remember, tell = self.memory
        told = tell() if x == 3 else 0
        remember(int(x == 5))
        return Release(int(told == 1)), 0
