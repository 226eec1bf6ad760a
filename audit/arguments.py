"""What options of the command line may hold: whole numbers, exact rationals, NAME=VALUE."""

from fractions import Fraction
from typing import Any

import click

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.rational import parse


class WholeNumber(click.ParamType[int]):
    """A whole number of at least 1."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, _ctx: click.Context | None) -> int:
        """The number, or one line that says what was expected."""
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            name = param.name if param is not None and param.name else "value"
            raise ArgumentError(f"Expected a whole number of at least 1 but got {name}={one_line(str(value))}")
        return number


class Horizon(WholeNumber):
    """A whole number of rounds, or `inf`."""

    name = "T|inf"

    def convert(  # type: ignore[override]  # a wider answer than WholeNumber's
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """The number of rounds, or `inf`."""
        return "inf" if str(value).strip() == "inf" else super().convert(value, param, ctx)


class Rational(click.ParamType[Fraction]):
    """An exact rational: 3, 3/2 or 0.25."""

    name = "Q"

    def convert(self, value: Any, param: click.Parameter | None, _ctx: click.Context | None) -> Fraction:
        """The Fraction, or one line that says what was expected."""
        name = param.name if param is not None and param.name else "value"
        return value if isinstance(value, Fraction) else parse(str(value), name.rstrip("s"))


class Assignment(click.ParamType[tuple[str, str]]):
    """NAME=VALUE."""

    name = "NAME=VALUE"

    def convert(self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None) -> tuple[str, str]:
        """Name and text."""
        name, equals, text = str(value).partition("=")
        if not equals or not name.isidentifier():
            raise ArgumentError(f"Expected NAME=VALUE but got param={one_line(str(value))}")
        return name, text
