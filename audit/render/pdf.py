"""The pictures of a report as PDF: vectors, of the same bytes whenever the same matplotlib draws the same record."""

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dpcert.audit.render.drawing import DrawnShape, Line, Part, Words, parts
from dpcert.audit.render.figures import power_picture, profile_picture, rare_picture
from dpcert.audit.render.layout import Layout, laid_out
from dpcert.audit.render.picture import INK, Picture
from dpcert.audit.render.ticks import FONT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METADATA = {"Creator": "dpcert", "Producer": "dpcert", "CreationDate": None}
"""No date, and no version: they would be all that changes."""
FIGURES: Mapping[str, Callable[[Mapping[str, Any]], Picture]] = {
    "profile": profile_picture,
    "power": power_picture,
    "rare-alarms": rare_picture,
}
"""Name of a figure -> how it is drawn."""
SETTINGS: Any = {"font.size": FONT, "font.family": "DejaVu Sans", "text.parse_math": False, "text.color": INK}
"""Names of curves may be anybody's, and are no formulas."""
POINTS_AN_INCH = 72
"""Of PDF and of figures."""


def figure_pdf(name: str, document: Mapping[str, Any]) -> bytes:
    """A figure of a record, one page.

    Args:
        name: Of those in FIGURES.
        document: The record's document.
    """
    from matplotlib import rc_context, style  # slow to import, and for this alone
    from matplotlib.figure import Figure

    picture = FIGURES[name](document)
    layout = laid_out(picture)
    with style.context("default"), rc_context(SETTINGS):
        figure = Figure(figsize=(layout.width / POINTS_AN_INCH, layout.height / POINTS_AN_INCH), dpi=POINTS_AN_INCH)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(0, layout.width), ylim=(layout.height, 0))
        for order, part in enumerate(parts(picture, layout)):
            _draw(axes, part, layout, order)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="pdf", transparent=True, metadata=METADATA)
    return buffer.getvalue()


def _draw(axes: "Axes", part: Part, layout: Layout, order: int) -> None:
    """One part in points, above those before it."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, Polygon, Rectangle

    if isinstance(part, Words):
        side = {"start": "left", "middle": "center", "end": "right"}[part.anchor]
        turn = 90 if part.turned else 0
        axes.text(
            part.x, part.y, part.text, ha=side, va="baseline", rotation=turn, rotation_mode="anchor", zorder=order
        )
        return
    if isinstance(part, DrawnShape) and not part.colour:  # seen by a pointer alone
        return
    artist: Any
    if isinstance(part, Line):
        cap: Any = "butt" if part.dash or part.blunt else "projecting"
        artist = Line2D(*zip(*part.points, strict=True), color=part.colour, linewidth=part.width, alpha=part.opacity)
        artist.set(linestyle=(0, part.dash) if part.dash else "-", solid_capstyle=cap, solid_joinstyle="round")
        axes.add_line(artist)
    else:
        made: Any = Circle(part.corners[0], part.radius) if part.radius else Polygon(part.corners)
        made.set(facecolor=part.colour, alpha=part.opacity, linewidth=part.edge, edgecolor=part.colour)
        artist = axes.add_patch(made)
    artist.set_zorder(order)
    across, up = layout.across, layout.up
    box = Rectangle((across.first, up.last), across.last - across.first, up.first - up.last, transform=axes.transData)
    artist.set_clip_path(box if part.clipped else None)
    artist.set_clip_on(part.clipped)
