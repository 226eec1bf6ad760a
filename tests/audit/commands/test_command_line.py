"""The command line: exit statuses, one clear line for bad input, and nothing computed is lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dpcert.audit.commands.cli import run

MINE = """
from dataclasses import dataclass
from fractions import Fraction
from dpcert import Pmf, bernoulli

@dataclass(frozen=True)
class Mine:
    truth: Fraction = Fraction(3, 4)
    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(self.truth if prefix[-1] else 1 - self.truth)

@dataclass(frozen=True)
class NeedsTwo:
    scale: int
    bias: Fraction
    alphabet = (0, 1)

    def law(self, prefix):
        return bernoulli(self.bias)

class Raises(Mine):
    def law(self, prefix):
        table = {}
        return table["nothing here"]

class Short(Mine):
    def law(self, prefix):
        return Pmf({0: Fraction(1, 2), 1: Fraction(49, 100)})

class Floats(Mine):
    def law(self, prefix):
        return Pmf({0: 0.5, 1: 0.5})

class NoLaw(Mine):
    def law(self, prefix):
        return {0: 1}

class Exits(Mine):
    def law(self, prefix):
        raise SystemExit(0)

class Unhashable(Mine):
    initial = ()
    def advance(self, state, x):
        return [x]

class Prints(Mine):
    def law(self, prefix):
        print("hello from a mechanism")
        return super().law(prefix)

instance = Mine()
Hostile = type("<script>alert(1)</script>", (Mine,), {})
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    return "mine.py"


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on standard error of a command that decides nothing."""
    assert run(list(arguments)) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("dpcert: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit", "two-rond"], ["'two-rond'", "did you mean two-round?"]),
        (["audit", "nothing-like-it"], ["built in:", "binary-tree"]),
        (["audit", "two-round", "--horizon", "0"], ["at least 1", "horizon=0"]),
        (["audit", "two-round", "--horizon", "-1"], ["at least 1", "horizon=-1"]),
        (["audit", "two-round", "--horizon", "many"], ["at least 1", "horizon=many"]),
        (["audit", "two-round", "--horizon", "3"], ["at most 2 rounds", "horizon=3"]),
        (["audit", "two-round", "--exp-epsilon", "1/0"], ["denominator", "exp_epsilon='1/0'"]),
        (["audit", "two-round", "--exp-epsilon", "1/2"], ["at least 1", "exp_epsilon=1/2"]),
        (["audit", "two-round", "--exp-epsilon", "e"], ["3/2", "exp_epsilon='e'"]),
        (["audit", "two-round", "--delta", "2"], ["at most 1", "delta=2"]),
        (["audit", "two-round", "--epsilon", "-1"], ["at least 0", "epsilon=-1"]),
        (["audit", "two-round", "--challenge-round", "3"], ["1 to the horizon 2", "challenge_round=3"]),
        (["audit", "two-round", "--adjacency", "edits"], ["hamming", "adjacency='edits'"]),
        (["audit", "two-round", "--param", "first"], ["NAME=VALUE"]),
        (["audit", "two-round", "--param", "frist=1"], ["frist", "did you mean first?"]),
        (["audit", "two-round-repeated", "--param", "leak=2"], ["leak in (0, 1]", "leak=2"]),
        (["audit", "two-round-repeated", "--param", "leak=1/0"], ["denominator", "leak='1/0'"]),
        (["audit", "two-round", "--no-such-option"], ["--no-such-option"]),
        (["audit"], ["TARGET"]),
        (["no-such-command"], ["no-such-command"]),
        (["audit", "nowhere.py:Name"], ["nowhere.py", "no file"]),
        (["audit", "no.such.module:Name"], ["no.such.module", "does not import"]),
        (["audit", "fractions:Fraktion"], ["Fraktion", "did you mean Fraction?"]),
        (["audit", "two-round", "--json", "-", "--html", "-"], ["at most one"]),
        (["report", "nowhere.json", "-o", "x.html"], ["nowhere.json"]),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    line = refused(capfd, *arguments)
    assert all(word in line for word in words), line


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("NeedsTwo", ["scale, bias", "these parameters"]),
        ("Raises", ["Raises.law raised KeyError: 'nothing here'", "mine.py:26"]),
        ("Short", ["sum=99/100", "short by 1/100", "mine.py:30"]),
        ("Floats", ["float is not exact", "weight=0.5", "mine.py:34"]),
        ("NoLaw", ["to return a Pmf but got dict"]),
        ("Exits", ["Exits.law raised SystemExit", "mine.py:42"]),
        ("Unhashable", ["hashable state", "[0]"]),
        ("Mines", ["'Mines'", "did you mean Mine?"]),
    ],
)
def test_faulty_mechanism_is_one_line(
    mine: str, name: str, words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    line = refused(capfd, "audit", f"{mine}:{name}")
    assert all(word in line for word in words), line


def test_a_file_without_a_name_lists_its_classes(mine: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert "it defines Mine, NeedsTwo" in refused(capfd, "audit", mine)


def test_a_file_that_does_not_import(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for text, words in (("import no_such_thing", "No module named"), ("def f(:", "SyntaxError"), ("1/0", ":1)")):
        path = tmp_path / "broken.py"
        path.write_text(text, encoding="utf-8")
        line = refused(capfd, "audit", f"{path}:Name")
        assert words in line
        assert "broken.py" in line


def test_a_mechanism_of_ones_own(mine: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", f"{mine}:Mine", "--param", "truth=2/3", "--json", "-"]) == 0
    record = json.loads(capfd.readouterr().out)
    assert record["parameters"] == {"truth": "2/3"}
    assert record["location"] == {"file": "mine.py", "line": 6}
    assert record["adaptive"]["total_variation"] == record["fixed_stream"]["total_variation"] == "1/3"
    assert run(["audit", f"{mine}:instance", "--quiet"]) == 0
    assert capfd.readouterr().out == ""


def test_what_a_mechanism_prints_stays_out_of_the_record(mine: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", f"{mine}:Prints", "--json", "-"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["verdict"] == "HOLDS"
    assert "hello from a mechanism" in err


def test_a_hostile_name_is_escaped(mine: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(["audit", f"{mine}:Hostile", "--quiet", "--html", str(page)]) == 0
    assert "<script" not in page.read_text(encoding="utf-8")


def test_an_unwritable_output_loses_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert run(["audit", "two-round", "--json", "/dev/full", "--html", str(page)]) == 2
    out, err = capfd.readouterr()
    assert "991/10000" in out
    assert err.count("\n") == 1
    assert "No space left on device" in err
    assert "991/10000" in page.read_text(encoding="utf-8")


def test_report_makes_the_same_page(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record, page, again = (tmp_path / name for name in ("r.json", "p.html", "q.html"))
    assert run(["audit", "binary-tree", "--json", str(record), "--html", str(page), "--quiet"]) == 0
    assert run(["report", str(record), "-o", str(again)]) == 0
    assert page.read_bytes() == again.read_bytes()
    document = json.loads(record.read_text(encoding="utf-8"))
    document["adaptive"]["total_variation"] = 0.5
    record.write_text(json.dumps(document), encoding="utf-8")
    capfd.readouterr()
    assert "total_variation" in refused(capfd, "report", str(record), "-o", str(again))


def test_list_names_every_target(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list"]) == 0
    names = [line.split()[0] for line in capfd.readouterr().out.splitlines()]
    assert names == sorted(names)
    assert {"two-round", "two-round-repeated", "randomized-response", "interval-sums", "binary-tree"} <= set(names)


def test_options_reach_the_record(capfd: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--horizon",
        "2",
        "--challenge-round",
        "1",
        "--exp-epsilon",
        "5/4",
        "--epsilon",
        "0.1",
        "--delta",
        "1e-2",
    ]
    assert run(["audit", "two-round", *arguments, "--json", "-"]) == 1
    record = json.loads(capfd.readouterr().out)
    assert record["scope"]["challenge_round"] == 1
    assert [d["exp_epsilon"] for d in record["adaptive"]["delta"]] == ["5/4"]
    assert [d["epsilon"] for d in record["adaptive"]["delta_at_epsilon"]] == ["1/10"]
    assert [d["delta"] for d in record["adaptive"]["epsilon"]] == ["1/100"]


def test_interrupt_is_undecided(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpcert.audit.suites.deciding.examination", interrupted)
    assert run(["audit", "two-round"]) == 3
    assert capfd.readouterr().err.strip() == "dpcert: interrupted; nothing was decided"


@pytest.mark.in_turns(few=True)
@pytest.mark.real("pipes")
def test_the_installed_command_and_a_closed_pipe() -> None:
    script = f"{sys.executable} -m dpcert audit two-round | head -n 1"
    piped = subprocess.run(script, shell=True, capture_output=True, text=True, check=True)
    assert piped.stdout.startswith("GAP")
    assert piped.stderr == ""
