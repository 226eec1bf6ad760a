"""A policy of the lower bound, played forwards: what it has in the event, by another way than the one that found it.

What it chooses at the nodes of a grid is read from the first round to the last; its masses go with it, in either world,
in whole units: up in world 0, down in world 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpcert.audit.algebra.power import Point
from dpcert.audit.grids.attained import StagePolicy
from dpcert.audit.grids.grid import Telling, shift
from dpcert.audit.grids.lower import GridPolicy
from dpcert.audit.grids.reaching import ClassPlaces, reach, within
from dpcert.audit.grids.root import PolicyStart
from dpcert.audit.grids.sides import Flags
from dpcert.audit.grids.stages import NOTHING, Release, RoundTable
from dpcert.audit.grids.units import Factor, Units, Wholes

_Lead = tuple[tuple[tuple[int, Factor, int], ...], Factor | None]


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
    _leads: dict[tuple[int, int], tuple[Release, _Lead]] = field(default_factory=dict)

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
        self.slack += self._most_added(stage_policy)
        then: ClassPlaces = {}
        self.guess(stage_policy.stage, masses, places)
        for number, (first, end) in places.items():
            for i, (release, low, high) in enumerate(stage_policy.spans[number] if number != NOTHING else ()):
                a, b = max(first, low), min(end, high)
                if a < b:
                    mine = masses[:, number, windows.centre + a : windows.centre + b]
                    lead = self._lead(stage_policy.stage, releases[release])
                    self._released(lead, self._sides(stage_policy, number, i, (a, b)), mine, a, (onward, then))
        self.gather(stage_policy.stage - 1, onward, then)
        return onward, within(then, windows, stage_policy.stage - 1)

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

    def _most_added(self, stage_policy: StagePolicy) -> int:
        """Operations at one place in one stage, at most: each run that may lead there, on either side; two products."""
        chosen = ({release for release, *_ in spans} for spans in stage_policy.spans)
        return 2 + 2 * sum(len(stage_policy.taps.table.releases[r]) for releases in chosen for r in releases)

    def _sides(self, stage_policy: StagePolicy, number: int, i: int, places: tuple[int, int]) -> Sequence[int | Flags]:
        """On which side of slopes a class goes on in a part of a span, run by run."""
        if stage_policy.sides is None:
            return stage_policy.behind[stage_policy.spans[number][i][0]]
        (a, b), (low, sides) = places, stage_policy.sides[number, i]
        return [one.flags()[a - low : b - low] for one in sides]

    def _released(
        self, lead: _Lead, sides: Sequence[int | Flags], mine: Wholes, a: int, onto: tuple[Wholes, ClassPlaces]
    ) -> None:
        """Sends masses to where a release leads; `sides`: on which side of slopes each run goes on."""
        (runs, bet), (onward, then), count = lead, onto, mine.shape[1]
        if bet is not None:
            won = self.shares(mine, bet).sum(axis=1)
            self.event = [e + self.units.counted(one) for e, one in zip(self.event, won, strict=True)]
        for (after, factor, steps), side in zip(runs, sides, strict=True):
            share = self.shares(mine, factor)
            parts = ((side, share),) if isinstance(side, int) else ((0, share * side), (1, share * ~side))
            for further, here in parts:
                masses = self.units.behind(here) if further else here
                low = a + steps + further
                at = self.policy.runner.windows.centre + low
                onward[:, after, at : at + count] += masses
                reach(then, after, low, low + count)

    def shares(self, mine: Wholes, factor: Factor) -> Wholes:
        share = self.units.times(mine, factor)
        share[0] += (mine[0] > 0) * self.units.carry[0]
        return share

    def _lead(self, stage: int, release: Release) -> _Lead:
        """Per run its class, what it weighs and by how many places it leads on; and what is bet on."""
        grid = self.policy.runner.grid
        key = id(release), grid.base(stage) - grid.base(stage - 1)
        if key not in self._leads:
            telling = Telling.of(release)
            steps = [shift(k0 / k1, grid, grid.drift).steps for _, k0, k1 in telling.runs]
            runs = tuple(
                (after, self.units.led(k0, k1, grid.drift - led), led - key[1])
                for (after, k0, k1), led in zip(telling.runs, steps, strict=True)
            )
            self._leads[key] = release, (runs, self.units.factor(*telling.bet) if any(telling.bet) else None)
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
