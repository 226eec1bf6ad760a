"""The growing record of a suite: JSON Lines, one a case as it finishes, so that a run that is killed keeps what it had.

At its end the file is put in the order of the cases: the same bytes at any number of processes, apart from the times.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.suites.case import Suite
from dpcert.audit.suites.outcome import CaseOutcome

SCHEMA = "dpcert.suite-record/1"


def heading(suite: Suite) -> str:
    """The first line: which suite, and all its cases by name."""
    return _line({"schema": SCHEMA, "suite": suite.file, "cases": [case.name for case in suite.cases]})


def line(outcome: CaseOutcome) -> str:
    """The line of one case."""
    case = outcome.case
    return _line(
        {
            "case": case.name,
            "target": case.target,
            "parameters": dict(case.parameters),
            "scope": case.scope,
            "expected": case.status.value,
            "result": outcome.result,
            "exit_status": outcome.exit_status,
            "error": outcome.error,
            "milliseconds": outcome.milliseconds,
            "record": outcome.document,
        }
    )


def whole(suite: Suite, outcomes: Iterable[CaseOutcome]) -> str:
    """The whole record, in the order of the cases."""
    order = {case.name: number for number, case in enumerate(suite.cases)}
    return heading(suite) + "".join(map(line, sorted(outcomes, key=lambda one: order[one.case.name])))


def read(text: str) -> list[Mapping[str, Any]]:
    """The lines of cases in a record; a last line that was cut off by the end of its process is left out.

    Raises: ArgumentError: no such record.
    """
    return documents(text)[1:]


def documents(text: str) -> list[Mapping[str, Any]]:
    """The same behind the line that names the suite and its cases. Raises: ArgumentError: no such record."""
    lines = text.split("\n")
    records: list[Mapping[str, Any]] = []
    for number, one in enumerate(lines[:-1], 1):  # what comes after the last line break is not whole
        try:
            document = json.loads(one)
        except (ValueError, RecursionError) as error:
            why = one_line(str(error), 120)
            raise ArgumentError(f"Expected a {SCHEMA} record but got line {number}: {why}") from None
        if not isinstance(document, dict) or (
            document.get("schema") != SCHEMA if number == 1 else "case" not in document
        ):
            raise ArgumentError(f"Expected a {SCHEMA} record but got line {number}: {one_line(one, 80)}")
        records.append(document)
    if not records:
        raise ArgumentError(f"Expected a {SCHEMA} record but got none of its lines whole")
    return records


def _line(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")) + "\n"
