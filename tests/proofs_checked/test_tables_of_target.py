"""`dpcert tables TARGET`: every file of a user's mechanism, with statuses and one line for what is not made."""

import csv
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from dpcert.audit.commands.cli import run
from dpcert.audit.tables.formats import FORMATS

TABLES = {
    "kernels", "pairs", "pair-vertices", "fixed-hull", "adaptive-hull", "gap", "fixed-streams", "fixed-transcripts",
    "adversary", "adaptive-transcripts",
}  # fmt: skip
FIGURES = {"profile.pdf", "power.pdf", "rare-alarms.pdf"}
CORE = """
from fractions import Fraction
from dpcert import Pmf

class Core:
    "A core with names of every kind."
    alphabet = ("=1+1", r"{\\\\bf %$", "a|b")

    def __init__(self, truth: Fraction = Fraction(1, 4)):
        self.truth = truth

    def law(self, prefix):
        return Pmf({"@x": self.truth + Fraction(self.alphabet.index(prefix[-1]), 8), "<b>": None or 1 - self.truth
                    - Fraction(self.alphabet.index(prefix[-1]), 8)})
"""


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(CORE, encoding="utf-8")
    return "mine.py:Core"


@pytest.mark.in_turns
def test_every_table_in_every_format_and_the_figures(target: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["tables", target, "--horizon", "2", "--out", "new/tables"]) == 0
    assert capfd.readouterr().out == f"Wrote {len(TABLES) * 3 + len(FIGURES)} files to new/tables.\n"
    found = {path.name: path.read_bytes() for path in Path("new/tables").iterdir()}
    assert set(found) == {f"{name}.{suffix}" for name in TABLES for suffix in FORMATS} | FIGURES
    for name in FIGURES:
        assert found[name].startswith(b"%PDF-")
        assert found[name].rstrip().endswith(b"%%EOF")
        assert found[name].count(b"/Type /Page\n") + found[name].count(b"/Type /Page ") == 1
        assert b"/CreationDate" not in found[name]
        assert b"/Subtype /Image" not in found[name]
    for name in TABLES:
        assert rf"\label{{tab:mine-py-core-{name}}}" in found[f"{name}.tex"].decode()
        assert "mine.py:Core with truth=1/4; every adversary over 2 rounds" in found[f"{name}.md"].decode().replace(
            "\\", ""
        )
    rows = list(csv.reader(found["kernels.csv"].decode().splitlines()))
    assert {row[4] for row in rows[1:]} == {"'@x'", "'<b>'"}
    assert sum(Fraction(row[5]) for row in rows[1:] if row[0] == "K1") == 1


def test_parameters_are_passed_on_and_named(target: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["tables", target, "--horizon", "1", "--param", "truth=1/3", "--exp-epsilon", "7/5"]) == 0
    shown = capfd.readouterr().out
    assert shown.count("\n## ") == len(TABLES) - 1
    assert "with truth=1/3; every adversary over 1 round," in shown
    assert "| 7/5 (1.4) |" in shown
    assert "1/3 (≈ 0.333334)" in shown


@pytest.mark.real("hash seed")
@pytest.mark.in_turns
def test_the_same_bytes_come_again_from_another_process(target: str, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["tables", target, "--horizon", "1", "--write", "here", "--format", "pdf,csv"]
    done = subprocess.run(
        [sys.executable, "-m", "dpcert", *command], capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {path.suffix for path in Path("here").iterdir()} == {".pdf", ".csv"}
    assert run([*command, "--check"]) == 0
    assert (
        capfd.readouterr().out
        == f"{len(TABLES) + len(FIGURES)} of {len(TABLES) + len(FIGURES)} files in here are what is computed.\n"
    )
    gap = Path("here/gap.csv")
    gap.write_bytes(gap.read_bytes().replace(b"1/4", b"1/5", 1))
    assert run([*command, "--check"]) == 1
    assert capfd.readouterr().out.startswith("here/gap.csv:2: Expected ")


def test_what_is_left_out_is_one_line_and_status_3(target: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["tables", target, "--horizon", "3", "--max-positions", "1", "--write", "part", "--format", "md"]) == 3
    caught = capfd.readouterr()
    assert {path.name for path in Path("part").iterdir()} == {"kernels.md", "pairs.md", "pair-vertices.md"}
    assert caught.err.count("\n") == 1
    assert caught.err.startswith("dpcert: left out of the tables: fixed-hull (the curve is known between bounds alone")
    assert run(["tables", "wall-clock"]) == 3
    caught = capfd.readouterr()
    assert caught.out == ""
    assert "all, for nothing is known of the mechanism as such" in caught.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--horizon", "2"], "Expected --horizon with a TARGET"),
        (["--param", "a=1"], "Expected --param with a TARGET"),
        (["two-round", "--format", "md"], "Expected --write DIR with --check or --format of a TARGET"),
        (["two-round", "--check"], "Expected --write DIR with --check or --format of a TARGET"),
        (["two-round", "--check", "--write", "nowhere"], "Expected a folder of tables"),
        (["two-round", "--write", "d", "--format", "md,xls"], "Expected formats among md, csv, tex, pdf"),
        (["two-round", "--horizon", "5"], "Expected a horizon of at most 2 rounds"),
        (["two-round", "--adjacency", "none"], "Expected a neighbouring relation"),
        (["future-release"], "Expected a mechanism that runs live but got future-release"),
        (["nothing.py:Core"], "Expected a Python file"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["tables", *arguments]) == 2
    caught = capfd.readouterr()
    assert caught.out == ""
    assert caught.err.startswith(f"dpcert: {said}")
    assert caught.err.count("\n") == 1
