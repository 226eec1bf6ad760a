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
