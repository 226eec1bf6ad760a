"""Where the axes of a picture stand: margins are known from the words and numbers beside them, so it is drawn once."""

from typing import TYPE_CHECKING

from dpcert.audit.render.ticks import FONT, LONG, plain_ticks, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAD = 4.0
"""Points: the space around a picture."""
LINE = 1.2 * FONT
"""Points: the height of a line of words or numbers."""
TO_NUMBERS = LONG["markersize"] + 3.5
"""Points: from the axes to the numbers."""
TO_WORDS = TO_NUMBERS + LINE + 2
"""Points: from the axes to the words above or below the numbers."""


def fit(figure: "Figure", axes: "Axes") -> None:
    """Fixes the ticks, and moves the axes within the space they have been given so that all beside them has room.

    Args:
        figure: The picture, at 72 points an inch.
        axes: Its axes, placed where there is room for them with their numbers and words.
    """
    whole, space = figure.bbox, axes.get_position()
    above = TO_WORDS + LINE if axes.spines["top"].get_visible() else LINE / 2
    left, right = space.x0 * whole.width + PAD, space.x1 * whole.width - PAD
    bottom, top = space.y0 * whole.height + PAD + TO_WORDS + LINE, space.y1 * whole.height - PAD - above

    def place() -> None:
        edges = (left / whole.width, bottom / whole.height, (right - left) / whole.width, (top - bottom) / whole.height)
        axes.set_position(edges)

    place()
    numbers = plain_ticks(axes, axes.yaxis)
    left += LINE + 4 + max((width(name) for _, name in numbers), default=0.0) + TO_NUMBERS
    place()
    numbers = plain_ticks(axes, axes.xaxis)
    ends = axes.transData.transform([(at, axes.get_ylim()[1]) for at, _ in numbers] or [(0, 1)])[:, 0]
    beyond = (end + width(name) / 2 - right for end, (_, name) in zip(ends, numbers, strict=False))
    right -= max(0.0, *beyond)
    place()
