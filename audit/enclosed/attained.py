"""What policies have in their event, in either world, in whole units: from their choices, the last round first."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.enclosed.grid import Telling
from dpcert.audit.enclosed.passes import Runner, shared_in
from dpcert.audit.enclosed.stages import NOTHING, Release, RoundTable
from dpcert.audit.enclosed.units import Factor, Units, Wholes

Flags = NDArray[np.bool_]
Choices = NDArray[Any]


@dataclass(frozen=True)
class Kept:
    """What a policy does at a stage: nothing else is needed to play it.

    Attributes:
        chosen: Per class, which of its releases at each place of the window.
        before: Per release, for each of its runs whether the node before a slope is followed, not the one behind it.
        low: The first place of the window.
        high: The one after its last.
    """

    chosen: tuple[Choices, ...]
    before: dict[int, tuple[Flags, ...]]
    low: int
    high: int


@dataclass
class AttainedRows:
    """What the policies of a stage have, by world, class and place.

    Attributes:
        runner: The game and its grid.
        units: What is counted in.
        values: In world 0 at least what they have, in world 1 at most; places as `Windows` has them in arrays.
        low: The first place of the window.
        high: The one after its last.
    """

    runner: Runner
    units: Units
    values: Wholes
    low: int
    high: int
    _spare: Wholes | None = None
    _factors: dict[int, tuple[RoundTable, tuple["_Factors", ...]]] = field(default_factory=dict)

    @classmethod
    def ended(cls, runner: Runner, units: Units) -> "AttainedRows":
        """Those of the end, at which it is guessed."""
        windows = runner.windows
        low, high = windows.at(0)
        made = cls(runner, units, units.zeros(2, 1, windows.widest + 2 * windows.pad), low, high)
        made._end(0)
        return made

    def follow(self, stage: int, table: RoundTable, policy: Kept) -> None:
        """Goes on to a stage, the choices of which are known."""
        windows, made = self.runner.windows, self._spare
        if made is None or made.shape[1] != len(table.classes):
            made = self.units.zeros(2, len(table.classes), self.values.shape[2])
        a, b = windows.centre + policy.low, windows.centre + policy.high
        work = _Evaluation(self, self._made(stage, table), policy, a, b, shared_in(table))
        for number, releases in enumerate(table.classes):
            work.best(number, releases, made[:, number, a:b])
        self.values, self._spare, self.low, self.high = made, self.values, policy.low, policy.high
        self._end(stage)

    def _made(self, stage: int, table: RoundTable) -> tuple["_Factors", ...]:
        """The releases of a table as factors."""
        key, shifts = id(table), [one.lower for one in self.runner.taps(table, stage)]
        if key not in self._factors:
            self._factors[key] = table, tuple(_Factors.of(self.units, release) for release in table.releases)
        return tuple(
            _Factors(one.factors, one.bet, tuple((after, k) for after, k, *_ in runs))
            for one, runs in zip(self._factors[key][1], shifts, strict=True)
        )

    def _end(self, stage: int) -> None:
        """The row of those who guess at once; beyond the window, the policies at its end."""
        windows = self.runner.windows
        a, b = windows.centre + self.low, windows.centre + self.high
        self.values[:, NOTHING, a:b] = 0
        self.values[:, NOTHING, a:b][:, bets(self.runner, stage)] = self.units.one
        self.values[:, :, a - windows.pad : a] = self.values[:, :, a : a + 1]
        self.values[:, :, b : b + windows.pad] = self.values[:, :, b - 1 : b]


def bets(runner: Runner, stage: int) -> Flags:
    """At which places of a stage those who know no more bet on world 1: where slopes are below 1."""
    made: Flags = np.arange(*runner.windows.at(stage)) < 0
    return made


@dataclass(frozen=True)
class _Factors:
    """A release: its runs, what is bet on at once, and where runs lead, (class, shift) each."""

    factors: tuple[Factor, ...]
    bet: Wholes
    shifts: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, units: Units, release: Release) -> "_Factors":
        told = Telling.of(release)
        return cls(tuple(units.factor(k0, k1) for _, k0, k1 in told.runs), units.pair(*told.bet))


@dataclass
class _Evaluation:
    """The policies of one stage, at places a to b - 1 of arrays."""

    rows: AttainedRows
    made: tuple[_Factors, ...]
    policy: Kept
    a: int
    b: int
    shared: set[int]
    _known: dict[int, Wholes] = field(default_factory=dict)

    def best(self, number: int, releases: tuple[int, ...], row: Wholes) -> None:
        """What the choices of a class come to, into a row."""
        chosen = self.policy.chosen[number]
        for i, release in enumerate(releases):
            mine = chosen == i
            if mine.all():
                row[:] = self._carried(release)
            elif mine.any():
                np.copyto(row, self._carried(release), where=mine)

    def _carried(self, release: int) -> Wholes:
        """What a release comes to."""
        known = self._known.get(release)
        if known is not None:
            return known
        units, one, values = self.rows.units, self.made[release], self.rows.values
        into = units.zeros(2, self.b - self.a)
        into += (one.bet + units.carry * len(one.factors))[:, None]
        for (after, k), factor, before in zip(one.shifts, one.factors, self.policy.before[release], strict=True):
            row = values[:, after]
            at, behind = row[:, self.a + k : self.b + k], row[:, self.a + k + 1 : self.b + k + 1]
            into += units.times(np.where(before, at, behind), factor)
        np.minimum(into[0], units.one, out=into[0])
        if release in self.shared:
            self._known[release] = into
        return into
