"""Matrices in a suite: a line, a record, a baseline, checks and a page each, as audits of mechanisms have them."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from dpcert.audit.commands.cli import run
from dpcert.audit.errors import ArgumentError, Stopped
from dpcert.audit.exchange.recorded import recorded
from dpcert.audit.records.command_case import is_command_case, read_command_case
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.deciding import decided
from dpcert.audit.suites.expanding import suite
from dpcert.mechanisms.commands.matrix_case import matrix_case

SUITE = """
[defaults]
game = "paired"
exp_epsilons = [2]

[audit.response]
target = "randomized-response"
horizon = 1

[audit.tree]
command = "matrix"
target = "matrices/tree.json"
params = { sigma = 2, clip = 1, max_participations = [1, 3], min_separation = 3 }
claim = "rho=5/2"
deltas = ["1e-5", "1e-6"]

[audit.ahead]
command = "matrix"
target = "matrices/*.npy"
params = { sigma = 2, clip = 1 }
status = "refuted"
"""
TREE = {"sigma": "2", "clip": "1"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite stands in a folder of its own, and the command runs above it."""
    monkeypatch.chdir(tmp_path)
    Path("suite/matrices").mkdir(parents=True)
    Path("suite/matrices/tree.json").write_text('{"strategy": "binary-tree", "rounds": 8}', encoding="utf-8")
    ahead = np.tril(np.ones((4, 4)))
    ahead[1, 3] = 0.25
    np.save("suite/matrices/ahead.npy", ahead)
    Path("suite/dpcert.toml").write_text(SUITE, encoding="utf-8")


def asked(*arguments: str) -> int:
    return run(["audit", "--suite", "suite/dpcert.toml", *arguments])


def records() -> dict[str, Any]:
    lines = [json.loads(line) for line in Path("r.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    return {line["case"]: line["record"] for line in lines}


@pytest.mark.in_turns(few=True)
def test_every_case_has_its_line_and_its_record(capfd: pytest.CaptureFixture[str]) -> None:
    assert asked("--json", "r.jsonl") == 0
    out = capfd.readouterr().out
    assert "4 cases: 4 as expected" in out
    assert "HOLDS    VECTOR     11.4801 at 0.00001" in out
    made = records()
    tree = made["tree[max_participations=3]"]
    assert read_command_case(tree) is tree
    assert tree["answer"]["sensitivity"]["l2_squared"] == {"lower": "20", "upper": "20"}
    assert tree["findings"]["at most rho"] == "5/2"
    assert [one["verdict"] for one in tree["requirements"]] == ["HOLDS"]
    assert not is_command_case(made["response"])
    name, outcomes = recorded(Path("r.jsonl").read_text(encoding="utf-8"))
    assert (name, [one.result for one in outcomes]) == ("suite/dpcert.toml", ["passed"] * 4)


@pytest.mark.in_turns
def test_a_matrix_that_looks_ahead_has_no_upper_bound_of_epsilon() -> None:
    """What is computed of it is of fixed inputs alone: no number of it is kept as an upper bound."""
    asked("--json", "r.jsonl")
    ahead = records()["ahead[target=matrices/ahead.npy]"]
    assert ahead["verdict"] == "REFUTED"
    assert ahead["epsilon"].startswith("at least ")
    assert [name for name in ahead["findings"] if name.startswith("at most")] == ["at most s(R)^2"]
    assert "Row 2 is released in round 2" in ahead["shown_by"][1]


@pytest.mark.in_turns
def test_a_baseline_keeps_numbers_that_may_not_grow(capfd: pytest.CaptureFixture[str]) -> None:
    assert asked("--baseline", "b.lock", "--update-baseline") == 0
    lines = Path("b.lock").read_text(encoding="utf-8")
    assert "at most s(R)^2\t20" in lines
    assert asked("--baseline", "b.lock") == 0
    Path("suite/matrices/tree.json").write_text('{"strategy": "binary-tree", "rounds": 16}', encoding="utf-8")
    capfd.readouterr()
    assert asked("--baseline", "b.lock") == 1
    out = capfd.readouterr().out
    assert "baseline: at most s(R)^2: from 20 to 2" in out
    assert "baseline: kernel: from sha256:" in out
    assert "at suite/matrices/tree.json:1" in out
    Path("suite/matrices/tree.json").write_text('{"strategy": "binary-tree", "rounds": 4}', encoding="utf-8")
    assert asked("--baseline", "b.lock") == 1  # fewer rounds, though the numbers are smaller


@pytest.mark.in_turns
def test_what_other_tools_read_has_the_same_checks() -> None:
    text = SUITE.replace("rho=5/2", "rho=1")
    Path("suite/dpcert.toml").write_text(text, encoding="utf-8")
    files = ["--junit", "j.xml", "--sarif", "s.json", "--markdown", "m.md", "--html", "i.html", "--json", "r.jsonl"]
    assert asked(*files) == 1
    cases = {one.get("name"): one for one in ET.parse("j.xml").getroot()}
    tree = {one.get("name"): one for one in cases["tree[max_participations=3]"]}
    failure = tree["1-zCDP"].find("failure")
    assert failure is not None
    assert "rho = 2.5" in str(failure.text)
    assert "Inputs that differ in rounds 1, 4, 7, by 1 each." in str(failure.text)
    assert tree["1-zCDP"].get("file") == "suite/matrices/tree.json"
    assert len(tree) == 6
    found = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert any("suite/matrices/tree.json" in json.dumps(one) for one in found)
    assert "1-zCDP" in Path("m.md").read_text(encoding="utf-8")
    pages = sorted(path.name for path in Path("i.cases").iterdir())
    assert len(pages) == 4
    page = Path("i.cases", pages[2]).read_text(encoding="utf-8")
    assert "Sensitivity" in page
    assert page.count("<svg") == 2
    assert "15 rows" in page
    assert "the largest of all has the deepest shade" in page
    for form in ("html", "md"):
        assert run(["report", "r.jsonl", "-o", f"p.{form}", "--format", form]) == 0
    shown = next(Path("p.cases").glob("*tree*3.md")).read_text(encoding="utf-8")
    assert "REFUTED: against inputs that adapt" in shown


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('command = "matrix"\ntarget = "t.json"\nhops = 2', "keys that the command matrix answers but got hops=2"),
        ('command = "matrix"\ntarget = "t.json"\ngame = "npp"', "answers but got game=npp"),
        ('command = "matrix"\ntarget = "t.json"\nno_gap = true', "answers but got no_gap=True"),
        ('command = "matrix"\ntarget = "none-*.npy"', "a pattern of files but got target=none-*.npy"),
        ('command = "Matrix"\ntarget = "t.json"', "Expected"),
    ],
)  # fmt: skip
def test_a_suite_with_other_keys_is_refused(lines: str, words: str) -> None:
    Path("suite/dpcert.toml").write_text(f"[audit.one]\n{lines}\n", encoding="utf-8")
    with pytest.raises(ArgumentError) as refused:
        suite("suite/dpcert.toml")
    assert words in str(refused.value)


def test_requirements_of_defaults_are_never_left_aside() -> None:
    """What bounds the work on a game is; what is asked to hold is not."""
    one = '[audit.one]\ncommand = "matrix"\ntarget = "t.json"\n'
    Path("suite/dpcert.toml").write_text(f"[defaults]\nmax_positions = 9\nmax_seconds = 5\n{one}", encoding="utf-8")
    (case,) = suite("suite/dpcert.toml").cases
    assert (case.max_positions, case.max_seconds) == (None, 5)
    for said in ("hops = 2", 'delta = "2:1/10"', "no_gap = true", 'adjacency = "edit"'):
        Path("suite/dpcert.toml").write_text(f"[defaults]\n{said}\n{one}", encoding="utf-8")
        with pytest.raises(ArgumentError, match="keys that the command matrix answers"):
            suite("suite/dpcert.toml")


def case(**more: Any) -> Case:
    known = {"name": "c", "target": "tree.json", "place": "suite/matrices/tree.json", "parameters": TREE}
    return Case(**{**known, "command": "matrix", "folder": "suite", **more})


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"parameters": {**TREE, "claim": "mu=1"}}, "the key claim beside params"),
        ({"parameters": {**TREE, "html": "x"}}, "no file from a case"),
        ({"parameters": {**TREE, "colour": "red"}}, "Expected options of dpcert matrix"),
        ({"parameters": {**TREE, "sigma": "-1"}}, "a sigma and a clip norm above 0"),
        ({"parameters": {"clip": "1"}}, "--sigma S"),
        ({"parameters": {**TREE, "adjacent_bins": "perhaps"}}, "true or false"),
        ({"horizon": "inf"}, "horizon=inf"),
        ({"place": "gone.json"}, "gone.json"),
        ({"command": "plan"}, "a command that decides cases (matrix) but got command='plan'"),
    ],
)  # fmt: skip
def test_a_case_that_asks_nothing_is_an_error_of_its_own(more: dict[str, Any], words: str) -> None:
    made = decided(case(**more))
    assert words in made.error
    assert (made.document, made.result, made.exit_status) == (None, "error", 2)


def test_rounds_of_rows_are_found_from_the_suite() -> None:
    np.save("suite/rows.npy", np.ones((3, 2)))
    Path("suite/rounds.txt").write_text("2 2 2", encoding="utf-8")
    found = matrix_case(
        case(place="suite/rows.npy", parameters={**TREE, "rounds": "rounds.txt", "adjacent_bins": "true"})
    )
    assert found["answer"] is not None
    assert found["answer"]["sensitivity"]["l2_squared"]["upper"] == "12"


def test_what_is_amplified_is_undecided_in_its_line() -> None:
    Path("suite/matrices/tree.json").write_text('{"type": "BMinSep", "inner": {}}', encoding="utf-8")
    made = decided(case(parameters={}))
    assert (made.result, made.exit_status) == ("undecided", 3)
    assert made.document is not None
    assert "BMinSep is sampled or amplified" in made.document["report"]["lead"]
    read_command_case(made.document)


def test_a_document_that_contradicts_itself_is_refused() -> None:
    found: dict[str, Any] = dict(matrix_case(case()))
    with pytest.raises(ArgumentError, match="a verdict of HOLDS"):
        read_command_case({**found, "verdict": "REFUTED"})
    with pytest.raises(ArgumentError, match="'epsilon' is a required"):
        read_command_case({name: value for name, value in found.items() if name != "epsilon"})
    schema = json.loads(Path(__file__).parents[3].joinpath("audit/records/schemas/case-1.json").read_text("utf-8"))
    jsonschema.validate(found, schema)


@pytest.mark.in_turns
def test_the_time_of_a_case_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns and signs of many rounds, which take longer: undecided, no claim holds; errors alone may lack."""
    np.save("long.npy", np.tril(np.random.default_rng(1).normal(size=(260, 260))))
    more = {"max_participations": "40", "min_separation": "2", "stream": "scalar"}
    made = decided(case(place="long.npy", parameters={**TREE, **more}, max_seconds=1))
    assert (made.result, made.exit_status) == ("undecided", 3)
    assert made.document is not None
    assert "--max-seconds 1 was reached" in made.document["report"]["lead"]
    assert "at most rho" not in made.document["findings"]
    read_command_case(made.document)

    def over(*_: object) -> None:
        raise Stopped("--max-seconds 1 was reached")

    monkeypatch.setattr("dpcert.mechanisms.matrix_audit.audited.sum_errors", over)
    found = matrix_case(case(max_seconds=1))
    assert found["answer"] is not None
    assert found["answer"]["error"]["missing"] == "--max-seconds 1 was reached"
    assert found["verdict"] == "HOLDS"
