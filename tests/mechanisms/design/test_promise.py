"""A promise: what it may be, how it is spelled, and that a design and its target keep the one that was made."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import pytest

from dpcert.audit.errors import ArgumentError
from dpcert.audit.kernels.label import parameters_of
from dpcert.mechanisms.design.gaussian_design import gaussian, randbin_gaussian
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.design.parts import paper, sharp
from dpcert.mechanisms.design.promise import DEFAULT_DELTA, DEFAULT_EXP_EPSILON, Promise, promised
from dpcert.mechanisms.design.sharp import RandBinSharp
from dpcert.mechanisms.noise.geometric import exp_epsilon_below

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((Fraction(1), HALF), "Expected an e^epsilon above 1 but got exp_epsilon=1"),
        ((Fraction(-3), HALF), "exp_epsilon=-3"),
        ((2.0, HALF), "a float is not exact"),
        ((Fraction(2), Fraction(0)), "Expected a delta above 0 and below 1 but got delta=0"),
        ((Fraction(2), 1), "delta=1"),
        ((Fraction(2), 0.5), "a float is not exact"),
        ((Fraction(2), HALF, 0), "Expected a horizon of at least 1 event but got horizon=0"),
        ((Fraction(2), HALF, True), "horizon=True"),
        ((Fraction(2), HALF, Fraction(3)), "a horizon of at least 1 event"),
    ],
)
def test_what_no_promise_is(given: tuple[Any, ...], says: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        Promise(*given)
    assert says in str(raised.value)


def test_it_is_spelled_by_e_to_the_epsilon_or_by_epsilon() -> None:
    assert promised() == Promise(DEFAULT_EXP_EPSILON, DEFAULT_DELTA)
    assert promised(HALF, 7, exp_epsilon=3) == Promise(Fraction(3), HALF, 7)
    assert promised(HALF, epsilon=1) == Promise(exp_epsilon_below(Fraction(1))[0], HALF)
    with pytest.raises(ArgumentError, match="not both"):
        promised(HALF, exp_epsilon=3, epsilon=1)


@pytest.mark.in_turns
def test_a_target_is_the_design_of_its_promise() -> None:
    promise = Promise(Fraction(16), HALF, 100)
    given = {"exp_epsilon": promise.exp_epsilon, "delta": promise.delta, "horizon": promise.events}
    assert RandBinPaper(**given).design == paper(promise)  # type: ignore[arg-type]
    assert RandBinSharp(**given).design == sharp(promise)  # type: ignore[arg-type]
    assert gaussian(Promise(Fraction(16), Fraction(1, 10), 200)) == randbin_gaussian(Fraction(16), Fraction(1, 10), 200)


def test_the_fields_of_a_target_are_as_they_were_given() -> None:
    """But the events, where an error function that was given as numbers ends."""
    mine = RandBinPaper(error_function="4,9,9,12", truncation=Fraction(1, 4))
    assert parameters_of(mine) == {
        "exp_epsilon": None, "delta": HALF, "error_function": "4,9,9,12", "budget": "uniform", "horizon": 23,
        "epsilon": None, "truncation": Fraction(1, 4),
    }  # fmt: skip
    assert mine.design.promise.events is None
    assert RandBinPaper(error_function="4,9,9,12", truncation=Fraction(1, 4), horizon=15).horizon == 15
    assert RandBinPaper().horizon is None
    with pytest.raises(FrozenInstanceError):
        mine.horizon = 7  # type: ignore[misc]
