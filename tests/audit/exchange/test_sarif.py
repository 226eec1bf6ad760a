"""SARIF: a result where something does not hold, at the law's line; what other tools say of it is in packaging."""

import json
from pathlib import Path
from typing import Any

from dpcert.audit.exchange.checks import CheckedCase, Result
from dpcert.audit.exchange.fingerprint import line_hashes
from dpcert.audit.exchange.place import at
from dpcert.audit.exchange.sarif import sarif
from dpcert.audit.finding import Item


def run_of(cases: list[CheckedCase], **options: Any) -> dict[str, Any]:
    log = json.loads(sarif(cases, **options))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def test_there_is_a_rule_an_item_and_one_for_each_kind_of_check(cases: list[CheckedCase]) -> None:
    rules = run_of(cases)["tool"]["driver"]["rules"]
    names = [rule["id"] for rule in rules]
    assert names[:5] == [f"dpcert/{item.value.lower().replace('_', '-')}" for item in Item]
    for rule in rules:
        assert all(rule[part]["text"].strip() for part in ("shortDescription", "fullDescription", "help"))
        assert len(rule["shortDescription"]["text"]) <= 1_024


def test_there_is_a_result_for_each_check_that_does_not_hold(cases: list[CheckedCase]) -> None:
    run = run_of(cases)
    rules = run["tool"]["driver"]["rules"]
    not_held = [check for one in cases for check in one.checks if check.result is not Result.PASSED]
    assert len(run["results"]) == len(not_held)
    for result, check in zip(run["results"], not_held, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert check.name in result["message"]["text"]
        wanted = {Result.FAILED: "error", Result.ERROR: "error", Result.OPEN: "warning", Result.ASIDE: "note"}
        assert result["level"] == wanted[check.result]


def test_a_place_is_the_text_of_the_line(cases: list[CheckedCase], folder: Path) -> None:
    result = next(r for r in run_of(cases)["results"] if r["message"]["text"].startswith("leak: no gap"))
    (where,) = result["locations"]
    assert where["physicalLocation"]["artifactLocation"] == {"uri": "primitives/leak.py", "uriBaseId": "%SRCROOT%"}
    region = where["physicalLocation"]["region"]
    lines = (folder / "primitives" / "leak.py").read_text(encoding="utf-8").split("\n")
    line = lines[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "class Leak:"
    hashes = line_hashes("\n".join(lines))
    assert result["partialFingerprints"]["primaryLocationLineHash"] == hashes[region["startLine"] - 1]


def test_what_stands_elsewhere_is_placed_at_the_suite(cases: list[CheckedCase]) -> None:
    found = [r for r in run_of(cases, suite="dpcert.toml")["results"] if r["message"]["text"].startswith("never: ")]
    assert [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in found] == ["dpcert.toml"]


def test_a_decorated_class_is_at_its_own_line_and_a_link_is_resolved(tmp_path: Path, folder: Path) -> None:
    link = tmp_path / "linked.py"
    link.symlink_to(folder / "primitives" / "flip.py")
    place = at(str(link), 8)
    assert place.path == (folder / "primitives" / "flip.py").resolve()
    assert place.path.read_text(encoding="utf-8").split("\n")[place.line - 1] == "class Flip:"
