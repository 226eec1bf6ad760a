"""How a picture becomes inline SVG: our settings, a legend that stands clear, colours as variables, values on hover."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    "svg.fonttype": "none", "svg.hashsalt": "dpcert", "font.size": 9, "font.family": "DejaVu Sans",
    "text.parse_math": False,  # names of curves may be anybody's
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.linewidth": 0.7, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "figure.constrained_layout.h_pad": 0.08, "grid.color": FAINT, "grid.linewidth": 0.4, "grid.alpha": 0.5,
}  # fmt: skip
SIZE = (4.3, 3.4)
LETTER_WIDTH, KEY_WIDTH, ROW_HEIGHT = 0.07, 0.75, 0.2
"""Inches: the width of a letter and of a stroke in a legend, and the height of its rows."""
NO_VALUES: Mapping[str, str] = MappingProxyType({})
POINTED = "hover-"
"""What the gid of a mark begins with that says its value on hover."""


@contextmanager
def empty_axes(size: tuple[float, float] = SIZE) -> Iterator[tuple["Figure", "Axes"]]:
    """An empty picture under our settings alone; matplotlib is slow to import, so only a picture pays for it."""
    from matplotlib import rc_context, style
    from matplotlib.figure import Figure

    with style.context("default"), rc_context(SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        yield figure, figure.add_subplot()


def legend(figure: "Figure", axes: "Axes") -> None:
    """Names the curves below the picture, where none of them runs, and makes room for the names."""
    handles, names = axes.get_legend_handles_labels()
    if not names:
        return
    width, height = figure.get_size_inches()
    columns = max(1, min(len(names), int(width / (max(map(len, names)) * LETTER_WIDTH + KEY_WIDTH))))
    figure.set_size_inches(width, height + ROW_HEIGHT * (1 + (len(names) - 1) // columns))
    figure.legend(handles, names, loc="outside lower left", ncols=columns, handlelength=3.2)


def pointed(axes: "Axes", points: Sequence[tuple[float, float]], values: Sequence[str], first: int) -> dict[str, str]:
    """Marks that are not seen but say their value on hover; gives what `inline` needs to know of them."""
    ids = [f"{POINTED}{number}" for number in range(first, first + len(points))]
    for (x, y), gid in zip(points, ids, strict=True):
        axes.plot([x], [y], "o", markersize=9, alpha=0, gid=gid, clip_on=True)
    return dict(zip(ids, values, strict=True))


def inline(figure: "Figure", name: str, title: str, description: str, values: Mapping[str, str] = NO_VALUES) -> str:
    """The picture as an <svg> element for HTML: no prolog, no metadata, ids of its own, colours as variables.

    Args:
        figure: What was drawn.
        name: What ids in it begin with.
        title: Its name.
        description: What it shows, for whoever does not see it.
        values: What marks say on hover, by their gid.
    """
    from dpcert.audit.render.ticks import plain_ticks

    plain_ticks(figure.axes[0])
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", transparent=True)
    root = ElementTree.fromstring(buffer.getvalue())
    for element in list(root.iter()):
        if (value := values.get(element.get("id", ""))) is not None:
            _say_on_hover(element, value)
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


def _say_on_hover(element: ElementTree.Element, value: str) -> None:
    """A value on an element: one that stands for a mark becomes a circle that is not seen."""
    marks = [one for one in element.iter() if one.tag.endswith("}use")]
    if marks:
        x, y = (marks[0].get(name, "0") for name in ("x", "y"))
        element.clear()
        element.tag, element.attrib = "circle", {"cx": x, "cy": y, "r": "6", "fill": "transparent"}
    said = ElementTree.Element("title")
    said.text = value
    element.insert(0, said)


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
