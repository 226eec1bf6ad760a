"""Upper bounds on what fixed streams reach: at each node of a grid, a row for each way to go on with both streams.

A core's law depends on the inputs alone, so that one pair of streams is one chain of releases, and nobody chooses after
round 1. Of two ways to go on from one class the one is left out whose row lies nowhere above the other's by more than a
tolerance: whatever is played before it, it reaches no more than that above the other (docs/decisions/0015).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import MOST_RATIO, Floats, Taps, exponential_float, exponentials, shift
from dpcert.audit.grids.passes import ABSOLUTE, LOST_TO_SMALL_FLOATS, PER_STAGE, Runner, StageTaps, bounded, off_by
from dpcert.audit.grids.root import Root
from dpcert.audit.grids.stages import NOTHING, Release, RoundTable
from dpcert.audit.limits import look

Numbers = NDArray[np.int64]
MOST_ROW_BYTES = 1 << 29
"""Bytes of the rows of one round past which the least of them are folded into others."""
BLOCK_BYTES = 1 << 18
"""Bytes of rows that are worked out at a stretch, so that they stay near the processor."""
PLACES_SAMPLED = 64
"""Places at which rows are held against each other first."""


@frozen
class WaysOn:
    """The ways to go on from a class, one row each.

    Attributes:
        rows: Bounds at the places of a window, and at a pad on either side.
        releases: Per way, the number of its first release.
        then: Per way, its number among the ways to go on from the class after that.
    """

    rows: Floats
    releases: Numbers
    then: Numbers


@dataclass
class StreamsPass:
    """Ways to go on, from the last round to the first.

    Attributes:
        runner: The game and its grid.
        tolerance: By how much a way that is left out may lie above the one that stands for it, at slopes from 1 on; in
            proportion to the slope below.
        kept: By stage, (table of the round, ways to go on by class, whose rows are kept for the last stage alone).
        most: The most ways to go on from one class.
    """

    runner: Runner
    tolerance: float
    kept: list[tuple[RoundTable, tuple[WaysOn, ...]]] = field(default_factory=list)
    most: int = 1

    def run(self) -> "StreamsPass":
        """The same, with what is known of every round but the first."""
        runner, windows = self.runner, self.runner.windows
        ends = exponentials(runner.grid.step, -windows.pad, 0)
        before, now = windows.at(0), [np.empty((0, 0))]
        for stage, made in runner.steps():
            now[NOTHING] = self._ended(stage - 1, ends)
            window = windows.at(stage)
            ways = self._ways(made, now, before, window)
            for one in ways:
                bounded(one.rows, windows.pad, windows.pad + window[1] - window[0], ends)
            now, before = [one.rows for one in ways], window
            self.most = max(self.most, *map(len, now))
            self.kept.append((made.table, tuple(WaysOn(np.empty((0, 0)), w.releases, w.then) for w in ways)))
        if self.kept:
            self.kept[-1] = self.kept[-1][0], ways
        return self

    def _ended(self, stage: int, ends: Floats) -> Floats:
        """The row of those who know no more, at the window of a stage."""
        windows = self.runner.windows
        row = np.zeros((1, windows.widest + 2 * windows.pad))
        self.runner.ended(stage, row[0])
        low, high = (windows.centre + place for place in windows.at(stage))
        bounded(row, low, high, ends)
        return row[:, low - windows.pad : high + windows.pad]

    def _allowed(self, window: tuple[int, int]) -> Floats:
        """The tolerance at the places of a window."""
        made = np.full(window[1] - window[0], self.tolerance)
        made[: -window[0]] *= self.runner.below_one[window[0] :]
        return made

    def _ways(
        self, made: StageTaps, now: Sequence[Floats], before: tuple[int, int], window: tuple[int, int]
    ) -> tuple[WaysOn, ...]:
        """The ways to go on from each class, by those of the round after it."""
        width, pad = window[1] - window[0], self.runner.windows.pad
        at = window[0] - before[0] + pad
        most = max(1, MOST_ROW_BYTES // (8 * (width + 2 * pad) * len(made.table.classes)))
        allowed = self._allowed(window)
        known: dict[int, Floats] = {}
        ways = []
        for numbers in made.table.classes:
            self.runner.check()
            parts = [_RowsOfClass.none(width)]
            for n in numbers:
                rows = known[n] if n in known else _followed(made.releases[n], now, at, width)
                if n in made.shared and sum(one.nbytes for one in known.values()) < MOST_ROW_BYTES:
                    known[n] = rows
                parts.append(_RowsOfClass(rows, np.full(len(rows), n), np.arange(len(rows))))
                if sum(one.rows.nbytes for one in parts) > MOST_ROW_BYTES:
                    whole = _RowsOfClass.joined(parts)  # the tolerance is for once a round
                    parts = [whole.of(undominated(whole.rows, 0 * allowed), most)]
            whole = _RowsOfClass.joined(parts)
            found = whole.of(undominated(whole.rows, allowed), most)
            wide = np.zeros((len(found.rows), width + 2 * pad))
            wide[:, pad : pad + width] = found.rows
            ways.append(WaysOn(wide, found.releases, found.then))
        return tuple(ways)


@frozen
class _RowsOfClass:
    """Ways to go on from a class, as `WaysOn` has them, without pads."""

    rows: Floats
    releases: Numbers
    then: Numbers

    @classmethod
    def none(cls, width: int) -> "_RowsOfClass":
        """No way, at so many places."""
        return cls(np.empty((0, width)), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence["_RowsOfClass"]) -> "_RowsOfClass":
        """All of several."""
        columns = zip(*((one.rows, one.releases, one.then) for one in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def of(self, chosen: list[int], most: int) -> "_RowsOfClass":
        """Some of them, the last folded into others where they are more than so many."""
        return _RowsOfClass(folded(self.rows[chosen], most), self.releases[chosen][:most], self.then[chosen][:most])


def _followed(one: Taps, now: Sequence[Floats], at: int, width: int) -> Floats:
    """The rows of a release, one for each way to go on from the class that all its outcomes lead to.

    Raises: RuntimeError: they lead to several.
    """
    afters = {after for after, _, _ in one.upper if after != NOTHING}
    if len(afters) > 1:
        raise RuntimeError("a release of a core leads to one position, whatever is seen")
    made = np.full((len(now[min(afters)]) if afters else 1, width), one.free)
    block = max(1, BLOCK_BYTES // (8 * width))
    spare = np.empty((block, width))
    for first in range(0, len(made), block):
        some = made[first : first + block]
        part = spare[: len(some)]
        for after, k, weight in one.upper:
            rows = now[after] if after == NOTHING else now[after][first : first + block]  # where nothing follows: one
            np.multiply(rows[:, at + k : at + k + width], weight, out=part)
            some += part
    return made


def undominated(rows: Floats, tolerance: Floats) -> list[int]:
    """Numbers of rows, so that each other row lies nowhere above one of them by more than the tolerance there."""
    sampled = slice(None, None, max(1, rows.shape[1] // PLACES_SAMPLED))
    few = np.ascontiguousarray(rows[:, sampled])
    raised, kept = np.empty_like(few), list[int]()
    for i in np.argsort(-few.sum(axis=1), kind="stable").tolist():
        look()
        above = np.flatnonzero((few[i] <= raised[: len(kept)]).all(axis=1))
        if not any((rows[i] <= rows[kept[k]] + tolerance).all() for k in above.tolist()):
            raised[len(kept)] = few[i] + tolerance[sampled]
            kept.append(i)
    return kept


def folded(rows: Floats, most: int) -> Floats:
    """The first rows, each raised to what lies near it of the others, by a sample of places: still a bound on all."""
    made = rows[:most]
    sampled = slice(None, None, max(1, rows.shape[1] // PLACES_SAMPLED))
    few = np.ascontiguousarray(made[:, sampled])
    for row in rows[most:]:
        look()
        nearest = int(np.argmin((row[sampled] - few).max(axis=1)))
        np.maximum(made[nearest], row, out=made[nearest])
        few[nearest] = made[nearest, sampled]
    return made


@frozen
class StreamsRoot:
    """Round 1, whose releases lead to the ways on that a pass found.

    Attributes:
        made: The pass.
        table: The table of the first round.
    """

    made: StreamsPass
    table: RoundTable

    def bound(self, slope: Fraction) -> tuple[Fraction, tuple[int, int] | None]:
        """A bound on what fixed streams reach at a slope; (first release, way on) of the largest, None for none."""
        runner = self.made.runner
        root = Root.of(runner, self.table)
        best: tuple[float, tuple[int, int]] | None = None
        longest = 0
        for number in self.table.classes[self.table.class_of[0]]:
            look()
            values = self._values(root, self.table.releases[number], slope)
            way, longest = int(np.argmax(values)), max(longest, len(self.table.releases[number]))
            if best is None or values[way] > best[0]:
                best = float(values[way]), (number, way)
        trivial = max(Fraction(0), 1 - slope)
        if best is None:
            return trivial, None
        left_out = runner.stages.rounds * Fraction(self.made.tolerance) * min(Fraction(1), slope)
        factor = off_by(runner.slack + longest + 2 * PER_STAGE)
        return min(Fraction(1), max(trivial, (Fraction(best[0]) + left_out + LOST_TO_SMALL_FLOATS) * factor)), best[1]

    def _values(self, root: Root, release: Release, slope: Fraction) -> Floats:
        """Bounds on a first release with each way on, in floats."""
        total: Floats = np.zeros(1)
        for after, k0, k1 in release:
            if k1:
                ratio = slope * k0 / k1
                total = total + float(k1) * self._chord(root, after, ratio)
        return total

    def _chord(self, root: Root, after: int, slope: Fraction) -> Floats:
        """Bounds on the ways on from a class at any slope, as `Root` has them of one row."""
        if after == NOTHING:
            return np.array([float(max(Fraction(0), 1 - slope))])
        rows, pad = self.made.kept[-1][1][after].rows, self.made.runner.windows.pad
        low, high = self.made.runner.windows.at(root.stage)
        if slope * MOST_RATIO < 1:
            return np.ones(len(rows))
        rest = root.grid.rest(root.stage)
        at = shift(min(slope, MOST_RATIO), root.grid, -rest)
        if at.steps < low:  # the chord from (0, 1) to the first node
            part = float(slope) / exponential_float(root.grid.step * (low + rest))
            return np.asarray(1 - (1 - rows[:, pad]) * part + ABSOLUTE)
        place = min(at.steps, high - 1) - low + pad
        made: Floats = at.near * rows[:, place] + at.far * rows[:, place + 1]
        return made

    def releases(self, way: tuple[int, int]) -> list[tuple[RoundTable, int]]:
        """The releases behind a bound, round by round, each as its number in the table of its round."""
        number, then = way
        table, chosen = self.table, [(self.table, number)]
        for later, ways in reversed(self.made.kept):
            afters = {after for after, _, _ in table.releases[number] if after != NOTHING}
            if not afters:
                break
            on = ways[min(afters)]
            table, number, then = later, int(on.releases[then]), int(on.then[then])
            chosen.append((table, number))
        return chosen
