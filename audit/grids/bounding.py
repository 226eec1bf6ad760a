"""Bounds on one part of a game, on one grid or another: each is better the finer its grid is."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import log

from dpcert.audit.algebra.power import Point
from dpcert.audit.grids.aligned import aligned
from dpcert.audit.grids.attained import OPERATIONS_BESIDE, AttainedRows
from dpcert.audit.grids.grid import Grid, log_ratios
from dpcert.audit.grids.lower import FEW_CLASSES, GridPolicy
from dpcert.audit.grids.passes import Runner, UpperPass, off_by
from dpcert.audit.grids.replay import PlayedPolicy
from dpcert.audit.grids.root import PolicyStart, Root
from dpcert.audit.grids.stages import NOTHING, RoundTable, Stages
from dpcert.audit.grids.units import Units
from dpcert.audit.grids.windows import DEVIATIONS, RoundSpread, Windows

FIRST_PLACES = 2_048
"""Places of the widest window of the first grid, about."""
FIRST_OF_MANY_ROUNDS = 2 * FIRST_PLACES
"""The same where there are many rounds: what a round costs is mostly what it costs on any grid."""
MANY_ROUNDS = 2_000
"""Rounds from which a policy follows one side of slopes at all places on the second grid too, at first: over so many
what it is off by mostly comes to nothing, and it costs a third. Of fewer that leaves some 10^-6 open."""
COUNTED_FOR_NOTHING = Fraction(1, 1 << 10)
"""The part of a gap that roundings of floats may come to for policies of many rounds to be worked out in floats: they
take half the time of whole units, and are off by more."""
SECOND_GRID = 5
"""By less than so many times a second grid is finer than the step of a first one: half of half, and a little."""
BYTES_CHOSEN = 400
"""Bytes that the choices of a class in one stage are kept in, about."""
PLAYED_WITHIN = Fraction(1, 10**8)
"""What a played policy may be off by of what was claimed, both being rounded outward."""
Line = tuple[Fraction, Fraction]
"""(slope g, a bound on sup sum max(0, q - g p))."""


@dataclass
class PartBounds:
    """A part whose first round leads to rows on a grid.

    Attributes:
        stages: The part.
        slopes: Where it is read off.
        deviations: Standard deviations of the log-likelihood ratio that windows hold.
        units: What policies are worked out in.
        steep: Whether slopes are.
    """

    stages: Stages
    slopes: tuple[Fraction, ...]
    deviations: float = DEVIATIONS
    units: Units = field(default_factory=Units)
    steep: bool = False
    _grids: dict[float, Grid] = field(default_factory=dict)
    _policies: list[GridPolicy] = field(default_factory=list)

    @cached_property
    def tables(self) -> tuple[RoundTable, ...]:
        """Its distinct tables, those of the last rounds first, and round 1's at the end, be it one of them or not."""
        later: dict[int, RoundTable] = {}
        tables = self.stages.tables()
        first = next(tables)
        for before in tables:
            later[id(first)] = first
            first = before
        return (*later.values(), first)

    def told(self) -> Iterator[RoundTable | str]:
        """All that bounds on it depend on: round by round from the last one, which of its tables, and each where it
        comes first."""
        known: dict[int, tuple[int, RoundTable]] = {}
        for table in self.stages.tables():
            if id(table) not in known:
                known[id(table)] = len(known), table
                yield table
            yield f"table {known[id(table)][0]}"

    @cached_property
    def ratios(self) -> list[tuple[tuple[float, float], ...]]:
        """What releases do to the log-likelihood ratio, those after the first round that more can follow."""
        releases = {
            release
            for table in self.tables[:-1] or self.tables
            for release in table.releases
            if any(after != NOTHING for after, _, _ in release)
        }
        return log_ratios(releases)

    @cached_property
    def all_ratios(self) -> list[tuple[tuple[float, float], ...]]:
        """The same of all releases after the first round."""
        return log_ratios({release for table in self.tables[:-1] for release in table.releases})

    @property
    def spread(self) -> RoundSpread:
        """What a round does to the log-likelihood ratio."""
        return RoundSpread.of(self.ratios or [()])

    def grid(self, coarsest: float) -> Grid:
        """A grid of at most that step."""
        if coarsest not in self._grids:
            self._grids[coarsest] = aligned(self.ratios, coarsest)
        return self._grids[coarsest]

    def runner(self, grid: Grid, check: Callable[[], None]) -> Runner:
        """What a pass on a grid needs."""
        step = float(grid.step)
        longest = max((abs(a) for one in self.all_ratios for a, _ in one), default=0.0)
        farthest = max(abs(log(s.numerator) - log(s.denominator)) for s in self.slopes) + longest
        first = log_ratios(self.tables[-1].releases)
        farthest += max((abs(a) for one in first for a, _ in one), default=0.0)
        windows = Windows(
            grid, self.stages.rounds - 1, self.spread, farthest, longest, int(longest / step) + 3, self.deviations
        )
        return Runner(self.stages, grid, windows, check)

    def cells(self, grid: Grid) -> int:
        """Places of all stages, times what is worked out at each."""
        windows = self.runner(grid, lambda: None).windows
        stages = range(0, self.stages.rounds, max(1, self.stages.rounds // 64))
        places = sum(high - low for low, high in map(windows.at, stages)) * self.stages.rounds // len(stages)
        return places * max(sum(map(len, table.releases)) for table in self.tables)

    def bytes(self, grid: Grid) -> int:
        """Bytes of the rows of a pass, and of what it chooses, about."""
        windows = self.runner(grid, lambda: None).windows
        classes = max(len(table.classes) for table in self.tables)
        releases = max(len(table.releases) for table in self.tables)
        rows = 8 * (windows.widest + 2 * windows.pad) * (6 * classes + 2 * releases)
        return rows + BYTES_CHOSEN * classes * self.stages.rounds

    def first_step(self, places: int) -> float:
        """The step of a grid whose widest window has about so many places."""
        probe = self.runner(Grid(Fraction(1, 1000)), lambda: None).windows
        return max(2 * probe.farthest / 1000 / places, 1e-6)

    def upper(self, grid: Grid, check: Callable[[], None], *, choosing: bool = True) -> list[Line]:
        """Bounds at the slopes; unless nobody is to play by them, what they choose is kept for `lower`."""
        runner = self.runner(grid, check)
        policy = self._policy(runner)
        rows = UpperPass(runner, policy.note if choosing else None).run()
        if choosing:
            self._policies = [*self._policies[-1:], policy]
        root = self.root(runner)
        return [(slope, root.upper(rows, slope, runner.slack)) for slope in self.slopes]

    def lower(self, grid: Grid, check: Callable[[], None], *, placewise: bool = False) -> list[Point]:
        """Points that are attained, good at the slopes; `placewise` as in `policy`."""
        root, rows = self.attained(self.policy(grid, check, placewise=placewise))
        return [root.attained(rows, slope)[0] for slope in self.slopes]

    def attained(self, policy: GridPolicy, slopes: tuple[Fraction, ...] | None = None) -> tuple[Root, AttainedRows]:
        """What a policy attains wherever it may start at some of the slopes; at all of them if None."""
        root = self.root(policy.runner)
        starts = root.starts(policy.runner.windows, self.slopes if slopes is None else slopes)
        return root, policy.attained(self.units, starts)

    def replayed(
        self, grid: Grid, slope: Fraction, check: Callable[[], None], *, placewise: bool = False
    ) -> tuple[Point, Point]:
        """The point attained at a slope, and what its policy has when it is played; `placewise` as in `policy`.

        Raises: RuntimeError: they differ by more than roundings.
        """
        policy = self.policy(grid, check, placewise=placewise)
        root, rows = self.attained(policy, (slope,))
        (x, y), start = root.attained(rows, slope)
        played = self.played(policy, start)
        x1, y1 = played.point()
        within = PLAYED_WITHIN + self.units.loosened(rows.slack + played.slack)
        parts_of = self.size(y) + slope * self.units.rounded_by(max(x, x1))
        if abs((y - slope * x) - (y1 - slope * x1)) > within * parts_of:
            raise RuntimeError("a policy that has another value than was claimed of it")
        return (x, y), (x1, y1)

    def root(self, runner: Runner) -> Root:
        """Round 1, before the rows of a runner."""
        return Root.of(runner, self.tables[-1])

    def played(self, policy: GridPolicy, start: PolicyStart) -> PlayedPolicy:
        """A policy that is to be played forwards."""
        return PlayedPolicy(policy, self.tables[-1], start, self.units)

    def size(self, y: Fraction) -> Fraction:  # noqa: ARG002 - where y is next to nothing it is the size
        """What roundings of a mass in world 1 are parts of."""
        return Fraction(1)

    def _policy(self, runner: Runner) -> GridPolicy:
        """One that is to be noted; on the first grid it costs half as much, and often that is enough."""
        finer = runner.grid.step < Fraction(self.coarsest) / 2
        return GridPolicy(runner, finer and not self.one_sided(runner.grid))

    def one_sided(self, grid: Grid) -> bool:
        """Whether on this second grid one side of slopes is followed at first, and place by place only if that fails.

        Where slopes are steep floats make up for what places cost.
        """
        second = Fraction(self.coarsest) / SECOND_GRID <= grid.step < Fraction(self.coarsest) / 2
        return second and self._many_rounds and not self.steep

    @cached_property
    def _many_rounds(self) -> bool:
        """Whether there are many rounds of few classes."""
        few = all(len(table.classes) <= FEW_CLASSES for table in self.tables)
        return few and self.stages.rounds >= MANY_ROUNDS

    def in_floats(self, most: Fraction, gap: Fraction) -> bool:
        """Whether many rounds are played in floats, since what these are off by is next to nothing of a gap.

        Args:
            most: The largest slope that is asked for.
            gap: What bounds may be apart.
        """
        runs = max((len(release) for table in self.tables for release in table.releases), default=0)
        slack = self.stages.rounds * (2 * runs + OPERATIONS_BESIDE)
        return self._many_rounds and 2 * most * (off_by(slack) - 1) <= COUNTED_FOR_NOTHING * gap

    @cached_property
    def coarsest(self) -> float:
        """The step of the first grid."""
        return self.first_step(FIRST_OF_MANY_ROUNDS if self._many_rounds else FIRST_PLACES)

    def policy(self, grid: Grid, check: Callable[[], None], *, placewise: bool = False) -> GridPolicy:
        """What upper bounds on a grid choose at its nodes.

        Args:
            grid: The grid.
            check: Raises Stopped once the work must end.
            placewise: Whether it is to be chosen place by place on which side of slopes to go on, on a coarse grid too.
        """
        found = next((old for old in self._policies if old.runner.grid == grid), None)
        if found is None:
            found = self._policy(self.runner(grid, check))
            UpperPass(found.runner, found.note).run()
            self._policies = [*self._policies[-1:], found]
        found.runner.check = check
        if placewise and not found.placewise:
            self._policies.remove(found)
            found = found.by_places()
            self._policies.append(found)
        return found


def best_lines(lines: Iterable[Line]) -> list[Line]:
    """The least bound at each slope."""
    least: dict[Fraction, Fraction] = {}
    for slope, value in lines:
        least[slope] = min(value, least.get(slope, value))
    return sorted(least.items())


def swapped_line(line: Line) -> Line:
    """A bound on the swapped game as one on the game: y <= v + s x of 1 - y and 1 - x in place of x and y.

    >>> from fractions import Fraction
    >>> swapped_line((Fraction(2), Fraction(0)))
    (Fraction(1, 2), Fraction(1, 2))
    """
    slope, value = line
    return 1 / slope, (value + slope - 1) / slope


def swapped_point(point: Point) -> Point:
    """An event of the swapped game as its complement in the game."""
    x, y = point
    return 1 - y, 1 - x
