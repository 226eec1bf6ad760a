"""Upper bounds on what can still be learnt, at the nodes of a grid, from the last round to the first, in floats.

Only sums and products of numbers of at least 0 are made, so that every result is off by a factor near 1 that is counted
(docs/decisions/0015): `slack` of them. Where grids end changes no proof. `lower` has the other side.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from dpcert.audit.enclosed.grid import Floats, Grid, Taps, exponentials, nodes, taps
from dpcert.audit.enclosed.stages import NOTHING, RoundTable, Stages
from dpcert.audit.enclosed.windows import Windows

UNIT = 2.0**-53
"""What a float operation is off by at most, relatively."""
ABSOLUTE = 16 * UNIT
"""What a difference of numbers of at most 1 is off by at most."""
PER_STAGE = 12
"""Operations of a stage beside its sums: weights (8 units), products, the last rounding, and one to spare."""


@dataclass
class Rows:
    """Values of the classes of a stage, one row each, at places low to high - 1 and at `pad` more on either side."""

    values: Floats
    low: int
    high: int


@dataclass
class Runner:
    """What both passes share: the game, the grid, and where arrays lie.

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
    _taps: dict[tuple[int, int], tuple[RoundTable, tuple[Taps, ...]]] = field(default_factory=dict)

    def steps(self) -> Iterator[tuple[int, RoundTable, tuple[Taps, ...]]]:
        """(stage, table, its releases as taps), for all rounds but the first, the last one first."""
        for stage, table in zip(range(1, self.stages.rounds), self.stages.tables(), strict=False):
            self.check()
            made = self.taps(table, stage)
            if not self.windows.follows(stage) or any(one.reach > self.windows.reach for one in made):
                raise RuntimeError("a window that grows by more than was written beside it")
            self.slack += max((one.longest for one in made), default=0) + PER_STAGE
            yield stage, table, made

    def taps(self, table: RoundTable, stage: int) -> tuple[Taps, ...]:
        """The releases of a table at a stage."""
        key = id(table), self.grid.base(stage) - self.grid.base(stage - 1)
        if key not in self._taps:
            self._taps[key] = table, tuple(taps(release, self.grid, stage) for release in table.releases)
        return self._taps[key][1]


@dataclass
class UpperPass:
    """The upper bounds: chords between nodes."""

    runner: Runner
    rows: Rows = field(init=False)

    def run(self) -> Rows:
        """The rows of the last stage, with one round to come before it."""
        runner, windows, grid = self.runner, self.runner.windows, self.runner.grid
        pad, centre = windows.pad, windows.centre
        low, high = windows.at(0)
        width = windows.widest + 2 * pad
        now, new = np.zeros((1, width)), np.zeros((1, width))
        ends, scratch = exponentials(grid.step, -pad, 0), np.empty((2, width))
        now[NOTHING, centre + low : centre + high] = terminal(grid, 0, low, high)
        _bounded(now, centre + low, centre + high, ends)
        for stage, table, made in runner.steps():
            low, high = windows.at(stage)
            if new.shape[0] != len(table.classes):
                new = np.zeros((len(table.classes), width))
            _highest(table, made, now, new, (centre + low, centre + high), scratch)
            new[NOTHING, centre + low : centre + high] = terminal(grid, stage, low, high)
            _bounded(new, centre + low, centre + high, ends)
            now, new = new, now
        return Rows(now[:, centre + low - pad : centre + high + pad], low, high)


def _highest(
    table: RoundTable, made: tuple[Taps, ...], now: Floats, new: Floats, at: tuple[int, int], scratch: Floats
) -> None:
    """Per class the largest of its releases."""
    a, b = at
    known: dict[int, Floats] = {}
    shared, part = shared_in(table), scratch[0, : b - a]
    for number, releases in enumerate(table.classes):
        target = new[number, a:b]
        for i, release in enumerate(releases):
            into = known.get(release)
            if into is None:
                into = np.empty(b - a) if release in shared else scratch[1, : b - a] if i else target
                _add_up(made[release], now, into, part, a, b)
                if release in shared:
                    known[release] = into
            if i:
                np.maximum(target, into, out=target)
            elif into is not target:
                target[:] = into


def shared_in(table: RoundTable) -> set[int]:
    """Releases that several classes may choose."""
    seen: set[int] = set()
    return {r for releases in table.classes for r in releases if r in seen or seen.add(r)}  # type: ignore[func-returns-value]


def _add_up(one: Taps, now: Floats, into: Floats, part: Floats, a: int, b: int) -> None:
    """The chords of a release."""
    into[:] = one.free
    for after, k, weight in one.upper:
        np.multiply(now[after, a + k : b + k], weight, out=part)
        np.add(into, part, out=into)


def _bounded(rows: Floats, a: int, b: int, ends: Floats) -> None:
    """Bounds beyond the window: on the left the chord from (0, 1), on the right the last value, for values fall."""
    pad = len(ends)
    rows[:, a - pad : a] = 1 - (1 - rows[:, a : a + 1]) * ends + ABSOLUTE
    rows[:, b : b + pad] = rows[:, b - 1 : b]


def terminal(grid: Grid, stage: int, low: int, high: int) -> Floats:
    """max(0, 1 - g) at nodes, not below it."""
    g = nodes(grid, stage, low, high)
    return np.where(g > 1 + ABSOLUTE, 0.0, np.maximum(0.0, 1 - g) + ABSOLUTE)
