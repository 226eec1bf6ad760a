"""Tables as Markdown, CSV and LaTeX: exact fractions, with a decimal beside them."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping

from dpcert.audit.algebra.decimals import ROUNDED_UP
from dpcert.audit.tables.table import Cell, ExactTable, heads_in_columns, in_columns, shown

SPACE, APPROXIMATELY = r"\;", r"\approx "
TEX = str.maketrans({c: "\\" + c for c in "{}%$&#_"})


def markdown(table: ExactTable) -> str:
    """A title and a pipe table; `≈` marks a decimal that is rounded up."""
    lines = [_row(name for name, _ in table.columns), _row("---:" if n else "---" for n in table.numeric)]
    lines += [_row(map(shown, row)) for row in table.rows]
    return f"## {table.title}\n\n" + "".join(lines)


def comma_separated(table: ExactTable) -> str:
    """One line of headings; a column of numbers is followed by one of decimals, rounded up at six digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(heads_in_columns(table))
    writer.writerows(in_columns(row, table.numeric) for row in table.rows)
    return buffer.getvalue()


def latex(table: ExactTable) -> str:
    """A plain tabular, to be read in with \\input; it needs no package."""
    body = [tuple(tex for _, tex in table.columns), *(tuple(map(_tex, row)) for row in table.rows)]
    head, *rows = [" & ".join(row) + r" \\" for row in body]
    alignment = "".join("r" if n else "l" for n in table.numeric)
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{{alignment}}}", r"\hline", head, r"\hline", *rows, r"\hline"]
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"


FORMATS: Mapping[str, Callable[[ExactTable], str]] = {"md": markdown, "csv": comma_separated, "tex": latex}
"""File suffix -> how a table is written."""


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _tex(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell.translate(TEX)
    return f"${shown(cell).replace(' (', SPACE + '(').replace(ROUNDED_UP, APPROXIMATELY)}$"
