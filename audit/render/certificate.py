"""The strongest certificate that a record spells out: index sets, differences, and every distinct g_t."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.render.cells import Cell, Table, plain
from dpcert.audit.render.profile import Profile
from dpcert.audit.render.rounds import LetteredCurve, letter, profile_of
from dpcert.audit.render.witnesses import MALFORMED, as_it_stands
from dpcert.audit.render.words import verdict_of

MOST_CERTIFIED_ROWS = 40
"""Rows of a certificate's table that a page shows."""
MOST_DRAWN = 6
"""Curves of a certificate that a page draws."""
MOST_DIFFERENCES = 12
"""Differences of inputs that one cell lists."""
LONGEST_SET = 8
"""Rounds of an index set past which a run of them is shortened to its ends."""
NOTHING_LEAKS = "none, nothing leaks"
IDENTITY = profile_of([["0", "0"], ["1", "1"]])
OWN = "its own aggregate"
"""A declared certificate gives its curves by distance, one that was found by the difference of aggregates."""


@frozen
class RoundEvidence:
    """What decides the curve of every round: a sentence, a table, and the curves that are drawn."""

    what: str
    table: Table
    curves: tuple[LetteredCurve, ...] = ()
    left_out: int = 0


def certificate(witness: Mapping[str, Any]) -> RoundEvidence:
    """The certificate in a table; one of another version as it stands."""
    try:
        return _read(witness)
    except MALFORMED:
        return RoundEvidence("as the record has it", as_it_stands(witness))


def leakage(document: Mapping[str, Any]) -> list[tuple[int, Fraction]]:
    """Each round with the most total variation of the core's release alone.

    Empty where Checklist 1 does not hold as a whole: rounds may depend on each other, or more than the core be read.
    """
    if any(verdict_of(one) != "HOLDS" for one in document["checklist"]):
        return []
    for one in document["checklist"]:
        for rung in one.get("rungs", ()):
            witness = rung.get("witness") if isinstance(rung, Mapping) and rung.get("verdict") == "HOLDS" else None
            if isinstance(witness, Mapping) and "round_power" in witness:
                try:
                    return [
                        (t, max(map(_variation, of), default=Fraction(0)))
                        for t, of in enumerate(witness["round_power"], 1)
                    ]
                except MALFORMED:
                    return []
    return []


def _variation(one: Mapping[str, Any]) -> Fraction:
    return max(y - x for x, y in profile_of(one["power"]).vertices)


def _read(witness: Mapping[str, Any]) -> RoundEvidence:
    aggregate, distance = witness["aggregate"], witness["distance"]
    tables = [_by_curve(of) for of in witness["round_power"]]
    letters = _letters([profile for table in tables for profile in table])
    rows = []
    for t, (influence, table) in enumerate(zip(witness["index_sets"], tables, strict=True), 1):
        ordered = sorted(table, key=lambda profile: _rank(letters.get(profile, "")))
        for i, profile in enumerate(ordered):
            first = (Cell(str(t)), Cell(_set(influence))) if i == 0 else (Cell(""), Cell(""))
            rows.append((*first, Cell(_some(table[profile])), Cell(letters.get(profile, NOTHING_LEAKS))))
    left = len(rows) - MOST_CERTIFIED_ROWS
    note = f"{left} more rows are left out here; the JSON record has them." if left > 0 else ""
    kind = "distance" if aggregate == OWN else "difference"
    columns = ("round t", "I_t", kind, "g_t")
    curves = tuple(LetteredCurve(name, profile) for profile, name in letters.items())
    drawn = _spread(curves)
    what = f"{plain(aggregate)} over I_t" + ("" if distance is None else f", with {plain(distance)} for a distance")
    shown = Table("What decides each round", columns, tuple(rows[:MOST_CERTIFIED_ROWS]), note)
    return RoundEvidence(what, shown, drawn, len(curves) - len(drawn))


def _by_curve(of: Sequence[Mapping[str, Any]]) -> dict[Profile, list[str]]:
    """Every distinct curve of a round, with the differences that have it."""
    made: dict[Profile, list[str]] = {}
    for one in of:
        made.setdefault(profile_of(one["power"]), []).append(plain(one["difference"]))
    return made


def _letters(profiles: Sequence[Profile]) -> dict[Profile, str]:
    """A letter for each distinct curve but the diagonal; the later in the alphabet, the more it can leak."""
    distinct = [profile for profile in dict.fromkeys(profiles) if profile != IDENTITY]
    ordered = sorted(distinct, key=lambda profile: max(y - x for x, y in profile.vertices))
    return {profile: letter(i) for i, profile in enumerate(ordered)}


def _rank(name: str) -> tuple[int, str]:
    return len(name), name


def _some(differences: Sequence[str]) -> str:
    left = len(differences) - MOST_DIFFERENCES
    shown = ", ".join(differences[:MOST_DIFFERENCES])
    return f"{shown} and {left} more" if left > 0 else shown


def _set(influence: Sequence[int]) -> str:
    """An index set; a long one that has no holes by its ends."""
    members = [int(i) for i in influence]
    if len(members) > LONGEST_SET and all(b == a + 1 for a, b in pairwise(members)):
        return f"{{{members[0]}, ..., {members[-1]}}}"
    return f"{{{', '.join(map(str, members))}}}"


def _spread(curves: tuple[LetteredCurve, ...]) -> tuple[LetteredCurve, ...]:
    """At most MOST_DRAWN of them, the lowest and the highest among them."""
    last = len(curves) - 1
    if last < MOST_DRAWN:
        return curves
    return tuple(curves[i * last // (MOST_DRAWN - 1)] for i in range(MOST_DRAWN))
