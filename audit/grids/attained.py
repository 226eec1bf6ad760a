"""What policies have in their event, in either world, in whole units: from their choices, the last round first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import Telling
from dpcert.audit.grids.passes import Runner, StageTaps
from dpcert.audit.grids.sides import Flags, Sides, SideWorth
from dpcert.audit.grids.stages import NOTHING, Release
from dpcert.audit.grids.units import Factor, NoSpare, Units, Wholes

OPERATIONS_BESIDE = 4
"""Operations of a stage beside a sum over runs, where they are rounded: weights, products, what is bet, one to spare.

The runs are counted themselves: several of nearly one ratio are one chord of the upper bounds.
"""
Span = tuple[int, int, int]
"""(release, first place, the one after the last) between which it is chosen."""


@frozen
class StagePolicy:
    """What a policy does at a stage: nothing else is needed to play it.

    Attributes:
        stage: The stage.
        taps: Its releases.
        spans: Per class, where it chooses which release: all places of the window, in order.
        behind: Per release, for each of its runs 1 where the node behind a slope is followed, 0 for the one before it.
        sides: The same place by place, where that is chosen by what is attained: by class and number of the span, from
            which place on, and the sides of each run. None where `behind` is followed.
    """

    stage: int
    taps: StageTaps
    spans: tuple[tuple[Span, ...], ...]
    behind: tuple[tuple[int, ...], ...]
    sides: dict[tuple[int, int], tuple[int, tuple[Sides, ...]]] | None = None

    def behind_at(self, number: int, place: int) -> tuple[int, ...]:
        """For each run of what a class chooses at a place: 1 where the node behind a slope is followed."""
        i = next(i for i, (_, low, high) in enumerate(self.spans[number]) if low <= place < high)
        if self.sides is None:
            return self.behind[self.spans[number][i][0]]
        first, sides = self.sides[number, i]
        return tuple(int(not one.flags()[place - first]) for one in sides)


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
    """

    runner: Runner
    units: Units
    values: Wholes
    low: int
    high: int
    slack: int = 0
    _spare_rows: Wholes | None = None
    _weights: dict[int, tuple[StageTaps, tuple["_Weights", ...]]] = field(default_factory=dict)

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
        return self.units.spare(self.values.shape[2])

    def follow(self, stage_policy: StagePolicy, places: Mapping[int, tuple[int, int]] | None = None) -> None:
        """Goes on to the stage of the next choices, at the places that are reached alone: elsewhere nobody bets."""
        classes, windows = stage_policy.taps.table.classes, self.runner.windows
        rows = self._spare_rows
        if rows is None or rows.shape[1] != len(classes):
            rows = self.units.zeros(2, len(classes), self.values.shape[2])
        elif places is not None:
            rows[:] = 0
        weights = self._weighed(stage_policy.taps, stage_policy.stage)
        worth = None if stage_policy.sides is None else self._worth(stage_policy.stage)
        with np.errstate(over="ignore"):  # of slopes that nobody asks for
            for number, i, (release, low, high) in _spans_within(stage_policy.spans, places):
                a, one = windows.centre + low, weights[release]
                if stage_policy.sides is None or worth is None:
                    pursuit = self._at(one, stage_policy.behind[release], a, high - low)
                else:
                    before = worth.before(stage_policy.taps.releases[release], a, high - low)
                    stage_policy.sides[number, i] = low, tuple(map(Sides.of, before))
                    pursuit = self._at_sides(one, before, a, high - low)
                self._released(one, pursuit, rows[:, number, a : windows.centre + high])
        self.values, self._spare_rows = rows, self.values
        self.slack += max((len(one.runs) for one in weights), default=0) + OPERATIONS_BESIDE
        self.low, self.high = windows.at(stage_policy.stage)
        self._end()

    def exact(self, number: int, place: int) -> tuple[Fraction, Fraction]:
        """What a class has at a place of arrays, in either world."""
        x, y = (self.units.exact(v[number, place], world, self.slack) for world, v in enumerate(self.values))
        return min(x, Fraction(1)), y

    def _released(self, one: "_Weights", pursuit: Iterable[Wholes], into: Wholes) -> None:
        """What a release comes to, from what the policies that its runs follow have."""
        places = into.shape[1]
        spare = self._spare if isinstance(self._spare, tuple) else self._spare[:, :, :places]
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

    def _weighed(self, stage_taps: StageTaps, stage: int) -> tuple["_Weights", ...]:
        """The releases of a stage as factors."""
        if id(stage_taps) not in self._weights:
            moved = self.runner.grid.rest(stage) - self.runner.grid.rest(stage - 1)
            shifts = [[k for _, k, *_ in one.runs] for one in stage_taps.releases]
            pairs = zip(stage_taps.table.releases, shifts, strict=True)
            made = tuple(_Weights.of(self.units, release, steps, moved) for release, steps in pairs)
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


def _spans_within(
    spans: Sequence[Sequence[Span]], places: Mapping[int, tuple[int, int]] | None
) -> Iterator[tuple[int, int, Span]]:
    """(class, number of the span, as much of it as is reached)."""
    for number in range(len(spans)) if places is None else places:
        for i, (release, low, high) in enumerate(spans[number]):
            first, end = (low, high) if places is None else places[number]
            a, b = max(first, low), min(end, high)
            if a < b:
                yield number, i, (release, a, b)


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
