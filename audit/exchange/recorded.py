"""The outcomes that the growing record of a suite holds, of a run that was killed those that it had."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.records.command_case import COMMAND_CASE, read_command_case
from dpcert.audit.records.record import read
from dpcert.audit.suites import journal
from dpcert.audit.suites.case import Case, Status
from dpcert.audit.suites.outcome import NOT_RUN, CaseOutcome
from dpcert.audit.verdicts.requirements import Requirements

ENDED = "the run ended before it was decided"
CERTIFIED = "every condition of Checklist 1"


def recorded(text: str) -> tuple[str, list[CaseOutcome]]:
    """The suite's name, and what became of each of its cases.

    Args:
        text: JSON Lines, as `dpcert audit --suite` writes them.
    Returns: The outcomes in the order of the cases; a case without a line was not run.
    Raises: ArgumentError: no such record, a case twice, or a record that contradicts itself or its line.
    """
    heading, *lines = journal.documents(text)
    name, cases = heading.get("suite"), heading.get("cases")
    if not isinstance(name, str) or not isinstance(cases, list) or not all(isinstance(one, str) for one in cases):
        raise ArgumentError(f"Expected a {journal.SCHEMA} record but got line 1 without its suite and cases")
    outcomes: dict[str, CaseOutcome] = {}
    for line in lines:
        one = _outcome(line)
        if one.case.name in outcomes or one.case.name not in cases:
            raise expected("a record with each case of its suite at most once", case=one.case.name)
        outcomes[one.case.name] = one
    if len(set(cases)) < len(cases):
        raise expected("a record whose suite names each case once", cases=cases)
    return name, [outcomes.get(case) or _missing(case) for case in cases]


def _missing(name: str) -> CaseOutcome:
    return CaseOutcome(Case(name, "", ""), error=ENDED, run=False)


def _outcome(line: Mapping[str, Any]) -> CaseOutcome:
    """The outcome of one line. Raises: ArgumentError: a line that is none, or that its record contradicts."""
    name = line["case"]
    if not isinstance(name, str):
        raise expected("the name of a case", case=name)
    where = one_line(name, 80)
    try:
        document = line["record"]
        if document is not None:
            document = read_command_case(document) if _of_command(document) else read(json.dumps(document)).document
        outcome = CaseOutcome(
            _case(line, document), document, _text(line["error"]), _number(line["exit_status"]),
            run=line["result"] != NOT_RUN, milliseconds=_number(line["milliseconds"]),
        )  # fmt: skip
    except ArgumentError as error:
        raise ArgumentError(f"{error}, in the record of case {where}") from None
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ArgumentError(f"Expected a line of a case but got one of {where} ({type(error).__name__})") from None
    if (line["result"], line["exit_status"]) != (outcome.result, outcome.exit_status):
        said = f"{one_line(str(line['result']), 40)} where its record says {outcome.result}"
        raise ArgumentError(f"Expected a record that agrees with itself but got case {where} with {said}")
    return outcome


def _of_command(document: Any) -> bool:
    return isinstance(document, dict) and document.get("schema") == COMMAND_CASE


def _case(line: Mapping[str, Any], document: Mapping[str, Any] | None) -> Case:
    target, parameters = _text(line["target"]), {_text(k): _text(v) for k, v in line["parameters"].items()}
    names = _names(document)
    return Case(
        line["case"],
        target,
        target,
        parameters,
        requirements=Requirements(certified=CERTIFIED in names),
        status=Status(line["expected"]),
    )


def _names(document: Mapping[str, Any] | None) -> Iterator[str]:
    yield from (one["requirement"] for one in (document or {}).get("requirements", ()))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise expected("a text", value=value)
    return value


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise expected("a whole number of at least 0", value=value)
    return value
