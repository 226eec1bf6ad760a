"""What the rows of a grid say of the first round, at rational slopes: exact numbers that bound the truth."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.algebra.power import Point, PowerFunction
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.attained import AttainedRows
from dpcert.audit.grids.choices import ClassPlaces, reach
from dpcert.audit.grids.grid import Grid, shift
from dpcert.audit.grids.passes import LOST_TO_SMALL_FLOATS, Rows, Runner, off_by
from dpcert.audit.grids.reaching import within
from dpcert.audit.grids.stages import NOTHING, Release, RoundTable
from dpcert.audit.grids.windows import Windows
from dpcert.audit.limits import look

BITS_KEPT = 64
"""Significant bits of the corners of curves; they are moved outward to them."""
STEEP_BITS = 20
"""Bits of a slope past which corners keep as many bits more."""


@frozen
class Root:
    """The first round, whose releases lead to the rows of the last stage.

    Attributes:
        table: The table of the first round.
        grid: What the rows are on.
        stage: Theirs.
        centre: Where place 0 stands in arrays of points.
        pad: Places of rows before their first.
    """

    table: RoundTable
    grid: Grid
    stage: int
    centre: int
    pad: int

    @classmethod
    def of(cls, runner: Runner, table: RoundTable) -> "Root":
        """That of a pass."""
        return cls(table, runner.grid, runner.stages.rounds - 1, runner.windows.centre, runner.windows.pad)

    @property
    def releases(self) -> list[Release]:
        """Those of the position before round 1."""
        return [self.table.releases[i] for i in self.table.classes[self.table.class_of[0]]]

    def upper(self, rows: Rows, slope: Fraction, slack: int) -> Fraction:
        """A bound on sup sum max(0, q - slope p)."""
        factor, most = off_by(slack), max(Fraction(0), 1 - slope)
        for release in self.releases:
            value = Fraction(0)
            for after, k0, k1 in release:
                if k1:
                    value += k1 * self._chord(rows, after, slope * k0 / k1, factor)
            most = max(most, value)
        return min(most, Fraction(1))

    def _chord(self, rows: Rows, after: int, slope: Fraction, factor: Fraction) -> Fraction:
        """A bound on the value of a class at any slope."""
        look()
        if after == NOTHING:
            return max(Fraction(0), 1 - slope)
        if not slope:
            return Fraction(1)
        return self._between(rows, after, slope, factor)

    def _between(self, rows: Rows, after: int, slope: Fraction, factor: Fraction) -> Fraction:
        """The same where something follows, at a slope above 0."""
        at = shift(slope, self.grid, -self.grid.rest(self.stage))
        place = at.steps
        row = rows.values[after]
        if place < rows.low:  # the chord from (0, 1) to the first node
            end = Fraction(float(row[self._place(rows, rows.low)])) * factor + LOST_TO_SMALL_FLOATS
            first = exponential(self.grid.step * (rows.low + self.grid.rest(self.stage))).finite().upper
            return 1 - (1 - min(end, Fraction(1))) * slope / first
        if place >= rows.high - 1:
            return Fraction(float(row[self._place(rows, rows.high - 1)])) * factor + LOST_TO_SMALL_FLOATS
        near, far = (
            Fraction(float(row[self._place(rows, p)])) * factor + LOST_TO_SMALL_FLOATS for p in (place, place + 1)
        )
        return (Fraction(at.near) * near + Fraction(at.far) * far) * off_by(16)

    def _place(self, rows: Rows, place: int) -> int:
        return place - rows.low + self.pad

    def attained(self, rows: AttainedRows, slope: Fraction) -> tuple[Point, "PolicyStart"]:
        """A point (at most so much in world 0, at least so much in world 1) that a policy attains, good at a slope."""
        best: tuple[Fraction, Point, PolicyStart] | None = None
        for number, release in enumerate(self.releases):
            x, y, starts = Fraction(0), Fraction(0), []
            for after, k0, k1 in release:
                (x1, y1), place = self._good(rows, after, slope * k0 / k1 if k1 else None)
                x, y = x + k0 * x1, y + k1 * y1
                starts.append(place)
            worth = y - slope * x
            if best is None or worth > best[0]:
                best = worth, (x, y), PolicyStart(number, tuple(starts))
        trivial = max(Fraction(0), 1 - slope)
        if best is None or best[0] <= trivial:
            guess = Fraction(int(slope < 1))
            return (guess, guess), PolicyStart(None, (slope < 1,))
        return best[1], best[2]

    def starts(self, windows: Windows, slopes: Iterable[Fraction]) -> ClassPlaces:
        """Where `attained` may go on at these slopes."""
        places: ClassPlaces = {}
        for slope in slopes:
            for after, k0, k1 in (run for release in self.releases for run in release):
                if after != NOTHING and k0 and k1:
                    place = shift(slope * k0 / k1, self.grid, -self.grid.rest(self.stage)).steps
                    reach(places, after, place, place + 2)
        return within(places, windows, self.stage)

    def _good(self, rows: AttainedRows, after: int, slope: Fraction | None) -> tuple[Point, "int | bool"]:
        """An attained point of a class, and where the policy that attains it goes on; a bool is a guess."""
        if slope is None:
            return (Fraction(0), Fraction(0)), False
        if after == NOTHING or not slope:
            bet = slope < 1
            return (Fraction(int(bet)), Fraction(int(bet))), bet
        at = shift(slope, self.grid, -self.grid.rest(self.stage))
        places = {min(max(at.steps + i, rows.low), rows.high - 1) for i in (0, 1)}
        options: list[tuple[Fraction, Point, int | bool]] = []
        for place in sorted(places):
            x, y = rows.exact(after, place + self.centre)
            options.append((y - slope * x, (x, y), place))
        for bet in (False, True):
            options.append((Fraction(int(bet)) * (1 - slope), (Fraction(int(bet)), Fraction(int(bet))), bet))
        _, point, then = max(options, key=lambda one: one[0])
        return point, then


@frozen
class PolicyStart:
    """How a policy begins.

    Attributes:
        release: Which release of the first round is chosen; None for one that makes the one guess in `places`.
        places: Per run of it, the place at which the policy goes on, or the guess with which it ends.
    """

    release: int | None
    places: tuple["int | bool", ...]


def below(points: Iterable[Point]) -> PowerFunction:
    """The curve through attained points, corners moved inward to numbers of few bits."""
    met = list(points)
    bits = _bits((1 - y) / (1 - x) for x, y in met if x < 1)
    return PowerFunction.from_vertices(hull((round_up(x, bits), round_down(y, bits)) for x, y in met))


def above(lines: Iterable[tuple[Fraction, Fraction]]) -> PowerFunction:
    """The curve under lines y = value + slope x, corners moved outward.

    Args:
        lines: (slope, value); y <= 1 and y >= x hold of every curve.
    """
    met = [*lines, (Fraction(0), Fraction(1))]
    bits, corners = _bits(slope for slope, _ in met), _envelope(met)
    return PowerFunction.from_vertices(
        hull([(round_down(x, bits), min(Fraction(1), round_up(y, bits))) for x, y in corners])
    )


def between(under: PowerFunction, over: PowerFunction) -> Bracket:
    """Bounds on a curve from both sides.

    Raises: RuntimeError: they cross, so that one of them is no bound.
    """
    if not under <= over:
        raise RuntimeError("a lower bound above an upper one")
    return Bracket(under, over)


def edges_of(lines: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Those of the lines that are the least one somewhere, the steepest first."""
    edges: list[tuple[Fraction, Fraction]] = []
    for slope, value in sorted({s: min(v for t, v in lines if t == s) for s, _ in lines}.items(), reverse=True):
        while edges and value <= edges[-1][1]:
            edges.pop()
        while len(edges) >= 2 and crossing(edges[-2], (slope, value)) <= crossing(edges[-2], edges[-1]):
            edges.pop()
        edges.append((slope, value))
    return edges


def _envelope(lines: Sequence[tuple[Fraction, Fraction]]) -> list[Point]:
    """Corners of the least of the lines over [0, 1], its ends included."""
    edges = edges_of(lines)
    corners = [(Fraction(0), edges[0][1])]
    for one, other in pairwise(edges):
        x = crossing(one, other)
        if x < 1:
            corners.append((x, one[1] + one[0] * x))
    return [*corners, (Fraction(1), Fraction(1))]


def crossing(one: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction]) -> Fraction:
    """Where the flatter line takes over."""
    return (other[1] - one[1]) / (one[0] - other[0])


def hull(points: Iterable[Point]) -> list[Point]:
    """Vertices of the least concave curve from (0, 0) to (1, 1) over points."""
    start, end = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))
    vertices: list[Point] = [start]
    for point in sorted({*points, end}, key=lambda p: (p[0], p[1])):
        while len(vertices) >= 2 and _turns_left(vertices[-2], vertices[-1], point):
            vertices.pop()
        if point[1] > vertices[-1][1] or (point[1] == vertices[-1][1] and point[0] > vertices[-1][0]):
            vertices.append(point)
    return vertices


def _turns_left(a: Point, b: Point, c: Point) -> bool:
    return (b[1] - a[1]) * (c[0] - a[0]) <= (c[1] - a[1]) * (b[0] - a[0])


def _bits(slopes: Iterable[Fraction]) -> int:
    """Significant bits of corners: y - slope x is read off of them at slopes like these, and at their inverses."""
    sizes = (abs(one.numerator.bit_length() - one.denominator.bit_length()) for one in slopes if one)
    return BITS_KEPT + max(0, max(sizes, default=0) - STEEP_BITS)


def round_down(value: Fraction, bits: int) -> Fraction:
    """The next number below with so many significant bits."""
    if value <= 0:
        return Fraction(0)
    unit = _unit(value, bits)
    return (value / unit).__floor__() * unit


def round_up(value: Fraction, bits: int) -> Fraction:
    """The next number above with so many significant bits."""
    if value <= 0:
        return Fraction(0)
    unit = _unit(value, bits)
    return (value / unit).__ceil__() * unit


def _unit(value: Fraction, bits: int) -> Fraction:
    """A power of 2 with about so many bits between it and a positive value."""
    places = bits - value.numerator.bit_length() + value.denominator.bit_length()
    return Fraction(1, 1 << places) if places >= 0 else Fraction(1 << -places)
