"""A case of a suite that a command decides, as JSON values: what every kind of them has, and its own answer inside."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, TypedDict

from dpcert.audit.checklist.conditions import EntryDocument
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.finding import Verdict, worst
from dpcert.audit.records.contract import LocationDocument, ProvenanceDocument
from dpcert.audit.records.section import ShadedSection
from dpcert.audit.render.text import sections_text
from dpcert.audit.verdicts.requirements import RequirementDocument

COMMAND_CASE = "dpcert.case/1"
"""The schema of such a document."""


class CaseReportDocument(TypedDict):
    """What a page shows."""

    title: str
    lead: str
    asked: dict[str, str]
    sections: list[ShadedSection]


class CommandCaseDocument(TypedDict):
    """What a command found of one case.

    `findings` are what a baseline keeps beside verdicts: `kernel`, `rounds`, and numbers whose names begin with
    `at most`. `shown_by` are lines that show why a requirement is exceeded; `answer` is the command's own document.
    """

    schema: str
    command: str
    target: str
    location: LocationDocument
    verdict: str
    checklist: list[EntryDocument]
    requirements: list[RequirementDocument]
    findings: dict[str, str]
    epsilon: str
    shown_by: list[str]
    report: CaseReportDocument
    answer: dict[str, Any] | None
    provenance: ProvenanceDocument


def is_command_case(document: Mapping[str, Any]) -> bool:
    """Whether a document is of a command and not of an audit."""
    return bool(document["schema"] == COMMAND_CASE)


def read_command_case(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document, if it is one and agrees with itself.

    Raises: ArgumentError: a document that its schema refuses, or whose verdict is not that of its parts.
    """
    import jsonschema  # here, so that deciding a case need not wait for what reads one

    wrong = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(_schema()).iter_errors(document))
    if wrong is not None:
        raise ArgumentError(f"Expected a {COMMAND_CASE} document but got {one_line(wrong.message, 120)}")
    parts = [Verdict(one["verdict"]) for one in (*document["checklist"], *document["requirements"])]
    if parts and worst(parts) is not Verdict(document["verdict"]):
        raise ArgumentError(f"Expected a verdict of {worst(parts).value}, as of its parts, but got another")
    return document


@cache
def _schema() -> Any:
    from importlib.resources import files

    return json.loads(files("dpcert.audit.records").joinpath("schemas/case-1.json").read_text(encoding="utf-8"))


def case_page(document: Mapping[str, Any]) -> str:
    """The page of a case, as HTML."""
    said = document["report"]
    from dpcert.audit.render.page import page_of_sections

    return page_of_sections(
        said["title"], said["lead"], said["sections"], facts=said["asked"], provenance=document["provenance"]
    )


def case_markdown(document: Mapping[str, Any]) -> str:
    """The page of a case, as Markdown: its tables as they are printed."""
    said = document["report"]
    text = sections_text(said["lead"], said["sections"]).replace("```", "'''")
    from dpcert.audit.render.markdown import escaped, opening

    return "\n".join([*opening(escaped(said["title"]), {}), "", "```text", text.rstrip("\n"), "```", ""])
