"""The pictures of a report: delta against epsilon, true against false positives, and those of single rounds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import cycle
from math import ceil, exp2, floor, log, log10
from typing import Any

from dpcert.audit.algebra.decimals import READ_DIGITS, down, equated, measured, near
from dpcert.audit.algebra.enclosure import logarithm
from dpcert.audit.algebra.rational import parse
from dpcert.audit.frozen import frozen
from dpcert.audit.render import svg
from dpcert.audit.render.asked import points
from dpcert.audit.render.cells import plain
from dpcert.audit.render.floats import Floats, read_off, spaced, spaced_by_factor
from dpcert.audit.render.picture import (
    ADAPTIVE,
    DASH_DOT,
    DASHED,
    DOTTED,
    FAINT,
    FIXED,
    ROUNDS,
    SOLID,
    Area,
    Axis,
    CurvePoint,
    Dash,
    DrawnCurve,
    Picture,
)
from dpcert.audit.render.profile import Profile, known
from dpcert.audit.render.rounds import LetteredCurve

STROKES: tuple[Dash, ...] = (SOLID, DASHED, DASH_DOT, (6.0, 1.5), (3.0, 1.0, 1.0, 1.0, 1.0, 1.0), (1.0, 1.2))
"""Curves of single rounds are told apart by colour, by stroke and by width, so that one shows below another."""
MARKS = ("X", "P", "D", "^", "v", "*")
"""Claims, and what a mechanism promises, each by a mark of its own."""
POWER_WORDS = (
    "Concave curves from (0, 0) to (1, 1), adaptive solid and fixed stream dashed. The further a curve lies above the "
    "diagonal, the better the two worlds can be told apart."
)
RARE_WORDS = (
    "The same for rare alarms, both axes logarithmic, whichever world an alarm is for. At the left edge one alarm in "
    "ten thousand is false."
)
ROUNDS_WORDS = "Concave curves from (0, 0) to (1, 1), each of the release of one round alone, above a dotted diagonal."
SMALL = (223.2, 187.2)
"""Points: width and height of a small picture."""
NICE = (1.0, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
NEGLIGIBLE = 1e-3
"""The share of a curve's fall that is left where the figure's axis ends."""
STEEPEST_DRAWN = 2.0**60
"""e^epsilon past which a figure takes a slope for infinite."""
BEYOND_THE_END = 1.08
"""The power of that end by which the axis goes on."""
DEFAULT_END = 10.0
LEAST_DELTA_DRAWN = 1e-12
"""What a logarithmic axis of delta goes down to, where a number of this size was asked for."""
RAREST = 1e-4
"""The rate of false positives at which the picture of rare alarms begins."""
BEYOND = 10**150
"""Coordinates that are not drawn: powers of ten beyond them, where ticks could stand, have to fit into a float."""
MOST_BARS = 60
"""Rounds that have a bar each; more are one filled outline."""
BAR = 0.6
"""The width of a bar, in rounds."""
MOST_POINTED = 16
"""Points along a curve that say their value on hover."""
RATE_DIGITS = 4
"""Significant digits of a rate there, in per cent."""


@frozen
class RecordCurve:
    """One curve of a record: its name, vertices, colour, dash and width, and whether the truth may lie above it."""

    name: str
    profile: Profile
    colour: str
    dash: Dash
    width: float
    at_least: bool = False

    def value(self, number: Fraction, digits: int = READ_DIGITS) -> str:
        """A number of it behind a name: rounded up, or down where it is what is surely reached."""
        return f"= {down(number, digits)}" if self.at_least else equated(number, digits)

    def through(self, x: Floats, y: Floats) -> DrawnCurve:
        """It through these points."""
        return DrawnCurve(x, y, self.colour, self.width, self.dash, self.name)


def profile_svg(document: Mapping[str, Any]) -> str:
    """delta against epsilon, as an SVG element."""
    return svg.drawn(profile_picture(document), "profile", "δ against ε", _profile_words(document))


def profile_picture(document: Mapping[str, Any]) -> Picture:
    """delta against epsilon, delta on a logarithmic axis, with what was asked for marked."""
    profiles = list(_drawn_of(document))
    claims = points(document)
    ends = [_end(one.profile) for one in profiles] + [1.2 * one.exp_epsilon for one in claims]
    end = max([e for e in ends if e < STEEPEST_DRAWN], default=DEFAULT_END)
    asked = {_slope(one) for one in document["adaptive"]["delta"]}
    asked = {e for e in asked if _float(e) <= end}
    slopes = sorted(map(_float, asked))
    low, high = _decades(profiles[:2], [*slopes, end], [one.delta for one in claims])
    e = spaced_by_factor(1.0, end, 800)
    curves = [one.through([*map(log, e)], _above(one.profile.deltas(e), low)) for one in profiles]
    readings: list[CurvePoint] = []
    for one, mark in zip(profiles[:2], "os", strict=True):
        marked = [(log(at), d) for at, d in zip(slopes, one.profile.deltas(slopes), strict=True) if d >= low]
        curves.append(DrawnCurve([x for x, _ in marked], [y for _, y in marked], one.colour, 0, mark=mark, size=4))
        readings += _profile_values(one, {*asked, *map(_readable, e[:: len(e) // MOST_POINTED])}, low)
    for claim, mark in zip(claims, cycle(MARKS)):
        at, delta = log(claim.exp_epsilon), max(claim.delta, low)
        curves.append(DrawnCurve([at], [delta], ROUNDS[1], 0, name=claim.name, mark=mark, size=7))
    across, up = Axis("ε", (0.0, log(end))), Axis("δ", (low, high), logarithmic=True)
    return Picture(across, up, curves, points=readings, above=_exp_ticks(end), above_name="e^ε")


def power_svg(document: Mapping[str, Any]) -> str:
    """The most true positives for each rate of false positives, as an SVG element."""
    return svg.drawn(power_picture(document), "power", "Power functions", POWER_WORDS)


def power_picture(document: Mapping[str, Any]) -> Picture:
    """The most true positives for each rate of false positives."""
    points: list[CurvePoint] = []
    profiles = list(_drawn_of(document))
    for one in profiles[:2]:
        points += _rate_values(one, spaced(0.0, 1.0, MOST_POINTED + 1)[1:-1])
    curves = [one.through(*one.profile.points()) for one in profiles]
    curves.append(DrawnCurve([0, 1], [0, 1], FAINT, dash=DOTTED, name="nothing leaks"))
    across, up = Axis("false positives (in world 0)", (0.0, 1.0)), Axis("true positives (in world 1)", (0.0, 1.0))
    return Picture(across, up, curves, [_filled(*profiles[:2])], points)


def rare_svg(document: Mapping[str, Any]) -> str:
    """The same where false positives are rare, as an SVG element."""
    return svg.drawn(rare_picture(document), "rare", "True against false positives, rare alarms", RARE_WORDS)


def rare_picture(document: Mapping[str, Any]) -> Picture:
    """The same where false positives are rare, both axes logarithmic, either world's alarm."""
    x = spaced_by_factor(RAREST, 1.0, 300)
    points: list[CurvePoint] = []
    curves: list[DrawnCurve] = []
    for at, one in enumerate(_drawn_of(document)):
        y = _either(one.profile, x)
        curves.append(one.through(x, y))
        if at < 2:
            points += _rate_values(one, x[:: len(x) // MOST_POINTED], either=True)
    curves.append(DrawnCurve([RAREST, 1], [RAREST, 1], FAINT, dash=DOTTED, name="nothing leaks"))
    across, up = (Axis(name, (RAREST, 1.0), logarithmic=True) for name in ("false positives", "true positives"))
    return Picture(across, up, curves, points=points)


def leakage_svg(rounds: Sequence[tuple[int, Fraction]]) -> str:
    """How well the release of each round alone tells the worlds apart, as an SVG element.

    Args:
        rounds: Each round, and the total variation of its release in the worst case.
    """
    at, height = [t for t, _ in rounds], [value for _, value in rounds]
    if len(rounds) <= MOST_BARS:
        areas = [_bar(t, v) for t, v in rounds]
    else:
        edges = [edge for t in at for edge in (t - 0.5, t + 0.5)]
        tops = [float(v) for v in height for _ in range(2)]
        areas = [Area(edges, [0.0] * len(edges), tops, ADAPTIVE)]
    across = Axis("round", (at[0] - 0.6, at[-1] + 0.6), whole=True, lines=False)
    up = Axis("total variation", (0.0, max(1.1 * float(max(height)), 1e-9)))
    words = f"One bar a round, from round {at[0]} to {at[-1]}; the highest is {near(max(height))}."
    return svg.drawn(Picture(across, up, areas=areas), "leakage", "Leakage of each round by itself", words)


def _bar(round_: int, height: Fraction) -> Area:
    sides = [round_ - BAR / 2, round_ + BAR / 2]
    top = float(height)
    return Area(sides, [0.0, 0.0], [top, top], ADAPTIVE, value=f"round {round_}: {near(height)}")


def rounds_svg(curves: Sequence[LetteredCurve], name: str) -> str:
    """A few one-round power functions by letter, as a small SVG element with ids under `name`."""
    lines = [DrawnCurve([0, 1], [0, 1], FAINT, dash=DOTTED)]
    for i, (curve, colour, dash) in enumerate(zip(curves, ROUNDS, STROKES, strict=False)):
        width = 2.8 - 0.9 * i if len(curves) <= 2 else 2.6 - 0.25 * i
        lines.append(DrawnCurve(*curve.profile.points(), colour, width, dash, curve.letter))
    across, up = (Axis(f"probability in world {world}", (0.0, 1.0)) for world in (0, 1))
    letters = ", ".join(curve.letter for curve in curves)
    said = f"{ROUNDS_WORDS} Their vertices are listed below."
    return svg.drawn(Picture(across, up, lines, square=True, size=SMALL), name, f"Power functions {letters}", said)


def lines_svg(figure: Mapping[str, Any], name: str) -> str:
    """The curves of a section, told apart by colour and stroke, each named below, as an SVG element.

    Args:
        figure: {"x": words, "y": words, "logarithmic": bool, "curves": [{"name": words, "points": [[x, y], ...]}]}, x
            and y numbers or rationals in text.
        name: What ids in it begin with.
    """
    curves = []
    for curve, colour, dash in zip(figure["curves"], cycle(ROUNDS), cycle(STROKES)):
        x, y = zip(*((_coordinate(a), _coordinate(b)) for a, b in curve["points"]), strict=True)
        mark = "o" if len(x) == 1 else ""  # a single point has no line to be seen by
        curves.append(DrawnCurve(x, y, colour, 1.8, dash, plain(curve["name"]), mark))
    logarithmic = bool(figure.get("logarithmic"))
    across, up = (Axis(plain(figure[side]), logarithmic=logarithmic) for side in ("x", "y"))
    names = ", ".join(plain(curve["name"]) for curve in figure["curves"])
    return svg.drawn(Picture(across, up, curves), name, f"{up.name} against {across.name}", f"Curves: {names}.")


def _drawn_of(document: Mapping[str, Any]) -> Iterator[RecordCurve]:
    """Adaptive, fixed stream, and the mechanism's own bound where there is one: each by colour, dash and width."""
    at_least = "lower" in document["fixed_stream"]
    name = "fixed stream, at least" if at_least else "fixed stream"
    yield RecordCurve("adaptive", Profile.of(document["adaptive"]), ADAPTIVE, SOLID, 2.4)
    yield RecordCurve(name, Profile.of(known(document["fixed_stream"])), FIXED, DASHED, 1.5, at_least)
    bound = document["bound"] or {}
    if bound.get("power"):
        yield RecordCurve("proven bound", Profile.of(bound), ROUNDS[0], DASH_DOT, 1.3)


def _filled(first: RecordCurve, second: RecordCurve) -> Area:
    """What lies between the first two curves."""
    upper, lower = first.profile.points(), second.profile.points()
    x = sorted({*upper[0], *lower[0]})
    return Area(x, read_off(x, *lower), read_off(x, *upper), first.colour, 0.15)


def _either(profile: Profile, x: Floats) -> Floats:
    """The larger of the power functions of both orders at each x."""
    u, v = profile.points()
    back = [1 - one for one in reversed(v)], [1 - one for one in reversed(u)]
    return [*map(max, read_off(x, u, v), read_off(x, *back))]


def _profile_values(one: RecordCurve, at: Iterable[Fraction], low: float) -> list[CurvePoint]:
    """delta at each e^epsilon, exactly, where it is drawn."""
    found = ((e, one.profile.delta(e)) for e in sorted(at))
    return [
        CurvePoint(
            log(e),
            float(d),
            f"{one.name}: δ {one.value(d)} at ε {one.value(_logarithm(e, one))} (e^ε {one.value(e)})",
        )
        for e, d in found
        if d >= low
    ]


def _logarithm(exp_epsilon: Fraction, one: RecordCurve) -> Fraction:
    """epsilon, from above; of what is surely reached from below, where delta is no smaller."""
    ends = logarithm(exp_epsilon).finite()
    return ends.lower if one.at_least else ends.upper


def _rate_values(one: RecordCurve, rates: Iterable[float], *, either: bool = False) -> list[CurvePoint]:
    """True positives, exactly, at rates of false positives that RATE_DIGITS digits say exactly."""

    def read(percent: Fraction) -> CurvePoint:
        power = one.profile.detected(percent / 100, either=either)
        shown = one.value(100 * power, RATE_DIGITS).removeprefix("= ")
        words = f"{one.name}: {shown} % true at {near(percent)} % false positives"
        return CurvePoint(float(percent / 100), float(power), words)

    return [read(_readable(100 * rate, RATE_DIGITS)) for rate in rates]


def _above(delta: Floats, low: float) -> Floats:
    """What lies below a logarithmic axis goes down to just below its edge, where it is cut off."""
    return [max(one, low / 10) for one in delta]


def _decades(drawn: Iterable[RecordCurve], at: Sequence[float], named: Iterable[float]) -> tuple[float, float]:
    """The powers of ten between which delta is drawn: what was asked for stands within, and three decades at least."""
    met = [d for one in drawn for d in one.profile.deltas([1.0, *at])]
    positive = [d for d in (*met, *named) if d >= LEAST_DELTA_DRAWN]
    high = max(positive, default=1.0)
    low = min([*positive, high / 1e3])
    return 10.0 ** floor(log10(low) - 0.05), min(1.0, 10.0 ** ceil(log10(high)))


def _coordinate(number: object) -> float:
    """A coordinate in floating point; not a number past its range, which leaves the point out."""
    value = parse(str(number), "point")
    return float(value) if abs(value) < BEYOND else float("nan")


def _slope(delta: Mapping[str, Any]) -> Fraction:
    return parse(delta["exp_epsilon"], "exp_epsilon")


def _float(exp_epsilon: Fraction) -> float:
    """e^epsilon in floating point, infinite past its range."""
    return float(exp_epsilon) if exp_epsilon < STEEPEST_DRAWN else float("inf")


def _readable(number: float, digits: int = READ_DIGITS) -> Fraction:
    """A number near this one that few digits say exactly."""
    return Fraction(measured(Fraction(number), digits))


def _end(profile: Profile) -> float:
    """Where the picture stops: delta has all but reached its limit."""
    e = [exp2(x) for x in spaced(0.0, 60.0, 1201)]
    delta = profile.deltas(e)
    limit = delta[-1]
    if delta[0] - limit <= 0:
        return DEFAULT_END
    near = next(at for at, d in zip(e, delta, strict=True) if d - limit <= NEGLIGIBLE * (delta[0] - limit))
    end: float = near**BEYOND_THE_END
    return end


def _exp_ticks(end: float) -> dict[float, float]:
    """A second scale on top, in e^epsilon: places on the axis of epsilon, and the numbers there."""
    ticks: list[float] = []
    for value in (*NICE, *(10.0**k for k in range(3, 19))):
        if value <= end and (not ticks or log(value / ticks[-1]) > 0.09 * log(end)):
            ticks.append(value)
    return {log(t): t for t in ticks}


def _profile_words(document: Mapping[str, Any]) -> str:
    held = document["lifts"]["curve"].get("verdict") == "HOLDS"
    where = "They coincide." if held else "The adaptive curve never lies below."
    return (
        f"Falling curves on a logarithmic axis, adaptive solid and fixed stream dashed. {where} Marks stand at the "
        "values asked for; where δ is 0 a curve leaves the picture at the bottom."
    )
