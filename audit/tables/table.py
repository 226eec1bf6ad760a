"""A table of texts and exact numbers, before it is written in any format."""

from collections.abc import Sequence
from fractions import Fraction

from dpcert.audit.algebra.decimals import near, up
from dpcert.audit.algebra.rational import text
from dpcert.audit.frozen import frozen

Cell = str | Fraction
Heading = tuple[str, str]
"""The same words plain, and in LaTeX."""


@frozen
class ExactTable:
    """A name (the file's), a title, and rows of text and exact numbers under (plain, LaTeX) headings."""

    name: str
    title: str
    columns: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        return [any(isinstance(row[i], Fraction) for row in self.rows) for i in range(len(self.columns))]


def shown(cell: Cell) -> str:
    """A cell for reading: `991/10000 (0.0991)`, `≈` before a decimal that is rounded up."""
    if isinstance(cell, str):
        return cell
    return text(cell) if cell.denominator == 1 else f"{text(cell)} ({near(cell)})"


def in_columns(row: Sequence[Cell], numeric: Sequence[bool]) -> list[str]:
    """A row for a spreadsheet: in a column of numbers a decimal, rounded up at six digits, follows each."""
    parts: list[str] = []
    for cell, n in zip(row, numeric, strict=True):
        parts.append(text(cell) if isinstance(cell, Fraction) else cell)
        if n:
            parts.append(up(cell) if isinstance(cell, Fraction) else cell)
    return parts


def heads_in_columns(table: ExactTable) -> list[str]:
    """The headings above those."""
    heads = zip(table.columns, table.numeric, strict=True)
    return [head for (name, _), n in heads for head in ((name, f"{name} (decimal)") if n else (name,))]
