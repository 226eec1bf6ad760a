"""Bounds on a part of a game at one slope where next to nothing can be learnt: passes whose values lean towards it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, floor

import numpy as np

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.aligned import aligned
from dpcert.audit.grids.attained import AttainedRows
from dpcert.audit.grids.bounding import PartBounds
from dpcert.audit.grids.grid import Grid, shift
from dpcert.audit.grids.lower import GridPolicy
from dpcert.audit.grids.passes import LOST_TO_SMALL_FLOATS, Rows, Runner, off_by
from dpcert.audit.grids.replay import PlayedPolicy
from dpcert.audit.grids.root import PolicyStart, Root
from dpcert.audit.grids.saddle import Saddle
from dpcert.audit.grids.stages import Release
from dpcert.audit.grids.tilted_grid import TiltedGrid, TiltedRunner, TiltedWindows
from dpcert.audit.grids.tilted_policies import LeaningPlayed, LeaningPolicy, LeaningUnits

ALL_BUT = 45
"""-ln of what values may come to where a window ends below: what is left out there."""
MOST_TILT = Fraction(1, 2)
"""ln of the factor of a place, at most."""
MOST_DEVIATIONS = 18
"""Standard deviations past which windows are not made wider."""


@frozen
class TiltedRoot(Root):
    """Round 1, before rows that lean.

    Attributes:
        runner: Theirs.
    """

    runner: TiltedRunner

    def _between(self, rows: Rows, after: int, slope: Fraction, factor: Fraction) -> Fraction:
        """A bound on the value of a class after which something follows, at a slope above 0."""
        grid, exponent = self.runner.tilted, self.runner.exponents[self.stage]
        at = shift(slope, grid, -grid.rest(self.stage))
        if at.steps < rows.low or at.steps >= rows.high - 1:
            most = Fraction(float(self.runner.most[after])) * factor + LOST_TO_SMALL_FLOATS
            # at some slope between two nodes: the factor of the node before it is the largest
            return min(most * grid.back(self.stage, at.steps, exponent)[1], Fraction(1))
        near, far = (
            (Fraction(float(rows.values[after][self._place(rows, place)])) * factor + LOST_TO_SMALL_FLOATS)
            * grid.back(self.stage, place, exponent)[1]
            for place in (at.steps, at.steps + 1)
        )
        return (Fraction(at.near) * near + Fraction(at.far) * far) * off_by(16)


@dataclass
class TiltedBounds(PartBounds):
    """A part at one slope, which is what `slopes` holds.

    Attributes:
        saddle: What the slope turns on.
    """

    saddle: Saddle | None = None
    _windows: dict[tuple[Grid, float], TiltedWindows] = field(default_factory=dict)

    def widen(self) -> bool:
        """Makes windows twice as wide, for grids that follow; whether that is done."""
        if self.deviations >= MOST_DEVIATIONS:
            return False
        self.be_wide(2 * self.deviations)
        return True

    def be_wide(self, deviations: float) -> None:
        """Has windows of so many deviations."""
        self.deviations = deviations
        self._policies = []
        vars(self).pop("_ends", None)

    @property
    def turns_on(self) -> Saddle:
        """What the slope turns on."""
        if self.saddle is None:
            raise TypeError("a slope of which nothing is known")
        return self.saddle

    @property
    def first_releases(self) -> list[Release]:
        """What can be chosen in round 1."""
        table = self.tables[-1]
        return [table.releases[i] for i in table.classes[table.class_of[0]]]

    @cached_property
    def tilted_ratios(self) -> list[tuple[tuple[float, float], ...]]:
        """What releases do to the log-likelihood ratio, weighed as values lean: a guide to grids."""
        theta = float(self.turns_on.theta)
        made = []
        for one in self.ratios:
            most = max((-theta * a for a, _ in one), default=0.0)
            weights = [p * exp(-theta * a - most) for a, p in one]
            total = sum(weights) or 1.0
            made.append(tuple((a, w / total) for (a, _), w in zip(one, weights, strict=True)))
        return made

    def grid(self, coarsest: float) -> Grid:
        """A grid of at most that step."""
        if coarsest not in self._grids:
            flat, one = aligned(self.tilted_ratios, coarsest), self.turns_on
            rounds = max(1, self.stages.rounds - 1)
            travel = Fraction(round(float(one.means[-1].mean()) / float(flat.step) / rounds * 2**30), 2**30)
            self._grids[coarsest] = TiltedGrid(flat.step, flat.drift, one.theta * flat.step, travel)
        return self._grids[coarsest]

    def runner(self, grid: Grid, check: Callable[[], None]) -> Runner:
        """What a pass on a grid needs."""
        if not isinstance(grid, TiltedGrid):
            raise TypeError("a grid that does not lean")
        key = grid, self.deviations
        if key not in self._windows:
            self._windows[key] = self._window(grid)
        return TiltedRunner(self.stages, grid, self._windows[key], check)

    def first_step(self, places: int) -> float:
        """The step of a grid whose widest window has about so many places."""
        low, high = self._ends
        widest = float(np.max(high - low))
        return max(min(widest / places, float(MOST_TILT / self.turns_on.theta)), 1e-9)

    @cached_property
    def _ends(self) -> "tuple[np.ndarray, np.ndarray]":
        """By stage, ln of the slopes between which something is open that matters."""
        one, rounds = self.turns_on, self.stages.rounds - 1
        stage = np.arange(rounds + 1)
        step = max((abs(a) for release in self.all_ratios for a, _ in release), default=0.0)
        ahead = np.minimum((rounds - stage + 1) * 2 * step, self._around(one.variances[-1] - one.variances, step))
        low = np.maximum(one.means[:, 0] - one.off - ahead, (one.logs - ALL_BUT) / float(one.theta)) - 2 * step
        high = np.minimum(one.means[:, 1] - one.off + ahead, stage * step) + 2 * step
        return low, np.maximum(np.maximum(high, low), 0.0)

    def _around(self, variances: "np.ndarray", step: float) -> "np.ndarray":
        """How far likelihood ratios are from where they are expected."""
        around: np.ndarray = self.deviations * (np.sqrt(np.maximum(variances, 0.0)) + step)
        return around

    def _window(self, grid: TiltedGrid) -> TiltedWindows:
        step, (low, high) = float(grid.step), self._ends
        longest = max((abs(a) for one in self.all_ratios for a, _ in one), default=0.0)
        reach = int(longest / step) + ceil(abs(grid.travel)) + 5
        ends: list[tuple[int, int]] = []
        for stage in range(self.stages.rounds - 1, -1, -1):
            rest = float(grid.rest(stage))
            first, end = floor(float(low[stage]) / step - rest) - 2, ceil(float(high[stage]) / step - rest) + 3
            if ends:
                first, end = min(first, ends[-1][0] + reach), max(end, ends[-1][1] - reach)
            ends.append((first, end))
        rounds = self.stages.rounds - 1
        return TiltedWindows(grid, rounds, self.spread, 0.0, longest, reach, self.deviations, tuple(ends[::-1]))

    def _policy(self, runner: Runner) -> GridPolicy:
        """One that is to be noted: on all grids it is settled place by place on which side of slopes it goes on."""
        return LeaningPolicy(runner, placewise=True)

    def root(self, runner: Runner) -> Root:
        """Round 1, before the rows of a runner."""
        flat = Root.of(runner, self.tables[-1])
        if not isinstance(runner, TiltedRunner):
            raise TypeError("values that do not lean")
        return TiltedRoot(flat.table, flat.grid, flat.stage, flat.centre, flat.pad, runner)

    def attained(self, policy: GridPolicy, slopes: tuple[Fraction, ...] | None = None) -> tuple[Root, AttainedRows]:
        """What a policy attains wherever it may start at the slope."""
        self.units = self._units(policy)
        return super().attained(policy, slopes)

    def played(self, policy: GridPolicy, start: PolicyStart) -> PlayedPolicy:
        """A policy that is to be played forwards."""
        return LeaningPlayed(policy, self.tables[-1], start, self._units(policy))

    def _units(self, policy: GridPolicy) -> LeaningUnits:
        grid = policy.runner.grid
        if not isinstance(grid, TiltedGrid):
            raise TypeError("a grid that does not lean")
        return LeaningUnits(grid=grid)

    def size(self, y: Fraction) -> Fraction:
        """What roundings of a mass in world 1 are parts of."""
        return y
