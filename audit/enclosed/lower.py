"""Policies at the nodes of a grid, and the points that they attain, from the last round to the first.

A policy stands at a node. What a slope between two nodes is followed by is the better of them; which one that is, and
which release is chosen, floats say, and any answer is a policy. What it attains is worked out beside it, in `attained`.
"""

from dataclasses import dataclass, field

import numpy as np

from dpcert.audit.enclosed.attained import AttainedRows, Choices, Flags, Kept
from dpcert.audit.enclosed.grid import Floats, Taps, nodes
from dpcert.audit.enclosed.passes import Runner, shared_in
from dpcert.audit.enclosed.stages import NOTHING, RoundTable
from dpcert.audit.enclosed.units import Units


@dataclass
class GuessedPoints:
    """Points of a stage by world, class and place: what a policy has in the event, about.

    Attributes:
        points: Three axes; places as `Windows` has them in arrays.
        low: The first place of the window.
        high: The one after its last.
    """

    points: Floats
    low: int
    high: int


@dataclass
class LowerPass:
    """At every node the best point that was found for its slope."""

    runner: Runner

    def start(self) -> GuessedPoints:
        """Those of the end, at which it is guessed."""
        windows = self.runner.windows
        points = np.zeros((2, 1, windows.widest + 2 * windows.pad))
        self._end(points, 0, nodes(self.runner.grid, 0, *windows.at(0)))
        return GuessedPoints(points, *windows.at(0))

    def run(self, units: Units, every: int = 0) -> tuple[AttainedRows, dict[int, GuessedPoints]]:
        """What is attained at the last stage, with one round to come before it; the points of every so many stages."""
        now, kept = self.start(), {}
        spare = np.zeros_like(now.points)
        rows = AttainedRows.ended(self.runner, units)
        for stage, table, made in self.runner.steps():
            if every and (stage - 1) % every == 0:
                kept[stage - 1] = GuessedPoints(now.points.copy(), now.low, now.high)
            if spare.shape[1] != len(table.classes):
                spare = np.zeros((2, len(table.classes), spare.shape[2]))
            new, policy = self.step(stage, table, made, now, spare)
            rows.follow(stage, table, policy)
            now, spare = new, now.points
        return rows, kept

    def step(
        self,
        stage: int,
        table: RoundTable,
        made: tuple[Taps, ...],
        now: GuessedPoints,
        into: Floats,
    ) -> tuple[GuessedPoints, Kept]:
        """The points of a stage, from those of the one before, and how they are attained."""
        windows = self.runner.windows
        low, high = windows.at(stage)
        slopes = nodes(self.runner.grid, stage, low, high)
        work = _Stage(now.points, slopes, windows.centre + low, made, shared_in(table))
        chosen = tuple(work.best(ones, into[:, number]) for number, ones in enumerate(table.classes))
        self._end(into, stage, slopes)
        return GuessedPoints(into, low, high), Kept(chosen, work.before, low, high)

    def _end(self, points: Floats, stage: int, slopes: Floats) -> None:
        """The row of those who guess at once; beyond the window, the point at its end."""
        windows = self.runner.windows
        low, high = windows.at(stage)
        a, b = windows.centre + low, windows.centre + high
        points[:, NOTHING, a:b] = slopes < 1
        points[:, :, a - windows.pad : a] = points[:, :, a : a + 1]
        points[:, :, b : b + windows.pad] = points[:, :, b - 1 : b]


@dataclass
class _Stage:
    """The releases of one stage, over the places from `first` on of the points that follow."""

    points: Floats
    slopes: Floats
    first: int
    made: tuple[Taps, ...]
    shared: set[int]
    before: dict[int, tuple[Flags, ...]] = field(default_factory=dict)
    _known: dict[int, Floats] = field(default_factory=dict)
    _falls: dict[int, Floats] = field(default_factory=dict)

    def best(self, releases: tuple[int, ...], row: Floats) -> Choices:
        """Per node the best of the releases, into a row; and which it is."""
        count = len(self.slopes)
        target = row[:, self.first : self.first + count]
        choice = np.zeros(count, dtype=np.uint8 if len(releases) < 256 else np.int64)
        worth = np.empty(0)
        for i, release in enumerate(releases):
            other = self._carried(release)
            value = self._worth(other) if len(releases) > 1 else worth
            if i == 0:
                target[:], worth = other, value
                continue
            better = value > worth
            np.copyto(target, other, where=better)
            np.copyto(worth, value, where=better)
            choice[better] = i
        return choice

    def _worth(self, points: Floats) -> Floats:
        made: Floats = points[0] * self.slopes
        np.subtract(points[1], made, out=made)
        return made

    def _carried(self, release: int) -> Floats:
        """The points of a release."""
        known = self._known.get(release)
        if known is not None:
            return known
        one, count = self.made[release], len(self.slopes)
        into = np.empty((2, count))
        into[0], into[1] = one.bet, one.free
        flags = []
        part = np.empty(count)
        for after, k, ratio, k0, k1 in one.lower:
            at = slice(self.first + k, self.first + k + count)
            behind = slice(at.start + 1, at.stop + 1)
            falls = self._fall(after)
            np.multiply(self.slopes, ratio, out=part)
            np.multiply(part, falls[0, at], out=part)
            keep = falls[1, at] >= part
            for world, weight in ((0, k0), (1, k1)):
                row = self.points[world, after]
                np.multiply(np.where(keep, row[at], row[behind]), weight, out=part)
                np.add(into[world], part, out=into[world])
            flags.append(keep)
        self.before[release] = tuple(flags)
        if release in self.shared:
            self._known[release] = into
        return into

    def _fall(self, after: int) -> Floats:
        """What the points of a class lose from each place to the next, in either world."""
        if after not in self._falls:
            self._falls[after] = self.points[:, after, :-1] - self.points[:, after, 1:]
        return self._falls[after]
