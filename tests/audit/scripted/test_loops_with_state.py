"""Loops of draws with a state that no turn shows: none of them begins anew, and each has the law of all its runs."""

import collections
import functools
import inspect
import io
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from instances.laws_of_code import enumerated, law

from dpcert import Pmf
from dpcert.audit.scripted.repeating import KNOWN

pytestmark = pytest.mark.skipif(not KNOWN, reason="loops are recognised on Python 3.11 alone, and refused on others")


def hidden_iterator(rng: Any) -> int:
    turns = iter([1, 2, 3])
    while True:
        u = rng.randrange(2)
        if next(turns, None) is None or u:
            return u


def hidden_generator(rng: Any) -> int:
    def ticking() -> Iterator[int]:
        yield from range(2)

    ticks = ticking()
    while next(ticks, None) is not None:
        if rng.randrange(3) == 0:
            return 1
    return 0


def hidden_repeat(rng: Any) -> int:
    u = 0
    for _ in itertools.repeat(None, 3):
        u = rng.randrange(2)
        if u:
            break
    return u


def hidden_map(rng: Any) -> Any:
    return tuple(map(rng.randrange, [2, 2, 2]))


def hidden_lambda_map(rng: Any) -> Any:
    return tuple(map(lambda _: rng.randrange(2), range(3)))  # noqa: C417 - what is tested


def hidden_sorted(rng: Any) -> Any:
    return tuple(sorted([1, 2, 3], key=lambda _: rng.randrange(2)))


def hidden_list(rng: Any) -> int:
    log: list[int] = []
    while len(log) < 3:
        log.append(0)
        if rng.randrange(2):
            return len(log)
    return 0


def hidden_closure(rng: Any) -> int:
    count = 0

    def turn() -> bool:
        nonlocal count
        count += 1
        flip = rng.randrange(2)
        return bool(flip) or count > 2

    while not turn():
        pass
    return count


def hidden_default(rng: Any) -> int:
    def turn(log: list[int] = []) -> bool:  # noqa: B006 - what careless code does
        log.append(0)
        flip = rng.randrange(2)
        return bool(flip) or len(log) > 2

    while not turn():
        pass
    return 1


def hidden_attribute(rng: Any) -> int:
    def turn() -> bool:
        turn.count = getattr(turn, "count", 0) + 1  # type: ignore[attr-defined]
        flip = rng.randrange(2)
        return bool(flip) or turn.count > 2  # type: ignore[attr-defined]

    while not turn():
        pass
    return turn.count  # type: ignore[attr-defined, no-any-return]


def hidden_cache(rng: Any) -> int:
    @functools.lru_cache(maxsize=8)
    def turn(number: int) -> int:
        drawn: int = rng.randrange(2)
        return drawn + 0 * number

    numbers = collections.deque([1, 2, 1, 3])
    total = 0
    while numbers:
        total += turn(numbers.popleft())
    return total


class Slotted:
    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = 2


def hidden_slots(rng: Any) -> int:
    state = Slotted()
    while state.left:
        state.left -= 1
        if rng.randrange(2):
            return 1
    return 0


def hidden_text(rng: Any) -> int:
    text = io.StringIO("abc")
    while text.read(1):
        if rng.randrange(2):
            return 1
    return 0


class Classed:
    left: ClassVar[int] = 0


def hidden_class(rng: Any) -> int:
    Classed.left = 2
    while Classed.left:
        Classed.left -= 1
        if rng.randrange(2):
            return 1
    return 0


LEFT = [0]


def hidden_global(rng: Any) -> int:
    LEFT[:] = [1, 1]
    while LEFT:
        LEFT.pop()
        if rng.randrange(2):
            return 1
    return 0


def hidden_temporary(rng: Any) -> int:
    turns = iter([5, 1])
    while next(turns, 0) + rng.randrange(2) > 1:
        pass
    return 0


def hidden_stack(rng: Any) -> Any:
    return [rng.randrange(2) for _ in range(3)][-1], rng.randrange(2) + rng.randrange(2)


def hidden_count(rng: Any) -> int:
    ticks = itertools.count()
    while rng.randrange(2):
        if next(ticks) == 2:
            return 1
    return 0


def hidden_partial(rng: Any) -> int:
    step = functools.partial(next, iter(range(3)), None)
    while step() is not None:
        if rng.randrange(2):
            return 1
    return 0


def hidden_set(rng: Any) -> int:
    left = {1, 2, 3}
    while left:
        left.pop()
        if rng.randrange(2):
            return 1
    return 0


HIDDEN = [value for name, value in list(globals().items()) if name.startswith("hidden_")]


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("body", HIDDEN)
def test_a_loop_with_hidden_state_is_no_loop_that_begins_anew(body: Callable[[Any], Any]) -> None:
    assert law(body) == enumerated(body)


DEAD = """
def body(rng):
    done = 0
    while True:
        done = {look}["done"] + 1
        if rng.randrange(2) or {look}["done"] > 2:
            return {look}["done"]
"""
LOOKS = """
def from_here(): return sys._getframe(1).f_locals
def from_further(): return inspect.currentframe().f_back.f_locals
def from_error():
    try:
        raise ValueError
    except ValueError as error:
        return error.__traceback__.tb_frame.f_back.f_locals
def from_import():
    from elsewhere import looked
    return looked()
class Looks:
    def __call__(self): return sys._getframe(1).f_locals
from_object = Looks()
"""
WAYS = (
    "locals()", "other_name()", "eval('locals()')", "vars()", "sys._getframe().f_locals",
    "inspect.currentframe().f_locals", "(lambda: sys._getframe(1).f_locals)()",
    "getattr(sys, '_get' + 'frame')().f_locals", "values_in(frame())[3]", "inspect.getargvalues(frame())[3]",
    "from_here()", "from_further()", "from_error()", "from_import()", "from_object()",
)  # fmt: skip
"""Locals as code may read them that no instruction reads by name."""


@pytest.mark.parametrize("way", WAYS)
def test_a_local_that_is_read_by_looking_at_a_frame_is_part_of_the_state(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    space: dict[str, Any] = {"sys": sys, "inspect": inspect, "other_name": locals}
    space |= {"frame": inspect.currentframe, "values_in": inspect.getargvalues}
    elsewhere = types.ModuleType("elsewhere")
    elsewhere.looked = lambda: sys._getframe(2).f_locals  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "elsewhere", elsewhere)
    exec(LOOKS + DEAD.format(look=way), space)
    assert law(space["body"]) == Pmf({1: Fraction(1, 2), 2: Fraction(1, 4), 3: Fraction(1, 4)})
