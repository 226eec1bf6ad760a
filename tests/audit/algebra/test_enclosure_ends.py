"""Both ends of an enclosure as numbers, or an error that says which are none."""

from fractions import Fraction

import pytest

from dpcert.audit.algebra.enclosure import INFINITE, Enclosure, exponential
from dpcert.audit.errors import ArgumentError


def test_finite_ends_are_the_ends() -> None:
    known = exponential(Fraction(1, 3))
    assert (known.finite().lower, known.finite().upper) == (known.lower, known.upper)


@pytest.mark.parametrize("unknown", [INFINITE, Enclosure(Fraction(1), None), Enclosure(None, Fraction(1))])
def test_an_infinite_end_is_refused(unknown: Enclosure) -> None:
    with pytest.raises(ArgumentError, match="Expected an interval with finite ends but got lower="):
        unknown.finite()


@pytest.mark.parametrize(
    ("enclosure", "inside"),
    [
        (Enclosure(Fraction(1), Fraction(2)), [False, True, True, True, False]),
        (Enclosure(Fraction(1), None), [False, True, True, True, True]),
        (Enclosure(None, None), [False] * 5),
        (Enclosure(Fraction(3, 2), Fraction(3, 2)), [False, False, True, False, False]),
    ],
)
def test_a_number_is_in_an_enclosure_with_its_ends(enclosure: Enclosure, inside: list[bool]) -> None:
    numbers = [Fraction(0), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)]
    assert [number in enclosure for number in numbers] == inside


def test_the_exponential_is_asked_of_numbers_up_to_a_size() -> None:
    for x in (Fraction(10**4), Fraction(-(10**4)), Fraction(7, 3)):
        found = exponential(x).finite()
        assert 0 < found.lower < found.upper
        assert found.upper < found.lower * (1 + Fraction(1, 10**9))
    for x in (Fraction(10**4) + Fraction(1, 10**6), Fraction(-(10**4) - 1)):
        with pytest.raises(ArgumentError):
            exponential(x)
    assert Fraction(271, 100) < exponential(Fraction(1)).finite().lower < Fraction(272, 100)
