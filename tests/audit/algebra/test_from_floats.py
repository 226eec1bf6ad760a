"""Float tables at the border: read as the dyadic rationals that they are, and never rounded on the way."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpcert import ArgumentError, Pmf, PowerFunction

F = Fraction
TENTHS = {"a": 0.1, "b": 0.2, "c": 0.7}
MISSED = F(0.1) + F(0.2) + F(0.7) - 1


def test_dyadic_tables_are_taken_as_they_are() -> None:
    law = Pmf.from_floats({"a": 0.5, "b": 0.375, "c": 0.125, "d": 0.0, "e": -0.0}, normalise=False)
    assert dict(law.items()) == {"a": F(1, 2), "b": F(3, 8), "c": F(1, 8)}
    assert law == Pmf.from_floats({"a": 0.5, "b": 0.375, "c": 0.125}, normalise=True)


def test_the_smallest_floats_keep_their_value() -> None:
    tiny = math.ulp(0.0)
    law = Pmf.from_floats({"a": 1.0, "b": tiny}, normalise=True)
    assert law.probability("b") == F(1, 2**1074 + 1)


def test_a_table_that_misses_one_says_by_how_much() -> None:
    assert F(-1, 36028797018963968) == MISSED
    with pytest.raises(ArgumentError) as caught:
        Pmf.from_floats(TENTHS, normalise=False)
    assert str(caught.value) == (
        "Expected floats that sum to exactly 1 but got sum=36028797018963967/36028797018963968 "
        "(short by 1/36028797018963968); normalise=True divides by the sum"
    )
    with pytest.raises(ArgumentError, match=r"sum=5/4 \(over by 1/4\)"):
        Pmf.from_floats({"a": 0.75, "b": 0.5}, normalise=False)


def test_normalising_divides_by_the_exact_sum() -> None:
    law = Pmf.from_floats(TENTHS, normalise=True)
    assert law.probability("a") == F(0.1) / (1 + MISSED) != F(1, 10)
    assert sum(w for _, w in law.items()) == 1
    assert Pmf.from_floats({0: 3.0, 1: 1.0}, normalise=True) == Pmf({0: F(3, 4), 1: F(1, 4)})


def test_equal_outcomes_and_whole_numbers() -> None:
    assert Pmf.from_floats({1: 1, 2: 0.0}, normalise=False) == Pmf({1: 1})


def test_numpy_scalars_are_floats_too() -> None:
    table = {0: np.float64(0.75), 1: np.float32(0.25)}
    assert Pmf.from_floats(table, normalise=False) == Pmf({0: F(3, 4), 1: F(1, 4)})  # type: ignore[arg-type]


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (math.nan, "a finite weight for outcome 'b' but got weight=nan"),
        (math.inf, "a finite weight for outcome 'b' but got weight=inf"),
        (-math.inf, "a finite weight for outcome 'b' but got weight=-inf"),
        (-0.25, "a weight of at least 0 for outcome 'b' but got weight=-1/4"),
        (True, "a float for outcome 'b' but got weight=True"),
        ("0.5", "a float for outcome 'b' but got weight='0.5'"),
        (None, "a float for outcome 'b' but got weight=None"),
        (1j, "a float for outcome 'b' but got weight=1j"),
        (Decimal("0.5"), "a float for outcome 'b' but got weight=Decimal"),
        (F(1, 2), "a float for outcome 'b' but got weight=1/2"),
    ],
)
def test_what_is_no_weight_is_refused(weight: Any, message: str, normalise: bool) -> None:
    with pytest.raises(ArgumentError, match=message):
        Pmf.from_floats({"a": 0.5, "b": weight}, normalise=normalise)


@pytest.mark.parametrize("table", [{}, {"a": 0.0}])
def test_nothing_to_normalise(table: dict[str, float]) -> None:
    with pytest.raises(ArgumentError, match="at least one positive weight"):
        Pmf.from_floats(table, normalise=True)
    with pytest.raises(ArgumentError, match=r"sum=0 \(short by 1\)"):
        Pmf.from_floats(table, normalise=False)


def test_normalise_has_to_be_said() -> None:
    with pytest.raises(TypeError, match="normalise"):
        Pmf.from_floats({"a": 1.0})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Pmf.from_floats({"a": 1.0}, True)  # type: ignore[misc]


def test_a_float_table_composes_exactly() -> None:
    law0 = Pmf.from_floats({0: 0.68, 1: 0.32}, normalise=True)
    law1 = Pmf.from_floats({0: 0.65, 1: 0.35}, normalise=True)
    f = PowerFunction.from_laws(law0, law1)
    assert f.tensor_power(5) == f.tensor(f).tensor(f).tensor(f).tensor(f)
