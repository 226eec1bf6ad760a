"""Upper bounds on what can still be learnt, at the nodes of a grid, from the last round to the first, in floats.

Only sums and products of numbers of at least 0 are made, so that every result is off by a factor near 1 that is counted
(docs/decisions/0015): `slack` of them. Where grids end changes no proof. Which release is the largest at a node is told
to whoever asks: `lower` reads a policy off it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.columns import RunColumn, columns
from dpcert.audit.grids.grid import ON_A_NODE, Floats, Grid, Taps, exponential_float, exponentials, nodes, taps
from dpcert.audit.grids.stages import NOTHING, RoundTable, Stages
from dpcert.audit.grids.windows import Windows

UNIT = 2.0**-53
"""What a float operation is off by at most, relatively."""
ABSOLUTE = 16 * UNIT
"""What a difference of numbers of at most 1 is off by at most."""
PER_STAGE = 12
"""Operations of a stage beside its sums: weights (8 units), products, the last rounding, and one to spare."""
NO_BETTER = 8 * UNIT
"""By how much of itself a release has to be larger than those before it to be chosen: less is noise."""

LOST_TO_SMALL_FLOATS = Fraction(1, 2**1000)
"""More than all that is lost where products are too small for a float: fewer than 2^60 of them, each below 2^-1074."""

Choices = NDArray[Any]
"""Which of the releases of a class, by place of a window."""


def off_by(slack: int) -> Fraction:
    """A factor that so many float operations are off by at most: (1 + 2^-53)^slack, and less than twice the sum."""
    return 1 + 2 * (slack + 1) * Fraction(UNIT)


@dataclass
class Rows:
    """Values of the classes of a stage, one row each, at places low to high - 1 and at `pad` more on either side.

    The row of those who know no more is not kept.
    """

    values: Floats
    low: int
    high: int


@frozen
class StageTaps:
    """The releases of a table on a grid, at all stages at which its places move alike.

    Attributes:
        table: The table.
        releases: Its releases.
        reach: The largest shift.
        slack: Operations of a stage, each of which may be off by UNIT.
        reads_ended: Whether any release leads to those who know no more.
    """

    table: RoundTable
    releases: tuple[Taps, ...]
    reach: int
    slack: int
    reads_ended: bool

    @classmethod
    def of(cls, table: RoundTable, releases: tuple[Taps, ...]) -> "StageTaps":
        """Those of a table."""
        reach = max((one.reach for one in releases), default=0)
        slack = max((one.longest for one in releases), default=0) + PER_STAGE
        return cls(table, releases, reach, slack, any(after == NOTHING for one in releases for after, *_ in one.upper))

    @cached_property
    def between_nodes(self) -> bool:
        """Whether a policy meets slopes that lie on no node."""
        return any(part > ON_A_NODE for one in self.releases for _, _, part, _ in one.runs)

    @cached_property
    def columns(self) -> tuple[RunColumn, ...]:
        """What policies play on after, in columns by release."""
        return columns(self.releases)

    @cached_property
    def shared(self) -> frozenset[int]:
        """Releases that several classes may choose."""
        seen: set[int] = set()
        return frozenset(r for ones in self.table.classes for r in ones if r in seen or seen.add(r))  # type: ignore[func-returns-value]


@dataclass
class Runner:
    """What passes share: the game, the grid, and where arrays lie.

    Attributes:
        stages: The game.
        grid: Where values are kept.
        windows: The places of each stage.
        check: Raises Stopped once the work must end.
        slack: Operations so far, each of which may be off by UNIT.
    """

    stages: Stages
    grid: Grid
    windows: Windows
    check: Callable[[], None]
    slack: int = 0
    _taps: dict[tuple[int, int], StageTaps] = field(default_factory=dict)

    def steps(self) -> Iterator[tuple[int, StageTaps]]:
        """(stage, its table's releases as taps), for all rounds but the first, the last one first."""
        for stage, table in zip(range(1, self.stages.rounds), self.stages.tables(), strict=False):
            self.check()
            stage_taps = self.taps(table, stage)
            if not self.windows.follows(stage) or stage_taps.reach > self.windows.reach:
                raise RuntimeError("a window that grows by more than was written beside it")
            self.slack += stage_taps.slack
            yield stage, stage_taps

    def taps(self, table: RoundTable, stage: int) -> StageTaps:
        """The releases of a table at a stage."""
        key = id(table), self.grid.base(stage) - self.grid.base(stage - 1)
        if key not in self._taps:
            self._taps[key] = StageTaps.of(table, tuple(taps(one, self.grid, stage) for one in table.releases))
        return self._taps[key]

    @cached_property
    def below_one(self) -> Floats:
        """e^(step i) for i from the farthest place up to -1, as `nodes` has them."""
        return nodes(Grid(self.grid.step), 0, -self.windows.farthest, 0)

    def ended(self, stage: int, into: Floats) -> None:
        """max(0, 1 - g) at the nodes of a window, not below it, into a row; from place 0 on they are at least 1."""
        (low, high), centre = self.windows.at(stage), self.windows.centre
        rest, slopes = self.grid.rest(stage), self.below_one[low:]
        if rest:
            slopes = slopes * exponential_float(self.grid.step * rest)
        into[centre + low : centre] = np.maximum(0.0, 1 - slopes) + ABSOLUTE
        into[centre : centre + high] = 0.0

    def over(self, stage: int, rows: Floats, ends: Floats) -> None:
        """The row of those who know no more at a stage, and what bounds it beyond the window."""
        (low, high), centre = self.windows.at(stage), self.windows.centre
        self.ended(stage, rows[NOTHING])
        bounded(rows[: NOTHING + 1], centre + low, centre + high, ends)

    def settled(self, stage: int, stage_taps: StageTaps, rows: Floats, ends: Floats) -> None:  # noqa: ARG002
        """What bounds the other rows of a stage beyond the window, once they are made."""
        (low, high), centre = self.windows.at(stage), self.windows.centre
        bounded(rows[NOTHING + 1 :], centre + low, centre + high, ends)

    def unchanged(self, stage: int, now: Floats, new: Floats) -> bool:
        """Whether a stage has the nodes, the window and the values of the one it was worked out from."""
        windows = self.windows
        low, high = window = windows.at(stage)
        if self.grid.drift or window != windows.at(stage - 1) or now.shape != new.shape:
            return False
        a, b = windows.centre + low - windows.pad, windows.centre + high + windows.pad
        return np.array_equal(now[NOTHING + 1 :, a:b], new[NOTHING + 1 :, a:b])

    def bends(self, now: Floats, first: int, end: int, room: Floats) -> "Bends":
        """By how much chords on rows lie above what bends; `room` is overwritten."""
        return Bends(now, float(self.grid.step), first, end, room)


@dataclass
class UpperPass:
    """The upper bounds: chords between nodes.

    Attributes:
        runner: The game and its grid.
        listener: Called with each stage, its releases, and for each class which of them is the largest at each place; a
            class that has one release has none to choose.
    """

    runner: Runner
    listener: Callable[[int, StageTaps, list[Choices | None]], None] | None = None
    _rooms: list[Floats] = field(default_factory=list)

    def _room(self, number: int, width: int) -> Floats:
        """Room for what several classes may choose."""
        while len(self._rooms) <= number:
            self._rooms.append(np.empty(width))
        return self._rooms[number]

    def run(self) -> Rows:
        """The rows of the last stage, with one round to come before it."""
        runner, windows = self.runner, self.runner.windows
        pad, centre = windows.pad, windows.centre
        width = windows.widest + 2 * pad
        now, new = np.zeros((1, width)), np.zeros((1, width))
        ends, scratch, room = exponentials(runner.grid.step, -pad, 0), np.empty((5, width)), np.empty((1, width))
        steady = Steady(runner)
        choices: list[Choices | None] = []
        for stage, stage_taps in runner.steps():
            if steady.again(stage, stage_taps):
                if self.listener is not None:
                    self.listener(stage, stage_taps, choices)
                continue
            if stage_taps.reads_ended:
                runner.over(stage - 1, now, ends)
            low, high = windows.at(stage)
            if new.shape[0] != len(stage_taps.table.classes):
                new = np.zeros((len(stage_taps.table.classes), width))
            if self.listener is not None and room.shape[0] <= now.shape[0]:
                room = np.empty((now.shape[0] + 1, width))
            bends = runner.bends(now, centre + low - stage_taps.reach, centre + high + stage_taps.reach, room)
            choices = self._highest(stage_taps, new, (centre + low, centre + high), bends, scratch)
            if self.listener is not None:
                self.listener(stage, stage_taps, choices)
            runner.settled(stage, stage_taps, new, ends)
            steady.note(stage, stage_taps, now, new)
            now, new = new, now
        low, high = windows.at(runner.stages.rounds - 1)
        return Rows(now[:, centre + low - pad : centre + high + pad], low, high)

    def _highest(
        self, stage_taps: StageTaps, new: Floats, at: tuple[int, int], bends: "Bends", scratch: Floats
    ) -> list[Choices | None]:
        """Per class the largest of its releases; and which it is, where anybody asks."""
        a, b = at
        sums: dict[int, Floats] = {}
        part, spare, most, worth, product = scratch[:, : b - a]
        choices: list[Choices | None] = []
        for number, releases in enumerate(stage_taps.table.classes):
            target = new[number, a:b]
            choice = _choice(len(releases), b - a) if self.listener is not None and len(releases) > 1 else None
            for i, release in enumerate(releases):
                into = sums.get(release)
                if into is None:
                    shared = release in stage_taps.shared
                    into = self._room(len(sums), scratch.shape[1])[: b - a] if shared else spare if i else target
                    _add_up(stage_taps.releases[release], bends.now, into, part, a, b)
                    if shared:
                        sums[release] = into
                if choice is not None:
                    bends.without(stage_taps.releases[release], into, a, worth, product)
                    if i:
                        np.multiply(most, 1 + NO_BETTER, out=part)
                        np.copyto(choice, i, where=worth > part)
                        np.maximum(most, worth, out=most)
                    else:
                        most, worth = worth, most
                if i:
                    np.maximum(target, into, out=target)
                elif into is not target:
                    target[:] = into
            choices.append(choice)
        return choices


@dataclass
class Steady:
    """Whether a round changes nothing any more, so that none before it does either, as long as its like are played.

    Attributes:
        runner: The game and its grid.
    """

    runner: Runner
    _unchanged: tuple[StageTaps, tuple[int, int]] | None = None

    def again(self, stage: int, stage_taps: StageTaps) -> bool:
        """Whether a stage has the values and the choices of the one before it, which changed nothing."""
        last = self._unchanged
        return last is not None and stage_taps is last[0] and self.runner.windows.at(stage) == last[1]

    def note(self, stage: int, stage_taps: StageTaps, now: Floats, new: Floats) -> None:
        """Looks at a stage: what it was worked out from, and what it is."""
        same = self.runner.unchanged(stage, now, new)
        self._unchanged = (stage_taps, self.runner.windows.at(stage)) if same else None


@dataclass
class Bends:
    """By how much chords lie above what bends between two nodes, about: who is chosen by chords is chosen for them.

    Attributes:
        now: Values by class and place.
        step: Of the grid.
        first: The first place of arrays that any release leads to.
        end: The one after the last.
        room: A row for each class, and one more.
        lean: ln of the factor that values are kept with, a place on.
    """

    now: Floats
    step: float
    first: int
    end: int
    room: Floats
    lean: float = 0.0
    _rows: dict[int, Floats] = field(default_factory=dict)

    def without(self, one: Taps, chords: Floats, a: int, worth: Floats, part: Floats) -> None:
        """The chords of a release, at places of arrays from a on, less that, into `worth`; `part` is overwritten."""
        ratio = exp(self.step)
        worth[:] = chords
        for after, steps, place, weight in one.runs:
            if place > ON_A_NODE:
                far = exp(place * self.step)
                bend = weight * (far - 1) * (ratio - far) / ((ratio - 1) * (ratio - 1 / ratio))
                start = a + steps - self.first
                np.multiply(self._row(after)[start : start + len(chords)], bend, out=part)
                worth -= part

    def _row(self, after: int) -> Floats:
        """Second differences by slope around each place, of a node's slope as unit."""
        if after not in self._rows:
            values, places = self.now[after, self.first - 1 : self.end + 1], self.end - self.first
            rises, second = self.room[-1, : places + 1], self.room[after, :places]
            if self.lean:
                np.multiply(values[1:], exp(-self.lean), out=rises)
                rises -= values[:-1]
            else:
                np.subtract(values[1:], values[:-1], out=rises)
            np.multiply(rises[:-1], exp(self.step + self.lean), out=second)
            np.subtract(rises[1:], second, out=second)
            self._rows[after] = second
        return self._rows[after]


def _choice(releases: int, places: int) -> Choices:
    return np.zeros(places, dtype=np.uint8 if releases < 256 else np.int64)


def _add_up(one: Taps, now: Floats, into: Floats, part: Floats, a: int, b: int) -> None:
    """The chords of a release."""
    if not one.upper:
        into[:] = one.free
        return
    chords = iter(one.upper)
    after, k, weight = next(chords)
    np.multiply(now[after, a + k : b + k], weight, out=into)
    for after, k, weight in chords:
        np.multiply(now[after, a + k : b + k], weight, out=part)
        np.add(into, part, out=into)
    if one.free:
        np.add(into, one.free, out=into)


def bounded(rows: Floats, a: int, b: int, ends: Floats) -> None:
    """Bounds beyond the window: on the left the chord from (0, 1), on the right the last value, for values fall."""
    pad = len(ends)
    rows[:, a - pad : a] = 1 - (1 - rows[:, a : a + 1]) * ends + ABSOLUTE
    rows[:, b : b + pad] = rows[:, b - 1 : b]
