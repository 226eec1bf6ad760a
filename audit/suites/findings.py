"""What a baseline keeps of a case: the findings of its record that must not get worse, with exact values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dpcert.audit.suites.case import Case
from dpcert.audit.suites.outcome import CaseOutcome

KERNEL = "kernel"
ROUNDS = "rounds"
VERDICT = "verdict"
CERTIFIED = "certified"
DELTA = "delta"
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
    adaptive, scope = document["adaptive"], document["scope"]
    if "stopped" not in scope:  # else the digest is of as many laws as there was time to read
        yield KERNEL, document["kernel_digest"]
    yield ROUNDS, "inf" if scope.get("every_horizon") else str(scope["horizon"])
    yield VERDICT, document["verdict"]
    yield CERTIFIED, next((entry["rung"] for entry in document["checklist"] if entry["rung"]), "no")
    for entry in document["checklist"]:
        yield f"checklist {entry['item']}", entry["verdict"]
    for entry in document["requirements"]:
        yield f"requirement {entry['requirement']}", entry["verdict"]
    yield INFINITY, adaptive["delta_at_infinity"]
    for at in adaptive["delta"]:
        yield f"{DELTA}{AT}{at['exp_epsilon']}", at["upper"]
