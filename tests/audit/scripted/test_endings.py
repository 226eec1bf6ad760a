"""Loops of draws in which objects end: what runs as they do is the code's, and happens when it would unwatched."""

import random
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from instances.drawing import Draw, law
from instances.seeds import chosen

from dpcert import MechanismError
from dpcert.audit.scripted.endings import ends_in_silence


class Counting:
    def __init__(self, ended: list[int]) -> None:
        self.ended = ended

    def __del__(self) -> None:
        self.ended[0] += 1


class Plain:
    def __init__(self, inside: Any = None) -> None:
        self.inside = inside


def closing(ended: list[int]) -> Iterator[None]:
    try:
        yield
    finally:
        ended[0] += 1


def begun(ended: list[int]) -> Iterator[None]:
    one = closing(ended)
    next(one)
    return one


def finalized(ended: list[int]) -> Plain:
    one = Plain()
    weakref.finalize(one, ended.__setitem__, 0, 1)
    return one


ENDING: dict[str, Callable[[list[int]], Any]] = {
    "an object": Counting,
    "one in a list": lambda ended: [{"in": (Counting(ended),)}],
    "one in an object": lambda ended: Plain(Counting(ended)),
    "one in a closure": lambda ended: (lambda one: lambda: one)(Counting(ended)),
    "one as a default": lambda ended: (lambda made: lambda one=made: one)(Counting(ended)),
    "its method": lambda ended: Counting(ended).__init__,  # type: ignore[misc]
    "a generator": begun,
    "one that is waited for": finalized,
}


def overwriting(rng: Any, make: Callable[[list[int]], Any]) -> int:
    ended = [0]
    while True:
        if rng.randrange(2):
            return min(ended[0], 1)
        one = make(ended)  # noqa: F841 - it ends where the next one takes its place


def leaving(rng: Any, make: Callable[[list[int]], Any]) -> int:
    ended = [0]

    def turn() -> int:
        one = make(ended)  # noqa: F841 - it ends with the call
        drawn: int = rng.randrange(2)
        return drawn

    while True:
        if turn():
            return min(ended[0], 1)


@pytest.mark.parametrize("make", ENDING.values(), ids=list(ENDING))
@pytest.mark.parametrize(("loop", "truth"), [(overwriting, Fraction(3, 4)), (leaving, Fraction(0))])
def test_what_runs_as_a_loop_turns_is_not_left_out(loop: Any, truth: Fraction, make: Any) -> None:
    with suppress(MechanismError):  # it may be refused
        assert law(lambda rng: loop(rng, make)).probability(0) == truth


def counted(rng: Any) -> tuple[int, int]:
    """Three turns at most, so that every run of them is made."""
    ended = [0]

    def turn() -> int:
        one = Counting(ended)  # noqa: F841 - it ends with the call
        drawn: int = rng.randrange(2)
        return drawn

    for turns in range(3):
        if turn():
            return turns, ended[0]
    return 3, ended[0]


def told_weakly(rng: Any) -> tuple[int, bool]:
    one: Any = Plain()
    told, turns = weakref.ref(one), 0
    while turns < 3:
        turns += 1
        if rng.randrange(2):
            return turns, told() is None
        one = None
    return 4, one is told()


def replacing(rng: Any) -> tuple[int, int]:
    ended, turns = [0], 0
    while turns < 3:
        turns += 1
        if rng.randrange(2):
            return turns, ended[0]
        one: Any = Counting(ended)
        one = None  # noqa: F841 - where it ends
    return turns, ended[0]


@pytest.mark.parametrize("code", [counted, told_weakly, replacing])
def test_objects_end_when_they_would_unwatched(code: Draw) -> None:
    assert {value for value, _ in law(code).items()} == {code(random.Random(seed)) for seed in range(200)}


def test_what_ends_in_silence_leaves_a_loop_as_it_was() -> None:
    def retrying(rng: Any) -> int:
        while True:
            kept = [Plain(np.arange(3)), {"a": (rng, lambda: rng)}]  # noqa: F841 - as people leave it there
            drawn: int = rng.randrange(4)
            if drawn < 2:
                return drawn

    assert dict(law(retrying).items()) == {0: Fraction(1, 2), 1: Fraction(1, 2)}


def nested(made: random.Random, inside: Any, depth: int) -> Any:
    """A value with another one in it, so many layers down."""
    wrap: list[Callable[[Any], Any]] = [
        lambda v: [v, 1], lambda v: (2, v), lambda v: {"x": v}, Plain, lambda v: lambda: v, lambda v: Plain([v]),
    ]  # fmt: skip
    for _ in range(depth):
        inside = made.choice(wrap)(inside)
    return inside


@pytest.mark.parametrize("seed", chosen(range(20)))
def test_what_does_something_is_found_at_any_depth(seed: int) -> None:
    made = random.Random(seed)
    depth, ended = made.randrange(6), [0]
    assert ends_in_silence(nested(made, 3.5, depth))
    make = made.choice(list(ENDING.values()))
    assert not ends_in_silence(nested(made, make(ended), depth))


def test_numbers_of_numpy_end_in_silence_unless_they_hold_objects() -> None:
    assert ends_in_silence(np.arange(6)[::2])
    assert ends_in_silence(np.float64(1))
    assert not ends_in_silence(np.array([Counting([0])], dtype=object))
    assert not ends_in_silence(np.arange(3).flat)


PUT_ON: dict[str, Callable[[Any], Any]] = {
    "its class": type,
    "a base of that": lambda rng: type(rng).__base__,
    "a method": lambda rng: rng.random.__func__,
    "the generator": lambda rng: rng,
    "a library's class": lambda _: Fraction,
}


@pytest.mark.parametrize("name", ["turns", "__turns__", "_bits"])
@pytest.mark.parametrize("find", PUT_ON.values(), ids=list(PUT_ON))
def test_what_is_counted_on_the_generator_s_class_tells_turns_apart(find: Callable[[Any], Any], name: str) -> None:
    homes = []

    def counting(rng: Any) -> int:
        home = find(rng)
        homes.append(home)
        setattr(home, name, 0)
        while True:
            if rng.randrange(2):
                return min(find(rng).__dict__[name], 2)
            setattr(find(rng), name, find(rng).__dict__[name] + 1)

    try:
        with pytest.raises(MechanismError, match=r"a loop without an end|hidden randomness"):
            law(counting)
    finally:
        for home in homes:
            if name in vars(home):
                delattr(home, name)


def test_a_not_a_number_is_the_one_that_it_is() -> None:
    def standing(rng: Any) -> bool:
        one = float("nan")
        among = [one]
        while True:
            if rng.randrange(2):
                return one in among
            one = float("nan")

    assert dict(law(standing).items()) == {True: Fraction(1, 2), False: Fraction(1, 2)}
    assert Counter(standing(random.Random(seed)) for seed in range(40)).keys() == {True, False}
