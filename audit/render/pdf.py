"""The pictures of a report as PDF: vectors, of the same bytes whenever the same matplotlib draws the same record."""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpcert.audit.render.figures import draw_power, draw_profile, draw_rare
from dpcert.audit.render.layout import fit
from dpcert.audit.render.svg import Pointed, empty_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METADATA = {"Creator": "dpcert", "Producer": "dpcert", "CreationDate": None}
"""No date, and no version: they would be all that changes."""
FIGURES: Mapping[str, Callable[["Figure", "Axes", Mapping[str, Any]], Sequence[Pointed]]] = {
    "profile": draw_profile,
    "power": draw_power,
    "rare-alarms": draw_rare,
}
"""Name of a figure -> how it is drawn."""


def figure_pdf(name: str, document: Mapping[str, Any]) -> bytes:
    """A figure of a record, one page.

    Args:
        name: Of those in FIGURES.
        document: The record's document.
    """
    with empty_axes() as (figure, axes):
        FIGURES[name](figure, axes, document)
        fit(figure, axes)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="pdf", transparent=True, metadata=METADATA)
    return buffer.getvalue()
