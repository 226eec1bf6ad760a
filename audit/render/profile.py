"""delta read off the vertices of a power function: exactly for tables, in floating point for pictures."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import inf
from typing import Any

from dpcert.audit.algebra.rational import parse
from dpcert.audit.frozen import frozen
from dpcert.audit.render.floats import Floats


def known(curve: Mapping[str, Any]) -> Mapping[str, Any]:
    """The curve, or its lower bound where only bounds are known (the upper one is then the adaptive curve)."""
    lower: Mapping[str, Any] = curve.get("lower", curve)
    return lower


@frozen
class Profile:
    """The vertices of a power function, world 0 on the x-axis, from (0, 0) to (1, 1)."""

    vertices: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def of(cls, curve: Mapping[str, Any]) -> "Profile":
        """The curve that a record gives."""
        return cls(tuple((parse(x, "vertex"), parse(y, "vertex")) for x, y in curve["power"]))

    def delta(self, exp_epsilon: Fraction) -> Fraction:
        """delta at e^epsilon, a probability: the larger of both orders. Exact for these vertices.

        >>> Profile(((Fraction(0), Fraction(0)), (Fraction(1, 4), Fraction(3, 4)), (Fraction(1), Fraction(1)))).delta(
        ...     Fraction(1))
        Fraction(1, 2)
        """
        x, y = self._touched(exp_epsilon)
        u, v = self._touched(1 / exp_epsilon)
        return max(y - exp_epsilon * x, (1 - u) - exp_epsilon * (1 - v))

    def hockey_stick(self, exp_epsilon: Fraction, order: str) -> Fraction:
        """The least delta of one order of the worlds, at any e^epsilon. Exact for these vertices.

        >>> Profile(((Fraction(0), Fraction(0)), (Fraction(1, 4), Fraction(3, 4)), (Fraction(1), Fraction(1)))
        ...     ).hockey_stick(Fraction(2), "1-0")
        Fraction(1, 4)
        """
        if order == "1-0":
            return max(y - exp_epsilon * x for x, y in self.vertices)
        return max((1 - x) - exp_epsilon * (1 - y) for x, y in self.vertices)

    def detected(self, false_positives: Fraction, *, either: bool = False) -> Fraction:
        """The most true positives of a test with this rate of false positives, a probability. Exact for these vertices.

        Args:
            false_positives: In [0, 1]: of alarms for world 1.
            either: Whether an alarm may be for world 0 as well.

        >>> Profile(((Fraction(0), Fraction(0)), (Fraction(1, 4), Fraction(1)), (Fraction(1), Fraction(1)))).detected(
        ...     Fraction(1, 8))
        Fraction(1, 2)
        """
        found = _height(self.vertices, false_positives)
        return max(found, _height(self._swapped, false_positives)) if either else found

    @cached_property
    def _swapped(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return tuple((1 - y, 1 - x) for x, y in reversed(self.vertices))

    def bends(self) -> set[Fraction]:
        """The finite e^epsilon >= 1 at which delta may bend."""
        steps = [(q[0] - p[0], q[1] - p[1]) for p, q in zip(self.vertices, self.vertices[1:], strict=False)]
        return {max(a, b) / min(a, b) for a, b in steps if a and b}

    def points(self) -> tuple[Floats, Floats]:
        """The vertices in floating point."""
        return self._points

    @cached_property
    def _points(self) -> tuple[Floats, Floats]:
        return [float(x) for x, _ in self.vertices], [float(y) for _, y in self.vertices]

    @cached_property
    def _falling(self) -> Floats:
        """Minus the slopes in floating point, none below one before it."""
        corners = list(zip(*self._points, strict=True))
        slopes = ((d - b) / (c - a) if c > a else inf for (a, b), (c, d) in pairwise(corners))
        return list(accumulate((-slope for slope in slopes), max))

    def deltas(self, exp_epsilons: Iterable[float]) -> Floats:
        """delta at many e^epsilon, in floating point."""
        x, y = self.points()

        def touching(slope: float) -> range:
            """About where a line of this slope touches the curve: rounding may take it to the next vertex."""
            i = bisect_left(self._falling, -slope)
            return range(max(0, i - 1), min(len(x), i + 2))

        return [
            max(
                0.0,
                max(y[i] - e * x[i] for i in touching(e)),
                max((1 - x[i]) - e * (1 - y[i]) for i in touching(1 / e)),
            )
            for e in exp_epsilons
        ]

    def _touched(self, slope: Fraction) -> tuple[Fraction, Fraction]:
        """The vertex at which a line of this slope touches the curve from above."""
        v = self.vertices

        def flat(i: int) -> bool:
            return v[i + 1][1] - v[i][1] <= slope * (v[i + 1][0] - v[i][0])

        return v[bisect_left(range(len(v) - 1), True, key=flat)]


def _height(vertices: tuple[tuple[Fraction, Fraction], ...], at: Fraction) -> Fraction:
    """The curve through vertices at a place in [0, 1]; where it stands upright, its top."""
    i = bisect_right(vertices, at, key=lambda vertex: vertex[0]) - 1
    x, y = vertices[i]
    if i == len(vertices) - 1:
        return y
    u, v = vertices[i + 1]
    return y + (v - y) * (at - x) / (u - x)
