"""Loops of draws with a state that stands where no variable shows it: it is seen there, or all turns are run."""

import decimal
import itertools
import types
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar

import flint
import numpy as np
import pytest
from instances.holders import HOLDERS
from instances.laws_of_code import enumerated, law

from dpcert import MechanismError, Pmf
from dpcert.audit.scripted.repeating import KNOWN

pytestmark = pytest.mark.skipif(not KNOWN, reason="loops are recognised on Python 3.11 alone, and refused on others")


def _while(rng: Any, tick: Callable[[], Any]) -> None:
    while rng.randrange(2):
        tick()


def _until(rng: Any, tick: Callable[[], Any]) -> None:
    while True:
        if not rng.randrange(2):
            return
        tick()


def _in_a_function(rng: Any, tick: Callable[[], Any]) -> None:
    def again() -> bool:
        return bool(rng.randrange(2))

    while again():
        tick()


TURNS = (_while, _until, _in_a_function)
TIMES = 3
"""Turns after which a count is the same: so that there are few runs."""


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("turns", TURNS, ids=lambda f: f.__name__.strip("_"))
@pytest.mark.parametrize("where", HOLDERS)
def test_a_count_is_seen_wherever_it_is_kept(where: str, turns: Callable[..., None]) -> None:
    made, tick, read = HOLDERS[where]

    def body(rng: Any) -> int:
        holder = made()

        def ticked() -> None:
            if read(holder) < TIMES:
                tick(holder)
            elif read(holder) == TIMES:
                raise LookupError

        try:
            turns(rng, ticked)
        except LookupError:
            return -1
        return read(holder)

    assert law(body) == enumerated(body)


def _coins(rng: Any) -> Iterator[int]:
    while True:
        yield rng.randrange(2)


def _sent(rng: Any) -> Any:
    last = 0
    while True:
        last = yield last + rng.randrange(2)


def counted_coins(rng: Any) -> int:
    for n, coin in enumerate(_coins(rng)):
        if coin or n == 4:
            return n
    return 0


def next_coins(rng: Any) -> int:
    coins, n = _coins(rng), 0
    while not next(coins):
        n += 1
        if n == 4:
            return -1
    return n


def sent_coins(rng: Any) -> int:
    coins = _sent(rng)
    n = next(coins)
    for _ in range(2):
        n = coins.send(n)
    return int(n)


def islice_of_coins(rng: Any) -> int:
    return sum(itertools.islice(_coins(rng), 3))


def of_coins_of_coins(rng: Any) -> int:
    for n, coin in enumerate(1 - c for c in _coins(rng)):
        if coin or n == 4:
            return n
    return 0


@pytest.mark.parametrize("body", [counted_coins, next_coins, sent_coins, islice_of_coins, of_coins_of_coins])
def test_what_asks_a_generator_for_more_goes_on(body: Callable[[Any], Any]) -> None:
    assert law(body) == enumerated(body)


def test_a_global_that_waits_on_the_stack_may_be_of_an_earlier_turn() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(WAITING, space)
    with pytest.raises(MechanismError, match="draws"):
        law(space["body"])


WAITING = """
TRIES = 0
def drawn(rng):
    global TRIES
    TRIES = 1
    return rng.randrange(2)
def body(rng):
    global TRIES
    TRIES = 0
    while True:
        n = TRIES + 2 * drawn(rng)
        if n >= 2:
            return n
"""


def rounding_coins(rng: Any) -> int:
    with decimal.localcontext() as context:
        context.prec = 1
        while rng.randrange(2):
            context.prec += 1
            if context.prec == 5:
                break
        return context.prec


def test_settings_are_part_of_a_state() -> None:
    assert law(rounding_coins) == enumerated(rounding_coins)


def narrowing(rng: Any) -> int:
    k = 3
    while True:
        k = rng.randrange(k, 6)
        if k != 4:
            return int(k)


def among_fewer(rng: Any) -> int:
    score = 4
    while True:
        score = rng.randint(0, score)
        if score in (0, 4):
            return int(score)


def thinning(rng: Any) -> int:
    left = 3
    while True:
        left = rng.randrange(left + 1)
        if left != 2:
            return int(left)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (narrowing, {3: Fraction(1, 3), 5: Fraction(2, 3)}),
        (among_fewer, {0: Fraction(4, 5), 4: Fraction(1, 5)}),
        (thinning, {0: Fraction(3, 8), 1: Fraction(3, 8), 3: Fraction(1, 4)}),
    ],
)
def test_what_a_draw_is_asked_for_with_is_part_of_a_state(body: Callable[[Any], Any], expected: dict[Any, Any]) -> None:
    assert law(body) == Pmf(expected)


class Kept:
    """A class that counts, and is known under an alias."""

    times: ClassVar[list[int]] = []

    def __class_getitem__(cls, item: Any) -> Any:
        return types.GenericAlias(cls, (item,))


ALIAS = Kept[int]


def under_an_alias(rng: Any) -> int:
    ALIAS.times.clear()
    while rng.randrange(2):
        ALIAS.times.append(1)
        if len(ALIAS.times) == TIMES:
            return -1
    return len(ALIAS.times)


def on_the_generator(rng: Any) -> int:
    rng.times = 0
    while rng.randrange(2):
        rng.times += 1
        if rng.times == TIMES:
            return -1
    return int(rng.times)


def in_a_library(rng: Any) -> int:
    flint.ctx.prec = 53
    while rng.randrange(2):
        flint.ctx.prec += 1
        if flint.ctx.prec == 53 + TIMES:
            break
    found = flint.ctx.prec - 53
    flint.ctx.prec = 53
    return int(found)


def in_an_array(rng: Any) -> int:
    times = np.empty(1, dtype=object)
    times[0] = [0]
    while rng.randrange(2):
        times[0][0] += 1
        if times[0][0] == TIMES:
            return -1
    return int(times[0][0])


def in_a_flag(rng: Any) -> int:
    cells = np.zeros(1)
    while rng.randrange(2):
        if not cells.flags.writeable:
            return -1
        cells.setflags(write=False)
    return int(cells.flags.writeable)


@pytest.mark.parametrize("body", [under_an_alias, on_the_generator, in_a_library, in_an_array, in_a_flag])
def test_a_count_out_of_the_way_is_seen(body: Callable[[Any], Any]) -> None:
    assert law(body) == enumerated(body)


LIMIT = 3


def _halved(u: int) -> int:
    return u // 2


def through_a_builtin(rng: Any) -> int:
    while True:
        v = abs(rng.randrange(4))
        if v != LIMIT:
            return v


def through_a_function(rng: Any) -> int:
    while True:
        v = _halved(rng.randrange(8))
        if v != LIMIT:
            return v


def beside_a_global(rng: Any) -> int:
    while True:
        v = LIMIT - rng.randrange(4)
        if v:
            return v - 1


@pytest.mark.parametrize("body", [through_a_builtin, through_a_function, beside_a_global])
def test_a_global_that_nobody_writes_to_may_wait(body: Callable[[Any], int]) -> None:
    assert law(body) == Pmf({v: Fraction(1, 3) for v in range(3)})
