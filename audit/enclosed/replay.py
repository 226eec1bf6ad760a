"""A policy of the lower bound, played forwards: what it has in the event, by another way than the one that found it.

The policy is read off the points of a grid again, block by block; its masses go forward from round 1 to the last, in
either world: as exact rationals in short games, else as floats of at least 0, counted up in world 0 and down in world 1
by what they may be off.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from dpcert.audit.algebra.power import Point
from dpcert.audit.enclosed.grid import shift
from dpcert.audit.enclosed.lower import AttainedPoints, Flags, Kept, LowerPass
from dpcert.audit.enclosed.root import LOST_TO_SMALL_FLOATS, PolicyStart, off_by
from dpcert.audit.enclosed.stages import NOTHING, Release, RoundTable

MOST_EXACT_ROUNDS_PLAYED = 24
"""Rounds up to which a policy is played in exact rationals, and past which in floats that are rounded outward."""


def block(rounds: int) -> int:
    """Stages of which only the first one's points are kept, to find those between again."""
    return max(1, isqrt(rounds))


@dataclass
class PlayedPolicy:
    """A policy that is being played.

    Attributes:
        lower: The pass that found it.
        table: The table of round 1.
        start: How it begins.
        points: Those of every so many stages.
    """

    lower: LowerPass
    table: RoundTable
    start: PolicyStart
    points: dict[int, AttainedPoints]
    _event: list[Any] = field(default_factory=lambda: [0, 0])
    _operations: int = 64

    @property
    def exact(self) -> bool:
        """Whether masses are rationals."""
        return self.lower.runner.stages.rounds <= MOST_EXACT_ROUNDS_PLAYED

    def point(self) -> Point:
        """At most what it has in the event in world 0, at least what in world 1."""
        windows = self.lower.runner.windows
        masses = self._begun(self.lower.runner.stages.rounds - 1)
        for stage, table, kept in self._policy():
            self._operations += sum(map(len, table.releases)) + 16
            masses = self._after(stage, table, kept, masses)
        self._guess(0, masses[:, :, windows.centre + windows.at(0)[0] : windows.centre + windows.at(0)[1]])
        x, y = map(Fraction, self._event)
        if self.exact:
            return x, y
        factor = off_by(self._operations + windows.widest)
        return min(x * factor + LOST_TO_SMALL_FLOATS, Fraction(1)), max(Fraction(0), y / factor - LOST_TO_SMALL_FLOATS)

    def _zeros(self, classes: int) -> Any:
        """Masses by world, class and place."""
        windows = self.lower.runner.windows
        shape = 2, classes, windows.widest + 2 * windows.pad
        return np.full(shape, Fraction(0), dtype=object) if self.exact else np.zeros(shape)

    def _begun(self, stage: int) -> Any:
        """The masses after round 1."""
        windows = self.lower.runner.windows
        tables = list(self._tables(stage))
        masses = self._zeros(len(tables[0].classes) if tables else 1)
        if self.start.release is None:
            self._won((Fraction(1), Fraction(1)), bet=bool(self.start.places[0]))
            return masses
        for (after, k0, k1), place in zip(self.table.releases[self.start.release], self.start.places, strict=True):
            if isinstance(place, bool):
                self._won((k0, k1), bet=place)
            else:
                masses[0, after, windows.centre + place] += self._number(k0)
                masses[1, after, windows.centre + place] += self._number(k1)
        return masses

    def _tables(self, stage: int) -> Iterator[RoundTable]:
        """The table of a stage."""
        for number, table, _ in self.lower.runner.steps():
            if number == stage:
                yield table

    def _policy(self) -> Iterator[tuple[int, RoundTable, Kept]]:
        """(stage, table, what is done there), the first rounds first; points are found again block by block."""
        runner = self.lower.runner
        every = block(runner.stages.rounds)
        listed = list(runner.steps())
        for begin in sorted(self.points, reverse=True):
            now, found = self.points[begin], []
            for stage, table, made in listed[begin : begin + every]:
                into = np.zeros((2, len(table.classes), now.points.shape[2]))
                now, kept = self.lower.step(stage, table, made, now, into, keep=True)
                found.append((stage, table, kept))
            yield from reversed(found)

    def _after(self, stage: int, table: RoundTable, kept: Kept, masses: Any) -> Any:
        """The masses one round on."""
        windows = self.lower.runner.windows
        after = [a for release in table.releases for a, _, _ in release]
        made = self._zeros(max(after, default=0) + 1)
        a, b = windows.centre + kept.low, windows.centre + kept.high
        self._guess(stage, masses[:, :1, a:b])
        for number, releases in enumerate(table.classes):
            if number == NOTHING or number >= masses.shape[1]:  # nobody is there
                continue
            for i, release in enumerate(releases):
                mine = np.where(kept.chosen[number] == i, masses[:, number, a:b], self._number(Fraction(0)))
                if mine.any():
                    self._released(stage, table.releases[release], kept.before[release], mine, a, made)
        low, high = (windows.centre + end for end in windows.at(stage - 1))
        made[:, :, low] += made[:, :, :low].sum(axis=2)
        made[:, :, high - 1] += made[:, :, high:].sum(axis=2)
        made[:, :, :low], made[:, :, high:] = 0, 0
        return made

    def _released(self, stage: int, release: Release, before: tuple[Flags, ...], mine: Any, a: int, made: Any) -> None:
        """Sends masses to where a release leads."""
        grid, count, flags = self.lower.runner.grid, mine.shape[1], iter(before)
        carried = grid.base(stage) - grid.base(stage - 1)
        for after, k0, k1 in release:
            if not k0 or not k1:
                self._won((0, self._number(k1) * mine[1].sum()), bet=not k0)
                continue
            near, steps = next(flags), shift(k0 / k1, grid, grid.drift).steps - carried
            for world, k in ((0, k0), (1, k1)):
                share = mine[world] * self._number(k)
                made[world, after, a + steps : a + steps + count] += np.where(near, share, self._number(Fraction(0)))
                behind = slice(a + steps + 1, a + steps + 1 + count)
                made[world, after, behind] += np.where(near, self._number(Fraction(0)), share)

    def _number(self, k: Fraction) -> Any:
        return k if self.exact else float(k)

    def _won(self, masses: tuple[Any, Any], *, bet: bool) -> None:
        if bet:
            for world in (0, 1):
                self._event[world] += self._number(Fraction(masses[world]))

    def _guess(self, stage: int, masses: Any) -> None:
        """Those who know no more bet on world 1 at slopes below 1."""
        grid, (low, high) = self.lower.runner.grid, self.lower.runner.windows.at(stage)
        below = np.arange(low, high) + float(grid.rest(stage)) < 0
        for world in (0, 1):
            self._event[world] += masses[world][:, below].sum()
