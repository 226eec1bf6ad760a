"""A policy of the lower bound, played forwards: what it has in the event, by another way than the one that found it.

The policy is read off the points of a grid again, block by block; its masses go forward from round 1 to the last, in
either world, in whole units: up in world 0, down in world 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

import numpy as np

from dpcert.audit.algebra.power import Point
from dpcert.audit.enclosed.attained import Flags, Kept, bets
from dpcert.audit.enclosed.grid import Telling, shift
from dpcert.audit.enclosed.lower import GuessedPoints, LowerPass
from dpcert.audit.enclosed.root import PolicyStart
from dpcert.audit.enclosed.stages import NOTHING, Release, RoundTable
from dpcert.audit.enclosed.units import Factor, Units, Wholes

_Led = tuple[tuple[tuple[int, Factor, int], ...], Factor]


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
        units: What masses are counted in.
    """

    lower: LowerPass
    table: RoundTable
    start: PolicyStart
    points: dict[int, GuessedPoints]
    units: Units
    _event: list[int] = field(default_factory=lambda: [0, 0])
    _known: dict[tuple[int, int], tuple[Release, _Led]] = field(default_factory=dict)

    def point(self) -> Point:
        """At least what it has in the event in world 0, at most what in world 1."""
        windows = self.lower.runner.windows
        masses = self._begun(self.lower.runner.stages.rounds - 1)
        for stage, table, kept in self._policy():
            masses = self._after(stage, table, kept, masses)
        self._guess(0, masses[:, :, windows.centre + windows.at(0)[0] : windows.centre + windows.at(0)[1]])
        x, y = map(self.units.exact, self._event)
        return min(x, Fraction(1)), y

    def _zeros(self, classes: int) -> Wholes:
        """Masses by world, class and place."""
        windows = self.lower.runner.windows
        return self.units.zeros(2, classes, windows.widest + 2 * windows.pad)

    def _begun(self, stage: int) -> Wholes:
        """The masses after round 1."""
        windows = self.lower.runner.windows
        tables = list(self._tables(stage))
        masses = self._zeros(len(tables[0].classes) if tables else 1)
        if self.start.release is None:
            self._won(Fraction(1), Fraction(1), bet=bool(self.start.places[0]))
            return masses
        for (after, k0, k1), place in zip(self.table.releases[self.start.release], self.start.places, strict=True):
            if isinstance(place, bool):
                self._won(k0, k1, bet=place)
            else:
                masses[:, after, windows.centre + place] += self.units.pair(k0, k1)
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
                now, kept = self.lower.step(stage, table, made, now, into)
                found.append((stage, table, kept))
            yield from reversed(found)

    def _after(self, stage: int, table: RoundTable, kept: Kept, masses: Wholes) -> Wholes:
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
                mine = masses[:, number, a:b] * (kept.chosen[number] == i)
                if mine.any():
                    self._released(stage, table.releases[release], kept.before[release], mine, a, made)
        low, high = (windows.centre + end for end in windows.at(stage - 1))
        made[:, :, low] += made[:, :, :low].sum(axis=2)
        made[:, :, high - 1] += made[:, :, high:].sum(axis=2)
        made[:, :, :low], made[:, :, high:] = 0, 0
        return made

    def _released(
        self, stage: int, release: Release, before: tuple[Flags, ...], mine: Wholes, a: int, made: Wholes
    ) -> None:
        """Sends masses to where a release leads."""
        count, (runs, bet) = mine.shape[1], self._led(stage, release)
        self._event = [e + int(won) for e, won in zip(self._event, self._shares(mine, bet).sum(axis=1), strict=True)]
        for (after, factor, steps), near in zip(runs, before, strict=True):
            share = self._shares(mine, factor)
            made[:, after, a + steps : a + steps + count] += share * near
            made[:, after, a + steps + 1 : a + steps + 1 + count] += share * ~near

    def _shares(self, mine: Wholes, factor: Factor) -> Wholes:
        share = self.units.times(mine, factor)
        share[0] += (mine[0] > 0) * self.units.carry[0]
        return share

    def _led(self, stage: int, release: Release) -> _Led:
        """Per run its class, what it weighs and by how many places it leads on; and what is bet on."""
        grid = self.lower.runner.grid
        key = id(release), grid.base(stage) - grid.base(stage - 1)
        if key not in self._known:
            told, factor = Telling.of(release), self.units.factor
            runs = tuple(
                (after, factor(k0, k1), shift(k0 / k1, grid, grid.drift).steps - key[1]) for after, k0, k1 in told.runs
            )
            self._known[key] = release, (runs, factor(*told.bet))
        return self._known[key][1]

    def _won(self, k0: Fraction, k1: Fraction, *, bet: bool) -> None:
        if bet:
            for world, won in enumerate(self.units.pair(k0, k1)):
                self._event[world] += int(won)

    def _guess(self, stage: int, masses: Wholes) -> None:
        """Those who know no more bet on world 1 at slopes below 1."""
        below = bets(self.lower.runner, stage)
        for world in (0, 1):
            self._event[world] += int(masses[world][:, below].sum())
