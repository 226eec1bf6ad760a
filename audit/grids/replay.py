"""A policy of the lower bound, played forwards: what it has in the event, by another way than the one that found it.

What it chooses at the nodes of a grid is read from the first round to the last; its masses go with it, in either world,
in whole units: up in world 0, down in world 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpcert.audit.algebra.power import Point
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.attained import BLOCK_PLACES, StagePolicy
from dpcert.audit.grids.choices import Chosen, ClassPlaces, ReachedSpans, reach
from dpcert.audit.grids.columns import Flags, LeadColumn, taken
from dpcert.audit.grids.grid import Grid, Telling, shift
from dpcert.audit.grids.lower import GridPolicy
from dpcert.audit.grids.reaching import within
from dpcert.audit.grids.root import PolicyStart
from dpcert.audit.grids.stages import NOTHING, Release, RoundTable
from dpcert.audit.grids.units import NO_SPARE, Factor, NoSpare, Units, Wholes, cut, stacked


@dataclass
class PlayedPolicy:
    """A policy that is being played.

    Attributes:
        policy: What is chosen at nodes.
        table: The table of round 1.
        start: How it begins.
        units: What masses are counted in.
        slack: Operations so far, where they are rounded.
    """

    policy: GridPolicy
    table: RoundTable
    start: PolicyStart
    units: Units
    slack: int = 0
    event: list[int | Fraction] = field(default_factory=lambda: [0, 0])
    _leads: dict[tuple[int, int], tuple[RoundTable, "_Leads"]] = field(default_factory=dict)

    def point(self) -> Point:
        """At least what it has in the event in world 0, at most what in world 1."""
        masses, places = self._begun()
        for stage_policy in reversed(self.policy.by_stage):
            self.policy.runner.check()
            masses, places = self.after(stage_policy, masses, places)
        self.guess(0, masses, places)
        slack = self.slack + self.policy.runner.windows.widest + 1  # what is bet is added up once
        x, y = (self.units.exact(number, world, slack) for world, number in enumerate(self.event))
        return min(x, Fraction(1)), y

    @cached_property
    def _spare(self) -> Wholes | NoSpare:
        return self.units.spare(BLOCK_PLACES)

    def _zeros(self, classes: int) -> Wholes:
        """Masses by world, class and place."""
        windows = self.policy.runner.windows
        return self.units.zeros(2, classes, windows.widest + 2 * windows.pad)

    def _begun(self) -> tuple[Wholes, ClassPlaces]:
        """The masses after round 1."""
        by_stage = self.policy.by_stage
        places: ClassPlaces = {}
        masses = self._zeros(len(by_stage[-1].taps.table.classes) if by_stage else 1)
        if self.start.release is None:
            self.won(Fraction(1), Fraction(1), bet=bool(self.start.places[0]))
            return masses, places
        runs = self.table.releases[self.start.release]
        self.slack += len(runs) + 1  # all of them may lead to one place
        for (after, k0, k1), place in zip(runs, self.start.places, strict=True):
            if isinstance(place, bool):
                self.won(k0, k1, bet=place)
            else:
                masses[:, after, self.policy.runner.windows.centre + place] += self.first(k0, k1, place)
                reach(places, after, place, place + 1)
        return masses, places

    def first(self, k0: Fraction, k1: Fraction, place: int) -> Wholes:  # noqa: ARG002 - where masses lean it says how far
        """The masses of a run of round 1."""
        return self.units.pair(k0, k1)

    def after(self, stage_policy: StagePolicy, masses: Wholes, places: ClassPlaces) -> tuple[Wholes, ClassPlaces]:
        """The masses one round on."""
        windows, releases = self.policy.runner.windows, stage_policy.taps.table.releases
        onward = self._zeros(max((after for one in releases for after, *_ in one), default=0) + 1)
        then: ClassPlaces = {}
        self.guess(stage_policy.stage, masses, places)
        reached, leads = stage_policy.spans.reached(places), self._leads_of(stage_policy)
        self.slack += leads.most_added
        if reached.long and not stage_policy.placewise:
            self._by_spans(stage_policy, leads, reached, (masses, onward))
        else:
            self._by_places(stage_policy, leads, reached.place_by_place(), (masses, onward))
        reached.lead(then, leads.runs)
        self.gather(stage_policy.stage - 1, onward, then)
        return onward, within(then, windows, stage_policy.stage - 1)

    def _by_spans(
        self, stage_policy: StagePolicy, leads: "_Leads", reached: ReachedSpans, played: tuple[Wholes, Wholes]
    ) -> None:
        """Span by span, on slices: where they are few and long, and all of one go on on one side of a slope."""
        (masses, onward), centre = played, self.policy.runner.windows.centre
        for number, release, first, end in reached.blocks(BLOCK_PLACES):
            mine, one = masses[:, number, centre + first : centre + end], leads.releases[release]
            spare = cut(self._spare, end - first)
            if one.bet is not None:
                self._won(self.shares(mine, one.bet, spare).sum(axis=1))
            for (after, factor, steps), behind in zip(one.runs, stage_policy.behind[release], strict=True):
                share, at = self.shares(mine, factor, spare), centre + steps + behind
                onward[:, after, at + first : at + end] += self.units.behind(share) if behind else share

    def _by_places(
        self, stage_policy: StagePolicy, leads: "_Leads", chosen: Chosen, played: tuple[Wholes, Wholes]
    ) -> None:
        """All places at once: where spans are many and short."""
        (masses, onward), centre = played, self.policy.runner.windows.centre
        mine = taken(masses.reshape(2, -1), chosen.numbers * masses.shape[2] + centre + chosen.places)
        self._bet(leads, chosen, mine)
        for run, before in zip(leads.runs, self._sides(stage_policy, chosen, len(leads.runs)), strict=True):
            self._released(run, before, chosen, mine, onward)

    def gather(self, stage: int, onward: Wholes, then: ClassPlaces) -> None:
        """Sends those beyond the window of a stage to its ends."""
        windows = self.policy.runner.windows
        low, high = windows.at(stage)
        a, b = windows.centre + low, windows.centre + high
        if any(first < low or end > high for first, end in then.values()):
            self.slack += windows.pad
        for number, (first, end) in then.items():
            row = onward[:, number]
            if first < low:
                row[:, a] += self.beyond(row[:, a - windows.pad : a], -windows.pad).sum(axis=1)
            if end > high:
                row[:, b - 1] += self.beyond(row[:, b : b + windows.pad], 1).sum(axis=1)

    def beyond(self, masses: Wholes, first: int) -> Wholes:  # noqa: ARG002 - where masses lean it says how far they are
        """Masses from so many places behind the end of a window on, counted as those at its end are."""
        return masses

    def _sides(self, stage_policy: StagePolicy, chosen: Chosen, runs: int) -> Sequence[Flags]:
        """Run by run, whether what is chosen goes on before its slope."""
        if stage_policy.placewise:
            sides = self.policy.sides(stage_policy.stage)
            if sides is None:
                raise RuntimeError("a policy that is played before what it attains was worked out")
            return sides.at(chosen.numbers, chosen.places)
        return [stage_policy.before(j)[chosen.releases] for j in range(runs)]

    def _bet(self, leads: "_Leads", chosen: Chosen, mine: Wholes) -> None:
        """Adds what is bet on at once, class by class."""
        betting = np.flatnonzero(leads.bets[chosen.releases])
        if len(betting):
            factor, numbers = leads.bet.of(chosen.releases[betting]), chosen.numbers[betting]
            firsts = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
            won = np.add.reduceat(self.shares(taken(mine, betting), factor), firsts, axis=1)
            for one in won.T:
                self._won(one)

    def _won(self, won: Wholes) -> None:
        """Adds to the event what a class wins, in either world."""
        self.event = [e + self.units.counted(part) for e, part in zip(self.event, won, strict=True)]

    def _released(self, run: "_LeadRun", before: Flags, chosen: Chosen, mine: Wholes, onward: Wholes) -> None:
        """Sends masses to where runs lead; `before`: on which side of slopes each goes on."""
        if not run.there.all():
            there = np.flatnonzero(run.there[chosen.releases])
            chosen, before, mine = chosen.only(there), before[there], taken(mine, there)
        share = self.shares(mine, run.factor.of(chosen.releases))
        if not before.all():
            share = np.where(before, share, self.units.behind(share))
        after, places = run.after[chosen.releases], chosen.places + run.steps[chosen.releases] + ~before
        index = after * onward.shape[2] + self.policy.runner.windows.centre + places
        for world in (0, 1):
            np.add.at(onward[world].reshape(-1), index, share[world])

    def shares(self, mine: Wholes, factor: Factor, spare: Wholes | NoSpare = NO_SPARE) -> Wholes:
        """What a run has of masses, in the first of the arrays to spare where there are any."""
        share, carry = self.units.times(mine, factor, spare), self.units.carry[0]
        if carry:
            share[0] += (mine[0] > 0) * carry
        return share

    def _leads_of(self, stage_policy: StagePolicy) -> "_Leads":
        """Where the releases of a stage lead, and what is bet on."""
        grid, table = self.policy.runner.grid, stage_policy.taps.table
        key = id(table), grid.base(stage_policy.stage) - grid.base(stage_policy.stage - 1)
        if key not in self._leads:
            self._leads[key] = table, _Leads.of(table, grid, self.units, key[1])
        return self._leads[key][1]

    def won(self, k0: Fraction, k1: Fraction, *, bet: bool) -> None:
        if bet:
            for world, won in enumerate(self.units.pair(k0, k1)):
                self.event[world] += self.units.counted(won)

    def guess(self, stage: int, masses: Wholes, places: ClassPlaces) -> None:  # noqa: ARG002 - where masses lean
        """Those who know no more bet on world 1 at slopes below 1."""
        if NOTHING in places:
            first, end = (self.policy.runner.windows.centre + min(place, 0) for place in places[NOTHING])
            for world in (0, 1):
                self.event[world] += self.units.counted(masses[world, NOTHING, first:end].sum())


@frozen
class _Lead:
    """Where a release leads, found anew.

    Attributes:
        runs: Per run its class, what it weighs in either world, and by how many places it leads on.
        bet: What is bet on at once weighs; None where nothing is.
    """

    runs: tuple[tuple[int, Factor, int], ...]
    bet: Factor | None

    @classmethod
    def of(cls, release: Release, grid: Grid, units: Units, moved: int) -> "_Lead":
        telling = Telling.of(release)
        steps = [shift(k0 / k1, grid, grid.drift).steps for _, k0, k1 in telling.runs]
        pairs = zip(telling.runs, steps, strict=True)
        runs = tuple((after, units.led(k0, k1, grid.drift - led), led - moved) for (after, k0, k1), led in pairs)
        return cls(runs, units.factor(*telling.bet) if any(telling.bet) else None)


@frozen
class _LeadRun(LeadColumn):
    """Where runs lead, release by release.

    Attributes:
        factor: What they weigh, by world and release.
    """

    factor: Factor


@frozen
class _Leads:
    """Where the releases of a stage lead, one by one and in columns.

    Attributes:
        releases: One by one.
        nothing: What weighs nothing.
        most_added: Operations at one place in one stage, at most: each run of any class that may lead there, on either
            side; two products.
    """

    releases: tuple[_Lead, ...]
    nothing: Factor
    most_added: int

    @classmethod
    def of(cls, table: RoundTable, grid: Grid, units: Units, moved: int) -> "_Leads":
        nothing, releases = units.factor(Fraction(0), Fraction(0)), table.releases
        most = 2 + 2 * sum(len(releases[release]) for options in table.classes for release in options)
        return cls(tuple(_Lead.of(release, grid, units, moved) for release in releases), nothing, most)

    @cached_property
    def runs(self) -> tuple[_LeadRun, ...]:
        """Run by run."""
        columns, most = [], max((len(one.runs) for one in self.releases), default=0)
        for j in range(most):
            there = np.array([j < len(one.runs) for one in self.releases])
            after, factors, steps = zip(
                *(one.runs[j] if j < len(one.runs) else (NOTHING, self.nothing, 0) for one in self.releases),
                strict=True,
            )
            columns.append(_LeadRun(there, np.array(after), np.array(steps), stacked(factors)))
        return tuple(columns)

    @cached_property
    def bets(self) -> Flags:
        """By release, whether anything is bet on at once."""
        return np.array([one.bet is not None for one in self.releases], dtype=bool)

    @cached_property
    def bet(self) -> Factor:
        """What that weighs, by world and release."""
        return stacked([one.bet or self.nothing for one in self.releases] or [self.nothing])
