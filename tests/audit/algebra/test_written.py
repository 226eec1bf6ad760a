"""Numbers as they are written, what balls prove at the ends, and how far logarithms may be off."""

from fractions import Fraction
from math import log

import pytest

from dpcert import ArgumentError
from dpcert.audit.algebra.binomial import covers
from dpcert.audit.algebra.long_chain import UNIT
from dpcert.audit.algebra.merged_runs import shift_error
from dpcert.audit.algebra.rational import exact, written
from dpcert.audit.games.horizon import checked_rounds


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", Fraction(3)), ("-3/2", Fraction(-3, 2)), ("+3/2", Fraction(3, 2)), ("0.25", Fraction(1, 4)),
        ("-.5", Fraction(-1, 2)), ("-2e3", Fraction(-2000)), ("5.", Fraction(5)), ("1.50e-2", Fraction(3, 200)),
        ("0/7", Fraction(0)), ("-0.0", Fraction(0)), (" 7 ", Fraction(7)), ("6/4", Fraction(3, 2)),
    ],
)  # fmt: skip
def test_a_number_is_what_is_written(text: str, number: Fraction) -> None:
    assert written(text, "delta") == number
    assert type(written(text, "delta").denominator) is int


@pytest.mark.parametrize("text", ["", ".", "-", "1/0", "1/-2", "1.5/2", "1e", "--1", "1_0", "nan", "0x1", "1e99999999"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError):
        written(text, "delta")


def test_a_rational_is_exact_and_a_truth_value_is_none() -> None:
    assert exact(3, "delta") == 3
    half = Fraction(1, 2)
    assert exact(half, "delta") is half
    for value in (True, 0.5, "1/2", None):
        with pytest.raises(ArgumentError):
            exact(value, "delta")


def test_at_the_ends_a_bound_is_proven_without_balls() -> None:
    risk = Fraction(1, 20)
    assert covers(3, 10, Fraction(0), risk)
    assert covers(0, 10, Fraction(0), risk)
    assert not covers(0, 10, Fraction(1, 2), risk)
    assert not covers(10, 10, Fraction(1), risk)
    assert covers(10, 10, Fraction(1, 2), Fraction(1, 1_023))  # the chance is 1/1024
    assert not covers(10, 10, Fraction(1, 2), Fraction(1, 1_025))


@pytest.mark.parametrize(
    "factor", [Fraction(10**300), Fraction(1, 10**300), Fraction(10**200, 10**199 + 1), Fraction(1)]
)
def test_the_error_of_a_shift_grows_with_both_of_its_logarithms(factor: Fraction) -> None:
    assert shift_error(factor) >= 2 * UNIT * (log(factor.numerator) + log(factor.denominator))
    assert shift_error(factor) > 0


def test_rounds_that_can_be_explored_are_given_back() -> None:
    assert checked_rounds(3, None) == checked_rounds(3, 3) == 3
    for rounds, own in ((4, 3), (0, None), (-1, None), (True, None)):
        with pytest.raises(ArgumentError):
            checked_rounds(rounds, own)


def test_a_number_with_a_large_power_of_ten_is_refused_for_its_size() -> None:
    for large in ("1e99999999", "1e-99999999", "1e65537", "1e-70000", "999e65530"):
        with pytest.raises(ArgumentError, match="at most 2\\^65536"):
            written(large, "a number")
    assert written("1e100", "a number") == 10**100
