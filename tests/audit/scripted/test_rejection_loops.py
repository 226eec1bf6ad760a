"""Loops that draw until something holds, against the law of a turn given that it ends."""

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from instances.laws_of_code import law
from instances.seeds import chosen

from dpcert import MechanismError, examine, scripted, uniform
from dpcert.audit.scripted.repeating import KNOWN

pytestmark = pytest.mark.skipif(not KNOWN, reason="loops are recognised on Python 3.11 alone, and refused on others")


SHAPES: list[Callable[[Any, list[int], set[tuple[int, ...]]], Any]] = []


def shape(function: Callable[[Any, list[int], set[tuple[int, ...]]], Any]) -> Any:
    SHAPES.append(function)
    return function


@shape
def with_a_break(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    while True:
        a = rng.randrange(sizes[0])
        b = rng.randrange(sizes[1])
        if (a, b) in accepted:
            break
    return a, b


@shape
def with_a_return(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    first, second = sizes
    while True:
        drawn = (rng.randrange(first), 0)
        drawn = drawn[0], rng.randrange(second)
        if drawn in accepted:
            return drawn


@shape
def with_a_function(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    drawn = one_turn(rng, sizes)
    while drawn not in accepted:
        drawn = one_turn(rng, sizes)
    return drawn


def one_turn(rng: Any, sizes: list[int]) -> tuple[int, int]:
    a = rng.randrange(sizes[0])
    b = rng.randrange(sizes[1])
    return a, b


@shape
def in_two_loops(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    firsts = {a for a, _ in accepted}
    while True:
        while True:
            a = rng.randrange(sizes[0])
            if a in firsts:
                break
        b = rng.randrange(sizes[1])
        if (a, b) in accepted:
            return a, b


@shape
def with_continue(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    while True:
        a = rng.randrange(sizes[0])
        if not any((a, b) in accepted for b in range(sizes[1])):
            continue
        b = rng.randrange(sizes[1])
        if (a, b) not in accepted:
            continue
        return a, b


class Holder:
    def __init__(self, rng: Any, sizes: list[int]) -> None:
        self.rng = rng
        self.sizes = sizes

    def turn(self) -> tuple[int, int]:
        a = self.rng.randrange(self.sizes[0])
        return a, self.second()

    def second(self) -> int:
        b: int = self.rng.randrange(self.sizes[1])
        return b

    def run(self, accepted: set[tuple[int, ...]]) -> tuple[int, int]:
        while True:
            drawn = self.turn()
            if drawn in accepted:
                return drawn


@shape
def in_an_object(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    return Holder(rng, sizes).run(accepted)


@pytest.mark.in_turns
@pytest.mark.parametrize("code", SHAPES)
@pytest.mark.parametrize("generator", ["random", "numpy"])
def test_what_a_loop_accepts_has_the_law_of_one_turn_given_that_it_ends(code: Any, generator: str) -> None:
    author = random.Random(code.__name__)

    def other(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
        if generator == "numpy":
            return code(Whole(rng), sizes, accepted)
        return code(rng, sizes, accepted)

    refused, made = 0, []
    for _ in range(10):
        sizes = [author.randint(1, 4), author.randint(2, 4)]
        pairs = list(itertools.product(range(sizes[0]), range(sizes[1])))
        made.append((sizes, set(author.sample(pairs, author.randint(1, len(pairs))))))
    for sizes, accepted in chosen(made, 10):
        try:
            found = law(lambda rng, s=sizes, a=accepted: other(rng, s, a), generator)  # type: ignore[misc]
        except MechanismError as error:
            assert "loop of draws without an end" in str(error)  # noqa: PT017 - a refusal is no wrong number
            refused += 1
            continue
        assert found == uniform(sorted(accepted))
    assert refused <= (10 if code in (with_a_return, in_an_object) else 0)


class Whole:
    """numpy's generator under the name of the other's call."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def randrange(self, count: int) -> int:
        n = self.rng.integers(count)
        return int(n)


def waits_for_an_input(rng: Any) -> Callable[[int], int]:
    def answer(x: int) -> int:
        while True:
            u: int = rng.randrange(10)
            if u < 3 + x:
                return u

    return answer


def test_a_loop_that_ends_by_its_input_is_refused() -> None:
    with pytest.raises(MechanismError, match=r"ends for some inputs and goes on for others.*Pmf\.condition"):
        examine(scripted(waits_for_an_input, alphabet=(0, 1)), horizon=1)


def test_a_loop_that_never_ends_is_refused() -> None:
    def body(rng: Any) -> int:
        while rng.randrange(2) < 5:
            pass
        return 0

    with pytest.raises(MechanismError, match=r"Expected every loop of draws to end but .* has one that never does"):
        law(body)


class Discrete:
    """A sum with noise that is drawn by rejection, twice a round, and once in the constructor."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng
        self.base = self.noise()

    def noise(self) -> int:
        while True:
            u: int = self.rng.randrange(8)
            if u < 5:
                return u - 2

    def __call__(self, x: int) -> int:
        return x + self.noise() if x or self.base else self.noise()


@pytest.mark.in_turns
def test_loops_in_many_places_of_many_rounds() -> None:
    mechanism = scripted(Discrete, alphabet=(0, 1), horizon=2)
    assert len(mechanism.seeds(2)) == 5**3
    record = examine(mechanism, horizon=2)
    assert record["adaptive"]["total_variation"] == "1/5"
    assert {e["item"]: e["verdict"] for e in record["checklist"]}["DETERMINISTIC_MAP"] == "HOLDS"
