"""A policy of the lower bound, played forwards: what it has in the event, by another way than the one that found it.

What it chooses at the nodes of a grid is read from the first round to the last; its masses go with it, in either world,
in whole units: up in world 0, down in world 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpcert.audit.algebra.power import Point
from dpcert.audit.enclosed.attained import StagePolicy
from dpcert.audit.enclosed.grid import Telling, shift
from dpcert.audit.enclosed.lower import GridPolicy
from dpcert.audit.enclosed.reaching import ClassPlaces, reach, within
from dpcert.audit.enclosed.root import PolicyStart
from dpcert.audit.enclosed.sides import Flags
from dpcert.audit.enclosed.stages import NOTHING, Release, RoundTable
from dpcert.audit.enclosed.units import Factor, Units, Wholes

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
    _event: list[int | Fraction] = field(default_factory=lambda: [0, 0])
    _leads: dict[tuple[int, int], tuple[Release, _Lead]] = field(default_factory=dict)

    def point(self) -> Point:
        """At least what it has in the event in world 0, at most what in world 1."""
        masses, places = self._begun()
        for stage_policy in reversed(self.policy.by_stage):
            self.policy.runner.check()
            masses, places = self._after(stage_policy, masses, places)
        self._guess(masses, places)
        slack = self.slack + self.policy.runner.windows.widest + 1  # what is bet is added up once
        x, y = (self.units.exact(number, world, slack) for world, number in enumerate(self._event))
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
            self._won(Fraction(1), Fraction(1), bet=bool(self.start.places[0]))
            return masses, places
        runs = self.table.releases[self.start.release]
        self.slack += len(runs) + 1  # all of them may lead to one place
        for (after, k0, k1), place in zip(runs, self.start.places, strict=True):
            if isinstance(place, bool):
                self._won(k0, k1, bet=place)
            else:
                masses[:, after, self.policy.runner.windows.centre + place] += self.units.pair(k0, k1)
                reach(places, after, place, place + 1)
        return masses, places

    def _after(self, stage_policy: StagePolicy, masses: Wholes, places: ClassPlaces) -> tuple[Wholes, ClassPlaces]:
        """The masses one round on."""
        windows, releases = self.policy.runner.windows, stage_policy.taps.table.releases
        onward = self._zeros(max((after for one in releases for after, *_ in one), default=0) + 1)
        self.slack += self._most_added(stage_policy)
        then: ClassPlaces = {}
        self._guess(masses, places)
        for number, (first, end) in places.items():
            for i, (release, low, high) in enumerate(stage_policy.spans[number] if number != NOTHING else ()):
                a, b = max(first, low), min(end, high)
                if a < b:
                    mine = masses[:, number, windows.centre + a : windows.centre + b]
                    lead = self._lead(stage_policy.stage, releases[release])
                    self._released(lead, self._sides(stage_policy, number, i, (a, b)), mine, a, (onward, then))
        low, high = windows.at(stage_policy.stage - 1)
        a, b = windows.centre + low, windows.centre + high
        if any(first < low or end > high for first, end in then.values()):
            self.slack += windows.pad
        for number, (first, end) in then.items():
            row = onward[:, number]
            if first < low:
                row[:, a] += row[:, a - windows.pad : a].sum(axis=1)
            if end > high:
                row[:, b - 1] += row[:, b : b + windows.pad].sum(axis=1)
        return onward, within(then, windows, stage_policy.stage - 1)

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
            won = self._shares(mine, bet).sum(axis=1)
            self._event = [e + self.units.counted(one) for e, one in zip(self._event, won, strict=True)]
        for (after, factor, steps), side in zip(runs, sides, strict=True):
            share = self._shares(mine, factor)
            parts = ((side, share),) if isinstance(side, int) else ((0, share * side), (1, share * ~side))
            for further, masses in parts:
                low = a + steps + further
                at = self.policy.runner.windows.centre + low
                onward[:, after, at : at + count] += masses
                reach(then, after, low, low + count)

    def _shares(self, mine: Wholes, factor: Factor) -> Wholes:
        share = self.units.times(mine, factor)
        share[0] += (mine[0] > 0) * self.units.carry[0]
        return share

    def _lead(self, stage: int, release: Release) -> _Lead:
        """Per run its class, what it weighs and by how many places it leads on; and what is bet on."""
        grid = self.policy.runner.grid
        key = id(release), grid.base(stage) - grid.base(stage - 1)
        if key not in self._leads:
            telling, factor = Telling.of(release), self.units.factor
            runs = tuple(
                (after, factor(k0, k1), shift(k0 / k1, grid, grid.drift).steps - key[1])
                for after, k0, k1 in telling.runs
            )
            self._leads[key] = release, (runs, factor(*telling.bet) if any(telling.bet) else None)
        return self._leads[key][1]

    def _won(self, k0: Fraction, k1: Fraction, *, bet: bool) -> None:
        if bet:
            for world, won in enumerate(self.units.pair(k0, k1)):
                self._event[world] += self.units.counted(won)

    def _guess(self, masses: Wholes, places: ClassPlaces) -> None:
        """Those who know no more bet on world 1 at slopes below 1."""
        if NOTHING in places:
            first, end = (self.policy.runner.windows.centre + min(place, 0) for place in places[NOTHING])
            for world in (0, 1):
                self._event[world] += self.units.counted(masses[world, NOTHING, first:end].sum())
