"""Rational numbers as decimals for a reader: rounded up where they may be a privacy loss, outward where they bound one.

Whoever reads a decimal in place of the number never takes less to be lost than is: there is no other sign than `≈`, and
it always stands before a decimal that is too large, by less than one unit of its last digit.
"""

from collections.abc import Callable
from fractions import Fraction

READ_DIGITS = 6
"""Significant digits of a decimal, where no other number of them is asked for."""
ROUNDED_UP = "≈ "
"""What stands before a decimal that is rounded up."""


def near(value: Fraction, digits: int = READ_DIGITS) -> str:
    """The least decimal of `digits` significant digits that is at least `value`, marked where it is above.

    >>> near(Fraction(9, 100)), near(Fraction(2021, 25200)), near(Fraction(28_668_040_000_000_001, 10**17))
    ('0.09', '≈ 0.0801985', '≈ 0.286681')
    """
    _, over, under = _in_units(value, digits)
    return ("" if over % under == 0 else ROUNDED_UP) + up(value, digits)


def equated(value: Fraction, digits: int = READ_DIGITS) -> str:
    """The same behind a name, which it equals or is rounded from.

    >>> equated(Fraction(9, 100)), equated(Fraction(1, 3))
    ('= 0.09', '≈ 0.333334')
    """
    shown = near(value, digits)
    return shown if shown.startswith(ROUNDED_UP) else f"= {shown}"


def up(value: Fraction, digits: int = READ_DIGITS) -> str:
    """The least decimal of `digits` significant digits that is at least `value`: a privacy loss, an error, a bound.

    >>> up(Fraction(2, 3)), up(Fraction(-2, 3)), up(Fraction(1, 8)), up(Fraction(1, 3**20))
    ('0.666667', '-0.666666', '0.125', '2.86798e-10')
    """
    return _rounded(value, digits, lambda n, d: -(-n // d))


def down(value: Fraction, digits: int = READ_DIGITS) -> str:
    """The largest decimal of `digits` significant digits that is at most `value`: what is surely reached, a confidence,
    a limit to be kept to.

    >>> down(Fraction(2, 3)), down(Fraction(-2, 3)), down(Fraction(1, 8))
    ('0.666666', '-0.666667', '0.125')
    """
    return _rounded(value, digits, lambda n, d: n // d)


def measured(value: Fraction, digits: int = READ_DIGITS) -> str:
    """`value` rounded half to even, for what was measured in floating point and is known no better: no privacy loss.

    >>> measured(Fraction(2021, 25200)), measured(Fraction(0.1), 5)
    ('0.0801984', '0.1')
    """
    return _rounded(value, digits, lambda n, d: round(Fraction(n, d)))


def _rounded(value: Fraction, digits: int, whole: Callable[[int, int], int]) -> str:
    """`value` at so many significant digits.

    Args:
        value: Any number.
        digits: At least 1.
        whole: What a numerator over a positive denominator is rounded to.
    """
    if value == 0:
        return "0"
    exponent, over, under = _in_units(value, digits)
    scaled = whole(over, under)
    sign, size = ("-" if scaled < 0 else ""), abs(scaled)
    if size == 10**digits:
        exponent += 1  # zeros at the end are not shown
    figures = str(size)
    if -5 <= exponent < digits + 3:
        point = exponent + 1
        before = figures[:point].ljust(point, "0") if point > 0 else "0"
        part = figures[point:] if point > 0 else "0" * -point + figures
        return sign + (before + "." + part.rstrip("0")).rstrip(".")
    return f"{sign}{figures[0]}.{figures[1:].rstrip('0')}".rstrip(".") + f"e{exponent}"


def _in_units(value: Fraction, digits: int) -> tuple[int, int, int]:
    """The exponent, and the value in units of its last digit, a numerator over a positive denominator; of 0 at 0."""
    exponent = _exponent(abs(value)) if value else 0
    shift = digits - 1 - exponent
    return exponent, value.numerator * 10 ** max(shift, 0), value.denominator * 10 ** max(-shift, 0)


def _exponent(size: Fraction) -> int:
    """The integer e with 10^e <= size < 10^(e+1), for sizes of less than 10^8 bits: a first guess is not above it."""
    over, under = size.numerator, size.denominator
    guess = (over.bit_length() - under.bit_length()) * 30103 // 100000 - 1
    while 10 ** max(guess + 1, 0) * under <= over * 10 ** max(-guess - 1, 0):
        guess += 1
    return guess
