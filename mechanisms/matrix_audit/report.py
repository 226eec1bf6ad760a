"""The audit of a matrix mechanism in words, tables and a figure."""

from collections.abc import Iterator
from fractions import Fraction

from dpcert.audit.algebra.decimals import ROUNDED_UP, down, up
from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.algebra.rational import text
from dpcert.audit.checklist.conditions import Entry
from dpcert.audit.records.section import Section, section, shown
from dpcert.audit.render.cells import Cell, listing, stated
from dpcert.mechanisms.accounting.table import stated_shift
from dpcert.mechanisms.matrices.dyadic import over
from dpcert.mechanisms.matrices.record_change import RecordChange
from dpcert.mechanisms.matrices.released_error import SumErrors
from dpcert.mechanisms.matrices.sensitivity import Attainment
from dpcert.mechanisms.matrix_audit.audited import MatrixAudit
from dpcert.mechanisms.matrix_audit.document import change_name

DRAWN_COLUMNS = 256
"""Columns whose norms are drawn: with more rounds, every so many of them."""
SHOWN_DIGITS = 10
"""Significant digits of a number in the tables of `dpcert matrix`."""
FLOAT32_SHARE = Fraction(1, 10**5)
"""The share of a squared sensitivity by which a library's number is short where float32 alone may be why."""
ENDS_BETWEEN = ("", "at least", "at most", "")
ADAPTIVE = {
    "one column": "one participation shifts each release by its column's entry, whatever comes later",
    "per-round domination": "no entry is negative, so no release is shifted by more than the worst fixed inputs do",
    "fully adaptive Gaussian composition": "the squares of all shifts sum to no more on any run (arXiv 2210.17520)",
}
"""Why the numbers hold for inputs that adapt, by `Justification`."""


def lead(audit: MatrixAudit) -> str:
    """The verdict, and what the releases come to."""
    native = f"as private as one Gaussian release with {stated_shift(audit.shift)}"
    if not audit.is_causal:
        why = audit.entries[0].finding.detail
        return f"{audit.verdict.value}: {why} On fixed inputs alone, what is released is {native}."
    return f"{audit.verdict.value}: against inputs that adapt to releases, what is released is {native}."


def asked(audit: MatrixAudit) -> dict[str, str]:
    """What was asked, name by name."""
    of = audit.question
    return {
        "Encoder": f"{of.file}, {of.encoder.rounds} rounds, {len(of.encoder.row_rounds)} rows",
        "Noise": f"Gaussian of deviation {stated('sigma', Cell(shown(of.sigma)))} in every coordinate",
        "Neighbours": changes_in_words(of.change, of.clip),
        "Participations": of.pattern,
        "Records": {"vector": "vectors, by L2 norm", "scalar": "numbers"}[of.stream.value],
        "Published": of.workload.text,
    }


def changes_in_words(change: RecordChange, clip: Fraction) -> str:
    """By how much neighbouring streams differ in a participation."""
    most = change.most(clip)
    size = "2 G" if most != clip else "G"
    return (
        f"{change_name(change)}, of records clipped to {stated('G', Cell(shown(clip)))}: a participation changes by at "
        f"most {stated(size, Cell(shown(most)))}"
    )


def sections(audit: MatrixAudit) -> Iterator[Section]:
    """The tables, those without rows included."""
    yield section("Asked", "", ("what", "as"), asked(audit).items())
    yield from answers(audit)
    yield _errors(audit)


def answers(audit: MatrixAudit) -> Iterator[Section]:
    """Of those, what was found of privacy."""
    yield _sensitivity(audit)
    rows = ((_up(delta), *_row(found.lower, found.upper)) for delta, found in audit.epsilons)
    yield section("ε for δ", "", ("δ", "ε at least", "ε at most"), rows)
    claims = ((one.name, one.finding.verdict.value, one.finding.detail) for one in audit.judgements)
    yield section("Claims", "", ("claim", "verdict", "why"), claims)
    entries = ((one.item.value, one.finding.verdict.value, _method(one), one.finding.detail) for one in audit.entries)
    yield section("Checklist 1", "", ("condition", "verdict", "method", "why"), entries)


def _method(entry: Entry) -> str:
    method = entry.finding.method
    return "" if method is None else method.value


def _sensitivity(audit: MatrixAudit) -> Section:
    sensitivity, most = audit.sensitivity, audit.question.most
    squares = Ends(*(most**2 * end for end in sensitivity.l2_squared))
    adaptive = (
        ADAPTIVE[sensitivity.justification.value] if audit.is_causal else "does not hold: the encoder looks ahead"
    )
    rows = [
        ("s(R)^2", *_row(*sensitivity.l2_squared), sensitivity.argument.value),
        ("(change s(R))^2", *_row(*squares), f"change {shown(most)}"),
        ("L1 norm", *_row(*sensitivity.l1), "of numbers; for Laplace or geometric noise"),
        ("attained by", _rounds(sensitivity.attained_by), "", _changes(sensitivity.attained_by)),
        ("inputs that adapt", "", "", adaptive),
        *_theirs(audit),
    ]
    return section("Sensitivity", "", ENDS_BETWEEN, rows)


def _theirs(audit: MatrixAudit) -> Iterator[tuple[str, ...]]:
    """The library's own number, and whether it is below what is attained."""
    theirs = audit.question.theirs
    if theirs is not None:
        found = audit.sensitivity.l2_squared.lower
        short = found - theirs.value**2
        rounding = ", no more than float32 rounds" if short <= FLOAT32_SHARE * found else ""
        said = f"below what is attained by {up(short, 2)}{rounding}; " if audit.peer_is_below else ""
        yield "s(R)^2 by its library", "", f"{ROUNDED_UP}{_up(theirs.value**2)}", f"{said}{theirs.by}"


def _rounds(attained: Attainment) -> str:
    return f"{'round' if len(attained.rounds) == 1 else 'rounds'} {listing(attained.rounds)}"


def _changes(attained: Attainment) -> str:
    if attained.directions:
        return "by vectors, which the JSON document lists"
    return f"signs {listing(attained.signs)}" if -1 in attained.signs else "by equal changes"


def _errors(audit: MatrixAudit) -> Section:
    """Squared errors, sigma included."""
    title = "Squared error of the released sums"
    if not isinstance(audit.errors, SumErrors):
        return section(title, "", ("not computed",), [(audit.errors,)])
    errors, variance = audit.errors, audit.question.sigma**2
    product = "L R = M" if errors.difference is None else _told(errors.difference)
    lines = [("largest", errors.largest, f"{errors.decoder}; {product}"), ("mean", errors.mean, "over rounds")]
    if errors.least is not None:
        words = "for one participation: the least mean of any L R = M with this sigma and no longer column of R"
        lines.append(("lower bound", errors.least, words))
    rows = ((name, *_row(*(variance * end for end in between)), words) for name, between, words in lines)
    return section(title, "", ENDS_BETWEEN, rows)


def column_norms(audit: MatrixAudit) -> Section:
    """The squared norm of every column, drawn by round."""
    norms, rounds = audit.question.encoder.squared_norms(), audit.question.encoder.rounds
    step = -(-rounds // DRAWN_COLUMNS)
    points = [(i + 1, over(norms.upper[i], norms.bits)) for i in range(0, rounds, step)]
    title = "Squared norms of the columns, by round"
    words = "What one participation in a round changes of all releases, for a change of norm 1; rounded up."
    made_section = section(title, words, ("round", "at most"), ((t, _up(norm)) for t, norm in points))
    drawn = [[str(t), text(Fraction(_up(norm)))] for t, norm in points]
    return {
        **made_section,
        "figure": {"x": "round", "y": "squared norm", "curves": [{"name": "column", "points": drawn}]},
    }


def _row(low: Fraction | None, high: Fraction | None) -> tuple[str, str]:
    return "infinite" if low is None else down(low, SHOWN_DIGITS), "infinite" if high is None else _up(high)


def _up(value: Fraction) -> str:
    return up(value, SHOWN_DIGITS)


def _told(difference: Ends) -> str:
    """How far L R is from M, in words."""
    return "L R = M" if difference.upper == 0 else f"|L R - M| at most {up(difference.upper)}"
