"""The pictures of a page, measured: names of curves stand clear of them, numbers are plain and do not touch."""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import pytest
from instances.rendered import document
from instances.seeds import spread

from dpcert import Requirements, claim, required_delta
from dpcert.audit.render import figures, svg
from dpcert.audit.render.asked import points
from dpcert.audit.render.certificate import leakage
from dpcert.audit.render.profile import Profile
from dpcert.audit.render.rounds import LetteredCurve
from dpcert.audit.render.ticks import tick
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.broken.peeking_value import PeekingValue
from dpcert.mechanisms.design.plan import Promise, planned
from dpcert.mechanisms.design.plan_report import profile, table
from dpcert.mechanisms.two_round import TwoRound


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


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures drawn, as matplotlib has them when they are written."""
    figures: list[Any] = []
    inline = svg.inline

    def kept(figure: Any, *words: str) -> str:
        made = inline(figure, *words)
        figures.append(figure)
        return made

    monkeypatch.setattr(svg, "inline", kept)
    return figures


def seen(axis: Any, label: Any) -> bool:
    """Whether a tick is on the part of the axis that is drawn."""
    low, high = sorted(axis.get_view_interval())
    return bool(low <= label.get_position()[axis.axis_name == "y"] <= high)


@pytest.mark.parametrize("name", spread([*PICTURES], 4))
def test_legends_stand_clear_and_numbers_are_plain(name: str, measured: list[Any]) -> None:
    text = PICTURES[name]()
    figure = measured[0]
    axes, legend = figure.axes[0], figure.legends[0].get_window_extent()
    assert not axes.get_legend()
    assert not legend.overlaps(axes.get_tightbbox())  # curves, axes, their numbers and words
    assert figure.bbox.x0 <= legend.x0
    assert legend.x1 <= figure.bbox.x1
    for axis in (axes.xaxis, axes.yaxis):
        labels = [one for one in axis.get_ticklabels(which="both") if one.get_text() and seen(axis, one)]
        assert len(labels) >= 2
        assert all(re.fullmatch(r"-?[\d,]+(\.\d+)?|\d(\.\d+)?e-?\d+", one.get_text()) for one in labels)
        assert axis.get_offset_text().get_text() == ""
        boxes = [one.get_window_extent() for one in labels]
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert "\u2212" not in text
    assert "times" not in text


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


def test_values_on_hover_are_those_of_the_curves() -> None:
    record = document(TwoRound())
    said = hovered(figures.profile_svg(record))
    assert len(said) > 20
    for side, name in (("adaptive", "adaptive"), ("fixed_stream", "fixed stream")):
        curve = Profile.of(record[side])
        read = [re.fullmatch(rf"{name}: δ = (\S+) at ε = (\S+) \(e\^ε = (\S+)\)", one) for one in said]
        found = [one.groups() for one in read if one]
        assert len(found) > 10
        for delta, epsilon, exp_epsilon in found:
            assert float(delta) == pytest.approx(float(curve.delta(Fraction(exp_epsilon))), rel=1e-3, abs=1e-6)
            assert float(exp_epsilon) == pytest.approx(math.exp(float(epsilon)), rel=1e-4)
    rates = hovered(figures.power_svg(record))
    assert all(re.fullmatch(r"(adaptive|fixed stream): \S+ % true at \S+ % false positives", one) for one in rates)
    assert len(rates) > 20


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
    assert re.findall(r"<title>(round \d): ", picture) == ["round 1", "round 2", "round 3"]
    assert leakage(document(TwoRound())) == []
    assert leakage(document(PeekingValue(), horizon=2)) == []  # more is published than its core
    assert "<svg" in figures.leakage_svg([(t, 0.5 / t) for t in range(1, 200)])
