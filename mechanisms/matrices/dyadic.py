"""Floats as what they are, whole numbers over a power of two, and what is worked out of them exactly."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.errors import expected

Floats = NDArray[np.float64]
Integers = NDArray[Any]
"""Of int64, or of Python's own integers where those might be too small."""
MANTISSA_BITS = 53
"""Bits of a float64: whole numbers of no more are floats."""
WORD_BITS = 62
"""Whole numbers are kept in machine words while they and their sums have fewer bits."""


class Dyadic(NamedTuple):
    """Numbers v / 2^bits; `bits` may be negative.

    >>> Dyadic([3, -1], 2).fractions()
    [Fraction(3, 4), Fraction(-1, 4)]
    """

    values: list[int]
    bits: int

    def fractions(self) -> list[Fraction]:
        """The numbers themselves."""
        return [over(value, self.bits) for value in self.values]


def over(value: int, bits: int) -> Fraction:
    """value / 2^bits.

    >>> over(3, 1), over(3, -1)
    (Fraction(3, 2), Fraction(6, 1))
    """
    return Fraction(value, 1 << bits) if bits >= 0 else Fraction(value << -bits)


def reals(values: Any) -> Floats:
    """What was given, as floats.

    Raises: TypeError, ValueError: no numbers; complex ones are none.

    >>> reals([[1, "2.5"]]).tolist()
    [[1.0, 2.5]]
    """
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise TypeError
    return array.astype(np.float64, copy=False)


def finite(array: Floats, name: str) -> Floats:
    """The array, contiguous and read-only, if it has entries and all are numbers.

    Raises: ArgumentError: it is empty, complex, or an entry is not a number or infinite; the first is named.
    """
    if array.dtype.kind == "c":
        raise expected("real entries", **{name: f"an array of {array.dtype}"})
    if array.size == 0:
        raise expected("at least one entry", **{name: f"an array of shape {array.shape}"})
    if not np.isfinite(array).all():
        at = tuple(int(i) + 1 for i in np.argwhere(~np.isfinite(array))[0])
        raise expected("finite entries", **{name: f"{array[tuple(i - 1 for i in at)]} at {list(at)}"})
    kept = np.array(array, dtype=np.float64, order="C")
    kept.flags.writeable = False
    return kept


def scaled(array: Floats) -> Dyadic:
    """The entries of an array, row by row, over the smallest power of two that makes all of them whole.

    >>> scaled(np.array([0.75, -2.0]))
    Dyadic(values=[3, -8], bits=2)
    """
    odd, exponents = _odd_parts(array.ravel())
    used = exponents[odd != 0]
    if not used.size:
        return Dyadic([0] * array.size, 0)
    least = int(used.min())
    shifts = np.where(odd == 0, 0, exponents - least)
    if int(shifts.max()) + MANTISSA_BITS <= WORD_BITS:
        return Dyadic((odd << shifts).tolist(), -least)
    return Dyadic([m << s for m, s in zip(odd.tolist(), shifts.tolist(), strict=True)], -least)


def _odd_parts(array: Floats) -> tuple[Integers, Integers]:
    """x = m 2^e with m odd or 0."""
    parts, exponents = np.frexp(array)
    whole = np.ldexp(parts, MANTISSA_BITS).astype(np.int64)
    lowest = np.where(whole == 0, 1, whole & -whole)
    zeros = np.frexp(lowest.astype(np.float64))[1].astype(np.int64) - 1
    return whole >> zeros, exponents.astype(np.int64) - MANTISSA_BITS + zeros


def scaled_fractions(numbers: Sequence[Fraction], name: str) -> Dyadic:
    """Dyadic rationals over a power of two.

    Raises: ArgumentError: a denominator is no power of two.

    >>> scaled_fractions([Fraction(1, 2), Fraction(3)], "coefficients")
    Dyadic(values=[1, 6], bits=1)
    """
    bits = max((x.denominator.bit_length() - 1 for x in numbers), default=0)
    for x in numbers:
        if x.denominator & (x.denominator - 1):
            raise expected("numbers over powers of two", **{name: x})
    return Dyadic([x.numerator << bits - x.denominator.bit_length() + 1 for x in numbers], bits)


def square_sum(numbers: Iterable[int]) -> int:
    """The sum of squares of whole numbers.

    >>> square_sum([3, -4])
    25
    """
    return sum(x * x for x in numbers)


def size_sum(numbers: Iterable[int]) -> int:
    """The sum of absolute values of whole numbers.

    >>> size_sum([3, -4])
    7
    """
    return sum(map(abs, numbers))
