"""One number or verdict of a real record changed at random: refused, or implied by nothing else in the record."""

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from instances.real_records import KINDS, RATIONAL, at, made
from instances.seeds import chosen

from dpcert import ArgumentError
from dpcert.audit.records.record import read

F = Fraction
VERDICTS = {"HOLDS", "REFUTED", "UNDECIDED"}
NAMES = {"observation", "pair", "stream0", "stream1", "histories", "inputs", "alphabet", "difference", "challenge"}
"""Keys of names that users choose, some of which look like numbers."""
ASIDE = {"provenance", "sections", "target", "parameters"}
FREE = (
    ("location", "line"),
    ("scope", "positions"),
    ("bound", "complete"),  # a mechanism's bound does not say how many vertices it has
    ("bound", "power"),  # between the points at which it is read off
    ("witness", "index_sets"),  # within the rounds so far
    ("witness", "round_power"),  # as long as each is a power function
    ("witness", "curves"),  # away from the slope at which the two are told apart
    ("witness", "deltas", 0),  # the product of hulls, of which the record has no curve
    ("witness", "round"),  # of laws after releases, which the record has in words
)
"""What nothing else in a record implies; every other number and verdict is computed anew."""


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every number, verdict and yes or no."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    elif value in VERDICTS or not isinstance(value, str) or RATIONAL.fullmatch(value) or value == "infinite":
        yield path


def another(value: Any, generator: Random) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + generator.choice((-1, 1, 10**30))
    if value is None:
        return generator.choice(("1", "1/2", 1))
    if value in VERDICTS:
        return generator.choice(sorted(VERDICTS - {value}))
    old = F(10**6) if value == "infinite" else F(value)
    near = (old * F(999, 1000) + F(1, 10**6), old * F(1001, 1000), old + 1, -old, old / 2)
    return generator.choice([*(str(new) for new in near if new != old), "infinite"])


def kind_of(path: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple("*" if isinstance(key, int) else key for key in path)


def free(path: tuple[Any, ...]) -> bool:
    """Whether it is one of those that are listed."""
    lists = [tuple(path[i : i + len(one)]) == one for one in FREE for i in range(len(path))]
    return any(lists) or bool(NAMES & set(path))


def hockey_stick(vertices: list[tuple[F, F]], e: F, order: str) -> F:
    """The most over vertices, as a power function is defined; world 0 is on the x-axis."""
    return max((1 - x) - e * (1 - y) if order == "0-1" else y - e * x for x, y in vertices)


def borne_out(document: Any, side: str) -> bool:
    """Whether every number that a curve with all its vertices gives is that of the vertices, in a second way."""
    curve = document[side]
    vertices = [(F(x), F(y)) for x, y in curve["power"]]
    slopes = [(y1 - y0, x1 - x0) for (x0, y0), (x1, y1) in pairwise(vertices)]
    concave = all(a * d >= c * b for (a, b), (c, d) in pairwise(slopes))
    rows = [(F(row["exp_epsilon"]), F(row["lower"]), F(row["upper"])) for row in curve["delta"]]
    shown = [*curve.get("strategies", ()), *curve.get("witnesses", ())]
    deltas = all(max(hockey_stick(vertices, e, o) for o in ("0-1", "1-0")) == low == high for e, low, high in rows)
    attained = all(hockey_stick(vertices, F(s["exp_epsilon"]), s["order"]) == F(s["delta"]) for s in shown)
    ends = max(y - x for x, y in vertices) == F(curve["total_variation"])
    return concave and min(a for a, _ in slopes) >= 0 and deltas and attained and ends


def allowed(document: Any, kind: str, path: tuple[Any, ...]) -> bool:
    """Whether a record with this change may be read."""
    if free(path):
        return True
    side = path[0]
    if side not in ("adaptive", "fixed_stream"):
        return False
    if kind == "cut":  # the curves are bounds: of fixed streams that were tried, any number up to theirs
        return "power" in path or ("witnesses" in path and path[-1] == "delta")
    return "power" in path and document[side]["complete"] and borne_out(document, side)


def refusal(text: str) -> str:
    """What is said against a record; nothing where it is read."""
    try:
        read(text)
    except ArgumentError as error:
        return str(error)
    return ""


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(300), 8))
def test_a_change_is_refused_or_contradicts_nothing(seed: int) -> None:
    generator = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    document = json.loads(made(kind))
    by_kind: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for path in leaves({key: value for key, value in document.items() if key not in ASIDE}):
        by_kind.setdefault(kind_of(path), []).append(path)
    path = generator.choice(by_kind[generator.choice(sorted(by_kind))])
    holder = at(document, path[:-1])
    holder[path[-1]] = another(holder[path[-1]], generator)
    said = refusal(json.dumps(document))
    assert "\n" not in said
    assert said.startswith("Expected") or allowed(document, kind, path), (kind, path)


def test_the_second_way_tells_a_curve_from_another() -> None:
    document = json.loads(made("gap"))
    assert borne_out(document, "adaptive")
    document["adaptive"]["power"][1][1] = "99/100"
    assert not borne_out(document, "adaptive")
