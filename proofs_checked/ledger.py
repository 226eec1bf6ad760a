"""The claims ledger: a statement, the check that decides it about its subject, and a mutant that the check refutes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from dpcert.audit.errors import DpcertError, expected
from dpcert.audit.finding import Finding, Method, Verdict

Check = Callable[[Any], Finding]
NOTHING: Any = object()
"""No mutant, no control, no second subject."""


class LedgerError(DpcertError):
    """An entry that breaks a rule of the ledger."""


class Standing(StrEnum):
    """What the ledger says of a statement as it is printed."""

    HOLDS = "HOLDS"
    CONDITIONAL = "CONDITIONAL"
    AMBIGUOUS = "AMBIGUOUS"
    REFUTED = "REFUTED"
    CITED = "CITED"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Claim:
    """One statement of the paper, or one of ours, with its check. Build one with `@claim` or `cite`.

    `uses` names labels, or ids `label/function`, that the statement rests on; `theorems` those of `coq/` that prove it
    beside the check, `corrected` says what is true where it does not hold as printed, and `instead` has the ids of the
    claims that decide that. Exactly one of `mutant`, `control`,
    `without` and `readings` shows that the check can come out otherwise; a citation has neither check nor these.
    """

    label: str
    name: str
    statement: str
    row: int | None
    method: Method | None
    scope: str
    uses: tuple[str, ...]
    check: Check | None
    subject: Any = NOTHING
    mutant: Any = NOTHING
    control: Any = NOTHING
    condition: str | None = None
    without: Any = NOTHING
    readings: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    theorems: tuple[str, ...] = ()
    corrected: str | None = None
    instead: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """`label/function`."""
        return f"{self.label}/{self.name}"


@dataclass(frozen=True)
class ClaimOutcome:
    """What running a claim gave: its standing, and the finding about its subject."""

    standing: Standing
    finding: Finding


def claim(
    label: str,
    *,
    row: int | None,
    method: Method,
    scope: str,
    subject: Any = NOTHING,
    uses: tuple[str, ...] = (),
    mutant: Any = NOTHING,
    control: Any = NOTHING,
    condition: str | None = None,
    without: Any = NOTHING,
    readings: Mapping[str, Any] | None = None,
    theorems: tuple[str, ...] = (),
    corrected: str | None = None,
    instead: tuple[str, ...] = (),
) -> Callable[[Check], Claim]:
    """Enters a check into the ledger: a function of its subject that returns `found(...)`.

    Args:
        label: The LaTeX label of the statement, or of the section it stands in.
        row: Its number in the list of claims; None where it has none.
        method: How the check decides; SAMPLED can refute, never hold.
        scope: What was looked at, in words.
        subject: What the statement is about.
        uses: Labels or ids that the statement rests on.
        mutant: A subject that the check must refute, for a statement that holds.
        control: A subject for which the check must hold, for a statement that is refuted as printed.
        condition: What has to be added for the statement to hold; `without` is a subject that lacks it, refuted.
        readings: For an ambiguous statement, a subject per reading.
        theorems: Names of theorems in proofs.json that prove the statement.
        corrected: What is true instead of a statement that is refuted as printed, in words.
        instead: Ids of the claims that decide what is true instead, beside the control.
    Raises: LedgerError: no docstring, no scope, or nothing that shows the check can come out otherwise.
    """

    def enter(check: Check) -> Claim:
        statement = (check.__doc__ or "").strip().split("\n")[0]
        entry = Claim(
            label, check.__name__, statement, row, method, scope, uses, check,
            subject, mutant, control, condition, without, dict(readings or {}), None, theorems, corrected,
            instead,
        )  # fmt: skip
        _look_over(entry)
        return entry

    return enter


def _look_over(entry: Claim) -> None:
    """The rules of the ledger. Raises: LedgerError: the entry breaks one."""
    if not entry.statement or not entry.scope.strip():
        raise LedgerError(f"Expected a docstring and a scope but got neither or one of them in {entry.id}")
    contrast_of = {"mutant": entry.mutant, "control": entry.control, "without": entry.without}
    contrasts = [name for name, value in contrast_of.items() if value is not NOTHING]
    contrasts += ["readings"] * bool(entry.readings)
    if len(contrasts) != 1:
        raise LedgerError(
            f"Expected one of mutant, control, without, readings but got {contrasts or 'none'} in {entry.id}"
        )
    has_condition, has_subject = entry.condition is not None, entry.subject is not NOTHING
    if has_condition != (entry.without is not NOTHING) or has_subject == bool(entry.readings):
        raise LedgerError(f"Expected condition with without, and subject or readings, but got others in {entry.id}")


def cite(label: str, name: str, statement: str, *, row: int | None, source: str, uses: tuple[str, ...] = ()) -> Claim:
    """Enters a statement that is taken from elsewhere, or a definition with nothing to decide, with the reason."""
    if not source.strip():
        raise LedgerError(f"Expected a source but got none in {label}/{name}")
    return Claim(label, name, statement, row, None, "", uses, None, source=source)


def cited(
    label: str, reference: str, *, row: int | None, scope: str, subject: Any, mutant: Any, uses: tuple[str, ...] = ()
) -> Callable[[Check], Claim]:
    """Enters a fact from the literature with a spot check: cited if the check holds of its subject, not of its mutant.

    Args:
        label: The LaTeX label of the statement that says it, or of the section.
        reference: Where it is proved.
        row: Its number in the list of claims; None where it has none.
        scope: What the spot check computes, in words.
        subject: What the check is tried on.
        mutant: A subject that the check must refute.
        uses: Labels or ids that the statement rests on.
    Raises: LedgerError: no reference, no docstring or no scope.
    """
    if not reference.strip():
        raise LedgerError(f"Expected a reference but got none for {label}")

    def enter(check: Check) -> Claim:
        spot = claim(label, row=row, method=Method.SAMPLED, scope=scope, subject=subject, mutant=mutant, uses=uses)
        return replace(spot(check), source=reference, method=None)

    return enter


def found(holds: bool, detail: str, **witness: Any) -> Finding:
    """The answer of a check; method and scope are those of its entry."""
    return Finding(Verdict.HOLDS if holds else Verdict.REFUTED, None, "", detail, witness)


def run(entry: Claim) -> ClaimOutcome:
    """Decides a claim about its subject, and tries the check on what it must tell apart."""
    if entry.check is None:
        return ClaimOutcome(Standing.CITED, Finding(Verdict.UNDECIDED, None, "", f"Cited: {entry.source}"))
    if entry.source is not None:
        return _spotted(entry)
    if entry.readings:
        return _read(entry)
    finding = _decided(entry, entry.subject)
    if finding.verdict is Verdict.UNDECIDED:
        return ClaimOutcome(Standing.UNDECIDED, finding)
    other, must = _contrast(entry)
    answer = _decided(entry, other)
    if finding.verdict is must or answer.verdict is not must:
        came = f"{finding.verdict.value}, and {answer.verdict.value} where {must.value} was due"
        return ClaimOutcome(
            Standing.UNDECIDED, replace(finding, detail=f"The check does not tell: {came}. {answer.detail}")
        )
    if entry.condition is not None:
        detail = f"If {entry.condition}: {finding.detail} Otherwise: {answer.detail}"
        return ClaimOutcome(Standing.CONDITIONAL, replace(finding, detail=detail, witness=answer.witness))
    return ClaimOutcome(Standing(finding.verdict.value), finding)


def _spotted(entry: Claim) -> ClaimOutcome:
    """A cited fact: a spot check that tells lets it stand as cited, and proves no more."""
    spot = run(replace(entry, source=None))
    standing = Standing.CITED if spot.standing is Standing.HOLDS else Standing.UNDECIDED
    detail = f"Cited: {entry.source}. Spot check: {spot.finding.detail}"
    return ClaimOutcome(standing, replace(spot.finding, verdict=Verdict.UNDECIDED, method=None, detail=detail))


def _contrast(entry: Claim) -> tuple[Any, Verdict]:
    """The other subject, and what the check must say of it."""
    if entry.control is not NOTHING:
        return entry.control, Verdict.HOLDS
    return (entry.mutant if entry.mutant is not NOTHING else entry.without), Verdict.REFUTED


def _read(entry: Claim) -> ClaimOutcome:
    """One finding per reading; the statement is ambiguous where they differ."""
    findings = {reading: _decided(entry, subject) for reading, subject in entry.readings.items()}
    verdicts = {finding.verdict for finding in findings.values()}
    detail = " ".join(f"{reading}: {f.verdict.value}. {f.detail}" for reading, f in findings.items())
    witness = {reading: dict(f.witness) for reading, f in findings.items() if f.witness}
    ambiguous = verdicts == {Verdict.HOLDS, Verdict.REFUTED}
    merged = Finding(Verdict.UNDECIDED, entry.method, entry.scope, detail, witness)
    return ClaimOutcome(Standing.AMBIGUOUS if ambiguous else Standing.UNDECIDED, merged)


def _decided(entry: Claim, subject: Any) -> Finding:
    """The check's answer with the entry's method and scope; a sampled one never holds."""
    if entry.check is None:
        raise expected("a claim with a check", label=entry.label)
    finding = replace(entry.check(subject), method=entry.method, scope=entry.scope)
    if finding.verdict is Verdict.HOLDS and entry.method is Method.SAMPLED:
        return replace(finding, verdict=Verdict.UNDECIDED, detail=f"Sampled, so not decided: {finding.detail}")
    return finding
