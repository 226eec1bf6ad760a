"""Enumeration of a step's draws: exact weights, and one line for every step that is not a function of its draws."""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from math import gcd
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from oracles.hidden import step_law

from dpcert import HALT, Draw, MechanismError, Pmf, Release, bernoulli, examine, from_weights, point, uniform
from dpcert.audit.kernels import draws
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.view import view_of

HALF = bernoulli(Fraction(1, 2))
Step = Callable[[Any, Any, Draw], Any]


class Stepping:
    """A mechanism with the given step; its state may be anything, so that faulty ones can be built."""

    def __init__(self, step: Step, initial: Any = 0) -> None:
        self.alphabet = (0, 1)
        self.initial = initial
        self.step = step


def kernel(step: Step, state: Any = 0, x: int = 0) -> Kernel:
    view = view_of(Stepping(step))
    found = view.kernel(state, x)
    assert sum(weight for _, _, weight in found.entries) == found.denominator
    return found


def law(step: Step, state: Any = 0, x: int = 0) -> dict[tuple[Any, Any], Fraction]:
    found = kernel(step, state, x)
    assert len({entry[:2] for entry in found.entries}) == len(found.entries)
    return {(visible, after): Fraction(weight, found.denominator) for visible, after, weight in found.entries}


def line_of(step: Step, below: int = 1) -> str:
    """`file.py:line`, `below` lines under the step's `def`."""
    return f"test_draws.py:{step.__code__.co_firstlineno + below})"


def audited(step: Step) -> Any:
    return examine(Stepping(step), horizon=2)


LOOKS: list[Callable[[Step], Any]] = [kernel, audited]


def refused(step: Step, *words: str, look: Callable[[Step], Any]) -> None:
    """The kernel or the audit ends in one line that has all the words."""
    with pytest.raises(MechanismError) as error:
        look(step)
    text = str(error.value)
    assert "\n" not in text
    assert all(word in text for word in words), text


# ---------------------------------------------------------------- weights


def test_no_draw_is_a_sure_answer() -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        del draw
        return Release(x + 5), state

    assert law(step, 2, 1) == {(6, 2): 1}


def test_weights_multiply_along_draws_and_add_up_over_them() -> None:
    """A coin of 1/3; heads draw from three outcomes, tails from none; equal answers merge."""

    def step(state: int, x: int, draw: Draw) -> tuple[Release[str, None], int]:
        if not draw(bernoulli(Fraction(1, 3))):
            return Release("a"), state + x
        letter = draw(from_weights({"a": 1, "b": 2, "c": 4}))
        return Release(letter), draw(uniform([3, 4])) if letter == "c" else state + x

    assert law(step, 3) == {
        ("a", 3): Fraction(2, 3) + Fraction(1, 21),
        ("b", 3): Fraction(2, 21),
        ("c", 3): Fraction(2, 21),
        ("c", 4): Fraction(2, 21),
    }


def test_weights_come_in_lowest_terms() -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x + draw(uniform(range(6))) % 2), state

    found = kernel(step)
    assert found.denominator == 2
    assert gcd(*(weight for _, _, weight in found.entries)) == 1


def test_laws_may_depend_on_earlier_draws_and_hold_hundreds_of_bits() -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        first = draw(bernoulli(Fraction(1, 3**200)))
        second = draw(bernoulli(Fraction(1, 2**300) if first else Fraction(1, 5**100)))
        return Release(first + second + x), state

    a, b, c = Fraction(1, 3**200), Fraction(1, 2**300), Fraction(1, 5**100)
    assert law(step) == {(2, 0): a * b, (1, 0): a * (1 - b) + (1 - a) * c, (0, 0): (1 - a) * (1 - c)}


def test_hidden_outputs_are_dropped_and_halt_is_kept() -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        secret = draw(uniform(range(4)))
        return Release(HALT if secret == 3 else x, hidden=[secret]), state

    assert law(step) == {(0, 0): Fraction(3, 4), (HALT, 0): Fraction(1, 4)}


def test_sure_draws_cost_nothing() -> None:
    assert law(lambda state, x, draw: (Release(sum(draw(point(x + 2)) for _ in range(50))), state)) == {(100, 0): 1}


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", range(60))
def test_kernels_of_random_mechanisms(seed: int) -> None:
    """Against an enumerator of its own, and not one weight off."""
    mechanism, alphabet = random_interactive(40_000 + seed, 2, 3, 3, allow_halt=seed % 2 == 0)
    for state in (mechanism.initial, 0, 1, 2):
        for x in alphabet:
            found = view_of(mechanism).kernel(state, x)
            expected = step_law(mechanism, state, x)
            assert {(v, s): Fraction(w, found.denominator) for v, s, w in found.entries} == expected


# ---------------------------------------------------------------- hidden randomness


def law_at_random(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
    return Release(x + draw(bernoulli(Fraction(random.randrange(1, 2**60), 2**60)))), state


def shorter_every_time() -> Step:
    left: Iterator[int] = count(9, -1)

    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x + sum([draw(HALF) for _ in range(max(1, next(left)))])), state

    return step


def one_draw_more_every_other_time() -> Step:
    calls = count()

    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x + sum([draw(HALF) for _ in range(1 + next(calls) % 2)])), state

    return step


def answer_at_random(state: int, x: int, draw: Draw) -> tuple[Release[Any, None], int]:
    return Release((x, draw(HALF), random.random())), state


def answer_at_random_without_draws(state: int, x: int, draw: Draw) -> tuple[Release[Any, None], int]:
    del draw
    return Release((x, random.random())), state


def state_at_random(state: int, x: int, draw: Draw) -> tuple[Release[int, None], Any]:
    del state
    return Release(x + draw(HALF)), random.random()


def counting() -> Step:
    calls = count()

    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x + draw(HALF) + next(calls)), state

    return step


HIDDEN = ("to be a function of its", "hidden randomness")


@pytest.mark.parametrize("look", LOOKS)
def test_another_law_on_replay(look: Callable[[Step], Any]) -> None:
    refused(law_at_random, *HIDDEN, "Stepping.step", line_of(law_at_random), look=look)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize(("make", "counts"), [(shorter_every_time, (8, 9)), (one_draw_more_every_other_time, (1, 2))])
def test_fewer_draws_on_replay(make: Callable[[], Step], counts: tuple[int, int], look: Callable[[Step], Any]) -> None:
    on_replay, before = counts
    words = f"{on_replay} draws on replay where there were {before}"
    refused(make(), *HIDDEN, "Stepping.step", words, look=look)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("step", [answer_at_random, answer_at_random_without_draws, state_at_random])
def test_an_answer_at_random(step: Step, look: Callable[[Step], Any]) -> None:
    refused(step, *HIDDEN, "Stepping.step", look=look)


@pytest.mark.parametrize("look", LOOKS)
def test_an_answer_that_counts(look: Callable[[Step], Any]) -> None:
    refused(counting(), *HIDDEN, "Stepping.step", look=look)


def test_a_coin_of_its_own() -> None:
    """Seen in one of 60 tries, unless the same coin falls on every one (once in 10^11 if each path runs twice)."""

    def step(state: int, x: int, draw: Draw) -> tuple[Release[bool, None], int]:
        del draw
        return Release(bool(x) ^ (random.randrange(4) == 0)), state

    def look(tried: Step) -> None:
        for _ in range(60):
            kernel(tried)

    refused(step, *HIDDEN, "Stepping.step", look=look)


def test_a_rare_coin_of_its_own() -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[bool, None], int]:
        del draw
        return Release(bool(x) ^ (random.randrange(2**60) == 0)), state

    refused(step, *HIDDEN, "Stepping.step", look=kernel)


# ---------------------------------------------------------------- bounds


def forever(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
    while True:
        state += draw(HALF) + x


def geometric(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
    while draw(HALF):
        state += 1
    return Release(state + x), 0


@pytest.mark.parametrize("look", LOOKS)
def test_an_endless_loop_of_draws(look: Callable[[Step], Any]) -> None:
    refused(forever, "at most 1000 draws in one Stepping.step", "endless", line_of(forever, 2), look=look)


@pytest.mark.parametrize("look", LOOKS)
def test_a_loop_that_ends_with_probability_one(look: Callable[[Step], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "MOST_DRAWS", 100)
    refused(geometric, "at most 100 draws in one Stepping.step", "endless", line_of(geometric), look=look)


def test_a_loop_is_refused_long_before_every_sequence_up_to_the_bound_was_tried() -> None:
    drawn = 0

    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        nonlocal drawn
        drawn += 1
        while draw(HALF):
            drawn += 1
        return Release(x), state

    refused(step, "at most 1000 draws in one Stepping.step", "endless", look=kernel)
    assert drawn < 3 * draws.MOST_DRAWS  # sequence by sequence it would be half a million


@pytest.mark.parametrize("rounds", [draws.LOOPING - 1, draws.LOOPING, 3 * draws.LOOPING])
def test_a_long_loop_that_ends_has_its_exact_law(rounds: int) -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        ended = (k for k in range(rounds) if not draw(from_weights({0: 1, 1: 1 + k})))
        return Release(next(ended, rounds) + x), state

    found, left = law(step), Fraction(1)
    for k in range(rounds):
        assert found[k, 0] == left / (2 + k)
        left -= found[k, 0]
    assert found[rounds, 0] == left


@pytest.mark.parametrize(("count_of_draws", "allowed"), [(100, True), (101, False)])
def test_the_bound_on_draws_is_met_exactly(count_of_draws: int, allowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x + sum([draw(point(1)) for _ in range(count_of_draws)])), state

    monkeypatch.setattr(draws, "MOST_DRAWS", 100)
    if allowed:
        assert law(step) == {(100, 0): 1}
    else:
        refused(step, "at most 100 draws in one Stepping.step", look=kernel)


def test_too_many_sequences_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x + sum([draw(HALF) for _ in range(7)])), state

    monkeypatch.setattr(draws, "MOST_PATHS", 2**7)
    assert kernel(step).denominator == 2**7
    monkeypatch.setattr(draws, "MOST_PATHS", 2**7 - 1)
    refused(step, "at most 127 sequences of draws in one Stepping.step", look=kernel)


# ---------------------------------------------------------------- answers and draws of the wrong kind


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("wrong", [{0: Fraction(1)}, [0, 1], Fraction(1, 2), None, Pmf])
def test_a_draw_from_something_that_is_no_pmf(wrong: Any, look: Callable[[Step], Any]) -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        return Release(x + draw(wrong)), state

    kind = type(wrong).__name__
    refused(step, f"Expected Stepping.step to draw from a Pmf but got {kind}", line_of(step), look=look)


@pytest.mark.parametrize("look", LOOKS)
def test_an_unhashable_state(look: Callable[[Step], Any]) -> None:
    refused(lambda state, x, draw: (Release(x), [state, draw(HALF)]), "Stepping.step", "a hashable state", look=look)


@pytest.mark.parametrize("look", LOOKS)
def test_an_unhashable_visible_output(look: Callable[[Step], Any]) -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[Any, None], int]:
        shown: Any = [x, draw(HALF)]
        return Release(shown), state

    refused(step, "Stepping.step", "a hashable visible output", "[0, 0]", look=look)


def test_an_unhashable_initial_state() -> None:
    with pytest.raises(MechanismError, match=r"^Stepping\.initial: Expected a hashable initial but got .*\[\]"):
        view_of(Stepping(geometric, initial=[]))


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize(
    "answer", [None, 0, (1, 0), (Release(1),), (Release(1), 0, 0), [Release(1), 0], Release(1), (0, Release(1))]
)
def test_a_step_that_returns_something_else(answer: Any, look: Callable[[Step], Any]) -> None:
    kind = type(answer).__name__
    wanted = f"Expected Stepping.step to return (Release, state) but got {kind}"
    refused(lambda state, x, draw: answer, wanted, look=look)  # noqa: ARG005 - a step has these parameters


@pytest.mark.parametrize("look", LOOKS)
def test_a_step_that_raises(look: Callable[[Step], Any]) -> None:
    def step(state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        if draw(HALF):
            raise ValueError(f"cannot go on from {state}\nat {x}")
        return Release(x), state

    refused(step, "Stepping.step raised ValueError: cannot go on from 0 at 0", line_of(step, 2), look=look)


def test_steps_are_tried_once_only_where_that_is_said() -> None:
    answers = count()

    def counting(draw: Draw) -> int:
        return draw(HALF) + next(answers)

    with draws.tried_once():
        assert draws.enumerated("counting", counting) == ({0: 1, 2: 1}, 2)
    with pytest.raises(MechanismError, match="hidden randomness"):
        draws.enumerated("counting", counting)
