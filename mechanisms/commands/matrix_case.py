"""A case of a suite that names a matrix: `command = "matrix"`, its options under `params`."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.finding import Verdict
from dpcert.audit.limits import within
from dpcert.audit.records.command_case import COMMAND_CASE, CommandCaseDocument
from dpcert.audit.records.digest import provenance
from dpcert.audit.records.section import ShadedSection
from dpcert.audit.render.cells import listing
from dpcert.audit.suites.case import Case
from dpcert.mechanisms.commands.matrix import HTML_TITLE, matrix, question
from dpcert.mechanisms.foreign.source import names_object
from dpcert.mechanisms.foreign.undecided import UndecidedError

if TYPE_CHECKING:
    from dpcert.mechanisms.matrix_audit.audited import MatrixAudit

ELSEWHERE = {"claim": "claim", "delta": "deltas", "horizon": "horizon", "json": None, "html": None}
"""Options of the command that are no parameters of a case, and the keys that say the same."""
PATHS = ("rounds", "decoder")
"""Options that name a file."""
KEPT_DIGITS = 15
"""Significant digits of an epsilon that a baseline keeps."""


def matrix_case(case: Case) -> CommandCaseDocument:
    """The case as the command `matrix` decides it.

    Args:
        case: What the suite asks; its parameters are the command's options, underscores for hyphens. After its
            `max_seconds` it is undecided.
    Raises: ArgumentError: an option that is none, or whatever the command refuses.
    """
    from dpcert.mechanisms.matrix_audit.audited import audited

    began = time.monotonic_ns()
    options = _options(case)
    try:
        matrix_question = question(case.place, **options)
    except UndecidedError as error:
        return _since(began, _document(case, f"{Verdict.UNDECIDED.value}: {error}."))
    budget, audits = Budget(max_seconds=case.max_seconds), list["MatrixAudit"]()
    with best_so_far(budget) as part, within(budget.check):
        audits.append(audited(replace(matrix_question, claims=case.requirements.bounds), budget=budget))
    found = _decided(case, audits[0]) if audits else _document(case, f"{Verdict.UNDECIDED.value}: {part.stopped}.")
    return _since(began, found)


def _decided(case: Case, audit: "MatrixAudit") -> CommandCaseDocument:
    from dpcert.mechanisms.matrix_audit.document import document
    from dpcert.mechanisms.matrix_audit.heat_map import heat_map
    from dpcert.mechanisms.matrix_audit.report import asked, column_norms, lead, sections

    answer = document(audit)
    candidates = [*list(sections(audit))[1:], heat_map(audit.question.encoder), column_norms(audit)]
    tables = cast("list[ShadedSection]", [one for one in candidates if one is not None and one["rows"]])
    decision = _document(case, lead(audit))
    decision["verdict"] = audit.verdict.value
    decision["checklist"], decision["requirements"] = answer["checklist"], answer["claims"]
    decision["findings"] |= dict(_numbers(audit))
    decision["epsilon"] = _epsilon(audit)
    decision["shown_by"] = list(_shown_by(audit))
    decision["report"]["asked"], decision["report"]["sections"] = asked(audit), tables
    decision["answer"] = dict(answer)
    return decision


def _document(case: Case, lead: str) -> CommandCaseDocument:
    """That of a case of which nothing more is known."""
    file = _file(case.place)
    return {
        "schema": COMMAND_CASE,
        "command": case.command,
        "target": case.target,
        "location": {"file": file, "line": None if file is None else 1},
        "verdict": Verdict.UNDECIDED.value,
        "checklist": [],
        "requirements": [],
        "findings": {} if file is None else {"kernel": f"sha256:{_digest(file)}"},
        "epsilon": "",
        "shown_by": [],
        "report": {"title": HTML_TITLE, "lead": lead, "asked": {}, "sections": []},
        "answer": None,
        "provenance": provenance(0),
    }


def _epsilon(audit: "MatrixAudit") -> str:
    """epsilon at the first delta, rounded up; from below where inputs that adapt may do more than was computed."""
    delta, found = audit.epsilons[0]
    if found.upper is not None and audit.is_causal:
        return f"{up(found.upper)} at {up(delta)}"
    return f"none at {up(delta)}" if found.lower is None else f"at least {down(found.lower)} at {up(delta)}"


def _since(began: int, found: CommandCaseDocument) -> CommandCaseDocument:
    """With the seconds that it took, from a moment of the monotonic clock."""
    found["provenance"]["seconds"] = (time.monotonic_ns() - began) // 10**6 / 1_000
    return found


def _numbers(audit: "MatrixAudit") -> Iterator[tuple[str, str]]:
    """What may not get worse: rounds, the squared sensitivity, and where inputs may adapt, rho and every epsilon."""
    yield "rounds", str(audit.question.encoder.rounds)
    yield "at most s(R)^2", text(audit.sensitivity.l2_squared.upper)
    if not audit.is_causal:
        return
    yield "at most rho", text(audit.shift.rho.upper)
    for delta, epsilon in audit.epsilons:
        high = "infinite" if epsilon.upper is None else text(Fraction(up(epsilon.upper, KEPT_DIGITS)))
        yield f"at most epsilon at delta={text(delta)}", high


def _shown_by(audit: "MatrixAudit") -> Iterator[str]:
    """The inputs that attain the sensitivity."""
    inputs = audit.sensitivity.attained_by
    signs = f", by changes of signs {listing(inputs.signs)}" if -1 in inputs.signs else ""
    along = ", along vectors that the record lists" if inputs.directions else signs
    many = "round" if len(inputs.rounds) == 1 else "rounds"
    yield f"Inputs that differ in {many} {listing(inputs.rounds)}{along}, by {text(audit.question.most)} each."
    if not audit.is_causal:
        yield audit.entries[0].finding.detail


def _options(case: Case) -> dict[str, Any]:
    """The command's options, each as it is typed there. Raises: ArgumentError: one that is none."""
    line: list[str] = [case.place]
    for name, value in case.parameters.items():
        option = name.replace("_", "-")
        if option in ELSEWHERE:
            key = ELSEWHERE[option]
            where = "no file from a case" if key is None else f"the key {key} beside params"
            raise ArgumentError(f"Expected {where} but got params.{one_line(name, 40)}")
        if option == "adjacent-bins":
            if value not in ("true", "false"):
                raise expected("true or false", **{name: one_line(value, 40)})
            line += ["--adjacent-bins"] if value == "true" else []
        else:
            is_file = option in PATHS or (option == "workload" and value.endswith(".json"))
            line.append(f"--{option}={os.path.join(case.folder, value) if is_file else value}")
    if case.horizon is not None:
        line.append(f"--horizon={case.horizon}")
    try:
        values = dict(matrix.make_context("matrix", line).params)
    except click.UsageError as error:
        raise ArgumentError(
            f"Expected options of dpcert matrix but got params: {one_line(error.format_message())}"
        ) from None
    for name in ("file", "json_path", "html_path"):
        del values[name]
    return values | {"deltas": case.deltas}


def _file(place: str) -> str | None:
    """The file that holds the matrix, or the code that makes it."""
    file = place.rpartition(":")[0] if names_object(place) else place
    return os.path.relpath(file) if os.path.isfile(file) else None


def _digest(file: str) -> str:
    with Path(file).open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
