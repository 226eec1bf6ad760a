"""What the README shows is run: the command's first lines, the mechanism of one's own, the notation."""

import re
import shlex
from fractions import Fraction
from pathlib import Path

import pytest

import dpcert
from dpcert.audit.commands.cli import run
from dpcert.audit.scripted import generators, generators_numpy, tape
from dpcert.audit.search.tabulated import Tabulated, worth

README = Path(__file__).parents[1] / "README.md"


def blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.S | re.M)
    return [text for tag, text in fenced if tag == language]


def test_the_opening_is_what_the_command_prints(capfd: pytest.CaptureFixture[str]) -> None:
    command, *lines = next(b for b in blocks("") if b.startswith("$ dpcert")).splitlines()
    assert run(shlex.split(command)[2:]) == 1
    assert capfd.readouterr().out.splitlines()[: len(lines)] == lines


def test_the_plan_says_what_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    command, *lines = next(b for b in blocks("") if b.startswith("$ dpcert plan")).splitlines()
    assert run(shlex.split(command)[2:]) == 0
    assert capfd.readouterr().out.splitlines()[: len(lines)] == lines


def test_a_primitive_of_your_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = next(text for text in blocks("python") if "class Mine" in text)
    assert len(source.strip().splitlines()) < 20
    (tmp_path / "my.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command = next(b for b in blocks("") if b.startswith("dpcert audit my.py"))
    assert run([*shlex.split(command)[1:], "--quiet"]) == 0
    assert (tmp_path / "mine.html").is_file()


def test_the_notation_names_what_exists() -> None:
    table = README.read_text(encoding="utf-8").split("## Notation")[1].split("## ")[0]
    for name in ("Pmf", "PowerFunction", "dp_power", "supremum", "HAMMING", "PrefixCore", "MarkovCore"):
        assert f"`{name}" in table
        assert hasattr(dpcert, name)


def test_hidden_state_prints_what_the_readme_says(capfd: pytest.CaptureFixture[str]) -> None:
    source = next(text for text in blocks("python") if "class OneCoin" in text)
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})
    assert capfd.readouterr().out in blocks("text")


def test_every_horizon_prints_what_the_readme_says(capfd: pytest.CaptureFixture[str]) -> None:
    source = next(text for text in blocks("python") if "class MovingSum" in text)
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})
    assert capfd.readouterr().out in blocks("text")


def test_a_live_run_prints_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    source = next(text for text in blocks("python") if "RandBinSession" in text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})
    assert capfd.readouterr().out in blocks("text")


def test_what_continuous_integration_asks_for_holds() -> None:
    command = next(b for b in blocks("") if b.startswith("dpcert audit binary-tree"))
    assert run(shlex.split(command)[1:]) == 0


def test_code_with_a_random_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    source = next(text for text in blocks("python") if "class NoisyCounter" in text)
    (tmp_path / "counter.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command = next(b for b in blocks("") if b.startswith("dpcert audit counter.py"))
    assert run([*shlex.split(command)[1:], "--require-certified", "--require-no-gap"]) == 0
    assert capfd.readouterr().out.startswith("HOLDS: Holds: no gap between")


def test_the_supported_calls_are_all_in_the_table() -> None:
    table = README.read_text(encoding="utf-8").split("## Code with a random generator")[1].split("## ")[0]
    for name in (*generators.SUPPORTED, *generators_numpy.SUPPORTED):
        assert re.search(rf"^\|.*`{name}[`(].*\|$", table, flags=re.M), name
    assert f"At most {tape.MOST_SEEDS:,} seeds" in table


def test_tables_and_search_print_what_the_readme_says(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a search the first line: other versions of the float libraries may find a table with labels swapped."""
    monkeypatch.chdir(README.parent)
    for command in ("tables", "search"):
        shown, *lines = next(b for b in blocks("") if b.startswith(f"$ dpcert {command}")).splitlines()
        assert run(shlex.split(shown)[2:]) == 0
        assert capfd.readouterr().out.splitlines()[0] == lines[0]


def test_the_core_that_the_search_found_is_worth_what_the_readme_says() -> None:
    text = next(b for b in blocks("") if b.startswith("$ dpcert search"))
    laws = re.findall(r"^[01 ]{3,}  +(\S+) (\S+)$", text, flags=re.M)
    value = worth(Tabulated(2, 2, tuple((Fraction(a), Fraction(b)) for a, b in laws)), Fraction(2))
    assert f"δ = {value.adaptive} (" in text
    assert f"fixed streams {value.fixed} (" in text
    assert f"ratio {value.ratio} (" in text
