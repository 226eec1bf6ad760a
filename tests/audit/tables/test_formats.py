"""Markdown, CSV and LaTeX hold the same numbers, and no name breaks out of its cell."""

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from dpcert.audit.tables.formats import LONG_TABLE, comma_separated, label_of, latex, markdown
from dpcert.audit.tables.table import ExactTable

HOSTILE = [
    r"\input{/etc/passwd}", r"{\bfseries", "}", "50 % off", "a & b", "#1 $x_1^2$", "~tilde~", "a|b", "[optional]",
    "*star", '"quoted"', "it''s", "--dash", "`tick`", "<script>alert(1)</script>", "_under_", "&amp;", "\\\\", "\\", "",
    "=1+1", "+1+1", "-2+3", "@SUM(A1)", "-3", "+4", "-1/2", "=cmd|' /C calc'!A0", 'a,"b"', "é ß", "😀 Ж",
    "ε and δ", "[1]: x",
]  # fmt: skip
VALUES = [Fraction(1, 3), Fraction(-7, 2), Fraction(0), Fraction(10**30 + 1, 10**30), Fraction(5)]
PRINTED = {"textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~", "textasciigrave": "`"} | {
    "textless": "<", "textgreater": ">", "textbar": "|"
}  # fmt: skip


def table(names: list[str], rows: int | None = None) -> ExactTable:
    columns = (("name", "name"), ("value", "$v$"), ("again", "again"))
    cells = [(name, VALUES[i % len(VALUES)], name) for i, name in enumerate(names)]
    return ExactTable("t", f"Of {' '.join(names)}", columns, tuple(cells[:rows]))


HARD = table(HOSTILE)
LONG = table([f"n{i}" for i in range(LONG_TABLE + 1)])


def tokens(text: str) -> Iterator[str]:
    """Control sequences, characters of syntax, and other characters, one by one; comments are left out."""
    for line in text.splitlines():
        yield from re.findall(r"\\[A-Za-z]+\s?|\\.|.", re.sub(r"(?<!\\)%.*", "", line))
        yield "\n"


def environments(text: str) -> list[str]:
    """The environments that are opened. Every brace and environment must be closed in its order."""
    open_: list[str] = []
    found = []
    depth = 0
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            open_.append(name)
            found.append(name)
        else:
            assert open_.pop() == name
    for token in tokens(text):
        depth += {"{": 1, "}": -1}.get(token, 0)
        assert depth >= 0
    assert (depth, open_) == (0, [])
    assert sum(token == "$" for token in tokens(text)) % 2 == 0
    return found


def body(text: str) -> list[list[str]]:
    """The rows of a tabular, cell by cell, as TeX takes them apart: heads and rows, rules left out."""
    rows: list[list[str]] = [[""]]
    for token in tokens(text):
        if token.strip() in (r"\toprule", r"\midrule", r"\bottomrule", r"\endfirsthead", r"\endhead", r"\endfoot", ""):
            rows[-1][-1] += " " if not token.strip() else ""
        elif token == r"\\":
            rows.append([""])
        elif token == "&":
            rows[-1].append("")
        else:
            rows[-1][-1] += token
    assert "".join(rows.pop()).strip() == ""
    return [[cell.strip() for cell in row] for row in rows]


def printed(cell: str) -> str:
    """What a cell shows, ours of commands and braces read back; nothing else may be left of TeX in it."""
    for command, shown in PRINTED.items():
        cell = cell.replace(rf"\{command}" + "{}", f"\0{ord(shown)}\0")
    cell = cell.replace("{''}", f"\0{ord(chr(34))}\0").replace("{}", "")
    cell = cell.replace(r"$\varepsilon$", "ε").replace(r"$\delta$", "δ")
    cell = re.sub(r"\\([{}$&#_%])", lambda m: f"\0{ord(m[1])}\0", cell)
    assert not set(cell) & set("\\{}$&#%^~_")
    return re.sub("\0(\\d+)\0", lambda m: chr(int(m[1])), cell)


@pytest.mark.parametrize("made", [HARD, LONG], ids=["hostile", "long"])
def test_latex_is_a_table_with_rules_caption_and_label(made: ExactTable) -> None:
    text = latex(made, "tab:x")
    long = made is LONG
    assert environments(text) == (["longtable"] if long else ["table", "tabular"])
    assert text.startswith(r"% \usepackage{booktabs,longtable}" if long else r"% \usepackage{booktabs}" + "\n")
    assert text.count(r"\label{tab:x}") == 1
    caption = text.partition(r"\caption{")[2].partition(r"}\label{tab:x}")[0]
    assert printed(caption) == made.title.replace("😀 Ж", "U+1F600 U+0416")
    begun = r"\endfoot" if long else r"\begin{tabular}{lrl}"
    rows = body(text.partition(begun)[2].partition(r"\end{longtable}" if long else r"\end{tabular}")[0])
    rows = rows if long else rows[1:]
    assert len(rows) == len(made.rows)
    for row, (name, value, _) in zip(rows, made.rows, strict=True):
        assert len(row) == 3
        assert printed(row[0]) == printed(row[2]) == str(name).replace("😀 Ж", "U+1F600 U+0416")
        assert re.fullmatch(rf"\${value}(\\;\(.*\))?\$", row[1])
    assert not any(row[0].startswith(("[", "*")) for row in rows)


@pytest.mark.real("programs")
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_compiles(tmp_path: Path) -> None:
    """Both kinds, every hostile name."""
    tables = latex(HARD, "tab:a") + latex(LONG, "tab:b")
    text = r"\documentclass{article}\usepackage{booktabs,longtable}\begin{document}" + tables + r"\end{document}"
    (tmp_path / "all.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout


def test_csv_is_of_rfc_4180_and_reads_back() -> None:
    text = comma_separated(HARD)
    assert text.endswith("\r\n")
    assert re.search("(?<!\r)\n", text) is None
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert head == ["name", "value", "value (decimal)", "again"]
    assert len(rows) == len(HOSTILE)
    for (name, value, near, again), (due, number, _) in zip(rows, HARD.rows, strict=True):
        assert name == again
        assert name.removeprefix("'") == due
        assert Fraction(value) == number
        assert abs(Fraction(near) - Fraction(number)) <= abs(Fraction(number)) / 100_000


def test_no_cell_of_csv_is_a_formula() -> None:
    cells = [cell for row in csv.reader(io.StringIO(comma_separated(HARD), newline="")) for cell in row]
    risky = [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert all(re.fullmatch(r"[+-][0-9./e-]+", cell) for cell in risky)
    assert {"'=1+1", "'@SUM(A1)", "'-2+3", "-3", "+4", "-1/2", "-7/2"} <= set(cells)


def test_markdown_has_one_cell_a_column_and_no_markup() -> None:
    title, blank, *lines = markdown(HARD).splitlines()
    assert title.startswith("## Of ")
    assert blank == ""
    assert len(lines) == len(HOSTILE) + 2
    for line in lines:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 4
    bare = re.sub(r"\\.", "", title + "".join(lines[2:]))
    assert not set(bare) & set("<>*_`[]~$&")


def test_a_table_without_rows_is_one() -> None:
    empty = table([])
    assert environments(latex(empty, "tab:x")) == ["table", "tabular"]
    assert comma_separated(empty) == "name,value,again\r\n"
    assert len(markdown(empty).splitlines()) == 4


def test_a_label_holds_letters_digits_and_hyphens() -> None:
    assert label_of("a_b/%c.py:Core{}", "gap") == "tab:a-b-c-py-core-gap"
    assert label_of("Ж", "gap") == "tab:mechanism-gap"
