"""The tables of the two-round counterexample and of parts of mechanisms as data; every number is computed."""

from collections.abc import Iterator
from fractions import Fraction

from dpcert.audit.algebra.gap import equal_from
from dpcert.audit.algebra.power import ORDERS, PowerFunction
from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.tables.table import Cell, ExactTable
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.curves import curves
from dpcert.proofs_checked.cases.plays import Pair, Transcript, blind, played, streams, view_law
from dpcert.proofs_checked.tables.of_parts import tables_of_parts

MECHANISM = TwoRound()
ROUNDS = 2
SAMPLES = tuple(Fraction(n, 100) for n in (101, 102, 103, 104, 105, 106, 110, 150))
ETAS = tuple(Fraction(n, 20) for n in (1, 2, 5, 10, 15, 18))
PROBABILITY_0, PROBABILITY_1 = ("P0", "$P_0$"), ("P1", "$P_1$")
EXP_EPSILON = ("e^ε", r"$e^{\varepsilon}$")
FIXED, ADAPTIVE = ("fixed-stream δ", r"fixed-stream $\delta$"), ("adaptive δ", r"adaptive $\delta$")
RATIO = ("ratio", "ratio")


def tables() -> list[ExactTable]:
    """All tables, in the order in which they are read. Source: paper.tex, subsec:ind_decomp_counterexample."""
    fixed_stream, adaptive = curves(MECHANISM, ROUNDS)
    end = equal_from(adaptive, fixed_stream)
    if end is None:
        raise RuntimeError("the two curves of the two-round mechanism never meet")
    return [
        _first_kernel(),
        _second_kernel(),
        _fixed_streams(end),
        *_transcripts(adaptive),
        _vertices("fixed-hull", "The hull of all fixed pairs of streams", fixed_stream),
        _vertices("adaptive-hull", "The supremum over all adaptive adversaries", adaptive),
        _gap(fixed_stream, adaptive, end),
        _larger_gaps(),
        *tables_of_parts(),
    ]


def _first_kernel() -> ExactTable:
    laws = [(b, MECHANISM.law((b,))) for b in MECHANISM.alphabet]
    rows = tuple((str(b), law.probability(0), law.probability(1)) for b, law in laws)
    return ExactTable("kernel-1", "Round 1: the law of y_1, given b = x_1", (("b", "$b$"), *_releases(1)), rows)


def _second_kernel() -> ExactTable:
    inputs = [(b, q) for b in MECHANISM.alphabet for q in MECHANISM.alphabet]
    laws = [(b, q, MECHANISM.law((b, q))) for b, q in inputs]
    rows = tuple((str(b), str(q), law.probability(0), law.probability(1)) for b, q, law in laws)
    columns = (("b", "$b$"), ("q", "$q$"), *_releases(2))
    return ExactTable("kernel-2", "Round 2: the law of y_2, given b = x_1 and q = x_2", columns, rows)


def _releases(t: int) -> Iterator[tuple[str, str]]:
    return ((f"P[y_{t} = {y}]", rf"$\Pr[y_{t} = {y}]$") for y in (0, 1))


def _fixed_streams(exp_epsilon: Fraction) -> ExactTable:
    """Each pair of neighbours once; total variation is the same in both orders, other deltas are not."""
    at, top, bottom = text(exp_epsilon), integer_text(exp_epsilon.numerator), integer_text(exp_epsilon.denominator)
    columns = (
        ("stream 0", "stream 0"),
        ("stream 1", "stream 1"),
        ("total variation", "total variation"),
        (
            f"max P0 - {at} P1",
            rf"$\max_S P_0[S] - \frac{{{top}}}{{{bottom}}} P_1[S]$",
        ),
        (
            f"max P1 - {at} P0",
            rf"$\max_S P_1[S] - \frac{{{top}}}{{{bottom}}} P_0[S]$",
        ),
    )
    pairs = sorted((p for p in streams(MECHANISM, ROUNDS) if _stream(p, 0) < _stream(p, 1)), key=_where)
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        power = played(MECHANISM, blind(pair), ROUNDS)
        deltas = (power.hockey_stick(exp_epsilon, order) for order in ORDERS)
        rows.append((_tuple(_stream(pair, 0)), _tuple(_stream(pair, 1)), power.total_variation, *deltas))
    return ExactTable(
        "fixed-streams", f"Fixed neighbouring streams, at e^ε = 1 and at e^ε = {at}", columns, tuple(rows)
    )


def _stream(pairs: tuple[Pair, ...], world: int) -> tuple[int, ...]:
    return tuple(pair[world] for pair in pairs)


def _where(pairs: tuple[Pair, ...]) -> tuple[list[bool], tuple[int, ...]]:
    """Sorts by the round in which the streams differ, then by stream 0."""
    return [a == b for a, b in pairs], _stream(pairs, 0)


def _echo(seen: Transcript) -> Pair:
    """The adversary: challenges in round 1, then sends back to both worlds what was released."""
    return (seen[0],) * 2 if seen else (0, 1)


def _transcripts(adaptive: PowerFunction) -> Iterator[ExactTable]:
    first, second = (view_law(MECHANISM, _echo, world, ROUNDS) for world in (0, 1))
    transcripts = sorted({*first.support, *second.support})
    event = [y for y in transcripts if first.probability(y) > second.probability(y)]
    masses = [sum((law.probability(y) for y in event), Fraction(0)) for law in (first, second)]
    difference = ("P0 - P1", "$P_0 - P_1$")
    rows = []
    for y in transcripts:
        p, q = first.probability(y), second.probability(y)
        rows.append((_tuple(y), p, q, p - q, "yes" if y in event else "no"))
    yield ExactTable(
        "transcripts",
        "Transcripts under the adversary that submits (0, 1), then sends y_1 back to both worlds",
        (("(y_1, y_2)", "$(y_1, y_2)$"), PROBABILITY_0, PROBABILITY_1, difference, ("in S", "in $S$")),
        tuple(rows),
    )
    yield ExactTable(
        "event",
        "The event S on which that adversary bets, beside the most that any adversary attains at e^ε = 1",
        (("S", "$S$"), PROBABILITY_0, PROBABILITY_1, difference, ("any adversary", "any adversary")),
        (("{" + ", ".join(map(_tuple, event)) + "}", *masses, masses[0] - masses[1], adaptive.total_variation),),
    )


def _vertices(name: str, title: str, power: PowerFunction) -> ExactTable:
    columns = (("P0[S]", "$P_0[S]$"), ("largest P1[S]", r"$\max P_1[S]$"))
    return ExactTable(name, f"{title}: the vertices of its power function", columns, power.vertices)


def _gap(fixed_stream: PowerFunction, adaptive: PowerFunction, end: Fraction) -> ExactTable:
    """Both profiles at every bend up to the end of the gap, at samples between, and past it."""
    ratios = {max(a / b, b / a) for f in (fixed_stream, adaptive) for a, b in f.segments if a and b}
    slopes = sorted({Fraction(1), end, *SAMPLES} | {e for e in ratios if e <= end})
    rows = tuple(
        (e, fixed_stream.delta(e), adaptive.delta(e), adaptive.delta(e) - fixed_stream.delta(e)) for e in slopes
    )
    if any((gap > 0) != (e < end) for e, _, _, gap in rows):
        raise RuntimeError("the gap of the two-round mechanism is no interval from 1")
    return ExactTable(
        "gap",
        f"The gap is positive exactly for 1 <= e^ε < {text(end)}: both δ at every bend up to there, "
        "at samples between, and past it",
        (EXP_EPSILON, FIXED, ADAPTIVE, ("gap", "gap")),
        rows,
    )


def _larger_gaps() -> ExactTable:
    """Both deltas at e^epsilon = 1 along a family; eta = 1/2 has p = (1/3, 2/3), r = [[1/2, 1], [1, 1/2]]."""
    rows = []
    for eta in ETAS:
        x = eta / (2 * (2 - eta))
        p = (Fraction(1, 2) - x, Fraction(1, 2) + x)
        found = curves(TwoRound(p, ((1 - eta, Fraction(1)), (Fraction(1), 1 - eta))), ROUNDS)
        fixed, adaptive = found.fixed.total_variation, found.adaptive.total_variation
        rows.append((eta, x, *p, fixed, adaptive, adaptive / fixed, 1 + (1 - eta) / (2 - eta)))
    columns = (
        ("η", r"$\eta$"),
        ("x", "$x$"),
        ("p_0", "$p_0$"),
        ("p_1", "$p_1$"),
        FIXED,
        ADAPTIVE,
        RATIO,
        ("1 + (1-η)/(2-η)", r"$1 + \frac{1-\eta}{2-\eta}$"),
    )
    title = "Larger gaps at e^ε = 1: p = 1/2 -+ x, x = η/(2(2-η)), r = [[1-η, 1], [1, 1-η]]"
    return ExactTable("larger-gaps", title, columns, tuple(rows))


def _tuple(values: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(integer_text, values)) + ")"
