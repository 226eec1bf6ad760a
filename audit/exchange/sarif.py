"""SARIF 2.1.0, for code scanning: a rule a kind of check, a result where one does not hold, at the law's own line."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dpcert.audit.errors import one_line
from dpcert.audit.exchange import checks
from dpcert.audit.exchange.checks import Check, CheckedCase, Result
from dpcert.audit.exchange.fingerprint import line_hashes
from dpcert.audit.exchange.place import SourcePlace
from dpcert.audit.finding import Item
from dpcert.audit.render.explanations import EXPLANATIONS

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Result.FAILED: "error", Result.ERROR: "error", Result.OPEN: "warning", Result.ASIDE: "note"}
OWN = {
    checks.NO_GAP: (
        "Adaptive adversaries gain nothing.",
        "The power function of adaptive adversaries is that of fixed streams, or keeps to the bound that is claimed. A "
        "witness is an adversary that reaches more, replayed by an independent path.",
    ),
    checks.REQUIREMENT: (
        "What was asked to hold does.",
        "A bound on delta, a claim of differential privacy, no gap, or a certificate that was asked for. A witness is "
        "an adversary that reaches more than is claimed, or the condition that fails.",
    ),
    checks.EXPECTED: (
        "The case comes to the verdict that it has to come to.",
        "A control that must fail did not, or what is known to be open was decided. Look at the mechanism or at the "
        "status that the suite names.",
    ),
    checks.BASELINE: (
        "Nothing is worse than when somebody last looked.",
        "A delta grew, a certificate or a case was lost, or the laws of a mechanism changed. Repair it, or accept the "
        "change by name.",
    ),
    checks.AUDIT: (
        "The audit can be made.",
        "The target does not load, its code raised, or the work was cut short before anything was known.",
    ),
}


def sarif(cases: Sequence[CheckedCase], absent: Sequence[Check] = (), suite: str | None = None) -> str:
    """All that does not hold as a SARIF log.

    Args:
        cases: All cases with their checks.
        absent: Checks of no case that is there: lines of a baseline that are not found any more.
        suite: The file of the suite, which stands in where no law has a place below the working directory.
    """
    rules = _rules()
    order = {rule["id"]: number for number, rule in enumerate(rules)}
    results = [*_results(cases, order, suite)]
    results += [_result(check, "baseline", None, order, suite) for check in absent]
    driver = {
        "name": "dpcert",
        "version": version("dpcert"),
        "semanticVersion": version("dpcert"),
        "informationUri": "https://pypi.org/project/dpcert/",
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "dpcert/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder in which dpcert ran."}}},
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=True) + "\n"


def _rules() -> list[dict[str, Any]]:
    """Every kind of check, in the order of the checklist and then ours."""
    items = {item.value: (EXPLANATIONS[item.value].meaning, EXPLANATIONS[item.value]) for item in Item}
    rules = []
    for name, (short, more) in items.items():
        whole = f"{short} A witness shows: {more.witness}"
        rules.append(_rule(name, short, whole, f"{more.repair} Source: {more.source}."))
    return rules + [_rule(name, short, f"{short} {whole}", whole) for name, (short, whole) in OWN.items()]


def _rule(name: str, short: str, whole: str, help_text: str) -> dict[str, Any]:
    return {
        "id": f"dpcert/{name.lower().replace('_', '-')}",
        "name": "".join(part.title() for part in name.split("_")),
        "shortDescription": {"text": short.split(". ")[0].rstrip(".") + "."},
        "fullDescription": {"text": whole},
        "help": {"text": help_text, "markdown": help_text},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["privacy", "differential-privacy"], "precision": "very-high"},
    }


def _results(cases: Sequence[CheckedCase], order: dict[str, int], suite: str | None) -> Iterator[dict[str, Any]]:
    for one in cases:
        for check in one.checks:
            if check.result in LEVELS:
                yield _result(check, one.outcome.case.name, one.place, order, suite)


def _result(
    check: Check, name: str, place: SourcePlace | None, order: dict[str, int], suite: str | None
) -> dict[str, Any]:
    """One result; what is seen of it first is what failed, then the adversary."""
    rule = f"dpcert/{check.rule.lower().replace('_', '-')}"
    level = LEVELS[check.result]
    aside = " (not asked for)" if check.result is Result.ASIDE else ""
    lines = [f"{one_line(name, 200)}: {check.name}{aside}. {one_line(check.detail, 1_000)}", *check.witness]
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": order[rule],
        "level": level,
        "message": {"text": "\n".join(lines)},
        "locations": [_location(place, suite)],
        "partialFingerprints": {"dpcertCheck/v1": f"{name}/{check.name}"},
    }
    if place is not None:
        result["partialFingerprints"]["primaryLocationLineHash"] = _line_hash(place)
    return result


def _line_hash(place: SourcePlace) -> str:
    hashes = _hashes(place.path)
    return hashes[min(place.line, len(hashes)) - 1]


@cache
def _hashes(path: Path) -> list[str]:
    return line_hashes(path.read_bytes().decode("utf-8", "replace"))


def _location(place: SourcePlace | None, suite: str | None) -> dict[str, Any]:
    """Where the law stands; elsewhere than below the working directory the suite's own file, which is there."""
    if place is not None and (place.below or suite is None):
        where = {"uri": _uri(place.file), "uriBaseId": "%SRCROOT%"} if place.below else {"uri": place.path.as_uri()}
        region = {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        }
    else:
        where = {"uri": _uri(suite or "dpcert.toml"), "uriBaseId": "%SRCROOT%"}
        region = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}
    return {"physicalLocation": {"artifactLocation": where, "region": region}}


def _uri(file: str) -> str:
    """A relative path as a URI."""
    from urllib.parse import quote

    return quote(Path(file).as_posix())
