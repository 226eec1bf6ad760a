"""Where everything in a picture stands, in points: margins are known from the words and numbers beside the axes."""

from collections.abc import Callable, Iterable
from math import isfinite, isnan, log10

from dpcert.audit.frozen import frozen
from dpcert.audit.render.floats import Floats
from dpcert.audit.render.picture import Axis, DrawnCurve, Picture
from dpcert.audit.render.ticks import FONT, Ticks, linear, logarithmic, width

PAD = 4.0
"""Points: the space around a picture."""
LINE = 1.2 * FONT
"""Points: the height of a line of words or numbers."""
NAMED_TICK, OTHER_TICK = (3.5, 0.8), (2.0, 0.6)
"""Length and width of named ticks and of others, in points."""
TO_NUMBERS = NAMED_TICK[0] + 3.5
"""Points: from the axes to the numbers."""
TO_WORDS = TO_NUMBERS + LINE + 2
"""Points: from the axes to the words above or below the numbers."""
LETTER_WIDTH, KEY_WIDTH, ROW_HEIGHT = 5.04, 54.0, 15.12
"""Points: the width of a letter and of a stroke in a legend, and the height of its rows."""
LEGEND_EDGES = 10.8
"""Points: what a legend takes above and below its rows."""
AROUND = 0.05
"""Parts of the data's width that an axis without ends of its own goes on beyond them."""
LEAST_POWER = -1_000.0
"""The power of ten that a logarithmic axis takes 0 for."""
FAR = 1e5
"""Points past which nothing is drawn: what lies further is drawn there."""


@frozen
class Scale:
    """An axis from the data's coordinates to points."""

    low: float
    high: float
    first: float
    last: float
    logarithmic: bool

    def at(self, values: Iterable[float]) -> Floats:
        """Where values stand; what a logarithmic axis does not have stands far below."""
        low, high = (log10(self.low), log10(self.high)) if self.logarithmic else (self.low, self.high)
        numbers = map(_power, values) if self.logarithmic else map(float, values)
        points = (self.first + (number - low) / (high - low) * (self.last - self.first) for number in numbers)
        return [point if isnan(point) else min(max(point, -FAR), FAR) for point in points]

    def place(self, value: float) -> float:
        """Where one value stands."""
        return self.at([value])[0]


def _power(value: float) -> float:
    return log10(value) if value > 0 else value if isnan(value) else LEAST_POWER


@frozen
class Layout:
    """A picture's places.

    Attributes:
        width, height: Of the whole.
        across, up: The axes; the second one's points grow downwards.
        across_ticks, up_ticks: Their ticks.
        columns: Those of the names below.
    """

    width: float
    height: float
    across: Scale
    up: Scale
    across_ticks: Ticks
    up_ticks: Ticks
    columns: int


def laid_out(picture: Picture) -> Layout:
    """The places of a picture, with room for the names of its curves below, where none of them runs."""
    whole, height = picture.size
    columns, rows = _columns(picture, whole)
    top = PAD + (TO_WORDS + LINE if picture.above else LINE / 2)
    bottom = height - PAD - TO_WORDS - LINE
    (x_low, x_high), (y_low, y_high) = _ends(picture, picture.across, "x"), _ends(picture, picture.up, "y")
    up_ticks = _ticks(picture.up, y_low, y_high, bottom - top, across=False)
    left = PAD + LINE + 4 + max((width(name) for _, name in up_ticks.numbers), default=0.0) + TO_NUMBERS
    right = whole - PAD
    ticks = _ticks(picture.across, x_low, x_high, right - left, across=True)
    scale = Scale(x_low, x_high, left, right, picture.across.logarithmic)
    beyond = [scale.place(at) + width(name) / 2 - right for at, name in ticks.numbers]
    right -= max(0.0, *beyond) if beyond else 0.0
    if picture.square:
        side = min(right - left, bottom - top)
        left, right = (left + right - side) / 2, (left + right + side) / 2
        top, bottom = (top + bottom - side) / 2, (top + bottom + side) / 2
    return Layout(
        whole,
        height + (ROW_HEIGHT * rows + LEGEND_EDGES if rows else 0.0),
        Scale(x_low, x_high, left, right, picture.across.logarithmic),
        Scale(y_low, y_high, bottom, top, picture.up.logarithmic),
        ticks,
        up_ticks,
        columns,
    )


def _columns(picture: Picture, whole: float) -> tuple[int, int]:
    """Columns and rows of the names below a picture."""
    names = [curve.name for curve in picture.named]
    if not names:
        return 1, 0
    columns = max(1, min(len(names), int(whole / (max(map(len, names)) * LETTER_WIDTH + KEY_WIDTH))))
    return columns, -(-len(names) // columns)


def _ticks(axis: Axis, low: float, high: float, length: float, *, across: bool) -> Ticks:
    if axis.logarithmic:
        return logarithmic(low, high, length, across=across)
    return linear(low, high, length, across=across, whole=axis.whole)


def _ends(picture: Picture, axis: Axis, side: str) -> tuple[float, float]:
    """The ends of an axis: its own, or those of the data and a little more."""
    if axis.ends is not None:
        return axis.ends
    seen: Callable[[float], bool] = (lambda v: isfinite(v) and v > 0) if axis.logarithmic else isfinite
    values = [v for curve in picture.curves for v in map(float, _side(curve, side)) if seen(v)]
    if axis.logarithmic:
        low, high = (log10(min(values)), log10(max(values))) if values else (0.0, 1.0)
        low, high = (low - 1, high + 1) if high - low < 1e-9 else (low, high)
        around = AROUND * (high - low)
        return 10.0 ** (low - around), 10.0 ** (high + around)
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        low, high = low - (abs(low) * AROUND or AROUND), high + (abs(high) * AROUND or AROUND)
    around = AROUND * (high - low)
    return low - around, high + around


def _side(curve: DrawnCurve, side: str) -> Iterable[float]:
    return curve.x if side == "x" else curve.y
