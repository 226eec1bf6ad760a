"""What policies have in their event, in either world, in whole units: from their choices, the last round first."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import exp

import numpy as np

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.choices import Chosen, ReachedSpans, Spans
from dpcert.audit.grids.columns import Flags, taken
from dpcert.audit.grids.grid import Floats, Telling
from dpcert.audit.grids.passes import Runner, StageTaps
from dpcert.audit.grids.sides import Sides, SidesByPlace, SideWorth
from dpcert.audit.grids.stages import NOTHING, Release
from dpcert.audit.grids.units import Factor, NoSpare, Units, Wholes, cut, stacked

OPERATIONS_BESIDE = 4
"""Operations of a stage beside a sum over runs, where they are rounded: weights, products, what is bet, one to spare.

The runs are counted themselves: several of nearly one ratio are one chord of the upper bounds.
"""
NO_FLAGS = np.zeros(0, dtype=bool)
"""What rows of flags begin with, that there may be none."""
BLOCK_PLACES = 1 << 13
"""Places that are worked out at a stretch, so that they stay near the processor."""


@frozen
class StagePolicy:
    """What a policy does at a stage: nothing else is needed to play it.

    Attributes:
        stage: The stage.
        taps: Its releases.
        spans: Where classes choose which release.
        behind: Per release, for each of its runs 1 where the node behind a slope is followed, 0 for the one before it.
        placewise: Whether that is chosen place by place instead, by what is attained (`AttainedRows.sides`).
    """

    stage: int
    taps: StageTaps
    spans: Spans
    behind: tuple[tuple[int, ...], ...]
    placewise: bool = False

    def before(self, j: int) -> Flags:
        """By release, whether run j follows the node before its slope, as all do that there are not."""
        return np.array([not (j < len(one) and one[j]) for one in self.behind], dtype=bool)


@dataclass
class AttainedRows:
    """What the policies of a stage have, by world, class and place.

    Attributes:
        runner: The game and its grid.
        units: What is counted in.
        values: In world 0 at least what they have, in world 1 at most; places as `Windows` has them in arrays.
        low: The first place of the window.
        high: The one after its last.
        slack: Operations so far, where they are rounded.
        sides: By stage, on which sides of slopes to go on, where that was chosen place by place.
    """

    runner: Runner
    units: Units
    values: Wholes
    low: int
    high: int
    slack: int = 0
    sides: dict[int, SidesByPlace] = field(default_factory=dict)
    _spare_rows: Wholes | None = None
    _weights: dict[int, tuple[StageTaps, "_StageWeights"]] = field(default_factory=dict)

    @classmethod
    def ended(cls, runner: Runner, units: Units) -> "AttainedRows":
        """Those of the end, at which it is guessed."""
        windows = runner.windows
        low, high = windows.at(0)
        rows = cls(runner, units, units.zeros(2, 1, windows.widest + 2 * windows.pad), low, high)
        rows._end()
        return rows

    @cached_property
    def _spare(self) -> Wholes | NoSpare:
        return self.units.spare(min(BLOCK_PLACES, self.values.shape[2]))

    def follow(self, stage_policy: StagePolicy, places: Mapping[int, tuple[int, int]] | None = None) -> None:
        """Goes on to the stage of the next choices, at the places that are reached alone: elsewhere nobody bets."""
        classes, windows = stage_policy.taps.table.classes, self.runner.windows
        rows = self._spare_rows
        if rows is None or rows.shape[1] != len(classes):
            rows = self.units.zeros(2, len(classes), self.values.shape[2])
        elif places is not None:
            rows[:] = 0
        weights = self._weighed(stage_policy.taps, stage_policy.stage)
        stage = stage_policy.stage
        window = windows.at(stage)
        spans = stage_policy.spans
        reached = spans.everywhere() if places is None else spans.reached(places)
        flags: list[list[Flags]] = [[] for _ in range(weights.longest)]
        with np.errstate(over="ignore"):  # of slopes that nobody asks for
            if reached.long:
                self._by_spans(stage_policy, weights, reached, (rows, flags))
            else:
                self._by_places(stage_policy, weights, reached.place_by_place(), (rows, flags))
        if stage_policy.placewise:
            self.sides[stage] = SidesByPlace(
                reached.by_class(), tuple(Sides.of(np.concatenate([NO_FLAGS, *f])) for f in flags)
            )
        self.values, self._spare_rows = rows, self.values
        self.slack += weights.longest + OPERATIONS_BESIDE
        self.low, self.high = window
        self._end()

    def _by_spans(
        self,
        stage_policy: StagePolicy,
        weights: "_StageWeights",
        reached: ReachedSpans,
        onto: tuple[Wholes, list[list[Flags]]],
    ) -> None:
        """Span by span, on slices: where they are few and long."""
        worth = self._worth(stage_policy.stage) if stage_policy.placewise else None
        rows, flags = onto
        for number, release, first, end in reached.blocks(BLOCK_PLACES):
            a, one = self.runner.windows.centre + first, weights.releases[release]
            if worth is None:
                pursuit = self._at(one, stage_policy.behind[release], a, end - first)
            else:
                before = worth.before(stage_policy.taps.releases[release], a, end - first)
                for j, kept in enumerate(flags):
                    kept.append(before[j] if j < len(before) else np.ones(end - first, dtype=bool))
                pursuit = self._at_sides(one, before, a, end - first)
            self._released(one, pursuit, rows[:, number, a : a + end - first])

    def _by_places(
        self,
        stage_policy: StagePolicy,
        weights: "_StageWeights",
        chosen: Chosen,
        onto: tuple[Wholes, list[list[Flags]]],
    ) -> None:
        """All places at once: where spans are many and short."""
        (rows, flags), width = onto, self.values.shape[2]
        worth = self._worth(stage_policy.stage) if stage_policy.placewise else None
        at, releases, spare = self.runner.windows.centre + chosen.places, chosen.releases, self.units.spare(len(chosen))
        values, into = self.values.reshape(2, -1), taken(weights.start, releases)
        for j, column in enumerate(stage_policy.taps.columns):
            where = at + column.steps[releases]
            index = column.after[releases] * width + where
            near = taken(values, index)
            if worth is None:
                before = stage_policy.before(j)[releases]
            else:
                before = worth.is_before(near, taken(values, index + 1), where, weights.further[j][releases])
                before |= column.on_node[releases]
                flags[j].append(before)
            if not before.all():
                near = np.where(before, near, self.units.behind(taken(values, index + 1)))
            into += self.units.times(near, weights.factors[j].of(releases), spare)
        self.units.capped(into[0])
        rows.reshape(2, -1)[:, chosen.numbers * width + at] = into

    def exact(self, number: int, place: int) -> tuple[Fraction, Fraction]:
        """What a class has at a place of arrays, in either world."""
        x, y = (self.units.exact(v[number, place], world, self.slack) for world, v in enumerate(self.values))
        return min(x, Fraction(1)), y

    def _released(self, one: "_Weights", pursuit: Iterable[Wholes], into: Wholes) -> None:
        """What a release comes to, from what the policies that its runs follow have."""
        places = into.shape[1]
        spare = cut(self._spare, places)
        into[:] = one.start
        for (_, factor, _), values in zip(one.runs, pursuit, strict=True):
            into += self.units.times(values, factor, spare)
        self.units.capped(into[0])

    def _worth(self, stage: int) -> SideWorth:
        """What tells on which side of slopes to go on."""
        return SideWorth.of(self.values, self.runner, stage)

    def _at(self, one: "_Weights", behind: tuple[int, ...], a: int, places: int) -> Iterable[Wholes]:
        """What is had at the places from a on, where all follow nodes of one side."""
        for (after, _, steps), further in zip(one.runs, behind, strict=True):
            first = a + steps + further
            values = self.values[:, after, first : first + places]
            yield self.units.behind(values) if further else values

    def _at_sides(self, one: "_Weights", before: Iterable[Flags], a: int, places: int) -> Iterable[Wholes]:
        """The same where each place has a side of its own."""
        for (after, _, steps), flags in zip(one.runs, before, strict=True):
            row, first = self.values[:, after], a + steps
            near, far = row[:, first : first + places], row[:, first + 1 : first + 1 + places]
            yield near if flags.all() else np.where(flags, near, self.units.behind(far))

    def _weighed(self, stage_taps: StageTaps, stage: int) -> "_StageWeights":
        """The releases of a stage as factors."""
        if id(stage_taps) not in self._weights:
            moved = self.runner.grid.rest(stage) - self.runner.grid.rest(stage - 1)
            made = _StageWeights.of(self.units, stage_taps, moved, float(self.runner.grid.step))
            self._weights[id(stage_taps)] = stage_taps, made
        return self._weights[id(stage_taps)][1]

    def _end(self) -> None:
        """The row of those who guess at once: below slope 1; beyond the window, the policies at its end."""
        windows = self.runner.windows
        a, b = windows.centre + self.low, windows.centre + self.high
        self.values[:, NOTHING, a:b] = 0
        self.values[:, NOTHING, a : windows.centre] = self.units.one
        self.values[:, :, a - windows.pad : a] = self.values[:, :, a : a + 1]
        self.values[:, :, b : b + windows.pad] = self.values[:, :, b - 1 : b]


@frozen
class _Weights:
    """A release in whole units.

    Attributes:
        start: What is bet on at once, and all that products cut off.
        runs: (class, weight, shift) of what is played on after.
    """

    start: Wholes
    runs: tuple[tuple[int, Factor, int], ...]

    @classmethod
    def of(cls, units: Units, release: Release, shifts: list[int], moved: Fraction) -> "_Weights":
        telling = Telling.of(release)
        pairs = zip(telling.runs, shifts, strict=True)
        runs = tuple((after, units.led(k0, k1, moved - k), k) for (after, k0, k1), k in pairs)
        return cls((units.pair(*telling.bet) + units.carry * len(runs))[:, None], runs)


@frozen
class _StageWeights:
    """The releases of a stage in whole units, one by one and in columns.

    Attributes:
        releases: One by one.
        start: By world and release, what is bet on at once, and all that products cut off.
        factors: Run by run, what it weighs in either world, by release.
        further: Run by run and by release, e to how far its slope lies beyond a node.
    """

    releases: tuple["_Weights", ...]
    start: Wholes
    factors: tuple[Factor, ...]
    further: tuple[Floats, ...]

    @classmethod
    def of(cls, units: Units, stage_taps: StageTaps, moved: Fraction, step: float) -> "_StageWeights":
        shifts = [[k for _, k, *_ in one.runs] for one in stage_taps.releases]
        pairs = zip(stage_taps.table.releases, shifts, strict=True)
        releases = tuple(_Weights.of(units, release, steps, moved) for release, steps in pairs)
        none = units.factor(Fraction(0), Fraction(0))
        by_run = [
            [one.runs[j][1] if j < len(one.runs) else none for one in releases] for j in range(len(stage_taps.columns))
        ]
        return cls(
            releases,
            np.concatenate([units.zeros(2, 0), *(one.start for one in releases)], axis=1),
            tuple(map(stacked, by_run)),
            tuple(np.array([exp(part * step) for part in one.parts.tolist()]) for one in stage_taps.columns),
        )

    @property
    def longest(self) -> int:
        """Runs of a release, at most."""
        return len(self.factors)
