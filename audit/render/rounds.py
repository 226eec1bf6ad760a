"""Histories, streams, seeds and releases as small tables, round by round; one-round power functions by letter."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby, pairwise, zip_longest
from typing import Any

from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.render.cells import Cell, Table, listing, number, plain, words
from dpcert.audit.render.profile import Profile

MOST_ROUND_COLUMNS = 12
"""Rounds that get a column each; longer histories are written in one cell."""
LONGEST_STREAM = 150
"""Characters of a stream past which it is written by its runs."""
MOST_VERTICES_SHOWN = 60
"""Vertices of the curve of one round that a page lists."""


@frozen
class RoundsRow:
    """One row of a table by rounds: its heading, a value per round, the rounds (from 1) to mark, a value at the end."""

    name: str
    values: tuple[str, ...]
    marks: frozenset[int] = frozenset()
    end: str = ""


@frozen
class LetteredCurve:
    """A one-round power function under the letter by which tables and figure name it."""

    letter: str
    profile: Profile


def listed(value: Any) -> tuple[str, ...]:
    """A list of labels. Raises: TypeError: something else."""
    if not isinstance(value, list):
        raise TypeError(type(value).__name__)
    return tuple(map(plain, value))


def differing(one: Sequence[str], two: Sequence[str]) -> frozenset[int]:
    """The rounds, from 1, in which two histories differ."""
    return frozenset(t for t, (a, b) in enumerate(zip_longest(one, two), 1) if a != b)


def by_round(caption: str, lines: Sequence[RoundsRow], end: str = "", note: str = "") -> Table:
    """One row a line, one column a round; past MOST_ROUND_COLUMNS the rounds share a cell, marked ones in brackets."""
    rounds = max((len(line.values) for line in lines), default=0)
    last = (end,) if end else ()
    if rounds > MOST_ROUND_COLUMNS:
        rows = [(Cell(line.name), stream(line.values, line.marks), *_ends(line, end)) for line in lines]
        return Table(caption, ("", f"rounds 1 to {rounds}", *last), tuple(rows), note, narrow=True)
    wide = []
    for line in lines:
        values = [Cell(x, marked=t in line.marks) for t, x in enumerate(line.values, 1)]
        empty = [Cell("")] * (rounds - len(values))
        wide.append((Cell(line.name), *values, *empty, *_ends(line, end)))
    columns = ("", *(f"round {t}" for t in range(1, rounds + 1)), *last)
    return Table(caption, columns, tuple(wide), note, narrow=True)


def in_line(values: Sequence[str]) -> str:
    """A history in one line, cut where it is long."""
    left = len(values) - MOST_ROUND_COLUMNS
    shown = " ".join(values[:MOST_ROUND_COLUMNS])
    return f"{shown} and {left} more" if left > 0 else shown


def stream(values: Sequence[str], marks: frozenset[int] = frozenset()) -> Cell:
    """A stream in a cell: a long one by its runs, with all of it behind; marked rounds in brackets.

    >>> stream(("1", *["0"] * 120)).text
    '1, 0 (120 times)'
    >>> stream(("a", "b", "a"), frozenset({2})).text
    'a [b] a'
    """
    entries = [f"[{x}]" if t in marks else x for t, x in enumerate(values, 1)]
    whole = " ".join(entries)
    if len(whole) <= LONGEST_STREAM:
        return Cell(whole)
    runs = [(value, sum(1 for _ in run)) for value, run in groupby(entries)]
    left = len(runs) - MOST_ROUND_COLUMNS
    words = ", ".join(value if n == 1 else f"{value} ({n} times)" for value, n in runs[:MOST_ROUND_COLUMNS])
    more = f" and {left} more runs" if left > 0 else ""
    where = f"; marked: rounds {listing(sorted(marks))}" if marks and left > 0 else ""
    return Cell(f"{words}{more}{where}", full=whole)


def _ends(line: RoundsRow, end: str) -> tuple[Cell, ...]:
    return (words(line.end),) if end else ()


def profile_of(vertices: Any) -> Profile:
    """The power function with these vertices. Raises: ArgumentError: they do not rise from (0, 0) to (1, 1)."""
    points = tuple((parse(x, "vertex"), parse(y, "vertex")) for x, y in vertices)
    rising = all(x <= u and y <= v for (x, y), (u, v) in pairwise(points))
    ends = points[:1] + points[-1:]
    if ends != ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))) or not rising:
        raise expected("vertices that rise from (0, 0) to (1, 1)", vertices=plain(vertices)[:100])
    return Profile(points)


def letter(at: int) -> str:
    """A, B, ..., Z, AA, AB, ...

    >>> letter(0), letter(25), letter(26), letter(701)
    ('A', 'Z', 'AA', 'ZZ')
    """
    return (letter(at // 26 - 1) if at >= 26 else "") + chr(ord("A") + at % 26)


def vertices(curve: LetteredCurve) -> Table:
    """The exact vertices of a curve."""
    made = curve.profile.vertices
    rows = tuple((number(text(x)), number(text(y))) for x, y in made[:MOST_VERTICES_SHOWN])
    left = len(made) - MOST_VERTICES_SHOWN
    note = f"{left} more are left out here; the JSON record has them." if left > 0 else ""
    return Table(f"Vertices of {curve.letter}", ("world 0", "world 1"), rows, note)


def excesses(f: Profile, g: Profile) -> Iterator[tuple[Fraction, str, Fraction, Fraction]]:
    """Where f exceeds g most, and where g exceeds f most: e^epsilon of at least 1, order, delta of f, delta of g."""
    candidates = []
    for slope in _slopes(f, g):
        exp_epsilon, order = (slope, "1-0") if slope >= 1 else (1 / slope, "0-1")
        candidates.append((exp_epsilon, order, f.hockey_stick(exp_epsilon, order), g.hockey_stick(exp_epsilon, order)))
    for sign in (1, -1):
        best = max(candidates, key=lambda one: sign * (one[2] - one[3]))
        if sign * (best[2] - best[3]) > 0:
            yield best


def _slopes(f: Profile, g: Profile) -> list[Fraction]:
    """All that decide which curve lies above: those of the segments, one below them all and one above."""
    steps = [(u - x, v - y) for h in (f, g) for (x, y), (u, v) in pairwise(h.vertices)]
    met = sorted({b / a for a, b in steps if a and b} | {Fraction(1)})
    return [met[0] / 2, *met, met[-1] * 2]
