"""Verdict words: what was found, how, in which scope, and the witness that shows it."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, TypedDict

from dpcert.audit.frozen import frozen


class Verdict(StrEnum):
    """What a check found: it HOLDS in its scope, is REFUTED by a witness, or is UNDECIDED for a reason that is said.

    Source: none; ours.

    >>> [verdict.value for verdict in Verdict]
    ['HOLDS', 'REFUTED', 'UNDECIDED']
    """

    HOLDS = "HOLDS"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"


class Method(StrEnum):
    """How it was found. SAMPLED never yields HOLDS.

    BY_CONSTRUCTION: the form of the code leaves no other way. SYMBOLIC: for all parameters, by algebra. EXHAUSTIVE:
    case by case, all of the scope. ENCLOSED: between bounds that are rounded outward. SAMPLED: in some runs.

    Source: none; ours.

    >>> Method("EXHAUSTIVE") is Method.EXHAUSTIVE
    True
    """

    BY_CONSTRUCTION = "BY_CONSTRUCTION"
    SYMBOLIC = "SYMBOLIC"
    EXHAUSTIVE = "EXHAUSTIVE"
    ENCLOSED = "ENCLOSED"
    SAMPLED = "SAMPLED"


class Item(StrEnum):
    """The five conditions of Checklist 1, in its order.

    PREFIX_DEPENDENCE: a release depends on the inputs up to its round. FRESH_RANDOMNESS: each round has randomness of
    its own. DETERMINISTIC_MAP: inputs and that randomness determine it. STABLE_COST: common inputs change no round's
    curve. POST_PROCESSING: all else that is published is made of releases.

    Source: paper.tex, sec:cert.

    >>> len(Item)
    5
    """

    PREFIX_DEPENDENCE = "PREFIX_DEPENDENCE"
    FRESH_RANDOMNESS = "FRESH_RANDOMNESS"
    DETERMINISTIC_MAP = "DETERMINISTIC_MAP"
    STABLE_COST = "STABLE_COST"
    POST_PROCESSING = "POST_PROCESSING"


class FindingDocument(TypedDict):
    """A finding as it stands in a record."""

    verdict: str
    method: str | None
    scope: str
    detail: str
    witness: dict[str, Any]


@frozen
class Finding:
    """A verdict with its method, its scope in words, a sentence of detail, and a witness where it is REFUTED.

    Args:
        verdict: What was found.
        method: How; None where it is UNDECIDED.
        scope: For which rounds, inputs and adversaries, in words.
        detail: One sentence.
        witness: What shows a refutation, by name; empty without one.
    Source: none; ours.

    >>> Finding(Verdict.HOLDS, Method.EXHAUSTIVE, "3 rounds", "All pairs agree.").document()["verdict"]
    'HOLDS'
    """

    verdict: Verdict
    method: Method | None
    scope: str
    detail: str
    witness: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> FindingDocument:
        """The finding as it stands in a record.

        Returns: Its fields by name, words and witness as JSON has them.
        """
        return {
            "verdict": self.verdict.value,
            "method": None if self.method is None else self.method.value,
            "scope": self.scope,
            "detail": self.detail,
            "witness": dict(self.witness),
        }


def open_because(reason: str | None, scope: str) -> Finding | None:
    """An answer left open for a reason; None without one."""
    return None if reason is None else Finding(Verdict.UNDECIDED, None, scope, f"Not decided: {reason}.")


def unless(finding: Finding, doubt: Finding | None) -> Finding:
    """The finding or, where it holds and there is a doubt about all that holds, the doubt."""
    return doubt if doubt is not None and finding.verdict is Verdict.HOLDS else finding


EXIT_STATUS = {Verdict.HOLDS: 0, Verdict.REFUTED: 1, Verdict.UNDECIDED: 3}
BAD_INPUT = 2
"""The exit status where nothing could be asked."""


def worst(verdicts: list[Verdict]) -> Verdict:
    """Refuted before undecided before holds."""
    return next((v for v in (Verdict.REFUTED, Verdict.UNDECIDED) if v in verdicts), Verdict.HOLDS)
