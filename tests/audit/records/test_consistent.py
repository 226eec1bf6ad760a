"""A record that contradicts itself is refused: numbers, verdicts and badges of real records changed, one at a time."""

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from instances.real_records import KINDS, at, changed, leaves, made
from instances.seeds import spread

from dpcert import ArgumentError
from dpcert.audit.commands.cli import run
from dpcert.audit.records.consistent import contradictions
from dpcert.audit.records.record import read

F = Fraction


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_audit_writes_agrees_with_itself(kind: str) -> None:
    assert list(contradictions(json.loads(made(kind)))) == []
    assert read(made(kind)).to_json() == made(kind)


def refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="Expected") as error:
        read(text)
    assert "\n" not in str(error.value)


def faulty(document: Any) -> bool:
    """Whether what is read after the schema finds a fault."""
    try:
        return next(contradictions(document), None) is not None
    except ArgumentError:
        return True


@pytest.mark.parametrize("kind", spread([*KINDS], 4))
def test_the_rounds_that_privacy_is_said_over_are_those_of_the_curve(kind: str) -> None:
    for span in ("2000 rounds", "every horizon", "1 rounds", ""):
        document = json.loads(made(kind))
        rungs = [entry["rung"] for entry in document["checklist"] if entry["rung"] is not None]
        if document["headline"]["privacy"]["scope"] != span and not (rungs and span == "every horizon"):
            document["headline"]["privacy"]["scope"] = span
            refused(json.dumps(document))


def free(kind: str, path: tuple[Any, ...]) -> bool:
    """What fixed streams that were tried are worth where not all were: any number up to the bound."""
    return kind == "cut" and "witnesses" in path and path[-1] == "delta"


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("kind", spread([*KINDS], 4))
def test_no_number_of_a_curve_can_be_changed_alone(kind: str) -> None:
    text = made(kind)
    document = json.loads(text)
    generator = Random(kind)
    paths = [(side, *path) for side in ("adaptive", "fixed_stream", "headline") for path in leaves(document[side])]
    paths = [path for path in paths if not (path[-2:] == ("privacy", "delta") or "power" in path or free(kind, path))]
    for path in generator.sample(paths, min(25, len(paths))):
        value = at(document, path)
        old = F(10**6) if value == "infinite" else F(value)
        for new in (old * F(999, 1000) + F(1, 10**6), old * F(1001, 1000), old + 1):
            if new != old:
                changed_document = json.loads(changed(text, path, str(new)))
                assert faulty(changed_document), path


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("kind", spread([*KINDS], 4))
def test_no_verdict_and_no_badge_can_be_changed_alone(kind: str) -> None:
    text = made(kind)
    document = json.loads(text)
    for verdict in {"HOLDS", "REFUTED", "UNDECIDED"} - {document["verdict"]}:
        refused(changed(text, ("verdict",), verdict))
    for badge in {"HOLDS", "REFUTED", "UNDECIDED", "GAP", "NO GAP"} - {document["headline"]["badge"]}:
        refused(changed(text, ("headline", "badge"), badge))
    refused(changed(text, ("vacuous",), not document["vacuous"]))
    for i, one in enumerate(document["requirements"]):
        for verdict in {"HOLDS", "REFUTED", "UNDECIDED"} - {one["verdict"]}:
            refused(changed(text, ("requirements", i, "verdict"), verdict))
    for verdict in {"HOLDS", "REFUTED", "UNDECIDED"} - {document["lifts"]["curve"]["verdict"]}:
        refused(changed(text, ("lifts", "curve", "verdict"), verdict))
    for i, entry in enumerate(document["checklist"]):
        for verdict in {"HOLDS", "REFUTED", "UNDECIDED"} - {entry["verdict"]}:
            refused(changed(text, ("checklist", i, "verdict"), verdict))
    if document["bound"]:
        for verdict in {"HOLDS", "REFUTED", "UNDECIDED"} - {document["bound"]["verdict"]}:
            refused(changed(text, ("bound", "verdict"), verdict))


def test_both_verdicts_changed_together_are_refused_where_curves_say_otherwise() -> None:
    document = json.loads(made("gap"))
    document["lifts"]["curve"] |= {"verdict": "HOLDS", "witness": {}}
    document["verdict"], document["headline"]["badge"] = "HOLDS", "NO GAP"
    refused(json.dumps(document))
    document = json.loads(made("asked"))
    document["requirements"][1] |= {"verdict": "REFUTED"}
    refused(json.dumps(document))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 200_000 + "]" * 200_000, "nested too deeply"),
        ('{"a":' * 200_000 + "1" + "}" * 200_000, "nested too deeply"),
        ("9" * 6000, "but got"),
        ('{"schema": "dpcert.audit/1", "x": ' + "9" * 6000 + "}", "but got"),
        ('{"schema": "dpcert.audit/2"}', "schema='dpcert.audit/2'"),
        ('{"schema": "something else"}', "schema='something else'"),
        ('{"schema": NaN}', "NaN"),
        ("{}", "but got"),
        ("[]", "but got"),
        ("", "line 1"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(
    text: str, words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "record.json"
    path.write_text(text, encoding="utf-8")
    assert run(["report", str(path), "-o", str(tmp_path / "page.html")]) == 2
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert words in err
    assert not (tmp_path / "page.html").exists()


@pytest.mark.in_turns
def test_a_deep_witness_inside_a_record_is_refused_or_shown(tmp_path: Path) -> None:
    for depth in (50, 400, 900, 5000):
        deep = '{"a":' * depth + "1" + "}" * depth
        path = tmp_path / "deep.json"
        path.write_text(made("gap").replace('"provenance": {', f'"provenance": {{"deep": {deep}, '), encoding="utf-8")
        assert run(["report", str(path), "-o", str(tmp_path / "page.html")]) in (0, 2)


def test_a_record_of_before_the_first_words_is_still_read() -> None:
    document = json.loads(made("gap"))
    del document["headline"]
    assert "guesses one changed input right with chance 10991/20000" in read(json.dumps(document)).to_text()
