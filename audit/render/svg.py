"""The pictures of a report as inline SVG: delta against epsilon, the power functions, and those of single rounds."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from dpcert.audit.algebra.rational import parse
from dpcert.audit.render.cells import plain
from dpcert.audit.render.profile import Floats, Profile, known
from dpcert.audit.render.rounds import LetteredCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Line = tuple[Floats, Floats]
INK, FAINT, ADAPTIVE, FIXED = "#1b2430", "#a8b0ba", "#0072b2", "#d55e00"
ROUNDS = ("#00745a", "#b5467f", "#8a6a00", "#3b4fb8", "#a33b1f", "#5a6676")
STROKES = ("-", "--", "-.", (0, (6, 1.5)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 1.2)))
"""Curves of single rounds are told apart by colour, by stroke and by width, so that one shows below another."""
VARIABLES = {INK: "--ink", FAINT: "--faint", ADAPTIVE: "--adaptive", FIXED: "--fixed"} | {
    colour: f"--round-{i}" for i, colour in enumerate(ROUNDS, 1)
}
"""Colours that a style sheet can change through these variables; blue and vermilion differ for every kind of sight."""
SETTINGS: Any = {
    "svg.fonttype": "none", "svg.hashsalt": "dpcert", "font.size": 9, "font.family": "DejaVu Sans",
    "text.parse_math": False,  # names of curves may be anybody's
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.linewidth": 0.7, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "grid.color": FAINT, "grid.linewidth": 0.4, "grid.alpha": 0.5,
}  # fmt: skip
POWER_WORDS = (
    "Concave curves from (0, 0) to (1, 1), adaptive solid and fixed stream dashed. The further a curve lies above the "
    "diagonal, the better the two worlds can be told apart."
)
SIZE = (4.3, 3.4)
SMALL = (3.1, 2.6)
ROUNDS_WORDS = "Concave curves from (0, 0) to (1, 1), each of the release of one round alone, above a dotted diagonal."
NICE = (1.0, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
NEGLIGIBLE = 0.01
"""The share of a curve's fall that is left where the figure's axis ends."""
STEEPEST_DRAWN = 2.0**60
"""e^epsilon past which a figure takes a slope for infinite."""
DEFAULT_END = 10.0
BEYOND = 10**150
"""Coordinates that are not drawn: powers of ten beyond them, where ticks could stand, have to fit into a float."""
LETTER_WIDTH, KEY_WIDTH, ROW_HEIGHT = 0.07, 0.75, 0.2
"""Inches: the width of a letter and of a stroke in a legend, and the height of its rows."""


def profile_svg(document: Mapping[str, Any]) -> str:
    """delta against epsilon, adaptive and fixed stream, as an SVG element."""
    with empty_axes() as (figure, axes):
        draw_profile(figure, axes, document)
        return _inline(figure, "profile", "δ against ε", _profile_words(document))


def draw_profile(figure: "Figure", axes: "Axes", document: Mapping[str, Any]) -> None:
    """delta against epsilon, adaptive and fixed stream, with marks at the values asked for."""
    adaptive, fixed = Profile.of(document["adaptive"]), Profile.of(known(document["fixed_stream"]))
    end = _end(adaptive)
    e = np.exp(np.linspace(0, np.log(end), 400))
    _pair(axes, document, (np.log(e), adaptive.deltas(e)), (np.log(e), fixed.deltas(e)))
    asked = np.array([s for s in map(_float, document["adaptive"]["delta"]) if s <= end])
    for curve, colour, mark in ((adaptive, ADAPTIVE, "o"), (fixed, FIXED, "s")):
        if len(asked):
            axes.plot(np.log(asked), curve.deltas(asked), mark, color=colour, markersize=3.5, clip_on=False)
    axes.set(xlabel="ε", ylabel="δ", xlim=(0, np.log(end)), ylim=(0, None))
    _exp_ticks(axes, end)
    _legend(figure, axes)


def power_svg(document: Mapping[str, Any]) -> str:
    """Both power functions, world 0 on the x-axis, as an SVG element."""
    with empty_axes() as (figure, axes):
        draw_power(figure, axes, document)
        return _inline(figure, "power", "Power functions", POWER_WORDS)


def draw_power(figure: "Figure", axes: "Axes", document: Mapping[str, Any]) -> None:
    """Both power functions, world 0 on the x-axis, above the diagonal."""
    adaptive, fixed = Profile.of(document["adaptive"]), Profile.of(known(document["fixed_stream"]))
    _pair(axes, document, adaptive.points(), fixed.points())
    axes.plot([0, 1], [0, 1], ":", color=FAINT, linewidth=1, label="nothing leaks")
    axes.set(xlabel="probability in world 0", ylabel="probability in world 1", xlim=(0, 1), ylim=(0, 1))
    _legend(figure, axes)


def rounds_svg(curves: Sequence[LetteredCurve], name: str) -> str:
    """A few one-round power functions by letter, as a small SVG element with ids under `name`."""
    with empty_axes(SMALL) as (figure, axes):
        axes.plot([0, 1], [0, 1], ":", color=FAINT, linewidth=1)
        for i, (curve, colour, stroke) in enumerate(zip(curves, ROUNDS, STROKES, strict=False)):
            width = 2.8 - 0.9 * i if len(curves) <= 2 else 2.6 - 0.25 * i
            axes.plot(*curve.profile.points(), linestyle=stroke, color=colour, linewidth=width, label=curve.letter)
        axes.grid(visible=True)
        axes.set(xlabel="probability in world 0", ylabel="probability in world 1", xlim=(0, 1), ylim=(0, 1))
        axes.set_aspect("equal")
        _legend(figure, axes)
        letters = ", ".join(curve.letter for curve in curves)
        return _inline(figure, name, f"Power functions {letters}", f"{ROUNDS_WORDS} Their vertices are listed below.")


def lines_svg(figure: Mapping[str, Any], name: str) -> str:
    """The curves of a section, told apart by colour and stroke, each named below, as an SVG element.

    Args:
        figure: {"x": words, "y": words, "logarithmic": bool, "curves": [{"name": words, "points": [[x, y], ...]}]}, x
            and y numbers or rationals in text.
        name: What ids in it begin with.
    """
    with empty_axes() as (picture, axes):
        for curve, colour, stroke in zip(figure["curves"], cycle(ROUNDS), cycle(STROKES)):
            x, y = zip(*((_drawn(a), _drawn(b)) for a, b in curve["points"]), strict=True)
            axes.plot(x, y, linestyle=stroke, color=colour, linewidth=1.8, label=plain(curve["name"]))
        if figure.get("logarithmic"):
            axes.set(xscale="log", yscale="log")
        axes.grid(visible=True)
        axes.set(xlabel=plain(figure["x"]), ylabel=plain(figure["y"]))
        _legend(picture, axes)
        names = ", ".join(plain(curve["name"]) for curve in figure["curves"])
        return _inline(picture, name, f"{plain(figure['y'])} against {plain(figure['x'])}", f"Curves: {names}.")


def _pair(axes: "Axes", document: Mapping[str, Any], adaptive: Line, fixed: Line) -> None:
    """Both curves, told apart by colour and by line style, and what lies between them."""
    x = np.union1d(adaptive[0], fixed[0])
    axes.fill_between(x, np.interp(x, *fixed), np.interp(x, *adaptive), color=ADAPTIVE, alpha=0.15, linewidth=0)
    axes.plot(*adaptive, "-", color=ADAPTIVE, linewidth=2.4, label="adaptive")
    name = "fixed stream, at least" if "lower" in document["fixed_stream"] else "fixed stream"
    axes.plot(*fixed, "--", color=FIXED, linewidth=1.5, label=name)
    axes.grid(visible=True)


def _legend(figure: "Figure", axes: "Axes") -> None:
    """Names the curves below the picture, where none of them runs, and makes room for the names."""
    handles, names = axes.get_legend_handles_labels()
    if not names:
        return
    width, height = figure.get_size_inches()
    columns = max(1, min(len(names), int(width / (max(map(len, names)) * LETTER_WIDTH + KEY_WIDTH))))
    figure.set_size_inches(width, height + ROW_HEIGHT * (1 + (len(names) - 1) // columns))
    figure.legend(handles, names, loc="outside lower left", ncols=columns, handlelength=3.2)


def _drawn(number: object) -> float:
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
    """A second axis on top, in e^epsilon."""
    from dpcert.audit.render.ticks import tick

    top = axes.secondary_xaxis("top")
    ticks: list[float] = []
    for value in (*NICE, *(10.0**k for k in range(3, 19))):
        if value <= end and (not ticks or np.log(value / ticks[-1]) > 0.09 * np.log(end)):
            ticks.append(value)
    top.set_xticks([float(np.log(t)) for t in ticks], [tick(t) for t in ticks])
    top.set_xlabel("e^ε")
    top.spines["top"].set_visible(True)


def _profile_words(document: Mapping[str, Any]) -> str:
    held = document["lifts"]["curve"].get("verdict") == "HOLDS"
    where = "They coincide." if held else "The adaptive curve never lies below; the area between the two is shaded."
    return f"Falling curves, adaptive solid and fixed stream dashed. {where} Marks stand at the values asked for."


@contextmanager
def empty_axes(size: tuple[float, float] = SIZE) -> Iterator[tuple["Figure", "Axes"]]:
    """An empty picture under our settings alone; matplotlib is slow to import, so only a picture pays for it."""
    from matplotlib import rc_context, style
    from matplotlib.figure import Figure

    with style.context("default"), rc_context(SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        yield figure, figure.add_subplot()


def _inline(figure: "Figure", name: str, title: str, description: str) -> str:
    """The picture as an <svg> element for HTML: no prolog, no metadata, ids of its own, colours as variables."""
    from dpcert.audit.render.ticks import plain_ticks

    plain_ticks(figure.axes[0])
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", transparent=True)
    root = ElementTree.fromstring(buffer.getvalue())
    used = set(re.findall(r"#([\w-]+)", buffer.getvalue().decode()))
    _tidy(root, name, used)
    root.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "aria-labelledby": f"{name}-title {name}-desc"}
    for position, (tag, words) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(tag, {"id": f"{name}-{tag}"})
        element.text = words
        root.insert(position, element)
    text = ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, f"var({variable}, {colour})")
    return text


def _tidy(element: ElementTree.Element, name: str, used: set[str]) -> None:
    """Drops namespaces, metadata and unused ids; prefixes the ids that stay and what refers to them."""
    element.tag = element.tag.rpartition("}")[2]
    kept = {}
    for key, value in element.attrib.items():
        bare = key.rpartition("}")[2]
        if bare == "id":
            if value in used:
                kept[bare] = f"{name}-{value}"
            continue
        pointing = value.startswith("#") or "url(#" in value
        kept[bare] = value.replace("#", f"#{name}-") if pointing else value
    element.attrib = kept
    for child in list(element):
        if child.tag.rpartition("}")[2] == "metadata":
            element.remove(child)
        else:
            _tidy(child, name, used)
