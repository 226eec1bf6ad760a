"""Code that catches what ends its run and goes on: it is refused, or its loop found, and never waited for."""

import time
from typing import Any

import pytest
from instances.drawing import Draw, law, numpy_law, once

from dpcert import MechanismError, examine


def retrying(rng: Any) -> int:
    while True:
        try:
            drawn: int = rng.randrange(4)
            if drawn < 2:
                raise ValueError
        except ValueError:
            continue
        return drawn


def retrying_whatever_is_raised(rng: Any) -> int:
    while True:
        try:
            drawn: int = rng.randrange(4)
            if drawn < 2:
                raise ValueError
        except:  # noqa: E722 - it catches what ends the run
            continue
        return drawn


def giving_up_whatever_is_raised(rng: Any) -> int:
    while True:
        try:
            drawn: int = rng.randrange(4)
        except:  # noqa: E722 - the same, and it would give another answer
            return 7
        if drawn >= 2:
            return drawn


@pytest.mark.parametrize("code", [retrying_whatever_is_raised, giving_up_whatever_is_raised])
def test_a_loop_that_catches_its_own_end_has_the_law_of_one_that_does_not(code: Draw) -> None:
    assert law(code) == law(retrying)


def counting(rng: Any) -> int:
    turns = 0
    while True:
        turns += 1
        try:
            if rng.random() < 0.5:
                raise ValueError
        except Exception:  # noqa: BLE001 - as people write it
            continue
        return turns


def unsupported(rng: Any) -> int:
    while True:
        try:
            return int(rng.gauss(0, 1))
        except Exception:  # noqa: BLE001 - the same
            continue


def written(rng: Any) -> int:
    while True:
        try:
            return int(str(rng.random())[2])
        except:  # noqa: E722 - the same
            continue


def too_many(rng: Any) -> int:
    while True:
        try:
            return int(rng.randrange(10**9))
        except:  # noqa: E722 - the same
            continue


def by_the_clock(_: Any) -> int:
    while True:
        try:
            return int(time.time() % 2)
        except Exception:  # noqa: BLE001 - the same
            continue


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (counting, "a loop without an end"),
        (unsupported, "Expected a supported call"),
        (written, "written as text"),
        (too_many, "a draw with too many outcomes"),
        (by_the_clock, "it used time.time"),
    ],
)
def test_a_refusal_that_is_caught_again_and_again_is_the_answer(code: Draw, words: str) -> None:
    with pytest.raises(MechanismError) as caught:
        examine(once(code))
    assert words in str(caught.value)
    assert "test_caught_ends.py:" in str(caught.value)


def test_draws_of_numpy_end_alike() -> None:
    def again(rng: Any) -> int:
        while True:
            try:
                return int(rng.standard_normal())
            except Exception:  # noqa: BLE001 - the same
                continue

    with pytest.raises(MechanismError, match="Expected a supported call"):
        numpy_law(again)
