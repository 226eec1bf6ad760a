"""The pictures of a page, measured: names of curves stand clear of them, numbers are plain and do not touch."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from instances.rendered import document
from instances.seeds import spread

from dpcert import Requirements, claim, required_delta
from dpcert.audit.algebra.decimals import ROUNDED_UP, up
from dpcert.audit.algebra.enclosure import exponential, logarithm
from dpcert.audit.render import figures, svg
from dpcert.audit.render.asked import points
from dpcert.audit.render.certificate import leakage
from dpcert.audit.render.curves import CurveBracket
from dpcert.audit.render.drawing import straightened
from dpcert.audit.render.profile import Profile
from dpcert.audit.render.rounds import LetteredCurve
from dpcert.audit.render.ticks import FONT, tick, width
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.broken.peeking_value import PeekingValue
from dpcert.mechanisms.design.plan import Promise, planned
from dpcert.mechanisms.design.plan_report import profile, table
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


def lines(*curves: tuple[str, list[tuple[str, str]]], logarithmic: bool = True) -> dict[str, Any]:
    """A section's figure."""
    named = [{"name": name, "points": [list(point) for point in points]} for name, points in curves]
    return {"x": "events", "y": "waiting", "logarithmic": logarithmic, "curves": named}


def of_a_plan(exp_epsilon: int, events: int, number: int) -> Callable[[], str]:
    """One of the two pictures of a plan."""
    promise, section = Promise(Fraction(exp_epsilon), Fraction(1, 10**6), events), (table, profile)[number]
    return lambda: figures.lines_svg(section(planned(promise, None))["figure"], "plan")


def of_an_audit(draw: Callable[[Any], str], mechanism: Any) -> Callable[[], str]:
    """A picture of an audit's page."""
    return lambda: draw(document(mechanism))


def of_rounds(count: int) -> Callable[[], str]:
    """Power functions of single rounds."""
    curve = Profile(((Fraction(0), Fraction(0)), (Fraction(1, 4), Fraction(3, 4)), (Fraction(1), Fraction(1))))
    return lambda: figures.rounds_svg([LetteredCurve(letter, curve) for letter in "ABCDEF"[:count]], "rounds")


def claimed() -> dict[str, Any]:
    """A record of which something is claimed."""
    asked = ("eps=0.3,delta=1e-9", "eps=2,delta=1e-3", "eps=0.1")
    return document(TwoRound(), requirements=Requirements((*map(claim, asked), required_delta("3/2:1/100"))))


def of_claims() -> str:
    """delta against epsilon with claims marked."""
    return figures.profile_svg(claimed())


PICTURES = {
    "plan, short": of_a_plan(3, 200, 0),
    "plan, long": of_a_plan(20, 10**6, 0),
    "plan, profile": of_a_plan(20, 10**6, 1),
    "audit, profile": of_an_audit(figures.profile_svg, TwoRound()),
    "audit, power": of_an_audit(figures.power_svg, TwoRound()),
    "audit, rare alarms": of_an_audit(figures.rare_svg, TwoRound()),
    "audit, claims": of_claims,
    "two rounds": of_rounds(2),
    "six rounds": of_rounds(6),
    "from end to end": lambda: figures.lines_svg(
        lines(("up", [("1", "1"), ("100000000", "1e9")]), ("down", [("1", "1e9"), ("100000000", "1")])), "wide"
    ),
    "tiny": lambda: figures.lines_svg(lines(("a", [("1", "1e-300"), ("2", "1e-3")])), "tiny"),
    "linear": lambda: figures.lines_svg(
        lines(("a", [("0", "1e-7"), ("2000000", "3e-7")]), logarithmic=False), "linear"
    ),
    "within a decade": lambda: figures.lines_svg(lines(("a", [("2", "3"), ("5", "7")])), "decade"),
}


@dataclass(frozen=True)
class Written:
    """Words of a picture, where they stand, and how much room they take at least."""

    text: str
    x: float
    y: float
    anchor: str

    @property
    def ends(self) -> tuple[float, float]:
        """Left and right."""
        wide = width(self.text) if self.is_number else 0.5 * FONT * len(self.text)
        left = self.x - wide * {"start": 0, "middle": 0.5, "end": 1}[self.anchor]
        return left, left + wide

    @property
    def is_number(self) -> bool:
        """Whether it is one, written plainly."""
        return bool(re.fullmatch(r"-?[\d,]+(\.\d+)?|\d(\.\d+)?e-?\d+", self.text))

    def overlaps(self, other: "Written") -> bool:
        """Whether they stand in each other's way."""
        (a, b), (c, d) = self.ends, other.ends
        return a < d and c < b and abs(self.y - other.y) < 0.75 * FONT


def words_of(picture: str) -> list[Written]:
    """All words of a picture that are not turned."""
    found = re.findall(r'<text style="[^"]*text-anchor: (\w+)[^"]*" x="(\S+)" y="(\S+)">([^<]*)</text>', picture)
    return [Written(unescape(text), float(x), float(y), anchor) for anchor, x, y, text in found]


def box_of(picture: str) -> tuple[float, float, float, float]:
    """The axes: left, top, right, bottom."""
    found = re.search(r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)">', picture)
    assert found
    x, y, wide, high = map(float, found.groups())
    return x, y, x + wide, y + high


@pytest.mark.in_turns
@pytest.mark.parametrize("name", spread([*PICTURES], 4))
def test_legends_stand_clear_and_numbers_are_plain(name: str) -> None:
    text = PICTURES[name]()
    whole = [float(n) for n in (re.search(r'viewBox="([^"]*)"', text) or [""])[1].split()]
    words, (left, _, right, bottom) = words_of(text), box_of(text)
    names = [one for one in words if one.anchor == "start"]
    across = [one for one in words if one.anchor == "middle" and one.is_number and one.y > bottom]
    up = [one for one in words if one.anchor == "end"]
    assert names
    assert len(across) >= 2
    assert len(up) >= 2
    assert all(one.is_number for one in up)
    assert not any(one.overlaps(other) for one, other in combinations(words, 2))
    lowest = max(one.y for one in words if one.anchor == "middle")
    assert all(one.y - FONT > lowest for one in names)
    assert all(one.y < whole[3] and one.ends[0] >= 0 and one.ends[1] <= whole[2] for one in words)
    assert all(left - 1 <= one.x <= right + 1 for one in across)
    assert "\u2212" not in text


def read_back(picture: str, side: str, numbers: Callable[[float], float]) -> Callable[[float], float]:
    """From points to the data's coordinates, by two numbers beside an axis, as a reader does it."""
    words, bottom = words_of(picture), box_of(picture)[3]
    across = [w for w in words if w.anchor == "middle" and w.is_number and w.y > bottom]
    one, other = (across if side == "x" else [w for w in words if w.anchor == "end"])[:2]
    a, b = (numbers(float(w.text.replace(",", ""))) for w in (one, other))
    off = 0.38 * FONT if side == "y" else 0.0  # from the line that letters stand on to their middle
    p, q = getattr(one, side) - off, getattr(other, side) - off
    return lambda v: a + (v - p) / (q - p) * (b - a)


@pytest.mark.parametrize("draw", [figures.power_svg, figures.profile_svg, figures.rare_svg])
def test_curves_that_are_read_off_a_picture_are_those_of_the_record(draw: Callable[[Any], str]) -> None:
    record = document(TwoRound())
    picture, log = draw(record), draw is not figures.power_svg
    x_of = read_back(picture, "x", math.log10 if draw is figures.rare_svg else float)
    y_of = read_back(picture, "y", math.log10 if log else float)
    for side, colour in (("adaptive", svg.ADAPTIVE), ("fixed_stream", svg.FIXED)):
        curve = Profile.of(record[side])
        paths = re.findall(rf'<path d="([^"]*)" style="fill: none[^"]*stroke: var\(--\w+, {colour}\)', picture)
        corners = [(x_of(float(x)), y_of(float(y))) for x, y in re.findall(r"[ML] (\S+) (\S+)", max(paths, key=len))]
        assert len(corners) >= len(curve.vertices) - 1
        for x, y in corners:
            if draw is figures.power_svg:
                u, v = curve.points()
                wanted = float(np.interp(x, u, v))
            elif draw is figures.rare_svg:
                u, v = map(np.array, curve.points())
                at = 10**x
                wanted = math.log10(max(np.interp(at, u, v), np.interp(at, 1 - v[::-1], 1 - u[::-1])))
            else:
                delta = float(curve.deltas(np.array([math.exp(max(x, 0.0))]))[0])
                if y < -4.5:  # where it falls to 0
                    continue
                wanted = math.log10(delta)
            assert y == pytest.approx(wanted, abs=0.01)


def test_points_out_of_sight_are_drawn_no_nearer() -> None:
    """What a logarithmic axis does not have stands below it, and what is left out of a straight line is on it."""
    drawn = figures.lines_svg(lines(("a", [("1", "1"), ("10", "0"), ("100", "100")])), "zero")
    bottom = box_of(drawn)[3]
    (path,) = re.findall(r'<path d="([^"]*)" style="fill: none; stroke: var\(--round-1', drawn)[:1]
    heights = [float(y) for y in re.findall(r"[ML] \S+ (\S+)", path)]
    assert heights[1] > bottom + 1_000
    corners = [(float(i), (i % 7) / 100) for i in range(200)]
    kept = straightened(corners)
    assert all(distance(x, y, kept) <= 0.031 for x, y in corners)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.0, "1"), (1e3, "1,000"), (1e9, "1,000,000,000"), (1e-6, "0.000001"), (0.1 + 0.2, "0.3"), (1e-9, "1e-9"),
        (2.5e-12, "2.5e-12"), (1e20, "1e20"), (0.0, "0"), (-0.5, "-0.5"), (12345.678, "12,345.678"), (1e-300, "1e-300"),
    ],
)  # fmt: skip
def test_a_tick(value: float, shown: str) -> None:
    assert tick(value) == shown


def test_what_is_past_floating_point_is_left_out() -> None:
    drawn = figures.lines_svg(lines(("a", [("1", "1"), ("1e400", "2"), ("3", "1e-400"), ("2", "3")])), "far")
    assert "nan" not in drawn


def test_names_are_no_formulas_and_may_be_missing() -> None:
    assert "$\\nosuch$" in figures.lines_svg(lines(("$\\nosuch$", [("1", "1"), ("2", "2")])), "formula")
    assert "<svg" in figures.lines_svg(lines(), "none")


def hovered(picture: str) -> list[str]:
    """What marks say on hover."""
    return re.findall(r"<circle[^>]*><title>([^<]*)</title></circle>", picture)


def read_number(words: str) -> tuple[Fraction, bool]:
    """A number that is said on hover, and whether it is marked as rounded up."""
    return Fraction(words.removeprefix("= ").removeprefix(ROUNDED_UP)), words.startswith(ROUNDED_UP)


def is_above(words: str, exact: Fraction, digits: int) -> bool:
    """Whether what is shown is a number, or where it is marked above it by less than one of its last digit."""
    shown, marked = read_number(words)
    return 0 < shown - exact <= shown / 10 ** (digits - 1) if marked else shown == exact


@pytest.mark.parametrize("make", [lambda: document(TwoRound()), lambda: document(TwoRoundRepeated(), horizon=4)])
def test_values_on_hover_are_no_less_than_those_of_the_curves(make: Callable[[], Any]) -> None:
    record = make()
    said = hovered(figures.profile_svg(record))
    asked = [Fraction(one["exp_epsilon"]) for one in record["adaptive"]["delta"]]
    assert len(said) > 20
    for side, name in (("adaptive", "adaptive"), ("fixed_stream", "fixed stream")):
        curve = Profile.of(record[side])
        read = [re.fullmatch(rf"{name}: δ (. \S+) at ε (. \S+) \(e\^ε (. \S+)\)", one) for one in said]
        found = [one.groups() for one in read if one]
        assert len(found) > 10
        for delta, epsilon, exp_epsilon in found:
            shown, marked = read_number(exp_epsilon)
            at = next(e for e in asked if up(e) == exp_epsilon[2:]) if marked else shown
            assert is_above(delta, curve.delta(at), 6)
            assert is_above(epsilon, logarithm(at).finite().upper, 6)
    for draw, either in ((figures.power_svg, False), (figures.rare_svg, True)):
        rates = hovered(draw(record))
        assert len(rates) > 20
        for one in rates:
            found_rate = re.fullmatch(r"(adaptive|fixed stream): ((?:≈ )?\S+) % true at (\S+) % false positives", one)
            assert found_rate, one
            name, true, false = found_rate.groups()
            power = CurveBracket.of(record[name.replace(" ", "_")]).upper
            at = Fraction(false) / 100
            assert is_above(true, 100 * max(power(at), power.reversed()(at) if either else Fraction(0)), 4)


def test_values_on_hover_of_what_is_surely_reached_are_no_more_than_those() -> None:
    record = document(TwoRoundRepeated(Fraction(1, 7)), horizon=3)
    record["fixed_stream"]["lower"] = record["fixed_stream"]
    curve = Profile.of(record["fixed_stream"])
    said = "\n".join(hovered(figures.profile_svg(record)))
    found = re.findall(r"^fixed stream, at least: δ = (\S+) at ε = (\S+) \(e\^ε = (\S+)\)$", said, flags=re.M)
    assert len(found) > 10
    for delta, epsilon, exp_epsilon in (map(Fraction, one) for one in found):
        for at in (exp_epsilon, exponential(epsilon).finite().lower):
            assert delta <= curve.delta(max(at, Fraction(1)))
    rates = "\n".join(hovered(figures.power_svg(record)))
    found = re.findall(r"^fixed stream, at least: (\S+) % true at (\S+) % false positives$", rates, flags=re.M)
    assert len(found) > 10
    for true, false in (map(Fraction, one) for one in found):
        assert true / 100 <= curve.detected(false / 100)


def distance(x: float, y: float, corners: list[tuple[float, float]]) -> float:
    """From a point to a polyline."""
    best = math.inf
    for (a, b), (c, d) in pairwise(corners):
        length = (c - a) ** 2 + (d - b) ** 2
        along = min(1.0, max(0.0, ((x - a) * (c - a) + (y - b) * (d - b)) / length)) if length else 0.0
        best = min(best, math.hypot(a + along * (c - a) - x, b + along * (d - b) - y))
    return best


@pytest.mark.parametrize("draw", [figures.profile_svg, figures.power_svg, figures.rare_svg])
def test_what_says_a_value_stands_on_its_curve(draw: Callable[[Any], str]) -> None:
    picture = draw(document(TwoRound()))
    for name, colour in (("adaptive", svg.ADAPTIVE), ("fixed stream", svg.FIXED)):
        paths = re.findall(rf'<path d="([^"]*)"[^>]*style="fill: none[^"]*stroke: var\(--\w+, {colour}\)', picture)
        path = max(paths, key=len)
        corners = [(float(x), float(y)) for x, y in re.findall(r"[ML] (\S+) (\S+)", path)]
        found = re.findall(rf'<circle cx="(\S+)" cy="(\S+)"[^>]*><title>{name}: ', picture)
        assert len(found) > 10
        assert max(distance(float(x), float(y), corners) for x, y in found) < 0.2  # points


def test_every_claim_is_a_point_and_no_other_requirement() -> None:
    found = {one.name: (one.exp_epsilon, one.delta) for one in points(claimed())}
    assert found == {
        "(0.3, 1e-9)-DP": (pytest.approx(math.exp(0.3)), pytest.approx(1e-9)),
        "(2, 1e-3)-DP": (pytest.approx(math.exp(2)), pytest.approx(1e-3)),
        "(0.1, 0)-DP": (pytest.approx(math.exp(0.1)), 0.0),
        "delta <= 1/100 at e^epsilon = 3/2": (1.5, 0.01),
    }
    assert points(document(TwoRound(), requirements=Requirements((claim("rho=1"),), no_gap=True))) == []


@pytest.mark.parametrize(
    "name", ["(1e999999, 1)-DP", "(1, 2)-DP", "(, )-DP", "(a, b)-DP", "delta <= x at e^epsilon = 1/0", "(" * 9 + ")-DP"]
)
def test_a_name_that_is_no_claim_is_not_drawn(name: str) -> None:
    record = document(TwoRound())
    record["requirements"] = [{"requirement": name, "verdict": "UNDECIDED", "detail": ""}]
    assert points(record) == []
    assert "<svg" in figures.profile_svg(record)


def test_leakage_has_a_bar_for_each_round() -> None:
    rounds = leakage(document(BinaryTree(), horizon=3))
    assert [t for t, _ in rounds] == [1, 2, 3]
    picture = figures.leakage_svg(rounds)
    read = re.findall(r"<title>round (\d): ((?:≈ )?\S+)</title>", picture)
    assert [int(t) for t, _ in read] == [1, 2, 3]
    assert all(is_above(shown, value, 6) for (_, shown), (_, value) in zip(read, rounds, strict=True))
    thirds = figures.leakage_svg([(1, Fraction(1, 3)), (2, Fraction(333_333_000_001, 10**12))])
    assert re.findall(r": (≈ \S+)</title>", thirds) == ["≈ 0.333334", "≈ 0.333334"]
    assert "the highest is ≈ 0.333334." in thirds
    assert leakage(document(TwoRound())) == []
    assert leakage(document(PeekingValue(), horizon=2)) == []  # more is published than its core
    assert "<svg" in figures.leakage_svg([(t, Fraction(1, 2 * t)) for t in range(1, 200)])
