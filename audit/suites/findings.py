"""What a baseline keeps of a case: the findings of its record that must not get worse, with exact values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dpcert.audit.records.command_case import is_command_case
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.outcome import CaseOutcome

KERNEL = "kernel"
ROUNDS = "rounds"
VERDICT = "verdict"
CERTIFIED = "certified"
DELTA = "delta"
AT_MOST = "at most "
"""What the name of a number begins with that may not grow: a rational of at least 0, or `infinite`."""
INFINITY = "delta at infinity"
AT = " at e^eps="


@dataclass(frozen=True, order=True)
class Key:
    """What a line of a baseline is about."""

    target: str
    parameters: str
    scope: str
    finding: str


def key(case: Case, finding: str = "") -> Key:
    """That of a case."""
    parameters = " ".join(f"{name}={value}" for name, value in sorted(case.parameters.items()))
    return Key(case.target, parameters or "-", case.scope, finding)


def findings(outcome: CaseOutcome) -> dict[Key, str]:
    """Every finding of a case with its value; none without a record."""
    document = outcome.document
    return {} if document is None else {key(outcome.case, name): value for name, value in _of(document)}


def _of(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _of_command(document) if is_command_case(document) else _of_audit(document)
    yield VERDICT, document["verdict"]
    yield CERTIFIED, next((entry["rung"] for entry in document["checklist"] if entry["rung"]), "no")
    for entry in document["checklist"]:
        yield f"checklist {entry['item']}", entry["verdict"]
    for entry in document["requirements"]:
        yield f"requirement {entry['requirement']}", entry["verdict"]


def _of_command(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from document["findings"].items()


def _of_audit(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    adaptive, scope = document["adaptive"], document["scope"]
    if "sampled" in document:  # nothing is bounded from above, and what is from below changes with every seed
        yield ROUNDS, str(scope["horizon"])
        return
    if "stopped" not in scope:  # else the digest is of as many laws as there was time to read
        yield KERNEL, document["kernel_digest"]
    yield ROUNDS, "inf" if scope.get("every_horizon") else str(scope["horizon"])
    yield INFINITY, adaptive["delta_at_infinity"]
    for at in adaptive["delta"]:
        yield f"{DELTA}{AT}{at['exp_epsilon']}", at["upper"]
