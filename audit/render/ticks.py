"""Numbers along the axes of a picture: 1,000 and 0.001, never a power of ten to be multiplied by."""

from decimal import Decimal
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter, LogFormatter, LogLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_TICK, MOST_TICK = 1e-6, 1e15
"""What is smaller or larger is written as in tables: 1e-12."""
ACROSS = 4
"""Most powers of ten named along a horizontal axis."""


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


def plain_ticks(axes: "Axes") -> None:
    """Writes the numbers of both axes plainly."""
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter(PlainLog())
            axis.set_minor_formatter(PlainLog(minor_thresholds=(1, 0.4)))
        else:
            axis.set_major_formatter(FuncFormatter(lambda x, _: tick(x)))
    if axes.get_xscale() == "log":
        axes.xaxis.set_major_locator(LogLocator(numticks=ACROSS))
