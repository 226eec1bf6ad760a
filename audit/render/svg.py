"""How a picture becomes inline SVG: our settings, a legend that stands clear, colours as variables, values on hover."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, FAINT, ADAPTIVE, FIXED = "#1b2430", "#a8b0ba", "#0072b2", "#d55e00"
ROUNDS = ("#00745a", "#b5467f", "#8a6a00", "#3b4fb8", "#a33b1f", "#5a6676")
VARIABLES = {INK: "--ink", FAINT: "--faint", ADAPTIVE: "--adaptive", FIXED: "--fixed"} | {
    colour: f"--round-{i}" for i, colour in enumerate(ROUNDS, 1)
}
"""Colours that a style sheet can change through these variables; blue and vermilion differ for every kind of sight."""
SETTINGS: Any = {
    "svg.fonttype": "none", "svg.hashsalt": "dpcert", "font.size": 9.0, "font.family": "DejaVu Sans",
    "text.parse_math": False,  # names of curves may be anybody's
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.linewidth": 0.7, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "grid.color": FAINT, "grid.linewidth": 0.4, "grid.alpha": 0.5,
}  # fmt: skip
SIZE = (4.3, 3.4)
POINTS = 72
"""Points an inch: the resolution that SVG is written at, so that nothing is measured at another."""
AT_THE_EDGE = 0.01
"""Points: how far beside the axes a point may come to stand by rounding and still be on them."""
LETTER_WIDTH, KEY_WIDTH, ROW_HEIGHT = 0.07, 0.75, 0.21
"""Inches: the width of a letter and of a stroke in a legend, and the height of its rows."""
LEGEND_EDGES = 0.15
"""Inches: what a legend takes above and below its rows."""
NO_VALUES: Mapping[str, str] = MappingProxyType({})
POINTED = "hover-"
"""What the gid of an artist begins with that says its value on hover."""


@dataclass(frozen=True)
class Pointed:
    """A point of a curve, in the data's coordinates, that says its value on hover."""

    x: float
    y: float
    value: str


@contextmanager
def empty_axes(size: tuple[float, float] = SIZE) -> Iterator[tuple["Figure", "Axes"]]:
    """An empty picture under our settings alone; matplotlib is slow to import, so only a picture pays for it."""
    from matplotlib import rc_context, style
    from matplotlib.figure import Figure

    with style.context("default"), rc_context(SETTINGS):
        figure = Figure(figsize=size, dpi=POINTS)
        yield figure, figure.add_axes((0, 0, 1, 1))


def legend(figure: "Figure", axes: "Axes") -> None:
    """Names the curves below the picture, where none of them runs, and makes room for the names.

    The axes are left what stands above: `fit` places them there.
    """
    handles, names = axes.get_legend_handles_labels()
    if not names:
        return
    width, height = figure.get_size_inches()
    columns = max(1, min(len(names), int(width / (max(map(len, names)) * LETTER_WIDTH + KEY_WIDTH))))
    room = ROW_HEIGHT * -(-len(names) // columns) + LEGEND_EDGES
    figure.set_size_inches(width, height + room)
    axes.set_position((0, room / (height + room), 1, height / (height + room)))
    figure.legend(
        handles, names, loc="lower left", ncols=columns, handlelength=3.2, bbox_to_anchor=(0, 0), borderaxespad=0.4
    )


def inline(
    figure: "Figure",
    name: str,
    title: str,
    description: str,
    pointed: Sequence[Pointed] = (),
    values: Mapping[str, str] = NO_VALUES,
) -> str:
    """The picture as an <svg> element for HTML: no prolog, no metadata, ids of its own, colours as variables.

    Args:
        figure: What was drawn.
        name: What ids in it begin with.
        title: Its name.
        description: What it shows, for whoever does not see it.
        pointed: Points of its curves that say their values on hover.
        values: What artists say on hover, by their gid.
    """
    from dpcert.audit.render.layout import fit

    axes = figure.axes[0]
    fit(figure, axes)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", transparent=True)
    root = ElementTree.fromstring(buffer.getvalue())
    for element in list(root.iter()):
        if (value := values.get(element.get("id", ""))) is not None:
            element.insert(0, _title(value))
    root.extend(_circles(figure, axes, pointed))
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


def _title(words: str) -> ElementTree.Element:
    """What an element says on hover."""
    element = ElementTree.Element("title")
    element.text = words
    return element


def _circles(figure: "Figure", axes: "Axes", pointed: Sequence[Pointed]) -> Iterator[ElementTree.Element]:
    """Circles that are not seen, where the points are drawn; a point that is not has none."""
    if not pointed:
        return
    top = figure.bbox.height
    for one, (x, y) in zip(pointed, axes.transData.transform([(one.x, one.y) for one in pointed]), strict=True):
        if axes.bbox.padded(AT_THE_EDGE).contains(x, y):
            at = {"cx": f"{x:.6g}", "cy": f"{top - y:.6g}", "r": "6", "fill": "transparent"}
            circle = ElementTree.Element("circle", at)
            circle.append(_title(one.value))
            yield circle


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
