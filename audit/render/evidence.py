"""The evidence in tables: vertices, bends, the fixed streams that come closest, the event of an adversary."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.render.cells import Cell, Table, listing, number, plain
from dpcert.audit.render.profile import Profile, known
from dpcert.audit.render.rounds import stream
from dpcert.audit.render.words import SIDES, Document

MOST_ROWS = 60
"""Rows of vertices, or of bends of delta, that a page shows."""
MOST_TRANSCRIPTS = 24
"""Transcripts past which a page has no table of them."""
MOST_VISITS = 500
"""Steps through an adversary within which its transcripts are gathered."""

Transcript = tuple[tuple[str, ...], Fraction, Fraction]
"""Observations, and their probability in world 0 and in world 1."""


def fixed_streams(document: Document) -> Table:
    """The pairs of streams that attain the fixed-stream values above 0."""
    rows = []
    for one in document["fixed_stream"]["witnesses"]:
        stream0, stream1 = ([plain(x) for x in one[name]] for name in ("stream0", "stream1"))
        differ = [str(t) for t, (a, b) in enumerate(zip(stream0, stream1, strict=True), 1) if a != b]
        streams = stream(stream0), stream(stream1), Cell(listing(differ) or "none")
        if parse(one["delta"], "delta") > 0:
            rows.append((number(one["exp_epsilon"]), Cell(one["order"]), number(one["delta"]), *streams))
    columns = ("e^ε", "order", "δ in this order", "stream in world 0", "stream in world 1", "they differ in round")
    note = "Pairs that win nothing (δ = 0) are left out. Order 0-1 counts world 0 against world 1."
    return Table("Fixed streams that come closest", columns, tuple(rows), note)


def event(strategy: Mapping[str, Any]) -> Table:
    """The transcripts in the event S with their probabilities, where they are few."""
    transcripts = _transcripts({node["id"]: node for node in strategy["nodes"]}) if strategy["complete"] else []
    if not 0 < len(transcripts) <= MOST_TRANSCRIPTS:
        return Table("", (), ())
    rows = tuple((Cell(", ".join(seen)), number(text(p0)), number(text(p1))) for seen, p0, p1 in transcripts)
    return Table("The event S", ("observations", "probability in world 0", "probability in world 1"), rows)


def _transcripts(nodes: Mapping[int, Any]) -> list[Transcript]:
    """The transcripts in S; none if they cannot be listed with little work."""
    transcripts: list[Transcript] = []
    pending: list[tuple[int, Transcript]] = [(0, ((), Fraction(1), Fraction(1)))]
    for _ in range(MOST_VISITS):
        if not pending:
            return sorted(transcripts, key=lambda transcript: transcript[0])
        at, (prefix, p0, p1) = pending.pop()
        if at not in nodes:
            return []
        for branch in nodes[at]["branches"]:
            q0, q1 = (parse(p, "probability") for p in branch["probability"])
            path = (*prefix, plain(branch["observation"]))
            if branch["next"] is not None:
                pending.append((branch["next"], (path, p0 * q0, p1 * q1)))
            elif branch["in_event"]:
                transcripts.append((path, p0 * q0, p1 * q1))
    return []


def vertices(document: Document, side: str) -> Table:
    """The first vertices of a power function."""
    listed = known(document[side])["power"]
    rows = tuple((number(x), number(y)) for x, y in listed[:MOST_ROWS])
    name = "adaptive" if side == "adaptive" else f"fixed stream{_bound(document)}"
    return Table(f"Vertices, {name}", ("world 0", "world 1"), rows, _left_out(len(listed), "vertices"))


def profile(document: Document) -> Table:
    """delta at the slopes where either curve may bend; between neighbours it is linear in e^epsilon."""
    curves = [Profile.of(known(document[side])) for side in SIDES]
    bends = sorted({Fraction(1)} | curves[0].bends() | curves[1].bends())
    rows = tuple((number(text(e)), *(number(text(curve.delta(e))) for curve in curves)) for e in bends[:MOST_ROWS])
    note = f"Between neighbouring rows each order's δ is linear in e^ε. {_left_out(len(bends), 'rows')}".strip()
    columns = ("e^ε", "adaptive δ", f"fixed-stream δ{_bound(document)}")
    return Table("δ where the curves bend", columns, rows, note)


def _bound(document: Document) -> str:
    return ", at least" if "lower" in document["fixed_stream"] else ""


def _left_out(count: int, what: str) -> str:
    left = count - MOST_ROWS
    return f"{left} more {what} are left out here; the JSON record has the vertices of both curves." if left > 0 else ""


def thinned(document: Document) -> str:
    """Which curves were thinned, in words."""
    names = {"adaptive": "adaptive", "fixed_stream": "fixed-stream"}
    cut = [names[side] for side in SIDES if not known(document[side])["complete"]]
    if not cut:
        return ""
    curves = f"{' and the '.join(cut)} curve {'have' if len(cut) > 1 else 'has'}"
    return f"The {curves} too many vertices to list; what is shown lies on or above the truth."
