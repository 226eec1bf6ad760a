"""Probed code as JSON values, as `audit/records/schemas/probe-1.json` describes them."""

from typing import Any, TypedDict

from dpcert.audit.algebra.decimals import measured
from dpcert.audit.algebra.rational import text
from dpcert.audit.checklist.conditions import EntryDocument
from dpcert.audit.errors import short
from dpcert.audit.verdicts.requirements import RequirementDocument
from dpcert.mechanisms.accounting.document import EndsDocument
from dpcert.mechanisms.matrix_audit.audited import participations_in_words
from dpcert.mechanisms.matrix_audit.document import (
    MatrixGaussianDocument,
    SensitivityDocument,
    change_name,
    gaussian_document,
    sensitivity_document,
)
from dpcert.mechanisms.probe.probed import ProbeAudit

ENCODER_DIGITS = 17
"""Significant digits of the recovered encoder in the JSON document of a probe; A and B are in it exactly."""


class DrawDocument(TypedDict):
    """One draw: which number of which generator, by which law, and in which round (0 before the first)."""

    generator: list[int]
    number: int
    family: str
    scale: str
    round: int


class FaultDocument(TypedDict):
    """What is wrong, by name."""

    name: str
    detail: str
    refutes: bool
    witness: dict[str, Any]


class EncoderRowDocument(TypedDict):
    """What is left of a release given those before: a row of R and the variance of its noise, rounded."""

    release: int
    round: int
    row: list[str]
    variance: str


class ProbeDocument(TypedDict):
    """One probe of one piece of code."""

    schema: str
    target: str
    parameters: dict[str, str]
    horizon: int
    dimension: int | None
    clip: str
    neighbours: str
    change: str
    participations: str
    sigma: str | None
    strategy: str | None
    restart: int | None
    scope: str
    runs: int
    residual: str
    resolution: str
    releases: list[int]
    draws: list[DrawDocument]
    response: list[list[str]]
    noise: list[list[str]]
    encoder: list[EncoderRowDocument]
    faults: list[FaultDocument]
    sensitivity: SensitivityDocument | None
    gaussian: MatrixGaussianDocument | None
    pure: EndsDocument | None
    missing: str | None
    checklist: list[EntryDocument]
    claims: list[RequirementDocument]
    verdict: str


def probe_document(audit: ProbeAudit) -> ProbeDocument:
    """All that was found: A, B and what is computed exactly or rounded outward, the encoder to ENCODER_DIGITS."""
    question, matrices, gaussian, pure = audit.question, audit.matrices, audit.gaussian, audit.pure
    return {
        "schema": "dpcert.probe/1",
        "target": question.target.name,
        "parameters": {name: short(value) for name, value in question.target.parameters.items()},
        "horizon": question.horizon,
        "dimension": question.dimension,
        "clip": text(question.clip),
        "neighbours": change_name(question.change),
        "change": text(question.change.most(question.clip)),
        "participations": participations_in_words(question.participation),
        "sigma": None if question.sigma is None else text(question.sigma),
        "strategy": None if question.strategy is None else question.strategy[0],
        "restart": question.restart,
        "scope": audit.scope,
        "runs": matrices.runs,
        "residual": text(matrices.residual),
        "resolution": text(matrices.resolution),
        "releases": list(matrices.rounds),
        "draws": _draws(audit),
        "response": [list(map(text, row)) for row in matrices.response],
        "noise": [list(map(text, row)) for row in matrices.noise],
        "encoder": _encoder(audit),
        "faults": [
            {"name": f.name.value, "detail": f.detail, "refutes": f.refutes, "witness": dict(f.witness)}
            for f in audit.faults
        ],
        "sensitivity": sensitivity_document(gaussian.sensitivity, is_causal=gaussian.is_causal) if gaussian else None,
        "gaussian": gaussian_document(gaussian) if gaussian else None,
        "pure": {"lower": text(pure.epsilon.lower), "upper": text(pure.epsilon.upper)} if pure else None,
        "missing": audit.why,
        "checklist": [entry.document() for entry in gaussian.entries] if gaussian else [],
        "claims": [one.document() for one in audit.judgements],
        "verdict": audit.verdict.value,
    }


def _draws(audit: ProbeAudit) -> list[DrawDocument]:
    return [
        {
            "generator": list(draw.place.generator),
            "number": draw.place.number,
            "family": draw.family.value,
            "scale": text(draw.scale),
            "round": draw.round,
        }
        for draw in audit.matrices.draws
    ]


def _encoder(audit: ProbeAudit) -> list[EncoderRowDocument]:
    if audit.remainder is None:
        return []
    remainder, rounds = audit.remainder, audit.matrices.rounds
    return [
        {
            "release": place + 1,
            "round": rounds[place],
            "row": [measured(x, ENCODER_DIGITS) for x in row],
            "variance": measured(variance, ENCODER_DIGITS),
        }
        for row, variance, place in zip(remainder.rows, remainder.variances, remainder.places, strict=True)
    ]
