"""Tables as Markdown, CSV and LaTeX: exact fractions, with a decimal beside them."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from dpcert.audit.algebra.rational import decimal, text
from dpcert.audit.render.cells import near
from dpcert.proofs_checked.tables.content import Cell, PaperTable

SPACE, APPROXIMATELY = r"\;", r"\approx "
TEX = str.maketrans({c: "\\" + c for c in "{}%$&#_"})


def markdown(table: PaperTable) -> str:
    """A title and a pipe table; `≈` marks a rounded decimal."""
    lines = [_row(name for name, _ in table.columns), _row("---:" if n else "---" for n in _numeric(table))]
    lines += [_row(map(_shown, row)) for row in table.rows]
    return f"## {table.title}\n\n" + "".join(lines)


def comma_separated(table: PaperTable) -> str:
    """One line of headings; a column of numbers is followed by one of decimals, rounded at six digits."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    heads = zip(table.columns, _numeric(table), strict=True)
    writer.writerow([head for (name, _), n in heads for head in ((name, f"{name} (decimal)") if n else (name,))])
    for row in table.rows:
        writer.writerow([part for cell in row for part in _parts(cell)])
    return made.getvalue()


def latex(table: PaperTable) -> str:
    """A plain tabular, to be read in with \\input; it needs no package."""
    body = [tuple(tex for _, tex in table.columns), *(tuple(map(_tex, row)) for row in table.rows)]
    head, *rows = [" & ".join(row) + r" \\" for row in body]
    alignment = "".join("r" if n else "l" for n in _numeric(table))
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{{alignment}}}", r"\hline", head, r"\hline", *rows, r"\hline"]
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"


FORMATS: Mapping[str, Callable[[PaperTable], str]] = {"md": markdown, "csv": comma_separated, "tex": latex}
"""File suffix -> how a table is written."""


def _numeric(table: PaperTable) -> list[bool]:
    """Which columns hold numbers."""
    return [isinstance(cell, Fraction) for cell in table.rows[0]]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _shown(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return text(cell) if cell.denominator == 1 else f"{text(cell)} ({near(cell)})"


def _parts(cell: Cell) -> tuple[str, ...]:
    return (cell,) if isinstance(cell, str) else (text(cell), decimal(cell))


def _tex(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell.translate(TEX)
    return f"${_shown(cell).replace(' (', SPACE + '(').replace('≈ ', APPROXIMATELY)}$"
