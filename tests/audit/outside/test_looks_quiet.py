"""Code that changes what it keeps does not look quiet, whatever it does that by; code that only reads looks so."""

import collections
import functools
import heapq
import inspect
import operator
import random
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from instances.seeds import spread

from dpcert import Draw, Release, examine
from dpcert.audit.outside.reach import reach

Memory = tuple[Callable[[int], Any], Callable[[], Any]]


def in_a_set() -> Memory:
    kept: set[int] = set()

    def remember(x: int) -> None:
        own = kept
        own &= set()
        own |= {1} if x else set()

    return remember, lambda: len(kept)


def in_a_list() -> Memory:
    kept = [0]

    def remember(x: int) -> None:
        own = kept
        own *= 0
        own += [x]

    return remember, lambda: kept[0]


def in_a_window() -> Memory:
    kept = collections.deque([0], maxlen=1)

    def remember(x: int) -> None:
        own = kept
        own += [x]

    return remember, lambda: kept[0]


def in_a_dictionary() -> Memory:
    kept = {"v": 0}

    def remember(x: int) -> None:
        own = kept
        own |= {"v": x}

    return remember, lambda: kept["v"]


def by_a_function() -> Memory:
    kept: set[int] = set()

    def remember(x: int) -> None:
        operator.iand(kept, set())
        operator.ixor(kept, {1} if x else set())

    return remember, lambda: len(kept)


def by_a_text() -> Memory:
    kept: list[int] = []

    def remember(x: int) -> None:
        getattr(kept, "clear")()  # noqa: B009 - what is tested
        getattr(kept, "extend")([1] * x)  # noqa: B009

    return remember, lambda: len(kept)


def by_a_name_that_is_made() -> Memory:
    kept: list[int] = []

    def remember(x: int) -> None:
        getattr(kept, "".join(["cle", "ar"]))()
        getattr(kept, "".join(["ext", "end"]))([1] * x)

    return remember, lambda: len(kept)


def in_a_partial_call() -> Memory:
    states = [(int, (0,), {}, None), (int, (1,), {}, None)]
    kept = functools.partial(int, 0)
    kept.__setstate__(states[0])
    return lambda x: kept.__setstate__(states[x]), lambda: kept()


def in_a_heap() -> Memory:
    kept = [0]
    return lambda x: heapq._heapreplace_max(kept, x), lambda: kept[0]  # type: ignore[attr-defined]


MEMORIES = (
    in_a_set, in_a_list, in_a_window, in_a_dictionary, by_a_function, by_a_text, by_a_name_that_is_made,
    in_a_partial_call, in_a_heap,
)  # fmt: skip


@dataclass(eq=False)
class Cleared:
    """5 is remembered for one round, and 3 tells; where an audit ends all is as it was."""

    remember: Callable[[int], Any]
    tell: Callable[[], Any]
    alphabet = (3, 5, 0)
    initial = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        del state, draw
        told = self.tell() if x == 3 else 0
        self.remember(int(x == 5))
        return Release(int(told == 1)), 0


@pytest.mark.parametrize("made", spread(MEMORIES, 9))
def test_memory_that_is_empty_where_an_audit_ends_is_found(made: Callable[[], Memory]) -> None:
    record: Any = examine(Cleared(*made()), horizon=2, exp_epsilons=(1,))
    item = next(entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP")
    assert (item["verdict"], record["adaptive"]["delta"][0]["upper"]) == ("REFUTED", "1")


class Holds:
    def __init__(self, kept: Any, ask: Callable[[Any, Any], Any]) -> None:
        self.kept, self.ask = kept, ask


GIVEN: dict[type, Callable[[], Any]] = {
    list: lambda: [2, 1], set: lambda: {1, 2}, dict: lambda: {1: 2},
    collections.deque: lambda: collections.deque([2, 1]),
}  # fmt: skip
ARGUMENTS = ((), (1,), ([1],), ({3},), ({4: 5},), (0, 7), (1, 9), (3, 4))


def _changes(kind: type, name: str) -> bool:
    """Whether a method of a container changes it, called with some arguments."""
    for arguments in ARGUMENTS:
        value = GIVEN[kind]()
        try:
            getattr(kind, name)(value, *arguments)
        except Exception:  # noqa: BLE001 - it wants other arguments
            continue
        if list(value) != list(GIVEN[kind]()) or value != GIVEN[kind]():
            return True
    return False


@pytest.mark.parametrize("kind", GIVEN, ids=lambda kind: kind.__name__)
def test_every_method_that_changes_a_container_is_known(kind: type) -> None:
    names = [name for name in dir(kind) if callable(inspect.getattr_static(kind, name))]
    changing = [name for name in names if name not in ("__class__", "__reduce__") and _changes(kind, name)]
    assert len(changing) >= 8
    for name in changing:
        space: dict[str, Any] = {}
        exec(f"def ask(kept, x): return kept.{name}(x)", space)
        assert not reach(Holds(GIVEN[kind](), space["ask"])).looks_quiet, name


def _signs() -> Iterator[str]:
    yield from ("+=", "-=", "*=", "|=", "&=", "^=", "%=", "@=", "/=", "//=", "**=", ">>=", "<<=")


def test_every_sign_that_changes_a_container_is_known() -> None:
    changed = 0
    for kind in GIVEN:
        for sign in _signs():
            space: dict[str, Any] = {}
            exec(f"def ask(kept, x):\n    own = kept\n    own {sign} x\n", space)
            for other in (2, [5], {1}, {8: 9}):
                value = GIVEN[kind]()
                try:
                    space["ask"](value, other)
                except TypeError:
                    continue
                if value != GIVEN[kind]():
                    changed += 1
                    assert not reach(Holds(GIVEN[kind](), space["ask"])).looks_quiet, (kind, sign)
    assert changed >= 8


QUIET: tuple[Callable[[Any, Any], Any], ...] = (
    lambda kept, x: [y for y in kept if y != x],
    lambda kept, x: x in kept and sum(kept),
    lambda kept, x: sorted(kept)[-1] + x,
    lambda kept, x: {**dict.fromkeys(kept, x)},
)


@pytest.mark.parametrize("ask", QUIET)
def test_code_that_only_reads_looks_quiet(ask: Callable[[Any, Any], Any]) -> None:
    assert reach(Holds([1, 2], ask)).looks_quiet


def test_numbers_that_are_added_up_beside_a_table_look_quiet() -> None:
    def ask(kept: dict[int, int], x: int) -> int:
        total = 0
        for y in kept:
            total += y * x
        return total

    assert reach(Holds({1: random.Random(1).randrange(9)}, ask)).looks_quiet
    assert not reach(Holds(types.SimpleNamespace(a=1), ask)).looks_quiet
