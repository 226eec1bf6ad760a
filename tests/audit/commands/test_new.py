"""`dpcert new`: the file it writes runs, lints and type-checks as it stands, and nothing is overwritten."""

import itertools
import json
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpcert import Session
from dpcert.audit.commands.cli import run
from dpcert.audit.commands.new import TEMPLATES
from dpcert.audit.kernels.targets import find
from dpcert.audit.kernels.view import view_of

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
PROTOCOLS = {
    "markov": "MarkovCore[int, int, int]",
    "prefix": "PrefixCore[int, int]",
    "interactive": "Interactive[int, int, int | None]",
    "seeded": "Seeded[int, tuple[int, ...], int]",
}
# Randomised response that is right with probability 3/4: one differing round shows at least 3/4 - 1/4. Answered about a
# noisy copy, three times, it shows (3/4 - 1/4) times what the majority of three tells: 27/32 - 5/32.
LEAST = {"markov": Fraction(1, 2), "prefix": Fraction(1, 2), "interactive": Fraction(11, 32), "seeded": Fraction(1, 2)}
MOST_LINES = 60


@pytest.fixture(params=sorted(TEMPLATES))
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each kind, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    chosen: str = request.param
    return chosen


def written(kind: str, name: str = "my_tree.py") -> str:
    """The text of the new file."""
    assert run(["new", name, "--kind", kind]) == 0
    return Path(name).read_text(encoding="utf-8")


def tool(*arguments: str) -> None:
    """Runs `python -m ...`, which has to succeed."""
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_kind_has_a_protocol_to_conform_to() -> None:
    assert set(PROTOCOLS) == set(TEMPLATES) == set(LEAST)


@pytest.mark.in_turns
def test_the_command_it_prints_audits_the_file(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    written(kind)
    first, command = capfd.readouterr().out.splitlines()
    assert first == "Wrote my_tree.py. Next:"
    assert shlex.split(command) == ["dpcert", "audit", "my_tree.py:MyTree"]
    assert run([*shlex.split(command)[1:], "--json", "-"]) == 0
    record = json.loads(capfd.readouterr().out)
    assert record["parameters"] == {"truth": "3/4"}
    assert record["location"]["file"] == "my_tree.py"
    assert Fraction(record["adaptive"]["total_variation"]) >= LEAST[kind]


@pytest.mark.in_turns
def test_the_parameter_reaches_the_law(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    written(kind)
    capfd.readouterr()
    assert run(["audit", "my_tree.py:MyTree", "--param", "truth=1/2", "--horizon", "2", "--json", "-"]) == 0
    assert json.loads(capfd.readouterr().out)["adaptive"]["total_variation"] == "0"


def test_the_laws_are_what_the_docstrings_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written("markov", "markov.py")
    written("prefix", "prefix.py")
    markov: Any = find("markov.py:Markov", {}).mechanism
    prefix: Any = find("prefix.py:Prefix", {}).mechanism
    inputs = (1, 1, 0, 1)
    states = list(itertools.accumulate(inputs, markov.advance, initial=markov.initial))[1:]
    low, high = Fraction(1, 4), Fraction(3, 4)
    assert [markov.law(state).probability(1) for state in states] == [high, low, low, high]
    assert [prefix.law(inputs[:t]).probability(1) for t in (1, 2, 3, 4)] == [high, low, high, high]


def test_the_interactive_one_keeps_its_noisy_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = written("interactive", "keeper.py")
    assert "Release(HALT)" in text
    keeper: Any = find("keeper.py:Keeper", {}).mechanism
    first = view_of(keeper).kernel(None, 1)
    right = {(1, 1): 9, (0, 1): 3, (0, 0): 3, (1, 0): 1}  # (visible, kept): (3/4 or 1/4) twice
    assert {(visible, kept): weight for visible, kept, weight in first.entries} == right
    assert first.denominator == 16
    live = Session(keeper, draws=(0, 1, 0, 0))
    assert [live.send(x).visible for x in (1, 1, 1)] == [1, 0, 0]
    assert live.draws == (0, 1, 0, 0)  # two in the first round, one in every later one


@pytest.mark.in_turns
def test_the_seeded_one_is_code_that_passes_the_first_three_conditions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written("seeded", "coded.py")
    coded: Any = find("coded.py:Coded", {"truth": "1/4"}).mechanism
    quarter = {((0,),): Fraction(1, 4), ((1,),): Fraction(3, 4)}
    assert dict(coded.seeds(1).items()) == quarter
    assert coded.respond(((0,), (1,)), (1, 1)) == (1, 0)
    capfd.readouterr()
    assert run(["audit", "coded.py:Coded", "--horizon", "2", "--require-certified", "--json", "-"]) == 0
    methods = [entry["method"] for entry in json.loads(capfd.readouterr().out)["checklist"][:3]]
    assert methods == ["EXHAUSTIVE"] * 3


def test_only_markov_merges_positions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    positions = {}
    for kind in ("markov", "prefix"):
        written(kind, f"{kind}.py")
        assert run(["audit", f"{kind}.py:{kind.title()}", "--horizon", "5", "--quiet", "--json", "r.json"]) == 0
        positions[kind] = json.loads(Path("r.json").read_text(encoding="utf-8"))["scope"]["positions"]
    assert positions["markov"] * 4 < positions["prefix"]


def test_markov_is_the_kind_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "plain.py"]) == 0
    assert Path("plain.py").read_text(encoding="utf-8") == written("markov", "plain2.py").replace("lain2", "lain")


@pytest.mark.in_turns(few=True)
@pytest.mark.real("programs")
def test_the_file_is_short_and_ruff_clean(kind: str) -> None:
    assert len(written(kind).splitlines()) < MOST_LINES
    for configuration in (["--isolated"], ["--config", str(PROJECT)]):
        tool("ruff", "check", "--no-cache", *configuration, "my_tree.py")
        tool("ruff", "format", "--no-cache", "--check", *configuration, "my_tree.py")


@pytest.mark.in_turns
@pytest.mark.real("programs")
def test_the_files_are_strictly_typed_and_conform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run of the type checker for all kinds, each by itself and as the value of its protocol."""
    monkeypatch.chdir(tmp_path)
    lines = ["import dpcert"]
    for kind, protocol in PROTOCOLS.items():
        written(kind, f"{kind}_tree.py")
        name = f"{kind.title()}Tree"
        lines += [f"from {kind}_tree import {name}", f"{kind}: dpcert.{protocol} = {name}()"]
    Path("conforms.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    known = ("--config-file", str(PROJECT), "--cache-dir", str(PROJECT.parent / ".mypy_cache"))  # of `make lint`
    tool("mypy", "--strict", *known, *sorted(map(str, Path().glob("*.py"))))


def test_nothing_is_overwritten(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("my_tree.py").write_text("mine\n", encoding="utf-8")
    assert run(["new", "my_tree.py", "--kind", kind]) == 2
    assert capfd.readouterr().err == "dpcert: Expected a new file but got name=my_tree.py, which exists\n"
    assert Path("my_tree.py").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tree", "Python identifier but got name=tree"),
        ("tree.txt", "Python identifier but got name=tree.txt"),
        ("my-tree.py", "Python identifier but got name=my-tree.py"),
        ("2tree.py", "Python identifier"),
        ("class.py", "Python identifier"),
        (".py", "Python identifier"),
        ("-", "Python identifier but got name=-"),
        ("none.py", "a class can be named after"),
        ("_1.py", "a class can be named after"),
        ("__.py", "a class can be named after"),
        ("dpcert.py", "hides the module dpcert"),
        ("random.py", "hides the module random"),
        ("pmf.py", "class other than ClassVar, Fraction, Pmf, "),
        ("class_var.py", "which the file imports, but got name=class_var.py"),
        ("nowhere/tree.py", "No such file or directory"),
        ("two\nlines.py", "two lines.py"),
    ],
)
def test_a_bad_name_is_one_line_and_no_file(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", name]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert words in err
    assert err.startswith("dpcert: Expected ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "tree.py", "--kind", "magic"]) == 2
    assert "magic" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_space_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my mechanisms").mkdir()
    assert run(["new", "my mechanisms/tree.py"]) == 0
    command = capfd.readouterr().out.splitlines()[1]
    assert shlex.split(command) == ["dpcert", "audit", "my mechanisms/tree.py:Tree"]
    assert run([*shlex.split(command)[1:], "--quiet"]) == 0
