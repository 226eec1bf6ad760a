"""A part of a game between its bounds: what was tried on either side of it, and what is known of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from dpcert.audit.algebra.power import Point, PowerFunction, supremum
from dpcert.audit.grids.bounding import Line, PartBounds, best_lines, swapped_line, swapped_point
from dpcert.audit.grids.grid import Grid
from dpcert.audit.grids.root import above, below
from dpcert.audit.grids.small_corners import above_small, below_small
from dpcert.audit.grids.stages import Stages, swapped_stages
from dpcert.audit.grids.tilting import Leaning


@dataclass
class Side:
    """One side of a part's bounds: what was tried, coarsest first.

    Attributes:
        steps: The coarsest step of each grid.
        values: What it gave at the first slopes.
        done: Why no finer one follows; empty while one may.
    """

    steps: list[float] = field(default_factory=list)
    values: list[tuple[Fraction, ...]] = field(default_factory=list)
    done: str = ""

    @property
    def again(self) -> bool:
        """Whether a grid was tried a second time: sides of slopes are chosen place by place from then on."""
        return any(a == b for a, b in pairwise(self.steps))

    def open(self, count: int) -> float:
        """What finer grids may still bring at one of the slopes that are asked for, by what the last one brought.

        What chords and policies lose goes with the square of the step, about.
        """
        before = next((i for i in range(len(self.steps))[::-1] if self.steps[i] > self.steps[-1]), None)
        if before is None:
            return float("inf")
        pairs = zip(self.values[-1][:count], self.values[before][:count], strict=True)
        change = max(abs(float(a - b)) for a, b in pairs)
        ratio = self.steps[before] / self.steps[-1]
        return change / (ratio**2 - 1)


@dataclass
class Known:
    """What is known of a part.

    Attributes:
        lines: The best upper bounds by slope.
        points: The points that are attained.
        small_lines, small_points: The same at slopes where they are next to nothing.
    """

    lines: list[Line] = field(default_factory=list)
    points: set[Point] = field(default_factory=set)
    small_lines: list[Line] = field(default_factory=list)
    small_points: set[Point] = field(default_factory=set)

    def curves(self) -> tuple[PowerFunction, PowerFunction]:
        """What is attained, and what bounds it."""
        if self.small_lines:
            return below_small(self.points | self.small_points), above_small([*self.lines, *self.small_lines])
        return below(self.points) if self.points else PowerFunction.identity(), above(self.lines)


@dataclass
class Closing:
    """A part of a game between its bounds.

    Attributes:
        bounding: The part, or what it is with its worlds swapped.
        mirrored: Whether the part counts with its worlds swapped as well.
        swapped: Whether `bounding` has them swapped.
        known: What is known of the part; where slopes are steep, it is bounded both ways, and this is of both.
        upper, lower: What was tried on either side.
    """

    bounding: PartBounds
    mirrored: bool
    swapped: bool = False
    known: Known = field(default_factory=Known)
    upper: Side = field(default_factory=Side)
    lower: Side = field(default_factory=Side)

    @property
    def lines(self) -> list[Line]:
        """The best upper bounds by slope."""
        return self.known.lines

    @property
    def points(self) -> set[Point]:
        """The points that are attained."""
        return self.known.points

    def bound(self, grid: Grid, check: Callable[[], None], *, choosing: bool = True) -> list[Line]:
        """Upper bounds from one grid more, as `bounding` has them."""
        lines = self.bounding.upper(grid, check, choosing=choosing)
        self.known.lines = best_lines([*self.lines, *(map(swapped_line, lines) if self.swapped else lines)])
        return lines

    def attain(self, grid: Grid, check: Callable[[], None]) -> list[Point]:
        """Points from one grid more, as `bounding` has them."""
        points = self.bounding.lower(grid, check, placewise=self.lower.again)
        self.known.points |= set(map(swapped_point, points) if self.swapped else points)
        return points

    def ways(self, *, both: bool) -> Iterator[tuple[bool, Stages]]:
        """Whether worlds are swapped, and the part so; both ways where nothing else has it the other way."""
        yield self.swapped, self.bounding.stages
        if both:
            yield not self.swapped, swapped_stages(self.bounding.stages)

    def keep_small(self, one: Leaning, *, swapped: bool) -> None:
        """Keeps what is known of a slope where next to nothing can be learnt."""
        line, point = (one.slope, one.upper), one.point
        self.known.small_lines.append(swapped_line(line) if swapped else line)
        if one.lower:
            self.known.small_points.add(swapped_point(point) if swapped else point)

    def curves(self) -> tuple[PowerFunction, PowerFunction]:
        """What is attained, and what bounds it."""
        under, over = self.known.curves()
        if not self.mirrored:
            return under, over
        return supremum([under, under.reversed()]), supremum([over, over.reversed()])
