"""`dpcert report`: pages of records and of suites, with an author's words, made anew from what was written."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from instances.rendered import IMAGE, SCRIPT, Elements
from instances.seeds import chosen
from instances.suites import repository

from dpcert.audit.commands.cli import run
from dpcert.audit.records.beside import MOST_NOTE, MOST_TITLE


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The growing record of a suite, and every page that was written with it."""
    folder = tmp_path_factory.mktemp("suite")
    repository(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(["audit", "--suite", "dpcert.toml", "--quiet", "--json", "r.jsonl", "--html", "p.html"]) == 1
        files = [folder / "r.jsonl", folder / "p.html", *(folder / "p.cases").iterdir()]
        return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in files}


def text_of(path: str) -> str:
    return " ".join(" ".join(Elements(Path(path).read_text(encoding="utf-8")).text).split())


@pytest.mark.in_turns
def test_the_pages_of_a_suite_are_made_anew(suite: dict[str, str]) -> None:
    Path("r.jsonl").write_text(suite["r.jsonl"], encoding="utf-8")
    assert run(["report", "r.jsonl", "-o", "p.html"]) == 0
    pages = {name for name in suite if name.startswith("p.cases/")}
    assert {str(path) for path in Path("p.cases").iterdir()} == pages
    for name in pages:
        assert Path(name).read_text(encoding="utf-8") == suite[name]
    before, after = suite["p.html"], Path("p.html").read_text(encoding="utf-8")
    assert before.partition('<section id="provenance">')[0] == after.partition('<section id="provenance">')[0]


@pytest.mark.in_turns
@pytest.mark.parametrize("form", ["html", "md"])
def test_a_run_that_was_killed_has_the_pages_that_it_had(suite: dict[str, str], form: str) -> None:
    lines = suite["r.jsonl"].split("\n")
    Path("r.jsonl").write_text("\n".join(lines[:3]) + "\n" + lines[3][:50], encoding="utf-8")  # two cases, and a half
    words = ("--title", f"Ours {SCRIPT}", "--note", f"first {IMAGE}\nsecond")
    assert run(["report", "r.jsonl", "-o", f"p.{form}", "--format", form, *words]) == 0
    assert [path.suffix for path in Path("p.cases").iterdir()] == [f".{form}"] * 2
    page = Path(f"p.{form}").read_text(encoding="utf-8")
    if form == "html":
        assert f"Ours {SCRIPT} first {IMAGE} second" in text_of("p.html")
        assert not Elements(page).count("script") + Elements(page).count("img")
        assert text_of("p.html").count("the run ended before it was decided") == 2
    else:
        assert page.count("the run ended before it was decided") == 2
        assert page.startswith("# Ours \\<script\\>")
        assert page.count("](<p.cases/") == 2
        for name in (line.partition("(<")[2].removesuffix(">)") for line in page.split("\n") if "](<" in line):
            assert Path(name).is_file()


@pytest.mark.in_turns(few=True)
def test_the_index_stands_alone_on_standard_output(suite: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    Path("r.jsonl").write_text(suite["r.jsonl"], encoding="utf-8")
    assert run(["report", "r.jsonl", "-o", "-"]) == 0
    assert not Elements(capfd.readouterr().out).count("a")
    assert not list(Path().glob("*.cases"))


def spoilt(text: str, generator: Random) -> str:
    """A suite's record with one thing in it made wrong."""
    lines = [json.loads(line) for line in text.strip().split("\n")]
    line = generator.choice(lines)
    key = generator.choice(sorted(line))
    values: list[Any] = [None, 5, -1, "", [], {}, [[1]], {"a": 1}, "passed", "failed", "x\x1b", 10**30, True, 1.5]
    if generator.random() < 0.2:
        lines.append(line)
    elif generator.random() < 0.2:
        line["surprise"] = line.pop(key)
    elif isinstance(line.get("record"), dict) and generator.random() < 0.3:
        line["record"]["verdict"] = generator.choice(("HOLDS", "REFUTED", "UNDECIDED"))
    else:
        line[key] = generator.choice(values)
    made = "".join(json.dumps(one) + "\n" for one in lines)
    return made if generator.random() < 0.8 else made.replace('"case"', generator.choice(('"cas\n"', '"', "")), 1)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(100), 10))
def test_a_malformed_record_of_a_suite_is_refused_in_one_line(
    seed: int, suite: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    text = spoilt(suite["r.jsonl"], Random(seed))
    Path("r.jsonl").write_text(text, encoding="utf-8")
    status = run(["report", "r.jsonl", "-o", "p.html"])
    err = capfd.readouterr().err
    assert (status, err.count("\n"), Path("p.html").exists()) in ((0, 0, True), (2, 1, False))
    assert status == 0 or err.startswith("dpcert: Expected")


def test_a_line_that_its_record_contradicts_is_refused(
    suite: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    heading, *lines = suite["r.jsonl"].strip().split("\n")
    failed = next(line for line in lines if json.loads(line)["result"] == "failed")
    passed = failed.replace('"result":"failed"', '"result":"passed"')
    Path("r.jsonl").write_text(f"{heading}\n{passed}\n", encoding="utf-8")
    assert run(["report", "r.jsonl", "-o", "p.html"]) == 2
    assert "with passed where its record says failed" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--title", ""], "Expected a title of one line"),
        (["--title", "a\nb"], "Expected a title of one line"),
        (["--title", "a\x1b[31m"], "Expected a title of one line"),
        (["--title", "‮evil"], "Expected a title of one line"),
        (["--title", "a" * (MOST_TITLE + 1)], "Expected a title of one line"),
        (["--note", ""], "Expected a note"),
        (["--note", "a\x00b"], "Expected a note"),
        (["--note", "a" * (MOST_NOTE + 1)], "Expected a note"),
    ],
)
@pytest.mark.parametrize("command", [["report", "r.json", "-o", "p.html"], ["audit", "two-round", "--html", "p.html"]])
def test_words_that_are_not_to_be_seen_are_refused(
    command: list[str], words: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, *words]) == 2
    err = capfd.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert not Path("p.html").exists()


@pytest.mark.in_turns
def test_an_authors_words_go_with_the_record_and_are_replaced(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["--title", "Spring release", "--note", "Reviewed by A.\n\tAnd by B."]
    assert run(["audit", "two-round", "--json", "r.json", "--html", "a.html", "--quiet", *words]) == 1
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["page"] == {
        "title": "Spring release",
        "note": "Reviewed by A.\n    And by B.",
    }
    assert "Spring release Reviewed by A. And by B." in text_of("a.html")
    assert run(["report", "r.json", "-o", "b.html"]) == 0
    assert Path("a.html").read_text(encoding="utf-8") == Path("b.html").read_text(encoding="utf-8")
    assert run(["report", "r.json", "-o", "c.html", "--title", "Autumn release"]) == 0
    assert "Autumn release Reviewed by A. And by B." in text_of("c.html")
    assert run(["report", "r.json", "-o", "-", "--format", "md", "--note", "mine"]) == 0
    assert capfd.readouterr().out.startswith("# Spring release\n\ntwo-round: GAP, dpcert audit\n\n> mine\n")


def test_a_record_without_words_has_none_on_its_page() -> None:
    assert run(["audit", "two-round", "--json", "r.json", "--html", "a.html", "--quiet"]) == 1
    assert "page" not in json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert 'id="own"' not in Path("a.html").read_text(encoding="utf-8")
