"""`dpcert tables`: the paper's numbers, in three formats that agree, and a check that sees one changed byte."""

import csv
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from matplotlib.mathtext import MathTextParser

from dpcert.audit.commands.cli import run
from dpcert.audit.tables.table import ExactTable
from dpcert.proofs_checked.tables.cli import files
from dpcert.proofs_checked.tables.content import tables
from dpcert.proofs_checked.tables.formats import FORMATS, comma_separated, latex, markdown

REPORTS = Path(__file__).parents[2] / "reports" / "tables"
TABLES = {table.name: table for table in tables()}
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


def q(text: str) -> Fraction:
    return Fraction(text)


def column(name: str, number: int) -> list[object]:
    return [row[number] for row in TABLES[name].rows]


def test_the_paper_s_kernels_and_fixed_pairs() -> None:
    assert column("kernel-1", 2) == [q("0.68"), q("0.65")]
    assert column("kernel-2", 3) == [q("0.28"), q("0.20"), q("0.19"), q("0.28")]
    assert [row[:3] for row in TABLES["fixed-streams"].rows] == [
        ("(0, 0)", "(1, 0)", q("0.09")),
        ("(0, 1)", "(1, 1)", q("0.08")),
        ("(0, 0)", "(0, 1)", q("0.08")),
        ("(1, 0)", "(1, 1)", q("0.09")),
    ]


def test_the_paper_s_transcripts_and_event() -> None:
    assert column("transcripts", 1) == [q("0.2304"), q("0.0896"), q("0.5440"), q("0.1360")]
    assert column("transcripts", 2) == [q("0.2835"), q("0.0665"), q("0.4680"), q("0.1820")]
    (event,) = TABLES["event"].rows
    assert event == ("{(0, 1), (1, 0)}", q("0.6336"), q("0.5345"), q("0.0991"), q("0.0991"))


@pytest.mark.parametrize("name", ["fixed-hull", "adaptive-hull"])
def test_hulls_rise_concavely_from_corner_to_corner(name: str) -> None:
    points = [(Fraction(str(x)), Fraction(str(y))) for x, y in TABLES[name].rows]
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]
    assert (points[0], points[-1]) == ((0, 0), (1, 1))
    assert slopes == sorted(slopes, reverse=True)
    assert (q("0.5345"), q("0.6336")) in points or name == "fixed-hull"


def test_the_gap_is_open_up_to_265_over_252() -> None:
    rows = {row[0]: row[1:] for row in TABLES["gap"].rows}
    assert rows[Fraction(1)] == (q("9/100"), q("991/10000"), q("91/10000"))
    assert rows[q("265/252")] == (q("2021/25200"), q("2021/25200"), 0)
    assert min(rows) == 1
    assert all((gap > 0) == (e < q("265/252")) for e, (_, _, gap) in rows.items())  # type: ignore[operator]
    assert len(rows) >= 8


def test_loads_errors_and_norms_are_those_that_are_known() -> None:
    corners = [row[2:] for row in TABLES["load-curves"].rows if row[:2] == ("2", "4")]
    assert corners == [(0, 0), (0, q("1/6")), (q("1/6"), q("1/2")), (q("1/2"), q("5/6")), (q("5/6"), 1), (1, 1)]
    least = {row[0]: (row[2], row[4]) for row in TABLES["errors"].rows}
    known = {"1": "3", "2": "9", "3": "10", "4": "18", "7": "21", "8": "31", "15": "36"}
    assert {t: least[t][0] for t in known} == known
    assert (least["7"][1], least["15"][1]) == ("25", "47")
    norms = {row[0]: row[3:] for row in TABLES["sensitivities"].rows}
    assert norms["11"] == (q("125233642041/68719476736"), "at most 1.810516", "at most 1.829550")
    for t, (norm, psi, corrected) in norms.items():
        at_most = [q(bound.removeprefix("at most ")) for bound in (psi, corrected)]  # type: ignore[attr-defined]
        assert (norm > at_most[0], norm < at_most[1]) == (int(t) >= 11, True)  # type: ignore[operator]


def test_sharp_parts_never_let_more_wait() -> None:
    for row in TABLES["calibrations"].rows:
        paper, convolved, sharp = map(int, row[-3:])  # type: ignore[arg-type]
        assert sharp <= convolved <= paper
        assert all(int(w) == 4 * int(u) + 2 * int(e) - 1 for u, e, w in zip(row[2:5], row[5:8], row[8:], strict=True))  # type: ignore[arg-type]


def test_larger_gaps() -> None:
    rows = {row[0]: row[1:] for row in TABLES["larger-gaps"].rows}
    assert rows[q("1/2")] == (q("1/6"), q("1/3"), q("2/3"), q("1/2"), q("2/3"), q("4/3"), q("4/3"))
    assert all((fixed, ratio) == (eta, formula) for eta, (_, _, _, fixed, _, ratio, formula) in rows.items())


@every_table
def test_csv_reads_back(table: ExactTable) -> None:
    head, *rows = csv.reader(comma_separated(table).splitlines())
    assert len(rows) == len(table.rows)
    for row, cells in zip(rows, table.rows, strict=True):
        assert len(row) == len(head)
        here = iter(row)
        for cell in cells:
            assert next(here) == str(cell)
            if isinstance(cell, Fraction):
                assert abs(Fraction(next(here)) - cell) <= abs(cell) / 100_000


@every_table
def test_markdown_has_one_cell_a_column(table: ExactTable) -> None:
    title, blank, *lines = markdown(table).splitlines()
    assert title == f"## {table.title}"
    assert blank == ""
    assert len(lines) == len(table.rows) + 2
    assert {len(re.split(r"(?<!\\)\|", line)) for line in lines} == {len(table.columns) + 2}


@pytest.mark.in_turns
@every_table
def test_latex_is_a_plain_tabular_that_parses(table: ExactTable) -> None:
    """Structure, and every formula through a TeX parser; only commands that LaTeX has without packages."""
    comment, begin, *body, end = latex(table).splitlines()
    assert comment.startswith("% ")
    assert re.fullmatch(rf"\\begin\{{tabular\}}\{{[lr]{{{len(table.columns)}}}\}}", begin)
    assert end == r"\end{tabular}"
    lines = [line for line in body if line != r"\hline"]
    assert len(lines) == len(table.rows) + 1
    parser = MathTextParser("path")
    for line in lines:
        assert line.isascii()
        assert line.endswith(r" \\")
        cells = line.removesuffix(r" \\").split(" & ")
        assert len(cells) == len(table.columns)
        for cell in cells:
            formulas, words = re.findall(r"\$[^$]*\$", cell), re.sub(r"\$[^$]*\$", "", cell)
            assert not re.search(r"(?<!\\)[{}%$&#_^]|\\(?![{}])", words)
            for formula in formulas:
                parser.parse(formula)
    commands = set(re.findall(r"\\([a-zA-Z]+)", "".join(lines)))
    assert commands <= {
        "Pr",
        "max",
        "frac",
        "varepsilon",
        "delta",
        "eta",
        "approx",
        "Psi",
        "lceil",
        "rceil",
        "lfloor",
        "rfloor",
    }


@every_table
def test_the_formats_hold_the_same_fractions(table: ExactTable) -> None:
    exact = [str(cell) for row in table.rows for cell in row if isinstance(cell, Fraction) and cell.denominator > 1]
    for form in (markdown, comma_separated, latex):
        for fraction in exact:
            assert fraction in form(table)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    folder = tmp_path / "new" / "tables"
    assert run(["tables", "--write", str(folder)]) == 0
    return folder


def test_write_and_check(written: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert {path.name for path in written.iterdir()} == {f"{name}.{s}" for name in TABLES for s in FORMATS}
    assert run(["tables", "--check", "--write", str(written)]) == 0
    assert capfd.readouterr().out.splitlines()[-1].startswith("39 of 39 files")


def mutants(text: bytes) -> Iterator[bytes]:
    yield text.replace(b"991/10000", b"992/10000", 1)
    yield text + b"\n"
    yield text[:-1]
    yield text.replace(b"\n", b"\r\n")
    yield b""


@pytest.mark.in_turns
@pytest.mark.parametrize("number", range(5))
def test_check_sees_a_changed_byte_and_says_where(
    written: Path, number: int, capfd: pytest.CaptureFixture[str]
) -> None:
    path = written / "event.csv"
    path.write_bytes(list(mutants(path.read_bytes()))[number])
    assert run(["tables", "--check", "--write", str(written)]) == 1
    first, last = capfd.readouterr().out.splitlines()
    assert first.startswith(f"{path}:{(2, 3, 2, 1, 1)[number]}: Expected ")
    assert last.startswith("38 of 39 files")


def test_check_misses_a_file(written: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (written / "gap.tex").unlink()
    assert run(["tables", "--check", "--write", str(written)]) == 1
    assert "gap.tex: cannot be read" in capfd.readouterr().out


def test_without_a_folder_it_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for arguments in (["--check"], ["--check", "--write", "none"], ["--write", "file/below"]):
        assert run(["tables", *arguments]) == 2
        caught = capfd.readouterr()
        assert caught.out == ""
        assert caught.err.startswith("dpcert: Expected a folder")
        assert caught.err.count("\n") == 1


def test_it_prints_markdown(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["tables"]) == 0
    assert capfd.readouterr().out == "\n".join(markdown(table) for table in TABLES.values())


def test_the_published_files_are_what_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPORTS.parents[1])
    assert run(["tables", "--check"]) == 0
    assert {path.name for path in REPORTS.iterdir()} == set(files())
