"""The pictures of a report: delta against epsilon, true against false positives, and those of single rounds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcert.audit.algebra.rational import parse
from dpcert.audit.render import svg
from dpcert.audit.render.asked import points
from dpcert.audit.render.cells import plain
from dpcert.audit.render.profile import Floats, Profile, known
from dpcert.audit.render.rounds import LetteredCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ADAPTIVE, FIXED, FAINT, ROUNDS = svg.ADAPTIVE, svg.FIXED, svg.FAINT, svg.ROUNDS
STROKES = ("-", "--", "-.", (0, (6, 1.5)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 1.2)))
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
SMALL = (3.1, 2.6)
NICE = (1.0, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
NEGLIGIBLE = 1e-3
"""The share of a curve's fall that is left where the figure's axis ends."""
STEEPEST_DRAWN = 2.0**60
"""e^epsilon past which a figure takes a slope for infinite."""
DEFAULT_END = 10.0
LEAST_DELTA_DRAWN = 1e-12
"""What a logarithmic axis of delta goes down to, where a number of this size was asked for."""
RAREST = 1e-4
"""The rate of false positives at which the picture of rare alarms begins."""
BEYOND = 10**150
"""Coordinates that are not drawn: powers of ten beyond them, where ticks could stand, have to fit into a float."""
MOST_BARS = 60
"""Rounds that have a bar each; more are one filled outline."""
MOST_POINTED = 16
"""Points along a curve that say their value on hover."""


@dataclass(frozen=True)
class Drawn:
    """One curve of a picture: its name, vertices, colour, stroke and width."""

    name: str
    profile: Profile
    colour: str
    stroke: str
    width: float


def profile_svg(document: Mapping[str, Any]) -> str:
    """delta against epsilon, as an SVG element."""
    with svg.empty_axes() as (figure, axes):
        pointed = draw_profile(figure, axes, document)
        return svg.inline(figure, "profile", "δ against ε", _profile_words(document), pointed)


def draw_profile(figure: "Figure", axes: "Axes", document: Mapping[str, Any]) -> list[svg.Pointed]:
    """delta against epsilon, delta on a logarithmic axis, with what was asked for marked; gives the values on hover."""
    drawn = list(_drawn_of(document))
    claims = points(document)
    ends = [_end(one.profile) for one in drawn] + [1.2 * one.exp_epsilon for one in claims]
    end = max([e for e in ends if e < STEEPEST_DRAWN], default=DEFAULT_END)
    asked = sorted({s for s in map(_float, document["adaptive"]["delta"]) if s <= end})
    low, high = _decades(drawn[:2], np.array([*asked, end]), [one.delta for one in claims])
    e = np.exp(np.linspace(0, np.log(end), 800))
    pointed: list[svg.Pointed] = []
    for one in drawn:
        axes.plot(np.log(e), _above(one.profile.deltas(e), low), **_style(one))
    for one, mark in zip(drawn[:2], "os", strict=True):
        marked = [(np.log(at), d) for at, d in zip(asked, one.profile.deltas(np.array(asked)), strict=True) if d >= low]
        axes.plot([x for x, _ in marked], [y for _, y in marked], mark, color=one.colour, markersize=4, clip_on=False)
        pointed += _profile_values(one, asked, e[:: len(e) // MOST_POINTED], low)
    for claim, mark in zip(claims, cycle(MARKS)):
        at, delta = float(np.log(claim.exp_epsilon)), max(claim.delta, low)
        axes.plot([at], [delta], mark, color=ROUNDS[1], markersize=7, clip_on=False, label=claim.name)
    axes.set(xlabel="ε", ylabel="δ", xlim=(0, np.log(end)), yscale="log", ylim=(low, high))
    axes.grid(visible=True)
    _exp_ticks(axes, end)
    svg.legend(figure, axes)
    return pointed


def power_svg(document: Mapping[str, Any]) -> str:
    """The most true positives for each rate of false positives, as an SVG element."""
    with svg.empty_axes() as (figure, axes):
        pointed = draw_power(figure, axes, document)
        return svg.inline(figure, "power", "Power functions", POWER_WORDS, pointed)


def draw_power(figure: "Figure", axes: "Axes", document: Mapping[str, Any]) -> list[svg.Pointed]:
    """The most true positives for each rate of false positives; gives the values on hover."""
    pointed: list[svg.Pointed] = []
    first, second, *others = _drawn_of(document)
    _filled(axes, first, second)
    for one in (first, second, *others):
        axes.plot(*one.profile.points(), **_style(one))
    for one in (first, second):
        x = np.linspace(0, 1, MOST_POINTED + 1)[1:-1]
        pointed += _rate_values(one.name, x, np.interp(x, *one.profile.points()))
    axes.plot([0, 1], [0, 1], ":", color=FAINT, linewidth=1, label="nothing leaks")
    axes.grid(visible=True)
    axes.set(xlabel="false positives (in world 0)", ylabel="true positives (in world 1)", xlim=(0, 1), ylim=(0, 1))
    svg.legend(figure, axes)
    return pointed


def rare_svg(document: Mapping[str, Any]) -> str:
    """The same where false positives are rare, as an SVG element."""
    with svg.empty_axes() as (figure, axes):
        pointed = draw_rare(figure, axes, document)
        return svg.inline(figure, "rare", "True against false positives, rare alarms", RARE_WORDS, pointed)


def draw_rare(figure: "Figure", axes: "Axes", document: Mapping[str, Any]) -> list[svg.Pointed]:
    """The same where false positives are rare, both axes logarithmic, either world's alarm; gives values on hover."""
    x = np.logspace(np.log10(RAREST), 0, 300)
    pointed: list[svg.Pointed] = []
    for at, one in enumerate(_drawn_of(document)):
        y = _either(one.profile, x)
        axes.plot(x, y, **_style(one))
        if at < 2:
            step = len(x) // MOST_POINTED
            pointed += _rate_values(one.name, x[::step], y[::step])
    axes.plot([RAREST, 1], [RAREST, 1], ":", color=FAINT, linewidth=1, label="nothing leaks")
    axes.grid(visible=True)
    axes.set(xlabel="false positives", ylabel="true positives", xscale="log", yscale="log")
    axes.set(xlim=(RAREST, 1), ylim=(RAREST, 1))
    svg.legend(figure, axes)
    return pointed


def leakage_svg(rounds: Sequence[tuple[int, float]]) -> str:
    """How well the release of each round alone tells the worlds apart, as an SVG element.

    Args:
        rounds: Each round, and the total variation of its release in the worst case.
    """
    from matplotlib.ticker import MaxNLocator  # here, for matplotlib is slow to import

    with svg.empty_axes() as (figure, axes):
        at, height = [t for t, _ in rounds], [value for _, value in rounds]
        each = len(rounds) <= MOST_BARS
        if each:
            axes.bar(at, height, color=ADAPTIVE, width=0.6)
        else:
            axes.fill_between(at, height, step="mid", color=ADAPTIVE, linewidth=0)
        named = {f"{svg.POINTED}{i}": f"round {t}: {v:.6g}" for i, (t, v) in enumerate(rounds) if each}
        for gid, bar in zip(named, axes.patches, strict=False):
            bar.set_gid(gid)
        axes.grid(visible=True, axis="y")
        axes.set_axisbelow(True)
        axes.set(xlabel="round", ylabel="total variation", ylim=(0, max(1.1 * max(height), 1e-9)))
        axes.set(xlim=(at[0] - 0.6, at[-1] + 0.6))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        words = f"One bar a round, from round {at[0]} to {at[-1]}; the highest is {max(height):.6g}."
        return svg.inline(figure, "leakage", "Leakage of each round by itself", words, values=named)


def rounds_svg(curves: Sequence[LetteredCurve], name: str) -> str:
    """A few one-round power functions by letter, as a small SVG element with ids under `name`."""
    with svg.empty_axes(SMALL) as (figure, axes):
        axes.plot([0, 1], [0, 1], ":", color=FAINT, linewidth=1)
        for i, (curve, colour, stroke) in enumerate(zip(curves, ROUNDS, STROKES, strict=False)):
            width = 2.8 - 0.9 * i if len(curves) <= 2 else 2.6 - 0.25 * i
            axes.plot(*curve.profile.points(), linestyle=stroke, color=colour, linewidth=width, label=curve.letter)
        axes.grid(visible=True)
        axes.set(xlabel="probability in world 0", ylabel="probability in world 1", xlim=(0, 1), ylim=(0, 1))
        axes.set_aspect("equal")
        svg.legend(figure, axes)
        letters = ", ".join(curve.letter for curve in curves)
        said = f"{ROUNDS_WORDS} Their vertices are listed below."
        return svg.inline(figure, name, f"Power functions {letters}", said)


def lines_svg(figure: Mapping[str, Any], name: str) -> str:
    """The curves of a section, told apart by colour and stroke, each named below, as an SVG element.

    Args:
        figure: {"x": words, "y": words, "logarithmic": bool, "curves": [{"name": words, "points": [[x, y], ...]}]}, x
            and y numbers or rationals in text.
        name: What ids in it begin with.
    """
    with svg.empty_axes() as (picture, axes):
        for curve, colour, stroke in zip(figure["curves"], cycle(ROUNDS), cycle(STROKES)):
            x, y = zip(*((_coordinate(a), _coordinate(b)) for a, b in curve["points"]), strict=True)
            mark = "o" if len(x) == 1 else ""  # a single point has no line to be seen by
            axes.plot(x, y, linestyle=stroke, color=colour, linewidth=1.8, marker=mark, label=plain(curve["name"]))
        if figure.get("logarithmic"):
            axes.set(xscale="log", yscale="log")
        axes.grid(visible=True)
        axes.set(xlabel=plain(figure["x"]), ylabel=plain(figure["y"]))
        svg.legend(picture, axes)
        names = ", ".join(plain(curve["name"]) for curve in figure["curves"])
        said = f"{plain(figure['y'])} against {plain(figure['x'])}"
        return svg.inline(picture, name, said, f"Curves: {names}.")


def _drawn_of(document: Mapping[str, Any]) -> Iterator[Drawn]:
    """Adaptive, fixed stream, and the mechanism's own bound where there is one: each by colour, stroke and width."""
    name = "fixed stream, at least" if "lower" in document["fixed_stream"] else "fixed stream"
    yield Drawn("adaptive", Profile.of(document["adaptive"]), ADAPTIVE, "-", 2.4)
    yield Drawn(name, Profile.of(known(document["fixed_stream"])), FIXED, "--", 1.5)
    bound = document["bound"] or {}
    if bound.get("power"):
        yield Drawn("proven bound", Profile.of(bound), ROUNDS[0], "-.", 1.3)


def _style(one: Drawn) -> dict[str, Any]:
    return {"linestyle": one.stroke, "color": one.colour, "linewidth": one.width, "label": one.name}


def _filled(axes: "Axes", first: Drawn, second: Drawn) -> None:
    """Shades what lies between the first two curves."""
    upper, lower = first.profile.points(), second.profile.points()
    x = np.union1d(upper[0], lower[0])
    axes.fill_between(x, np.interp(x, *lower), np.interp(x, *upper), color=first.colour, alpha=0.15, linewidth=0)


def _either(profile: Profile, x: Floats) -> Floats:
    """The larger of the power functions of both orders at each x."""
    u, v = profile.points()
    return np.asarray(np.maximum(np.interp(x, u, v), np.interp(x, 1 - v[::-1], 1 - u[::-1])))


def _profile_values(one: Drawn, asked: Iterable[float], along: Iterable[float], low: float) -> list[svg.Pointed]:
    at = np.array(sorted({*asked, *map(float, along)}))
    said = f"{one.name}: δ = {{:.6g}} at ε = {{:.6g}} (e^ε = {{:.6g}})"
    return [
        svg.Pointed(float(np.log(e)), float(d), said.format(d, np.log(e), e))
        for e, d in zip(at, one.profile.deltas(at), strict=True)
        if d >= low
    ]


def _rate_values(name: str, x: Floats, y: Floats) -> list[svg.Pointed]:
    return [
        svg.Pointed(float(a), float(b), f"{name}: {100 * b:.4g} % true at {100 * a:.4g} % false positives")
        for a, b in zip(x, y, strict=True)
    ]


def _above(delta: Floats, low: float) -> Floats:
    """What lies below a logarithmic axis goes down to just below its edge, where it is cut off."""
    return np.asarray(np.maximum(delta, low / 10))


def _decades(drawn: Iterable[Drawn], at: Floats, named: Iterable[float]) -> tuple[float, float]:
    """The powers of ten between which delta is drawn: what was asked for stands within, and three decades at least."""
    met = [float(d) for one in drawn for d in one.profile.deltas(np.array([1.0, *at]))]
    positive = [d for d in (*met, *named) if d >= LEAST_DELTA_DRAWN]
    high = max(positive, default=1.0)
    low = min([*positive, high / 1e3])
    return float(10.0 ** np.floor(np.log10(low) - 0.05)), float(min(1.0, 10.0 ** np.ceil(np.log10(high))))


def _coordinate(number: object) -> float:
    """A coordinate in floating point; not a number past its range, which leaves the point out."""
    value = parse(str(number), "point")
    return float(value) if abs(value) < BEYOND else float("nan")


def _float(delta: Mapping[str, Any]) -> float:
    """e^epsilon in floating point, infinite past its range."""
    value = parse(delta["exp_epsilon"], "exp_epsilon")
    return float(value) if value < STEEPEST_DRAWN else float("inf")


def _end(profile: Profile) -> float:
    """Where the picture stops: delta has all but reached its limit."""
    e = np.exp2(np.linspace(0, 60, 1201))
    delta = profile.deltas(e)
    limit = delta[-1]
    if delta[0] - limit <= 0:
        return DEFAULT_END
    return float(e[int(np.argmax(delta - limit <= NEGLIGIBLE * (delta[0] - limit)))] ** 1.08)


def _exp_ticks(axes: "Axes", end: float) -> None:
    """A second scale on top, in e^epsilon."""
    from dpcert.audit.render.layout import TO_NUMBERS, TO_WORDS
    from dpcert.audit.render.ticks import on_top

    ticks: list[float] = []
    for value in (*NICE, *(10.0**k for k in range(3, 19))):
        if value <= end and (not ticks or np.log(value / ticks[-1]) > 0.09 * np.log(end)):
            ticks.append(value)
    on_top(axes, [float(np.log(t)) for t in ticks], ticks, "e^ε", TO_NUMBERS, TO_WORDS)


def _profile_words(document: Mapping[str, Any]) -> str:
    held = document["lifts"]["curve"].get("verdict") == "HOLDS"
    where = "They coincide." if held else "The adaptive curve never lies below."
    return (
        f"Falling curves on a logarithmic axis, adaptive solid and fixed stream dashed. {where} Marks stand at the "
        "values asked for; where δ is 0 a curve leaves the picture at the bottom."
    )
