"""What waits on the stack while a loop draws again: of an earlier turn or of this one, by which way it came there."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from instances.laws_of_code import law

from dpcert import MechanismError, Pmf
from dpcert.audit.scripted.repeating import KNOWN

pytestmark = pytest.mark.skipif(not KNOWN, reason="loops are recognised on Python 3.11 alone, and refused on others")
TRIES = 0


def _or_refused(body: Callable[[Any], Any], expected: Pmf[Any]) -> bool:
    """Whether the law of code is this one, or it is refused."""
    try:
        return bool(law(body) == expected)
    except MechanismError:
        return True


def more_on_a_retry(rng: Any) -> int:
    retry = False
    while True:
        n = (10 if retry else 0) + rng.randrange(2)
        retry = True
        if n in (1, 11):
            return n


def scaled_on_a_retry(rng: Any) -> int:
    sign = 1
    while True:
        n = (1 if sign > 0 else -1) * rng.randrange(2)
        sign = -1
        if n:
            return int(n)


class Counting:
    """Writes to a global where it is asked how many there are."""

    def count(self) -> int:
        global TRIES
        TRIES = 1
        return 2


def _drawn(counting: Counting, rng: Any) -> int:
    return TRIES + 2 * int(rng.randrange(counting.count()))


def written_to_from_afar(rng: Any) -> int:
    global TRIES
    TRIES = 0
    counting = Counting()
    while True:
        n = _drawn(counting, rng)
        if n >= 2:
            return n


HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("body", "values"),
    [(more_on_a_retry, (1, 11)), (scaled_on_a_retry, (1, -1)), (written_to_from_afar, (2, 3))],
)
def test_what_waits_may_be_another_one_in_the_first_turn(body: Callable[[Any], int], values: tuple[int, int]) -> None:
    assert _or_refused(body, Pmf(dict.fromkeys(values, HALF)))


def a_constant_on_one_way(rng: Any) -> int:
    while True:
        n = 2 - rng.randrange(4)
        if n >= 0:
            return int(n)


def test_a_constant_that_came_by_one_way_may_wait() -> None:
    assert law(a_constant_on_one_way) == Pmf({n: Fraction(1, 3) for n in range(3)})


class Place(NamedTuple):
    """Its annotation is a text, of which Python keeps what it compiles to."""

    row: "int" = 0


def with_annotations_that_are_texts(rng: Any) -> int:
    place = Place(2)
    while True:
        n = rng.randrange(4)
        if n <= place.row:
            return int(n)


def test_annotations_that_are_texts_are_compared() -> None:
    assert law(with_annotations_that_are_texts) == Pmf({n: Fraction(1, 3) for n in range(3)})
