"""Numbers along the axes of a picture: 1,000 and 0.001, never a power of ten to be multiplied by."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from math import ceil, floor, log10

from dpcert.audit.frozen import frozen

LEAST_TICK, MOST_TICK = 1e-6, 1e15
"""What is smaller or larger is written as in tables: 1e-12."""
ACROSS = 4
"""Most powers of ten named along a horizontal axis."""
LETTERS = {",": 0.32, ".": 0.32, "-": 0.37}
DIGIT = 0.64
"""Widths of what numbers are made of, in font sizes."""
FONT, NUMBERS_APART = 9.0, 3.0
"""Points: the size of all letters, and what is left between two numbers."""
MOST_NUMBERS = 9
"""Numbers along a linear axis."""
DECADE_WITH_STROKES = 25.0
"""Points that a power of ten takes at least where there are strokes within it."""
MOST_STROKES = 40
"""Powers of ten past which those without a number have no stroke either."""
STEPS = (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 20.0)
"""What two neighbours on a linear axis may be apart, in powers of ten."""
WHOLE_STEPS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0, 30.0)
"""The same where only whole numbers are to stand."""

PRIORITY = (2, 5, 3, 7, 4, 6, 8, 9)
"""Digits whose ticks get numbers where there is room, the first of them first."""
Digit = tuple[int, int]
"""(k, m) for m 10^k."""


@frozen
class Ticks:
    """The ticks of an axis.

    Attributes:
        lines: Those at which lines may cross the picture, with their numbers.
        named: Others with numbers.
        strokes: Those without.
    """

    lines: tuple[tuple[float, str], ...]
    named: tuple[tuple[float, str], ...] = ()
    strokes: tuple[float, ...] = ()

    @property
    def numbers(self) -> tuple[tuple[float, str], ...]:
        """All that have numbers."""
        return (*self.lines, *self.named)


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


def width(number: str) -> float:
    """The width of a number beside an axis, in points.

    >>> width("1,000"), width("1e-12")
    (25.92, 26.37)
    """
    return round(FONT * sum(LETTERS.get(letter, DIGIT) for letter in number), 6)


def linear(low: float, high: float, length: float, *, across: bool, whole: bool = False) -> Ticks:
    """The ticks of a linear axis.

    Args:
        low, high: Its ends.
        length: How long it is, in points.
        across: Whether it is the horizontal one, on which numbers may touch.
        whole: Whether they are to be whole.
    """
    most = max(1, min(MOST_NUMBERS, floor(length / (FONT * (3 if across else 2)))))
    for count in range(most, 0, -1):
        at = _evenly(low, high, count, WHOLE_STEPS if whole else STEPS)
        if not across or not _touch([(x - low) / (high - low) * length for x in at], [tick(x) for x in at]):
            break
    return Ticks(tuple((x, tick(x)) for x in at))


def _evenly(low: float, high: float, count: int, steps: Sequence[float]) -> list[float]:
    """Round numbers between the ends, evenly apart: two at least, and about so many at most."""
    apart = (high - low) / count
    scale = 10.0 ** floor(log10(apart))
    sizes = [step * scale for step in steps]
    if steps is WHOLE_STEPS:
        sizes = sorted({max(1.0, float(round(step))) for step in sizes})
    first = next((i for i, step in enumerate(sizes) if step >= apart * (1 - 1e-10)), len(sizes) - 1)
    at: list[float] = []
    for step in reversed(sizes[: first + 1]):
        slack = 1e-9 * (high - low)
        at = [k * step for k in range(ceil((low - slack) / step), floor((high + slack) / step) + 1)]
        if len(at) >= 2:
            break
    return at


def _touch(at: Sequence[float], numbers: Sequence[str]) -> bool:
    """Whether numbers along a horizontal axis touch."""
    halves = [width(name) / 2 for name in numbers]
    return any(b - v < a + u + NUMBERS_APART for (a, u), (b, v) in pairwise(zip(at, halves, strict=True)))


def logarithmic(low: float, high: float, length: float, *, across: bool) -> Ticks:
    """The ticks of a logarithmic axis: powers of ten, and where it has fewer than two of them what is between.

    Args:
        low, high: Its ends, above 0.
        length: How long it is, in points.
        across: Whether it is the horizontal one.
    """
    bottom, top = log10(low), log10(high)
    powers = range(ceil(bottom - 1e-9), floor(top + 1e-9) + 1)
    most = ACROSS if across else max(2, min(MOST_NUMBERS, floor(length / (FONT * 2))))
    apart = max(1, ceil(len(powers) / most))
    strokes = [k for k in powers if (k - powers[-1]) % apart == 0]
    between = [(k, m) for k in range(floor(bottom), ceil(top) + 1) for m in PRIORITY]
    inside = [(k, m) for k, m in between if bottom - 1e-9 <= k + log10(m) <= top + 1e-9]
    scale = length / (top - bottom)
    digits = _fitting(inside, [(k, 1) for k in strokes], scale, across) if len(strokes) < 2 else []
    if len(strokes) + len(digits) < 2:  # between two neighbours of these
        return linear(low, high, length, across=across)
    others = [m * 10.0**k for k, m in inside if (k, m) not in digits] if scale >= DECADE_WITH_STROKES else []
    minor_powers = [10.0**k for k in powers if k not in strokes] if len(powers) <= MOST_STROKES else []
    return Ticks(
        tuple((10.0**k, tick(10.0**k)) for k in strokes),
        tuple((m * 10.0**k, tick(m * 10.0**k)) for k, m in digits),
        (*others, *minor_powers),
    )


def _fitting(ticks: Sequence[Digit], there: Sequence[Digit], scale: float, across: bool) -> list[Digit]:
    """The ticks between powers of ten for whose numbers there is room beside those that are there, the best first.

    Args:
        ticks: (k, m) for m 10^k.
        there: Those that have their numbers already.
        scale: Points a power of ten.
        across: Whether numbers stand side by side.
    """
    numbers: list[Digit] = []
    for one in sorted(ticks, key=lambda tick: PRIORITY.index(tick[1])):
        if all(_apart(one, other, scale) >= _needed(one, other, across) for other in (*there, *numbers)):
            numbers.append(one)
    return numbers


def _apart(one: Digit, other: Digit, scale: float) -> float:
    return abs(one[0] - other[0] + log10(one[1] / other[1])) * scale


def _needed(one: Digit, other: Digit, across: bool) -> float:
    if not across:
        return 1.2 * FONT
    return sum(width(tick(m * 10.0**k)) for k, m in (one, other)) / 2 + NUMBERS_APART
