"""A titled table that a mechanism adds to its report, as a record holds it."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NotRequired, TypedDict

from dpcert.audit.algebra.decimals import near
from dpcert.audit.algebra.rational import integer_text, text

MOST_SECTION_ROWS = 40
"""Rows of a table that a section of a record holds."""


class FigureCurve(TypedDict):
    """A curve through rational points."""

    name: str
    points: list[list[str]]


class Figure(TypedDict):
    """Curves on common axes."""

    x: str
    y: str
    logarithmic: NotRequired[bool]
    curves: list[FigureCurve]


class Section(TypedDict):
    """A titled table, with a figure where it has one; one that is `brief` is in the text report as well."""

    title: str
    text: str
    columns: list[str]
    rows: list[list[str]]
    brief: NotRequired[bool]
    figure: NotRequired[Figure]


class Shades(TypedDict):
    """Levels from 0 to 10, row by row from the top, and what runs along each side."""

    x: str
    y: str
    levels: list[list[int]]


class ShadedSection(Section):
    """A section that may have a table of numbers drawn as shaded cells; of a case that a command decides."""

    shades: NotRequired[Shades]


def shown(value: Fraction | int) -> str:
    """For a table: the fraction where it is short, else a decimal, rounded up where it has to be."""
    exact = text(Fraction(value))
    return exact if len(exact) <= 12 else near(Fraction(value))


def section(
    title: str, words: str, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]], *, brief: bool = False
) -> Section:
    """A titled table of at most MOST_SECTION_ROWS rows; a `brief` one is in the text report as well."""
    listed = [[integer_text(value) if type(value) is int else str(value) for value in row] for row in rows]
    left = len(listed) - MOST_SECTION_ROWS
    more = f" {left} more rows are left out." if left > 0 else ""
    made: Section = {"title": title, "text": words + more, "columns": list(columns), "rows": listed[:MOST_SECTION_ROWS]}
    return {**made, "brief": True} if brief else made
