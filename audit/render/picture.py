"""A picture before anything draws it: curves, marks, bars and axes, in the coordinates of the data."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from dpcert.audit.frozen import frozen

Dash = tuple[float, ...]
"""Lengths of strokes and gaps in turn, in widths of the line; empty for a whole line."""
INK, FAINT, ADAPTIVE, FIXED = "#1b2430", "#a8b0ba", "#0072b2", "#d55e00"
ROUNDS = ("#00745a", "#b5467f", "#8a6a00", "#3b4fb8", "#a33b1f", "#5a6676")
SOLID: Dash = ()
DASHED: Dash = (3.7, 1.6)
"""Strokes of a dashed line."""
DASH_DOT: Dash = (6.4, 1.6, 1.0, 1.6)
"""Strokes and dots in turn."""
DOTTED: Dash = (1.0, 1.65)
"""Dots."""
SIZE = (309.6, 244.8)
"""Points: width and height, without the names below."""


@frozen
class DrawnCurve:
    """A line through points, or marks at them.

    Attributes:
        x, y: The points.
        colour: Of the line and of the marks.
        width: Of the line, in points; 0 for marks alone.
        dash: How it is broken.
        name: What it is called below the picture; empty for nothing.
        mark: The mark at each point: one of o, s, X, P, D, ^, v, *; empty for none.
        size: Of the marks, in points.
        clipped: Whether what lies beyond the axes is cut off.
    """

    x: Sequence[float]
    y: Sequence[float]
    colour: str
    width: float = 1.0
    dash: Dash = SOLID
    name: str = ""
    mark: str = ""
    size: float = 6.0
    clipped: bool = True


@frozen
class Area:
    """What lies between two curves over the same x.

    Attributes:
        x, low, high: The curves.
        colour: Of the area.
        opacity: From 0 to 1.
        value: What it says on hover; empty for nothing.
    """

    x: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    colour: str
    opacity: float = 1.0
    value: str = ""


@frozen
class Axis:
    """One of the two axes.

    Attributes:
        name: What stands beside it.
        ends: Its ends; None for those of the data and a little more.
        logarithmic: Whether its scale is.
        whole: Whether only whole numbers stand beside it.
        lines: Whether lines cross the picture at its numbers.
    """

    name: str
    ends: tuple[float, float] | None = None
    logarithmic: bool = False
    whole: bool = False
    lines: bool = True


@frozen
class CurvePoint:
    """A point of a curve, in the data's coordinates, that says its value on hover."""

    x: float
    y: float
    value: str


@frozen
class Picture:
    """All that is drawn.

    Attributes:
        across, up: The axes.
        curves: Lines and marks, the lowest first.
        areas: What is below them.
        points: Points that say their value on hover.
        above: Places of a second scale on top, in the data's coordinates -> the numbers there; empty for none.
        above_name: What that is called.
        square: Whether one unit is as long on both axes.
        size: Width and height in points.
    """

    across: Axis
    up: Axis
    curves: Sequence[DrawnCurve] = ()
    areas: Sequence[Area] = ()
    points: Sequence[CurvePoint] = ()
    above: Mapping[float, float] = field(default_factory=dict)
    above_name: str = ""
    square: bool = False
    size: tuple[float, float] = SIZE

    @property
    def named(self) -> list[DrawnCurve]:
        """The curves that have names."""
        return [curve for curve in self.curves if curve.name]
