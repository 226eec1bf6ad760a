"""Tables as Markdown, CSV and LaTeX, whatever the names in them hold: fractions exact, with a decimal beside them."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping

from dpcert.audit.algebra.decimals import ROUNDED_UP, near
from dpcert.audit.algebra.rational import text
from dpcert.audit.tables.table import Cell, ExactTable, heads_in_columns, in_columns, shown

LONG_TABLE = 40
"""Rows past which a table in LaTeX is a `longtable`, which breaks across pages."""
_MARKUP = set("\\`*_[]|~<>&$")
_FORMULA = ("=", "+", "-", "@")
"""What a spreadsheet takes for a formula where a cell begins with it."""
_NUMBER = re.compile(r"[+-]?[0-9]+(/[0-9]+|(\.[0-9]+)?(e[+-]?[0-9]+)?)")
_LETTERS = set("ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿß")
"""Letters beyond ASCII that every LaTeX has in every font."""
_TEX = {
    **{c: "\\" + c for c in "{}$&#_%"},
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "`": r"\textasciigrave{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "{''}",
    "ε": r"$\varepsilon$", "δ": r"$\delta$",
}  # fmt: skip
_JOINED = re.compile(r"(?<=([-,']))(?=\1)")
"""Between two characters that TeX would set as one."""
_ARGUMENT = ("[", "*")
"""What `\\\\` takes for a part of itself at the beginning of the next row."""


def markdown(table: ExactTable) -> str:
    """A title and a pipe table; `≈` marks a decimal that is rounded up. Nothing in it is markup but the table."""
    lines = [_row(_plain(name) for name, _ in table.columns), _row("---:" if n else "---" for n in table.numeric)]
    lines += [_row(_plain(cell) if isinstance(cell, str) else shown(cell) for cell in row) for row in table.rows]
    return f"## {_plain(table.title)}\n\n" + "".join(lines)


def comma_separated(table: ExactTable) -> str:
    """RFC 4180: a line of headings, lines that end with CR LF; a column of numbers is followed by one of decimals.

    A text that a spreadsheet would take for a formula, for it begins with one of = + - @ and is no number, stands
    behind an apostrophe.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(heads_in_columns(table))
    writer.writerows(map(_harmless, in_columns(row, table.numeric)) for row in table.rows)
    return buffer.getvalue()


def latex(table: ExactTable, label: str) -> str:
    """A table with caption and label for \\input, ruled by booktabs; past LONG_TABLE rows one by longtable.

    Args:
        table: The table.
        label: What \\ref knows it by.
    """
    head, *rows = [
        " & ".join(row) + r" \\"
        for row in (tuple(tex for _, tex in table.columns), *(tuple(map(_tex, row)) for row in table.rows))
    ]
    alignment = "".join("r" if n else "l" for n in table.numeric)
    caption = rf"\caption{{{_escaped(table.title)}}}\label{{{label}}}"
    long = len(rows) > LONG_TABLE
    body = _long(alignment, caption, head, rows) if long else _short(alignment, caption, head, rows)
    return "\n".join([rf"% \usepackage{{booktabs{',longtable' if long else ''}}}", *body]) + "\n"


def _short(alignment: str, caption: str, head: str, rows: list[str]) -> list[str]:
    opened = [r"\begin{table}", r"\centering", caption, rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", head]
    return [*opened, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", r"\end{table}"]


def _long(alignment: str, caption: str, head: str, rows: list[str]) -> list[str]:
    every = [r"\toprule", head, r"\midrule"]
    opened = [rf"\begin{{longtable}}{{{alignment}}}", caption + r" \\", *every, r"\endfirsthead", *every, r"\endhead"]
    return [*opened, r"\bottomrule", r"\endfoot", *rows, r"\end{longtable}"]


FORMATS: Mapping[str, Callable[[ExactTable, str], str]] = {
    "md": lambda table, _: markdown(table),
    "csv": lambda table, _: comma_separated(table),
    "tex": latex,
}
"""File suffix -> how a table is written, under a label."""


def label_of(target: str, name: str) -> str:
    """What a table of a target is known by in LaTeX: letters, digits and hyphens.

    >>> label_of("my_files/two.py:Core", "gap")
    'tab:my-files-two-py-core-gap'
    """
    slug = re.sub(r"[^a-z0-9]+", "-", target.lower()).strip("-")
    return f"tab:{slug or 'mechanism'}-{name}"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def _plain(words: str) -> str:
    return "".join(f"\\{c}" if c in _MARKUP else c for c in words)


def _harmless(words: str) -> str:
    return f"'{words}" if words.startswith(_FORMULA) and not _NUMBER.fullmatch(words) else words


def _tex(cell: Cell) -> str:
    if isinstance(cell, str):
        return ("{}" if cell.startswith(_ARGUMENT) else "") + _escaped(cell)
    if cell.denominator == 1:
        return f"${text(cell)}$"
    beside = near(cell).replace(ROUNDED_UP, r"\approx ")
    return rf"${text(cell)}\;({beside})$"


def _escaped(words: str) -> str:
    """Any text as LaTeX that prints it; a character that not every LaTeX has as U+ and its number."""
    apart = _JOINED.sub("\0", words)
    known = (_TEX.get(c, c if c.isascii() or c in _LETTERS else f"U+{ord(c):04X}") for c in apart)
    return "".join("{}" if c == "\0" else c for c in known)
