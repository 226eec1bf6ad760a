"""The audit of a matrix mechanism as JSON values, as `audit/records/schemas/matrix-1.json` describes them."""

from typing import NotRequired, TypedDict

from dpcert.audit.algebra.enclosure import Enclosure, Ends
from dpcert.audit.algebra.rational import text
from dpcert.audit.checklist.conditions import EntryDocument
from dpcert.audit.verdicts.requirements import RequirementDocument
from dpcert.mechanisms.accounting.document import EndsDocument, ends
from dpcert.mechanisms.accounting.point import BoundKind
from dpcert.mechanisms.matrices.record_change import RecordChange
from dpcert.mechanisms.matrices.released_error import SumErrors
from dpcert.mechanisms.matrices.sensitivity import Attainment, Sensitivity
from dpcert.mechanisms.matrix_audit.audited import MatrixAudit


class AttainedDocument(TypedDict):
    """One participation: its round, and its change as a sign or as a vector."""

    round: int
    sign: int | None
    direction: list[str] | None


class PeerSensitivityDocument(TypedDict):
    """The squared sensitivity by the library that the encoder is of; `below` where inputs exceed it."""

    l2_squared: str
    by: str
    below: bool


class SensitivityDocument(TypedDict):
    """s(R) for changes of norm at most 1; `justification` is null where the encoder looks ahead."""

    l2_squared: EndsDocument
    l1: EndsDocument
    attained_by: list[AttainedDocument]
    l1_attained_by: list[AttainedDocument]
    argument: str
    justification: str | None


class MatrixSensitivityDocument(SensitivityDocument):
    """The same, and what the library says of it that the matrix comes from, if it says anything."""

    library: NotRequired[PeerSensitivityDocument]


class MatrixEpsilonDocument(EndsDocument):
    """The least epsilon for a delta lies between the ends; of fixed inputs alone where inputs may not adapt."""

    delta: str
    bound: str


class MatrixGaussianDocument(TypedDict):
    """f_mu by its native parameters, and epsilon for deltas; `adaptive` says whether the inputs may adapt."""

    mu: EndsDocument
    rho: EndsDocument
    epsilon: list[MatrixEpsilonDocument]
    adaptive: bool


class SumErrorsDocument(TypedDict):
    """Squared errors of the released sums, sigma included; `missing` says why there are none."""

    decoder: str | None
    largest: EndsDocument | None
    mean: EndsDocument | None
    least_mean: EndsDocument | None
    difference: EndsDocument | None
    missing: str | None


class MatrixDocument(TypedDict):
    """The audit of one matrix mechanism."""

    schema: str
    file: str
    rounds: int
    rows: int
    sigma: str
    clip: str
    neighbours: str
    change: str
    participations: str
    stream: str
    workload: str
    sensitivity: MatrixSensitivityDocument
    gaussian: MatrixGaussianDocument
    error: SumErrorsDocument
    checklist: list[EntryDocument]
    claims: list[RequirementDocument]
    verdict: str


def document(audit: MatrixAudit) -> MatrixDocument:
    """All that was found; sensitivities and rho as exact fractions, other ends rounded outward."""
    question = audit.question
    return {
        "schema": "dpcert.matrix/1",
        "file": question.file,
        "rounds": question.encoder.rounds,
        "rows": len(question.encoder.row_rounds),
        "sigma": text(question.sigma),
        "clip": text(question.clip),
        "neighbours": change_name(question.change),
        "change": text(question.most),
        "participations": question.pattern,
        "stream": question.stream.value,
        "workload": question.workload.text,
        "sensitivity": _beside_theirs(audit),
        "gaussian": gaussian_document(audit),
        "error": _errors(audit),
        "checklist": [entry.document() for entry in audit.entries],
        "claims": [one.document() for one in audit.judgements],
        "verdict": audit.verdict.value,
    }


def change_name(change: RecordChange) -> str:
    """zero-out or replace-one."""
    return change.name.lower().replace("_", "-")


def gaussian_document(audit: MatrixAudit) -> MatrixGaussianDocument:
    """f_mu, and epsilon for every delta."""
    return {
        "mu": ends(audit.shift.mu),
        "rho": _whole(audit.shift.rho),
        "epsilon": [
            {"delta": text(delta), **ends(found), "bound": BoundKind.EXACT.value} for delta, found in audit.epsilons
        ],
        "adaptive": audit.is_causal,
    }


def _beside_theirs(audit: MatrixAudit) -> MatrixSensitivityDocument:
    theirs = audit.question.theirs
    whole = MatrixSensitivityDocument(**sensitivity_document(audit.sensitivity, is_causal=audit.is_causal))  # type: ignore[typeddict-item]
    if theirs is not None:
        whole["library"] = {"l2_squared": text(theirs.value**2), "by": theirs.by, "below": audit.peer_is_below}
    return whole


def sensitivity_document(sensitivity: Sensitivity, *, is_causal: bool) -> SensitivityDocument:
    """Both norms, with what attains them."""
    return {
        "l2_squared": _whole(sensitivity.l2_squared),
        "l1": _whole(sensitivity.l1),
        "attained_by": _attained(sensitivity.attained_by),
        "l1_attained_by": _attained(sensitivity.l1_attained_by),
        "argument": sensitivity.argument.value,
        "justification": sensitivity.justification.value if is_causal else None,
    }


def _attained(pattern: Attainment) -> list[AttainedDocument]:
    if pattern.directions:
        return [
            {"round": at, "sign": None, "direction": list(map(text, vector))}
            for at, vector in zip(pattern.rounds, pattern.directions, strict=True)
        ]
    return [
        {"round": at, "sign": sign, "direction": None} for at, sign in zip(pattern.rounds, pattern.signs, strict=True)
    ]


def _whole(found: Ends) -> EndsDocument:
    return {"lower": text(found.lower), "upper": text(found.upper)}


def _errors(audit: MatrixAudit) -> SumErrorsDocument:
    if not isinstance(audit.errors, SumErrors):
        nothing: SumErrorsDocument = {
            "decoder": None, "largest": None, "mean": None, "least_mean": None, "difference": None,
            "missing": audit.errors,
        }  # fmt: skip
        return nothing
    errors, variance = audit.errors, audit.question.sigma**2

    def scaled(between: Ends) -> EndsDocument:
        return ends(Enclosure(variance * between.lower, variance * between.upper))

    return {
        "decoder": errors.decoder,
        "largest": scaled(errors.largest),
        "mean": scaled(errors.mean),
        "least_mean": None if errors.least is None else scaled(errors.least),
        "difference": None if errors.difference is None else ends(errors.difference),
        "missing": None,
    }
