"""Numbers along the axes of a picture: 1,000 and 0.001, never a power of ten to be multiplied by."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.markers import TICKDOWN, TICKLEFT, TICKUP
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, LogFormatter, LogLocator, MaxNLocator
from matplotlib.transforms import ScaledTranslation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

LEAST_TICK, MOST_TICK = 1e-6, 1e15
"""What is smaller or larger is written as in tables: 1e-12."""
ACROSS = 4
"""Most powers of ten named along a horizontal axis."""
LETTERS = {",": 0.32, ".": 0.32, "-": 0.37}
DIGIT = 0.64
"""Widths of what numbers are made of, in font sizes."""
FONT, BETWEEN = 9.0, 3.0
"""Points: the size of all letters, and what is left between two numbers."""
LONG: dict[str, Any] = {"markersize": 3.5, "markeredgewidth": 0.8}
SHORT: dict[str, Any] = {"markersize": 2.0, "markeredgewidth": 0.6}
"""Strokes of named ticks and of others, in points."""


def tick(value: float) -> str:
    """A number beside an axis.

    >>> tick(1000000.0), tick(0.001), tick(0.30000000000000004), tick(-2.5), tick(1e-12), tick(0.0)
    ('1,000,000', '0.001', '0.3', '-2.5', '1e-12', '0')
    """
    number = Decimal(f"{value:.10g}")
    if number and not LEAST_TICK <= abs(value) < MOST_TICK:
        digits, _, power = f"{number.normalize():e}".partition("e")
        return f"{digits}e{int(power)}"
    whole, _, part = f"{number:,f}".partition(".")
    part = part.rstrip("0")
    return f"{whole}.{part}" if part else whole


class PlainLog(LogFormatter):
    """Names the ticks of a logarithmic axis that there is room for."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The number, or nothing."""
        return tick(x) if super().__call__(x, pos) else ""


def width(number: str) -> float:
    """The width of a number beside an axis, in points.

    >>> width("1,000"), width("1e-12")
    (25.92, 26.37)
    """
    return round(FONT * sum(LETTERS.get(letter, DIGIT) for letter in number), 6)


def plain_ticks(axes: "Axes", axis: "Axis") -> list[tuple[float, str]]:
    """Fixes the ticks of an axis of which the length is known, and writes their numbers plainly; gives both.

    A tick without a number is a stroke like all others of its kind, which are drawn as one.

    Args:
        axes: The axes.
        axis: One of the two.
    """
    if axis.get_scale() == "log":
        axis.set_major_formatter(PlainLog())
        axis.set_minor_formatter(PlainLog(minor_thresholds=(1, 0.4)))
        if axis is axes.xaxis:
            axis.set_major_locator(LogLocator(numticks=ACROSS))
    else:
        axis.set_major_formatter(FuncFormatter(lambda x, _: tick(x)))
    major, minor = _major(axes, axis), _seen(axis, axis.get_minorticklocs(), axis.get_minor_formatter())
    named = [one for one in minor if one[1]]
    axis.set_major_locator(FixedLocator([at for at, _ in major]))
    axis.set_major_formatter(FixedFormatter([name for _, name in major]))
    axis.set_minor_locator(FixedLocator([at for at, _ in named]))
    axis.set_minor_formatter(FixedFormatter([name for _, name in named]))
    _strokes(axes, axis, [at for at, name in minor if not name])
    return [*major, *named]


def _major(axes: "Axes", axis: "Axis") -> list[tuple[float, str]]:
    """The major ticks: along a horizontal axis so many that their numbers do not touch."""
    locator = axis.get_major_locator()
    ticks = _seen(axis, axis.get_majorticklocs(), axis.get_major_formatter())
    fewer = len(ticks) - 1
    while axis is axes.xaxis and isinstance(locator, MaxNLocator) and fewer > 0 and _touch(axes, ticks):
        locator.set_params(nbins=fewer)
        ticks = _seen(axis, axis.get_majorticklocs(), axis.get_major_formatter())
        fewer -= 1
    return ticks


def _seen(axis: "Axis", locations: Iterable[float], formatter: Any) -> list[tuple[float, str]]:
    """The ticks that are on the part of the axis that is drawn, and what stands beside each."""
    low, high = sorted(axis.get_view_interval())
    slack = (high - low) * 1e-9
    named = zip(locations, formatter.format_ticks(locations), strict=True)
    return [(at, name) for at, name in named if low - slack <= at <= high + slack]


def _touch(axes: "Axes", ticks: Sequence[tuple[float, str]]) -> bool:
    """Whether numbers along the horizontal axis touch."""
    at = axes.transData.transform([(x, axes.get_ylim()[1]) for x, _ in ticks])[:, 0]
    halves = [width(name) / 2 for _, name in ticks]
    return any(b - v < a + u + BETWEEN for (a, u), (b, v) in pairwise(zip(at, halves, strict=True)))


def on_top(axes: "Axes", at: Sequence[float], values: Sequence[float], name: str, gap: float, rise: float) -> None:
    """A second scale, above the axes.

    Args:
        axes: The axes, whose own scale is linear.
        at: Where its ticks are.
        values: The numbers there.
        name: Its name.
        gap: From the axes to its numbers, in points.
        rise: From the axes to its name, in points.
    """
    figure = axes.get_figure()
    assert figure is not None
    above: dict[str, Any] = {"va": "bottom", "ha": "center", "clip_on": False}
    on_axes = axes.get_xaxis_transform()
    for x, value in zip(at, values, strict=True):
        lifted = on_axes + ScaledTranslation(0, gap / 72, figure.dpi_scale_trans)
        axes.text(x, 1, tick(value), transform=lifted, **above)
    lifted = axes.transAxes + ScaledTranslation(0, rise / 72, figure.dpi_scale_trans)
    axes.text(0.5, 1, name, transform=lifted, **above)
    axes.add_artist(_stroke(at, [1] * len(at), TICKUP, on_axes, LONG))
    axes.spines["top"].set_visible(True)


def _strokes(axes: "Axes", axis: "Axis", at: Sequence[float]) -> None:
    """The ticks of an axis that have no number."""
    if not at:
        return
    if axis is axes.xaxis:
        axes.add_artist(_stroke(at, [0] * len(at), TICKDOWN, axes.get_xaxis_transform(), SHORT))
    else:
        axes.add_artist(_stroke([0] * len(at), at, TICKLEFT, axes.get_yaxis_transform(), SHORT))


def _stroke(x: Sequence[float], y: Sequence[float], marker: Any, transform: Any, style: dict[str, Any]) -> Line2D:
    from matplotlib import rcParams

    line = Line2D(x, y, linestyle="", marker=marker, color=rcParams["xtick.color"], transform=transform, **style)
    line.set_clip_on(False)
    return line
