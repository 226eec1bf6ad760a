"""What options of the command line may hold: whole numbers, exact rationals, NAME=VALUE."""

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import click

from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.games.horizon import EVERY

LARGEST_WHOLE = 10**18
"""The largest whole number in an option: more rounds, hops or seconds than there can be, and still a machine word."""
_WHOLE = re.compile(r"\+?(?P<digits>[0-9]+)")


class WholeNumber(click.ParamType[int]):
    """A whole number of at least 1, in digits 0 to 9."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, _ctx: click.Context | None) -> int:
        """The number, or one line that says what was expected."""
        if type(value) is int:
            return value
        text = str(value)
        found = _WHOLE.fullmatch(text.strip(" "))
        number = _sized(found["digits"]) if found else 0
        if not 1 <= number <= LARGEST_WHOLE:
            most = " and at most 10^18" if number else ""
            name = param.name if param is not None and param.name else "value"
            raise ArgumentError(f"Expected a whole number of at least 1{most} but got {name}={one_line(text)}")
        return number


def _sized(digits: str) -> int:
    """The number, and for one that is too large another that is."""
    short = digits.lstrip("0")
    return int(short or 0) if len(short) <= len(str(LARGEST_WHOLE)) else LARGEST_WHOLE + 1


class RoundsOrInf(WholeNumber):
    """A whole number of rounds, or `inf`."""

    name = "T|inf"

    def convert(  # type: ignore[override]  # a wider answer than WholeNumber's
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """The number of rounds, or `inf`."""
        return EVERY if str(value).strip(" ") == EVERY else super().convert(value, param, ctx)


class Rational(click.ParamType[Fraction]):
    """An exact rational: 3, 3/2, 0.25 or 1e-6."""

    name = "Q"

    def convert(self, value: Any, param: click.Parameter | None, _ctx: click.Context | None) -> Fraction:
        """The Fraction, or one line that says what was expected."""
        from dpcert.audit.algebra.rational import written  # here, for help has no numbers to read

        name = param.name if param is not None and param.name else "value"
        return value if isinstance(value, Fraction) else written(str(value), name.rstrip("s"))


class Assignment(click.ParamType[tuple[str, str]]):
    """NAME=VALUE."""

    name = "NAME=VALUE"

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> tuple[str, str]:
        """Name and text."""
        if isinstance(value, tuple):
            return value
        name, equals, text = str(value).partition("=")
        if not equals or not name.isidentifier():
            raise ArgumentError(f"Expected NAME=VALUE but got param={one_line(str(value))}")
        return name, text


def assigned(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The assignments as one mapping. Raises: ArgumentError: a name that is given two values."""
    parameters: dict[str, str] = {}
    for name, text in given:
        if parameters.setdefault(name, text) != text:
            raise expected(f"one value of --param {one_line(name)}", first=parameters[name], second=text)
    return parameters
