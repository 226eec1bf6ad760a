"""Rational numbers at the border: parsed from text, printed at any length."""

import re
from fractions import Fraction
from numbers import Rational

from flint import fmpz

from dpcert.audit.errors import expected

MOST_BITS = 65_536
"""A number in an option has a numerator and a denominator of at most 2^65536 (19,728 digits), and a text no longer."""

_SIZED = f"a rational with a numerator and a denominator of at most 2^{MOST_BITS} (19,728 digits)"
_TOO_LARGE = Fraction(1 << (MOST_BITS + 1))
_WRITTEN = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)"
    r"(?:(?<=[0-9])/(?P<below>[0-9]+)|(?:\.(?P<part>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]+))?)"
)


def exact(value: object, name: str) -> Fraction:
    """`value` as a Fraction, if it already is an exact rational number.

    Raises: ArgumentError: a float, a Decimal, a truth value or anything else.
    """
    if type(value) is Fraction and type(value.numerator) is int and type(value.denominator) is int:
        return value
    if isinstance(value, Rational) and not _is_truth(value):
        return Fraction(int(value.numerator), int(value.denominator))  # foreign integers may be of fixed width
    hint = " (a float is not exact: write Fraction(1, 10), not 0.1)" if type(value).__name__ == "float" else ""
    raise expected(f"an exact rational, an int or a Fraction{hint},", **{name: value})


def _is_truth(value: object) -> bool:
    return isinstance(value, bool)


def parse(text: str, name: str) -> Fraction:
    """The rational written as `3` or `-2/7`, of any length, as in a record; a decimal as an option may hold it.

    >>> parse("991/10000", "delta")
    Fraction(991, 10000)
    """
    try:
        numerator, slash, denominator = text.partition("/")
        return Fraction(_integer(numerator), _integer(denominator) if slash else 1)
    except ZeroDivisionError:
        raise expected("a rational with a denominator other than 0", **{name: text}) from None
    except ValueError:
        return written(text, name)


def written(text: str, name: str) -> Fraction:
    """The rational that somebody wrote into an option: `3`, `-2/7`, `0.125` or `1e-6`, in digits 0 to 9.

    Spaces around it do not count. Nothing is worked out before its size is known.

    Raises: ArgumentError: anything else, or a numerator or denominator past 2^`MOST_BITS`.

    >>> written("1e-3", "delta")
    Fraction(1, 1000)
    """
    if len(text) > MOST_BITS:
        raise expected(_SIZED, **{name: text})
    found = _WRITTEN.fullmatch(text.strip(" "))
    if found is None or not (found["whole"] or found["part"]):
        raise expected("a rational such as 3, 3/2 or 0.25", **{name: text})
    number = _worked_out(**{part: value or "" for part, value in found.groupdict().items()})
    if number is None:
        raise expected("a rational with a denominator other than 0", **{name: text})
    if max(abs(number.numerator), number.denominator) > 1 << MOST_BITS:
        raise expected(_SIZED, **{name: text})
    return number


def _worked_out(sign: str, whole: str, part: str, exponent: str, below: str) -> Fraction | None:
    """The number; None over 0, and what is too large for any large size."""
    if below:
        return Fraction(_integer(sign + whole), _integer(below)) if below.strip("0") else None
    digits = (whole + part).lstrip("0")
    if not digits:
        return Fraction(0)
    if len(exponent.lstrip("+-0")) > len(str(MOST_BITS)):
        return _TOO_LARGE
    power = int(exponent or 0) - len(part)
    if abs(power) > MOST_BITS:
        return _TOO_LARGE
    return Fraction(_integer(sign + digits)) * Fraction(10) ** power


def _integer(text: str) -> int:
    digits = text.strip()
    body = digits[1:] if digits[:1] in {"-", "+"} else digits
    if not (body.isascii() and body.isdigit()):
        raise ValueError
    return int(fmpz(digits.removeprefix("+")))


def integer_text(value: int) -> str:
    """Decimal digits of an integer of any length (Python's own conversion stops at 4,300 digits)."""
    return str(value) if value.bit_length() < 10_000 else str(fmpz(value))


def text(value: Fraction) -> str:
    """`value` as `p/q`, or `p` when it is whole.

    >>> text(Fraction(9, 100))
    '9/100'
    """
    if value.denominator == 1:
        return integer_text(value.numerator)
    return f"{integer_text(value.numerator)}/{integer_text(value.denominator)}"
