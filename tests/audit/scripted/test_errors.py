"""Exceptions of scripted code: refused, or outcomes where that is asked for."""

from fractions import Fraction
from typing import Any

import pytest

from dpcert import HALT, ArgumentError, MechanismError, Raised, examine, scripted


class Failing:
    """Raises by chance, with the input in the text, then would go on."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def __call__(self, x: int) -> int:
        if self.rng.random() < 0.25:
            raise KeyError(f"no row {x}")
        return 0


def test_an_exception_is_the_outcome_of_its_round_and_the_rest_is_halt() -> None:
    mechanism = scripted(Failing, alphabet=(0, 1), outcomes_of_errors=True)
    law = mechanism.seeds(2).map(lambda seeds: mechanism.respond(seeds, (1, 0)))
    ended = law.map(lambda out: out[0] == Raised("KeyError", "'no row 1'") and out[1] is HALT)
    assert ended.probability(True) == Fraction(1, 4)
    assert law.probability((0, Raised("KeyError", "'no row 0'"))) == Fraction(3, 16)


def test_what_an_exception_reveals_is_counted() -> None:
    record = examine(scripted(Failing, alphabet=(0, 1), outcomes_of_errors=True), horizon=1)
    assert record["adaptive"]["total_variation"] == "1/4"


def test_an_input_after_the_error_reveals_nothing_more() -> None:
    record = examine(scripted(Failing, alphabet=(0, 1), outcomes_of_errors=True), adjacency="any", horizon=2)
    assert record["adaptive"]["total_variation"] == "7/16"


def test_exceptions_are_refused_where_they_are_no_outcomes() -> None:
    with pytest.raises(MechanismError, match=r"raised KeyError: 'no row 0' \(.*test_errors\.py:\d+\)"):
        examine(scripted(Failing, alphabet=(0, 1)), horizon=1)


class Own(Exception):
    pass


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        (lambda _, x: 1 // x, Raised("ZeroDivisionError", "integer division or modulo by zero")),
        (lambda rng, x: rng.randrange(x), Raised("ValueError", "empty range for randrange()")),
        (lambda rng, _: rng.random().odd, Raised("AttributeError", "'float' object has no attribute 'odd'")),
    ],
)  # fmt: skip
def test_errors_of_every_origin_are_outcomes(act: Any, outcome: Raised) -> None:
    mechanism = scripted(lambda rng: lambda x: act(rng, x), alphabet=(0,), outcomes_of_errors=True)
    (only,) = mechanism.seeds(1).map(lambda seeds: mechanism.respond(seeds, (0,))).support
    assert only == (outcome,)


def test_a_class_of_ones_own_is_named_with_its_module() -> None:
    def act(_: int) -> None:
        raise Own

    mechanism = scripted(lambda _: act, alphabet=(0,), outcomes_of_errors=True)
    (only,) = mechanism.seeds(1).map(lambda seeds: mechanism.respond(seeds, (0,))).support
    assert only[0].kind.endswith("test_errors.Own")
    assert only[0].text == ""


@pytest.mark.parametrize(
    "act",
    [
        lambda rng: rng.gauss(0, 1),
        lambda rng: [rng.random()],
        lambda rng: {}[rng.random()],
        lambda _: (_ for _ in ()).throw(MechanismError("ours")),
        lambda _: (_ for _ in ()).throw(RecursionError("depth")),
        lambda _: object(),
    ],
)
def test_refusals_and_exhaustion_are_no_outcomes(act: Any) -> None:
    with pytest.raises(MechanismError):
        examine(scripted(lambda rng: lambda _: act(rng), alphabet=(0, 1), outcomes_of_errors=True), horizon=1)


def test_a_refusal_that_becomes_another_error_is_no_outcome() -> None:
    def act(rng: Any) -> float:
        try:
            return float(rng.random())
        except Exception:  # noqa: BLE001 - what careless code does
            raise KeyError("hidden") from None

    with pytest.raises(MechanismError, match="Expected random"):
        examine(scripted(lambda rng: lambda _: act(rng), alphabet=(0, 1), outcomes_of_errors=True), horizon=1)


def test_the_choice_is_checked() -> None:
    with pytest.raises(ArgumentError, match="outcomes_of_errors"):
        scripted(Failing, alphabet=(0,), outcomes_of_errors=1)  # type: ignore[arg-type]
