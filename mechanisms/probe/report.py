"""Probed code in words and tables."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from dpcert.audit.algebra.decimals import down, measured, up
from dpcert.audit.records.section import Section, section, shown
from dpcert.audit.render.cells import Cell, stated
from dpcert.mechanisms.accounting.table import stated_shift
from dpcert.mechanisms.matrices.correlated import Residuals
from dpcert.mechanisms.matrix_audit.audited import participations_in_words
from dpcert.mechanisms.matrix_audit.report import answers, changes_in_words
from dpcert.mechanisms.probe.faults import FaultName, NamedFault
from dpcert.mechanisms.probe.probed import ProbeAudit

SHOWN_ROUNDS = 12
"""Inputs and draws whose entries of A and B are in a table; more are in the JSON document."""


def probe_lead(audit: ProbeAudit) -> str:
    """The verdict, what it rests on, and what is released comes to."""
    said = f"{audit.verdict.value} {audit.scope}:"
    wrong = [fault for fault in audit.faults if fault.refutes]
    first = f" {wrong[0].name.value}. {wrong[0].detail}" if wrong else ""
    if audit.gaussian is not None:
        against = "against inputs that adapt to releases," if audit.gaussian.is_causal else "on fixed inputs alone,"
        native = stated_shift(audit.gaussian.shift)
        return f"{said}{first} {against} releases are as private as one Gaussian release with {native}."
    if audit.pure is not None:
        against = "on fixed inputs alone, " if any(f.name is FaultName.AHEAD for f in audit.faults) else ""
        most = up(audit.pure.epsilon.upper)
        return f"{said}{first} {against}releases are epsilon-private with epsilon = {most}, and delta 0."
    if wrong and all(fault.is_of_model for fault in wrong):
        return f"{said} the code is no c + A x + B z, and what it gives away is open:{first}"
    return f"{said}{first}" if wrong else f"{said} {audit.why}."


def probe_asked(audit: ProbeAudit) -> dict[str, str]:
    """What was asked, name by name."""
    of = audit.question
    rows = {
        "Code": of.target.name,
        "Inputs": f"{of.horizon} {'numbers' if of.dimension is None else f'vectors of {of.dimension} numbers'}",
        "Neighbours": changes_in_words(of.change, of.clip),
        "Participations": participations_in_words(of.participation),
    }
    if of.target.parameters:
        rows["Parameters"] = ", ".join(f"{name} = {value!r}" for name, value in of.target.parameters.items())
    if of.sigma is not None:
        rows["Noise claimed"] = f"of deviation {stated('sigma', Cell(shown(of.sigma)))}"
    if of.strategy is not None:
        rows["Strategy claimed"] = of.strategy[0]
    if of.restart is not None:
        rows["Restart"] = f"after round {of.restart}"
    return rows


def probe_sections(audit: ProbeAudit) -> Iterator[Section]:
    """The tables, those without rows included."""
    yield section("Asked", "", ("what", "as"), probe_asked(audit).items())
    yield section("Probed", "", ("what", "found"), _facts(audit))
    rows = ((f.name.value, _weight(f), f.detail) for f in audit.faults)
    yield section("Named faults", "", ("fault", "weight", "what was seen"), rows)
    if audit.remainder is not None:
        yield _releases(audit, audit.remainder)
    if audit.gaussian is not None:
        yield from (one for one in answers(audit.gaussian) if one["title"] != "Claims")
    if audit.pure is not None:
        low, high = audit.pure.epsilon
        yield section("ε for δ", "", ("δ", "ε at least", "ε at most"), [("0", down(low, 10), up(high, 10))])
    claims = ((one.name, one.finding.verdict.value, one.finding.detail) for one in audit.judgements)
    yield section("Claims", "", ("claim", "verdict", "why"), claims)


def _weight(fault: NamedFault) -> str:
    """What it does to the answer."""
    if fault.is_of_model:
        return "refutes the model"
    return "refutes" if fault.refutes else "remark"


def _facts(audit: ProbeAudit) -> Iterator[tuple[str, str]]:
    """What the verdict rests on."""
    matrices = audit.matrices
    counts = Counter((draw.family.value, draw.scale) for draw in matrices.draws)
    yield (
        "runs",
        f"{matrices.runs}: units of every input and every draw, and random inputs and noise that try to refute",
    )
    yield "releases", f"{len(matrices.rounds)} numbers"
    kinds = ", ".join(f"{n} {family} of scale {_near(scale)}" for (family, scale), n in counts.most_common(5))
    yield "draws", f"{len(matrices.draws)}" + (f": {kinds}" if kinds else "")
    if matrices.fault is not None:
        yield "linear", f"no: {matrices.fault.name.value}"
        return
    yield "linear", f"as probed; the largest difference was {_near(matrices.residual)} of what is released"
    yield "resolution", f"differences below {_near(matrices.resolution)} of a release are taken for rounding"
    ahead = "as probed" if audit.question.target.is_streaming else "as probed, of a function of the whole stream"
    yield (
        "looks ahead",
        "by construction not: inputs come round by round" if audit.question.target.is_streaming else ahead,
    )
    if audit.remainder is not None and audit.remainder.rounded:
        most = max(one.share for one in audit.remainder.rounded)
        yield "rounding", f"{len(audit.remainder.rounded)} releases are combinations of others up to {_near(most)}"


def _releases(audit: ProbeAudit, remainder: Residuals) -> Section:
    """R, row by row, with the deviation of its noise: what is left of every release given those before."""
    rounds = audit.matrices.rounds
    words = (
        "What is left of each release once those before it are known, R x + w with w independent; releases that are "
        "not listed tell nothing more."
    )
    rows = []
    for row, variance, place in zip(remainder.rows, remainder.variances, remainder.places, strict=True):
        entries = " ".join(_near(x) for x in row[:SHOWN_ROUNDS]) + (" ..." if len(row) > SHOWN_ROUNDS else "")
        rows.append((place + 1, rounds[place], entries, _near(variance)))
    return section("Recovered encoder", words, ("release", "round", "row of R", "noise variance"), rows)


def _near(value: Fraction) -> str:
    return measured(value, 4)
