"""A titled table that a mechanism adds to its report, as a record holds it."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import decimal, integer_text, text

MOST_SECTION_ROWS = 40
"""Rows of a table that a section of a record holds."""
Section = dict[str, Any]


def shown(value: Fraction | int) -> str:
    """For a table: the fraction where it is short, else a rounded decimal."""
    exact = text(Fraction(value))
    return exact if len(exact) <= 12 else f"≈ {decimal(Fraction(value))}"


def section(title: str, words: str, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> Section:
    """A titled table of at most MOST_SECTION_ROWS rows, as a record holds it."""
    listed = [[integer_text(value) if type(value) is int else str(value) for value in row] for row in rows]
    left = len(listed) - MOST_SECTION_ROWS
    more = f" {left} more rows are left out." if left > 0 else ""
    return {"title": title, "text": words + more, "columns": list(columns), "rows": listed[:MOST_SECTION_ROWS]}
