"""What code answers is what an observer sees; draws, outcomes and runs without an end are refused."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from instances.drawing import Draw, law, numpy_law, once

from dpcert import (
    MechanismError,
    examine,
    scripted,
)
from dpcert.audit.identity import value_of
from dpcert.audit.scripted import by_state, cells, tape


def test_outputs_keep_their_types() -> None:
    """An observer can tell a list from a tuple, and numpy's numbers from Python's."""
    outputs = [1, np.int64(1), np.int32(1), True, np.bool_(1), 1.0, (1,), [1], np.array([1]), np.array([[1]]), {1: 1}]
    laws = [numpy_law(lambda _, y=y: y) for y in outputs]
    assert [i for i, one in enumerate(laws) for j, two in enumerate(laws) if (one == two) != (i == j)] == []


def test_an_output_that_is_changed_later_is_what_it_was() -> None:
    """Every round shows the list of all inputs so far, one and the same object."""

    def factory(_: Any) -> Any:
        seen: list[int] = []

        def call(x: int) -> list[int]:
            seen.append(x)
            return seen

        return call

    (answer,) = {scripted(factory, alphabet=(0, 1)).respond(((), ()), (0, 1))}
    assert [value_of(y) for y in answer] == [[0], [0, 1]]


def test_what_cannot_be_an_output_is_refused() -> None:
    with pytest.raises(MechanismError, match="an output with an identity"):
        examine(once(lambda _: object()))


def looping(rng: Any) -> int:
    count = 0
    while rng.random() < 0.5:
        count += 1
    return count


def looping_the_other_way(rng: Any) -> int:
    count = 0
    while rng.random() >= 0.5:
        count += 1
    return count


def looping_for_nothing(rng: Any) -> int:
    while rng.randrange(1) == 0:
        pass
    return 0


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (looping, f"at most {tape.MOST_DRAWS_A_ROUND} draws in one round of "),
        (looping_the_other_way, "a loop without an end"),
        (looping_for_nothing, "Expected every loop of draws to end but "),
        (lambda r: r.getrandbits(10**9), "a draw with too many outcomes"),
        (lambda r: r.choices("ab", range(2 * tape.MOST_SEEDS)), "number of weights"),
        (lambda r: r.randrange(2**64), "a draw with too many outcomes"),
    ],
)
def test_too_many_draws_end_in_one_line(draw: Draw, words: str) -> None:
    with pytest.raises(MechanismError) as caught:
        law(draw)
    assert words in str(caught.value)
    assert any(f"{place}.py:" in str(caught.value) for place in ("test_outputs_of_calls", "drawing"))


def looping_to_and_fro(rng: Any) -> int:
    """A walk that only ever goes on if it turns round at each step."""
    at = 1
    while 0 < at < 4:
        at += 1 if rng.random() < 0.5 else -1  # what waits while it draws is no state that is compared
    return at


@pytest.mark.parametrize("loop", [looping, looping_the_other_way, looping_to_and_fro])
def test_a_loop_without_an_end_is_refused_after_a_few_runs_whichever_way_it_goes_on(loop: Draw) -> None:
    """By one run that depth first comes last: 400 runs of up to 400 draws took a minute and a half."""
    runs = []

    def counted(rng: Any) -> Any:
        runs.append(1)
        return loop(rng)

    with pytest.raises(MechanismError, match="a loop without an end"):
        law(counted)
    assert len(runs) < 10 * cells.AHEAD_AT


def test_what_is_looked_at_ahead_is_no_run_of_its_own() -> None:
    """More ways than are run before one looks ahead: each counts once."""
    one = law(lambda rng: (rng.randrange(2 * cells.AHEAD_AT), rng.random() < 0.25))
    assert {mass for _, mass in one.items()} == {Fraction(1, 8 * cells.AHEAD_AT), Fraction(3, 8 * cells.AHEAD_AT)}


def test_too_many_outcomes_in_numpy_end_in_one_line() -> None:
    for draw in (lambda r: r.integers(2**40), lambda r: r.binomial(10**6, 0.5)):
        with pytest.raises(MechanismError, match="a draw with too many outcomes"):
            numpy_law(draw)


def test_too_many_runs_end_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cells, by_state):
        monkeypatch.setattr(module, "MOST_CODE_RUNS", 7)
    with pytest.raises(MechanismError, match="Expected at most 7 runs in all but "):
        law(lambda r: r.randrange(8))
    assert len(law(lambda r: r.randrange(7))) == 7
