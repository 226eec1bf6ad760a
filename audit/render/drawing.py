"""A picture as lines, shapes and words at their places in points: what is written is the same, whatever writes it."""

from collections.abc import Iterator, Sequence
from math import cos, hypot, isnan, nan, pi, sin

from dpcert.audit.frozen import frozen
from dpcert.audit.render.floats import Floats
from dpcert.audit.render.layout import (
    KEY_WIDTH,
    LEGEND_EDGES,
    LETTER_WIDTH,
    LINE,
    NAMED_TICK,
    OTHER_TICK,
    PAD,
    ROW_HEIGHT,
    TO_NUMBERS,
    TO_WORDS,
    Layout,
)
from dpcert.audit.render.picture import FAINT, INK, Dash, DrawnCurve, Picture
from dpcert.audit.render.ticks import FONT, Ticks, tick

Point = tuple[float, float]
ASCENT, MIDDLE, DESCENT = 0.76 * FONT, 0.38 * FONT, 2.2
"""Points: from the upper edge of letters down to the line they stand on, from their middle, and from there down."""
KEY, KEY_GAP, EDGE = 28.8, 7.2, 7.2
"""Points: the length of a stroke in a legend, what is between it and its name, and left of all of them."""
STRAIGHT = 0.03
"""Points: how far from a straight line corners may lie that are left out."""
AT_THE_EDGE = 0.01
"""Points: how far beside the axes a point may come to stand by rounding and still be on them."""
HOVERED = 6.0
"""Points: how near to a point of a curve its value is said."""


@frozen
class Line:
    """A line through points; one that has no place breaks it.

    Attributes:
        points: Where it goes.
        colour, width, dash, opacity: How it is drawn.
        clipped: Whether it ends where the axes do.
        blunt: Whether it ends at its last point, and not half its width beyond.
    """

    points: Sequence[Point]
    colour: str
    width: float
    dash: Dash = ()
    opacity: float = 1.0
    clipped: bool = False
    blunt: bool = False


@frozen
class DrawnShape:
    """A filled polygon, or a disc around its one corner.

    Attributes:
        corners: Where it is.
        colour: Of the inside; empty for one that is not seen.
        opacity: Of the inside.
        radius: Of a disc.
        edge: The width of its edge, of the same colour.
        value: What it says on hover; empty for nothing.
        clipped: Whether it ends where the axes do.
    """

    corners: Sequence[Point]
    colour: str
    opacity: float = 1.0
    radius: float = 0.0
    edge: float = 0.0
    value: str = ""
    clipped: bool = False


@frozen
class Words:
    """Words on a line: where, and which part of them stands there; upwards if they are turned."""

    x: float
    y: float
    text: str
    anchor: str = "middle"
    turned: bool = False


Part = Line | DrawnShape | Words


def parts(picture: Picture, layout: Layout) -> Iterator[Part]:
    """All that a picture is made of, what is clipped at the axes in one stretch."""
    yield from (line for line in _grid(picture, layout) if line.points)
    yield from _areas(picture, layout)
    yield from (_line(curve, layout) for curve in picture.curves if curve.width)
    yield from (line for line in _frame(picture, layout) if line.points)
    yield from (mark for curve in picture.curves if curve.mark for mark in _marks(curve, layout))
    yield from _numbers(picture, layout)
    yield from _legend(picture, layout)
    yield from _pointed(picture, layout)


def _grid(picture: Picture, layout: Layout) -> Iterator[Line]:
    """Faint lines at the numbers."""
    across, up = layout.across, layout.up
    lines: list[Point] = []
    if picture.across.lines:
        for x in across.at([at for at, _ in layout.across_ticks.lines]):
            lines += [(x, up.first), (x, up.last), (nan, nan)]
    if picture.up.lines:
        for y in up.at([at for at, _ in layout.up_ticks.lines]):
            lines += [(across.first, y), (across.last, y), (nan, nan)]
    yield Line(lines, FAINT, 0.4, opacity=0.5)


def _areas(picture: Picture, layout: Layout) -> Iterator[DrawnShape]:
    for area in picture.areas:
        x = layout.across.at(area.x)
        upper = list(zip(x, layout.up.at(area.high), strict=True))
        lower = list(zip(x, layout.up.at(area.low), strict=True))
        corners = straightened(upper) + straightened(lower)[::-1]
        yield DrawnShape(corners, area.colour, area.opacity, value=area.value, clipped=True)


def _line(curve: DrawnCurve, layout: Layout) -> Line:
    points = list(zip(layout.across.at(curve.x), layout.up.at(curve.y), strict=True))
    return Line(straightened(points), curve.colour, curve.width, curve.dash, clipped=True)


def straightened(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points without those that lie on the straight line between two that stay, as far as one can see."""
    if any(isnan(x) or isnan(y) for x, y in points):
        return points
    corners, stack = {0, len(points) - 1}, [(0, len(points) - 1)]
    while stack:
        low, high = stack.pop()
        (x0, y0), (x1, y1) = points[low], points[high]
        length = hypot(x1 - x0, y1 - y0)
        worst, at = 0.0, 0
        for i in range(low + 1, high):
            x, y = points[i]
            off = abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length if length else hypot(x - x0, y - y0)
            if off > worst:
                worst, at = off, i
        if worst > STRAIGHT:
            corners.add(at)
            stack += [(low, at), (at, high)]
    return [points[i] for i in sorted(corners)] if points else points


def _frame(picture: Picture, layout: Layout) -> Iterator[Line]:
    """The axes, and strokes at their ticks."""
    left, right, bottom, top = layout.across.first, layout.across.last, layout.up.first, layout.up.last
    yield Line([(left, top), (left, bottom), (right, bottom)], INK, 0.7)
    if picture.above:
        yield Line([(left, top), (right, top)], INK, 0.7)
    named = _strokes([at for at, _ in layout.across_ticks.numbers], [at for at, _ in layout.up_ticks.numbers], layout)
    for x in layout.across.at([*picture.above]):
        named += [(x, top), (x, top - NAMED_TICK[0]), (nan, nan)]
    yield Line(named, INK, NAMED_TICK[1], blunt=True)
    others = _strokes(layout.across_ticks.strokes, layout.up_ticks.strokes, layout, OTHER_TICK[0])
    yield Line(others, INK, OTHER_TICK[1], blunt=True)


def _strokes(
    across: Sequence[float], up: Sequence[float], layout: Layout, length: float = NAMED_TICK[0]
) -> list[Point]:
    left, bottom = layout.across.first, layout.up.first
    lines: list[Point] = []
    for x in layout.across.at(across):
        lines += [(x, bottom), (x, bottom + length), (nan, nan)]
    for y in layout.up.at(up):
        lines += [(left, y), (left - length, y), (nan, nan)]
    return lines


def _numbers(picture: Picture, layout: Layout) -> Iterator[Words]:
    """What stands beside the axes."""
    across, up = layout.across, layout.up
    left, bottom, top = across.first, up.first, up.last
    middle = (left + across.last) / 2
    for x, (_, number) in _placed(layout.across_ticks, across.at([at for at, _ in layout.across_ticks.numbers])):
        yield Words(x, bottom + TO_NUMBERS + ASCENT, number)
    for y, (_, number) in _placed(layout.up_ticks, up.at([at for at, _ in layout.up_ticks.numbers])):
        yield Words(left - TO_NUMBERS, y + MIDDLE, number, "end")
    yield Words(middle, bottom + TO_WORDS + ASCENT, picture.across.name)
    yield Words(PAD + LINE - DESCENT, (bottom + top) / 2, picture.up.name, turned=True)
    for x, value in zip(across.at([*picture.above]), picture.above.values(), strict=True):
        yield Words(x, top - TO_NUMBERS - DESCENT, tick(value))
    if picture.above:
        yield Words(middle, top - TO_WORDS - DESCENT, picture.above_name)


def _placed(ticks: Ticks, at: Floats) -> Iterator[tuple[float, tuple[float, str]]]:
    return zip(at, ticks.numbers, strict=True)


def _legend(picture: Picture, layout: Layout) -> Iterator[Part]:
    """The names of the curves, column by column, each beside a stroke of its curve."""
    curves = picture.named
    rows = -(-len(curves) // layout.columns)
    column = max((len(curve.name) for curve in curves), default=0) * LETTER_WIDTH + KEY_WIDTH
    begin = layout.height - LEGEND_EDGES - ROW_HEIGHT * rows
    for number, curve in enumerate(curves):
        x = EDGE + number // rows * column
        y = begin + ROW_HEIGHT * (number % rows) + LEGEND_EDGES / 2 + ROW_HEIGHT / 2
        if curve.width:
            yield Line([(x, y), (x + KEY, y)], curve.colour, curve.width, curve.dash)
        if curve.mark:
            yield _mark(curve, x + KEY / 2, y)
        yield Words(x + KEY + KEY_GAP, y + MIDDLE, curve.name, "start")


def _marks(curve: DrawnCurve, layout: Layout) -> Iterator[DrawnShape]:
    for x, y in zip(layout.across.at(curve.x), layout.up.at(curve.y), strict=True):
        if not (isnan(x) or isnan(y)):
            yield _mark(curve, x, y)


def _mark(curve: DrawnCurve, x: float, y: float) -> DrawnShape:
    half = curve.size / 2
    if curve.mark == "o":
        return DrawnShape([(x, y)], curve.colour, radius=half, edge=1.0)
    return DrawnShape([(x + half * a, y - half * b) for a, b in OUTLINES[curve.mark]], curve.colour, edge=1.0)


def _turned(corners: Sequence[tuple[float, float]], angle: float, scale: float = 1.0) -> list[tuple[float, float]]:
    c, s = cos(angle) * scale, sin(angle) * scale
    return [(c * x - s * y, s * x + c * y) for x, y in corners]


_THIRD = 1 / 3
"""Half the breadth of the bars of a plus, over half of its width."""
_PLUS = [
    (-_THIRD, 1.0), (_THIRD, 1.0), (_THIRD, _THIRD), (1.0, _THIRD), (1.0, -_THIRD), (_THIRD, -_THIRD),
    (_THIRD, -1.0), (-_THIRD, -1.0), (-_THIRD, -_THIRD), (-1.0, -_THIRD), (-1.0, _THIRD), (-_THIRD, _THIRD),
]  # fmt: skip
_SQUARE = [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]
OUTLINES: dict[str, list[tuple[float, float]]] = {
    "s": _SQUARE,
    "D": _turned(_SQUARE, pi / 4),
    "P": _PLUS,
    "X": _turned(_PLUS, pi / 4),
    "^": [(0.0, 1.0), (1.0, -1.0), (-1.0, -1.0)],
    "v": [(0.0, -1.0), (1.0, 1.0), (-1.0, 1.0)],
    "*": [
        ((1.0 if k % 2 == 0 else 0.382) * sin(k * pi / 5), (1.0 if k % 2 == 0 else 0.382) * cos(k * pi / 5))
        for k in range(10)
    ],
}
"""The corners of marks within a square from -1 to 1."""


def _pointed(picture: Picture, layout: Layout) -> Iterator[DrawnShape]:
    """Discs that are not seen, where the points are drawn; a point that is not has none."""
    across, up = layout.across, layout.up
    for one in picture.points:
        x, y = across.place(one.x), up.place(one.y)
        edge = AT_THE_EDGE
        if across.first - edge <= x <= across.last + edge and up.last - edge <= y <= up.first + edge:
            yield DrawnShape([(x, y)], "", radius=HOVERED, value=one.value)
