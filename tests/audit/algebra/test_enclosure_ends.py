"""Both ends of an enclosure as numbers, or an error that says which are none."""

from fractions import Fraction
from functools import partial

import pytest
from flint import arb

from dpcert.audit.algebra.enclosure import INFINITE, TINY, Enclosure, _end, at_precision, exponential
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


def scaled(number: int, power: int) -> arb:
    return arb(number) * arb(2) ** power


def test_an_end_nearer_to_0_than_the_largest_size_of_a_fraction_is_one_of_that_size_or_0() -> None:
    """What is written out has at most 65536 places after the point in base 2, whatever its digits."""
    above, below, tiny = Fraction(7), Fraction(9), Fraction(1, 2**65536)
    assert tiny == TINY
    for number, size in ((1, 1), (2**100 + 1, 101)):
        for away, is_near in ((size, True), (size + 1, False)):
            end = at_precision(256, partial(scaled, number, -65536 - away))
            other = at_precision(256, partial(scaled, -number, -65536 - away))
            exact = Fraction(number, 2 ** (65536 + away))
            assert _end(end, above, below) == (exact if is_near else above)
            assert _end(other, above, below) == (-exact if is_near else below)
    assert _end(arb(0), above, below) == 0
