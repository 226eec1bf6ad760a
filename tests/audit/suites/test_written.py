"""What a suite may hold, and one line for all that it may not; nothing of it is run or written for that."""

import random
from fractions import Fraction
from pathlib import Path

import pytest
from instances.seeds import chosen
from instances.suites import SUITE, repository

from dpcert.audit.commands.cli import run
from dpcert.audit.errors import DpcertError
from dpcert.audit.suites.expanding import suite
from dpcert.audit.suites.written import read


def refused(tmp_path: Path, text: str) -> str:
    file = repository(tmp_path, text)
    with pytest.raises(DpcertError) as error:
        suite(str(file))
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[audit.a]\ntarget = 'two-round'\nhorizn = 2", "got horizn; did you mean horizon?"),
        ("[defaults]\nmax_second = 1\n[audit.a]\ntarget = 'x'", "got max_second; did you mean max_seconds?"),
        ("[audits.a]\ntarget = 'two-round'", "got audits; did you mean audit?"),
        ("[audit.a]\ncase = [{targt = 'x'}]", "[audit.a.case 1] of"),
        ("[audit.a]\nhorizon = 2", "Expected a target but got none (in [audit.a] of"),
        ("[audit.a]\ntarget = 'two-round'\nhorizon = 0", "audit.a.horizon: 0"),
        ("[audit.a]\ntarget = 'two-round'\nhorizon = 2.5", "audit.a.horizon: '2.5'"),
        ("[audit.a]\ntarget = 'two-round'\nclaim = 'epsilon=1'", "but got claim='epsilon=1' (in [audit.a] of"),
        ("[audit.a]\ntarget = 'two-round'\ndelta = '3'", "Expected Q:D"),
        ("[audit.a]\ntarget = 'two-round'\nslack = -1", "Expected a slack of at least 0 but got slack=-1"),
        ("[audit.a]\ntarget = 'two-round'\nstatus = 'fails'", "audit.a.status: 'fails'"),
        ("[audit.a]\ntarget = 'two-round'\nhorizon = [2, 2]", "audit.a.horizon"),
        ("[audit.a]\ntarget = 'primitives/none*.py'", "Expected a pattern of files with mechanisms"),
        ("[audit.a]\ntarget = 'two-round'\nparams = {p = [1, '1']}", "Expected cases of different names"),
        ("[audit.'a b']\ntarget = 'two-round'", "does not match"),
        ("audit = 3", "audit: 3"),
        ("", "'audit' is a required property"),
        ("[audit.a\n", "Expected TOML"),
        ("[audit.a]\ntarget = 2026-01-01", "audit.a.target: datetime.date(2026, 1, 1)"),
        (f"[audit.a]\ntarget = 't'\nhorizon = {list(range(1, 300))}\nhops = {list(range(1, 300))}", "at most 10000"),
    ],
)
def test_what_is_no_suite_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    line = refused(tmp_path, text)
    assert said in line
    assert "\n" not in line


def test_decimals_are_exact(tmp_path: Path) -> None:
    text = "[audit.a]\ntarget = 'two-round'\nslack = 0.1\nepsilons = [1e-3, '1/3', 2]\nhorizon = inf"
    (case,) = suite(str(repository(tmp_path, text))).cases
    assert case.requirements.slack == Fraction(1, 10)
    assert case.epsilons == (Fraction(1, 1_000), Fraction(1, 3), Fraction(2))
    assert case.horizon == "inf"


def test_a_pyproject_has_a_table_of_its_own(tmp_path: Path) -> None:
    plain = repository(tmp_path)
    lines = SUITE.replace("[defaults]", "[tool.dpcert.defaults]").replace("[audit.", "[tool.dpcert.audit.")
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[project]\nname = 'x'\n{lines}", encoding="utf-8")
    assert read(str(file)) == read(str(plain))
    file.write_text("[project]\nname = 'x'\n", encoding="utf-8")
    with pytest.raises(DpcertError, match=r"Expected a table \[tool.dpcert\]"):
        read(str(file))


PIECES = [
    "[audit.a]", "[audit]", "[[audit.a.case]]", "[defaults]", "target = 'two-round'", "target = ['two-round', 3]",
    "horizon = [1, 'inf', -1]", "horizon = 1e9", "params = {a = {b = 1}}", "params = [1]", "hops = true", "= 3", "\x00",
    "certified = 'yes'", "claim = ['eps=1', 'rho=']", "delta = '1:2'", "status = 'refuted'", "max_seconds = 0",
    "game = 'chess'", "adjacency = '<b>edit</b>'", "target = '../*.py'", "name = 'x'", "slack = nan",
    "\"\\u001b[31m\" = 1",
    "exp_epsilons = [0.5, 'e']", "deltas = '1/0'", "target = 'primitives/flip.py:<script>'", "max_positions = 10",
    "jobs = 2", f"horizon = {10**30}", "target = ''", "[audit.\"\"]", "schema = 'dpcert.suite/2'", "horizon = [[1]]",
]  # fmt: skip


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(300)))
def test_a_malformed_suite_ends_in_one_line_and_leaves_nothing(
    seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    pieces = [chance.choice(PIECES) for _ in range(chance.randint(0, 8))]
    file = repository(tmp_path, "\n".join(pieces))
    (tmp_path / "primitives" / "flip.py").write_text("raise SystemExit('this was run')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    line = _refusal(file)
    if line is None:
        assert all(case.name.isprintable() for case in suite(str(file)).cases)
        return
    assert "\n" not in line
    assert line.isprintable()
    assert run(["audit", "--suite", str(file), "--json", "out.jsonl", "--junit", "junit.xml"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("dpcert: Expected")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dpcert.toml", "primitives"]


def _refusal(file: Path) -> str | None:
    """The line that a suite is refused with; None where it is one."""
    try:
        suite(str(file))
    except DpcertError as error:
        return str(error)
    return None
