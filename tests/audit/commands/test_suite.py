"""`dpcert audit --suite`, and the outputs that a single audit shares with it."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from instances.suites import repository

from dpcert.audit.commands.cli import run
from dpcert.audit.suites import journal

ALL_OUTPUTS = ("--json", "out.jsonl", "--junit", "junit.xml", "--sarif", "out.sarif", "--markdown", "summary.md")


@pytest.fixture(autouse=True)
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    return file


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Expected a TARGET or --suite FILE but got neither"),
        (["two-round", "--suite", "dpcert.toml"], "but got target=two-round and suite=dpcert.toml"),
        (["--suite", "dpcert.toml", "--horizon", "2"], "Expected --horizon in the suite, not beside --suite"),
        (["--suite", "dpcert.toml", "--checkpoint", "kept"], "Expected --cache FOLDER with --suite but got"),
        (["two-round", "--checkpoint", ""], "Expected a file or a folder but got checkpoint="),
        (["--suite", "dpcert.toml", "--hops", "1"], "Expected --hops in the suite"),
        (["--suite", "dpcert.toml", "--claim", "eps=1"], "Expected --claim in the suite"),
        (["two-round", "--jobs", "2"], "code that is run, seeded or scripted, with --jobs 2 but got two-round"),
        (["two-round", "--scheduler", "tcp://127.0.0.1:1"], "but got scheduler=tcp://127.0.0.1:1"),
        (["two-round", "--jobs", "2", "--scheduler", "x"], "Expected --jobs or --scheduler but got both"),
        (["two-round", "--only", "x"], "Expected --only with --suite"),
        (["two-round", "--cache", "x"], "Expected --cache with --suite"),
        (["--suite", "none.toml"], "Expected a readable suite but got suite=none.toml (No such file or directory)"),
        (["--suite", "dpcert.toml", "--only", "flop"], "but got only=flop"),
        (["--suite", "dpcert.toml", "--json", "dpcert.toml"], "Expected another file for what is written"),
        (["--suite", "dpcert.toml", "--json", "a", "--junit", "a"], "Expected another file for --junit"),
        (["--suite", "dpcert.toml", "--update-baseline"], "Expected --baseline FILE with --update-baseline"),
        (["--suite", "dpcert.toml", "--baseline", "dpcert.toml"], "Expected five fields between tabs"),
        (["two-round", "--baseline", "b", "--accept", "x"], "Expected --update-baseline with --accept"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_before_the_work(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str], ours: Path
) -> None:
    before = sorted(ours.parent.iterdir())
    assert run(["audit", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert sorted(ours.parent.iterdir()) == before


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("only", "status"),
    [("flip", 0), ("leak", 1), ("bounded", 3), ("*", 1), ("flip[[]lie=1/4]", 0), ("flip[lie=1/3]", 0)],
)
def test_the_worst_case_is_the_exit_status(only: str, status: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "--suite", "dpcert.toml", "--only", only]) == status
    assert run(["audit", "--suite", "dpcert.toml", "--only", only, "--exit-zero", "--quiet"]) == 0
    capfd.readouterr()


@pytest.mark.in_turns(few=True)
def test_a_line_a_case_a_table_and_the_adversary(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "--suite", "dpcert.toml", "--annotations", "github"]) == 1
    out = capfd.readouterr().out
    assert [line.partition("] ")[2].split()[0] for line in out.splitlines()[:4]] == [
        *("passed", "passed", "failed", "undecided"),
    ]
    assert re.search(r"^failed +leak +REFUTED +no +none|^failed +leak ", out, flags=re.M)
    assert "leak: no gap between adaptive adversaries and fixed streams: At e^epsilon = 1" in out
    assert "    round 2, node 1: " in out.replace("      round", "    round")
    assert "    at primitives/leak.py:10\n" in out
    assert "4 cases: 2 as expected, 1 failed, 1 undecided\n" in out
    assert "::error file=primitives/leak.py,line=10," in out


@pytest.mark.in_turns
def test_quiet_says_one_line_on_failure_and_nothing_otherwise(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "--suite", "dpcert.toml", "--quiet"]) == 1
    assert capfd.readouterr() == ("", "dpcert: dpcert.toml: 4 cases: 2 as expected, 1 failed, 1 undecided\n")
    assert run(["audit", "--suite", "dpcert.toml", "--quiet", "--only", "flip"]) == 0
    assert capfd.readouterr() == ("", "")
    assert run(["audit", "two-round", "--quiet"]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("dpcert: two-round: GAP: Adaptive adversaries beat every fixed stream")
    assert err.count("\n") == 1


@pytest.mark.in_turns
def test_every_output_tells_the_same(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "--suite", "dpcert.toml", "--quiet", "--html", "index.html", *ALL_OUTPUTS]) == 1
    capfd.readouterr()
    lines = journal.read((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    bad = {line["case"] for line in lines if line["result"] != "passed"}
    assert bad == {"leak", "bounded"}
    suites = ET.parse(tmp_path / "junit.xml").getroot()
    assert {s.get("name") for s in suites if s.get("failures") != "0" or s.get("errors") != "0"} == bad
    results = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert {r["message"]["text"].partition(":")[0] for r in results if r["level"] != "note"} == bad
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### \S+ (\w+)", summary, flags=re.M)) == bad
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    pages = re.findall(r'<td class="word"><a href="([^"]+)"', index)
    assert len(pages) == 4
    assert all((tmp_path / page).is_file() for page in pages)
    assert "<script" not in index
    assert re.findall(r'<span class="verdict (\w+)">', index.partition('<section id="cases">')[2])[::2] == [
        *("passed", "passed", "failed", "undecided"),
    ]


def test_a_single_audit_has_the_same_outputs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "two-round", "--exit-zero", "--annotations", "github", *ALL_OUTPUTS]) == 0
    assert "::error title=dpcert%3A two-round%2C adaptive adversaries gain nothing::" in capfd.readouterr().out
    assert json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))["schema"] == "dpcert.audit/1"
    (suite,) = ET.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("name"), suite.get("failures")) == ("two-round", "1")
    assert len(json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]) == 2
    assert "two-round" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_a_single_audit_is_held_against_a_baseline(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    flip = ["audit", "primitives/flip.py:Flip", "--horizon", "2", "--baseline", "lock"]
    assert run([*flip, "--update-baseline", "--quiet"]) == 0
    assert run([*flip, "--quiet"]) == 0
    text = (tmp_path / "primitives" / "flip.py").read_text(encoding="utf-8")
    (tmp_path / "primitives" / "flip.py").write_text(text.replace("Fraction(1, 4)", "Fraction(1, 5)"), encoding="utf-8")
    assert run([*flip, "--quiet"]) == 1
    assert capfd.readouterr().err.startswith("dpcert: primitives/flip.py:Flip: baseline: ")
    assert run([*flip, "--json", "out.json"]) == 1
    assert "baseline: worse: delta at e^eps=1: from 1/2 (= 0.5) to 3/5 (= 0.6)" in capfd.readouterr().out


def test_a_place_that_cannot_be_written_loses_nothing_else(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.cases").write_text("in the way", encoding="utf-8")
    assert run(["audit", "--suite", "dpcert.toml", "--only", "flip", "--html", "index.html", *ALL_OUTPUTS]) == 2
    assert "Expected a folder for pages" in capfd.readouterr().err
    assert len(journal.read((tmp_path / "out.jsonl").read_text(encoding="utf-8"))) == 2
    assert (tmp_path / "junit.xml").is_file()


@pytest.mark.in_turns
def test_every_case_that_has_a_certificate_leaves_it_in_a_folder(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["audit", "--suite", "dpcert.toml", "--exit-zero", "--certificate"]
    assert run([*asked, "made/proofs"]) == 0
    out, _ = capfd.readouterr()
    assert (
        "no certificate: bounded: Expected an audit of one whole game, for a certificate, but got: --max-positions 5"
        in out
    )
    names = sorted(file.name for file in (tmp_path / "made" / "proofs").iterdir())
    assert len(names) == 3
    assert all(run(["verify", str(tmp_path / "made" / "proofs" / name)]) == 0 for name in names)
    exact = {name: (tmp_path / "made" / "proofs" / name).read_text() for name in names}
    assert run([*asked, "proofs", "--certificate-gap", "0", "--jobs", "2", "--quiet"]) == 0
    assert {file.name for file in (tmp_path / "proofs").iterdir()} == set(names)
    assert {json.loads(text.splitlines()[0])["gap"] for text in exact.values()} == {"1/1000000000"}
    assert json.loads((tmp_path / "proofs" / names[0]).read_text().splitlines()[0])["gap"] == "0"


@pytest.mark.parametrize("option", ["--certificate", "--cache"])
@pytest.mark.parametrize("folder", ["", "-", "dpcert.toml", "dpcert.toml/inside"])
def test_files_of_cases_need_a_folder(option: str, folder: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "--suite", "dpcert.toml", option, folder]) == 2
    assert "Expected a folder for" in capfd.readouterr().err


def findings(file: Path) -> list[dict[str, object]]:
    """What a suite's record says of every case, without when it was found."""
    records = [dict(line["record"]) for line in journal.read(file.read_text())]
    return [{key: value for key, value in record.items() if key != "provenance"} for record in records]


@pytest.mark.in_turns
def test_a_cache_is_taken_up_by_what_is_asked_and_what_answers(ours: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All cases have one file; a mechanism that changed is audited anew, and is not taken for what it was."""
    asked, cache = ["audit", "--suite", "dpcert.toml", "--exit-zero", "--only", "flip", "--json"], ours.parent / "kept"
    assert run([*asked, "plain.jsonl"]) == 0
    for name, kept in (("first.jsonl", 0), ("second.jsonl", 2)):
        capfd.readouterr()
        assert run([*asked, name, "--cache", "kept"]) == 0
        assert capfd.readouterr().out.count(" s, kept)") == kept
        assert findings(ours.parent / name) == findings(ours.parent / "plain.jsonl")
        assert len(list(cache.iterdir())) == 1
    file = ours.parent / "primitives" / "flip.py"
    file.write_text(file.read_text().replace("else self.lie", "else self.lie / 2"))
    assert run([*asked, "changed.jsonl", "--cache", "kept"]) == 0
    assert " s, kept)" not in capfd.readouterr().out
    assert run([*asked, "without.jsonl"]) == 0
    assert findings(ours.parent / "changed.jsonl") == findings(ours.parent / "without.jsonl")
    assert findings(ours.parent / "changed.jsonl") != findings(ours.parent / "plain.jsonl")
    assert capfd.readouterr().err == ""
