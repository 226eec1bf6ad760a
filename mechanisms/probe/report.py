"""Probed code in words and tables."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from dpcert.audit.algebra.rational import decimal
from dpcert.audit.records.section import Section, section, shown
from dpcert.audit.render.cells import down, up
from dpcert.mechanisms.accounting.table import stated_shift
from dpcert.mechanisms.matrices.correlated import Decorrelated
from dpcert.mechanisms.matrix_audit.audited import participations_in_words
from dpcert.mechanisms.matrix_audit.report import answers, changes_in_words
from dpcert.mechanisms.probe.faults import FaultName, NamedFault
from dpcert.mechanisms.probe.probed import ProbeAudit

SHOWN_ROUNDS = 12
"""Inputs and draws whose entries of A and B are in a table; more are in the JSON document."""


def probe_lead(made: ProbeAudit) -> str:
    """The verdict, what it rests on, and what is released comes to."""
    said = f"{made.verdict.value} {made.scope}:"
    wrong = [fault for fault in made.faults if fault.refutes]
    first = f" {wrong[0].name.value}. {wrong[0].detail}" if wrong else ""
    if made.gaussian is not None:
        against = "against inputs that adapt to releases," if made.gaussian.is_causal else "on fixed inputs alone,"
        native = stated_shift(made.gaussian.shift)
        return f"{said}{first} {against} releases are as private as one Gaussian release with {native}."
    if made.pure is not None:
        against = "on fixed inputs alone, " if any(f.name is FaultName.AHEAD for f in made.faults) else ""
        most = up(made.pure.epsilon.upper)
        return f"{said}{first} {against}releases are epsilon-private with epsilon = {most}, and delta 0."
    if wrong and all(fault.is_of_model for fault in wrong):
        return f"{said} the code is no c + A x + B z, and what it gives away is open:{first}"
    return f"{said}{first}" if wrong else f"{said} {made.why}."


def probe_asked(made: ProbeAudit) -> dict[str, str]:
    """What was asked, name by name."""
    of = made.asked
    listed = {
        "Code": of.target.name,
        "Inputs": f"{of.horizon} {'numbers' if of.dimension is None else f'vectors of {of.dimension} numbers'}",
        "Neighbours": changes_in_words(of.change, of.clip),
        "Participations": participations_in_words(of.participation),
    }
    if of.target.parameters:
        listed["Parameters"] = ", ".join(f"{name} = {value!r}" for name, value in of.target.parameters.items())
    if of.sigma is not None:
        listed["Noise claimed"] = f"of deviation sigma = {shown(of.sigma)}"
    if of.strategy is not None:
        listed["Strategy claimed"] = of.strategy[0]
    if of.restart is not None:
        listed["Restart"] = f"after round {of.restart}"
    return listed


def probe_sections(made: ProbeAudit) -> Iterator[Section]:
    """The tables, those without rows included."""
    yield section("Asked", "", ("what", "as"), probe_asked(made).items())
    yield section("Probed", "", ("what", "found"), _facts(made))
    rows = ((f.name.value, _weight(f), f.detail) for f in made.faults)
    yield section("Named faults", "", ("fault", "weight", "what was seen"), rows)
    if made.left is not None:
        yield _releases(made, made.left)
    if made.gaussian is not None:
        yield from (one for one in answers(made.gaussian) if one["title"] != "Claims")
    if made.pure is not None:
        low, high = made.pure.epsilon
        yield section("ε for δ", "", ("δ", "ε at least", "ε at most"), [("0", down(low, 10), up(high, 10))])
    claims = ((one.name, one.finding.verdict.value, one.finding.detail) for one in made.checked)
    yield section("Claims", "", ("claim", "verdict", "why"), claims)


def _weight(fault: NamedFault) -> str:
    """What it does to the answer."""
    if fault.is_of_model:
        return "refutes the model"
    return "refutes" if fault.refutes else "remark"


def _facts(made: ProbeAudit) -> Iterator[tuple[str, str]]:
    """What the verdict rests on."""
    found = made.found
    counted = Counter((draw.family.value, draw.scale) for draw in found.draws)
    yield "runs", f"{found.runs}: units of every input and every draw, and random inputs and noise that try to refute"
    yield "releases", f"{len(found.rounds)} numbers"
    kinds = ", ".join(f"{n} {family} of scale {_near(scale)}" for (family, scale), n in counted.most_common(5))
    yield "draws", f"{len(found.draws)}" + (f": {kinds}" if kinds else "")
    if found.fault is not None:
        yield "linear", f"no: {found.fault.name.value}"
        return
    yield "linear", f"as probed; the largest difference was {_near(found.residual)} of what is released"
    yield "resolution", f"differences below {_near(found.resolution)} of a release are taken for rounding"
    ahead = "as probed" if made.asked.target.is_streaming else "as probed, of a function of the whole stream"
    yield "looks ahead", "by construction not: inputs come round by round" if made.asked.target.is_streaming else ahead
    if made.left is not None and made.left.rounded:
        most = max(one.share for one in made.left.rounded)
        yield "rounding", f"{len(made.left.rounded)} releases are combinations of others up to {_near(most)}"


def _releases(made: ProbeAudit, left: Decorrelated) -> Section:
    """R, row by row, with the deviation of its noise: what is left of every release given those before."""
    rounds = made.found.rounds
    words = (
        "What is left of each release once those before it are known, R x + w with w independent; releases that are "
        "not listed tell nothing more."
    )
    rows = []
    for row, variance, place in zip(left.rows, left.variances, left.places, strict=True):
        entries = " ".join(_near(x) for x in row[:SHOWN_ROUNDS]) + (" ..." if len(row) > SHOWN_ROUNDS else "")
        rows.append((place + 1, rounds[place], entries, _near(variance)))
    return section("Recovered encoder", words, ("release", "round", "row of R", "noise variance"), rows)


def _near(value: Fraction) -> str:
    return decimal(value, 4)
