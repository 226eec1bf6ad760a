"""A policy of the lower bound, played forwards: what it has in the event, by another way than the one that found it.

What it chooses at the nodes of a grid is read from the first round to the last; its masses go with it, in either world,
in whole units: up in world 0, down in world 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpcert.audit.algebra.power import Point
from dpcert.audit.enclosed.attained import Kept
from dpcert.audit.enclosed.grid import Telling, shift
from dpcert.audit.enclosed.lower import GridPolicy
from dpcert.audit.enclosed.reaching import Reached, reach, within
from dpcert.audit.enclosed.root import PolicyStart
from dpcert.audit.enclosed.sides import Flags
from dpcert.audit.enclosed.stages import NOTHING, Release, RoundTable
from dpcert.audit.enclosed.units import Factor, Units, Wholes

_Led = tuple[tuple[tuple[int, Factor, int], ...], Factor | None]


@dataclass
class PlayedPolicy:
    """A policy that is being played.

    Attributes:
        policy: What is chosen at nodes.
        table: The table of round 1.
        start: How it begins.
        units: What masses are counted in.
    """

    policy: GridPolicy
    table: RoundTable
    start: PolicyStart
    units: Units
    _event: list[int] = field(default_factory=lambda: [0, 0])
    _known: dict[tuple[int, int], tuple[Release, _Led]] = field(default_factory=dict)

    def point(self) -> Point:
        """At least what it has in the event in world 0, at most what in world 1."""
        masses, reached = self._begun()
        for kept in reversed(self.policy.kept):
            self.policy.runner.check()
            masses, reached = self._after(kept, masses, reached)
        self._guess(masses, reached)
        x, y = map(self.units.exact, self._event)
        return min(x, Fraction(1)), y

    def _zeros(self, classes: int) -> Wholes:
        """Masses by world, class and place."""
        windows = self.policy.runner.windows
        return self.units.zeros(2, classes, windows.widest + 2 * windows.pad)

    def _begun(self) -> tuple[Wholes, Reached]:
        """The masses after round 1."""
        kept = self.policy.kept
        reached: Reached = {}
        masses = self._zeros(len(kept[-1].taps.table.classes) if kept else 1)
        if self.start.release is None:
            self._won(Fraction(1), Fraction(1), bet=bool(self.start.places[0]))
            return masses, reached
        for (after, k0, k1), place in zip(self.table.releases[self.start.release], self.start.places, strict=True):
            if isinstance(place, bool):
                self._won(k0, k1, bet=place)
            else:
                masses[:, after, self.policy.runner.windows.centre + place] += self.units.pair(k0, k1)
                reach(reached, after, place, place + 1)
        return masses, reached

    def _after(self, kept: Kept, masses: Wholes, reached: Reached) -> tuple[Wholes, Reached]:
        """The masses one round on."""
        windows, releases = self.policy.runner.windows, kept.taps.table.releases
        made = self._zeros(max((after for one in releases for after, *_ in one), default=0) + 1)
        then: Reached = {}
        self._guess(masses, reached)
        for number, (first, end) in reached.items():
            for i, (release, low, high) in enumerate(kept.spans[number] if number != NOTHING else ()):
                a, b = max(first, low), min(end, high)
                if a < b:
                    mine = masses[:, number, windows.centre + a : windows.centre + b]
                    led = self._led(kept.stage, releases[release])
                    self._released(led, self._sides(kept, number, i, (a, b)), mine, a, (made, then))
        low, high = windows.at(kept.stage - 1)
        a, b = windows.centre + low, windows.centre + high
        for number, (first, end) in then.items():
            row = made[:, number]
            if first < low:
                row[:, a] += row[:, a - windows.pad : a].sum(axis=1)
            if end > high:
                row[:, b - 1] += row[:, b : b + windows.pad].sum(axis=1)
        return made, within(then, windows, kept.stage - 1)

    def _sides(self, kept: Kept, number: int, i: int, places: tuple[int, int]) -> Sequence[int | Flags]:
        """On which side of slopes a class goes on in a part of a span, run by run."""
        if kept.sides is None:
            return kept.behind[kept.spans[number][i][0]]
        (a, b), (low, sides) = places, kept.sides[number, i]
        return [one.flags()[a - low : b - low] for one in sides]

    def _released(
        self, led: _Led, sides: Sequence[int | Flags], mine: Wholes, a: int, onto: tuple[Wholes, Reached]
    ) -> None:
        """Sends masses to where a release leads; `sides` says for each run on which side of slopes, as `Kept` does."""
        (runs, bet), (made, then), count = led, onto, mine.shape[1]
        if bet is not None:
            won = self._shares(mine, bet).sum(axis=1)
            self._event = [e + int(one) for e, one in zip(self._event, won, strict=True)]
        for (after, factor, steps), side in zip(runs, sides, strict=True):
            share = self._shares(mine, factor)
            parts = ((side, share),) if isinstance(side, int) else ((0, share * side), (1, share * ~side))
            for further, masses in parts:
                low = a + steps + further
                at = self.policy.runner.windows.centre + low
                made[:, after, at : at + count] += masses
                reach(then, after, low, low + count)

    def _shares(self, mine: Wholes, factor: Factor) -> Wholes:
        share = self.units.times(mine, factor)
        share[0] += (mine[0] > 0) * self.units.carry[0]
        return share

    def _led(self, stage: int, release: Release) -> _Led:
        """Per run its class, what it weighs and by how many places it leads on; and what is bet on."""
        grid = self.policy.runner.grid
        key = id(release), grid.base(stage) - grid.base(stage - 1)
        if key not in self._known:
            told, factor = Telling.of(release), self.units.factor
            runs = tuple(
                (after, factor(k0, k1), shift(k0 / k1, grid, grid.drift).steps - key[1]) for after, k0, k1 in told.runs
            )
            self._known[key] = release, (runs, factor(*told.bet) if any(told.bet) else None)
        return self._known[key][1]

    def _won(self, k0: Fraction, k1: Fraction, *, bet: bool) -> None:
        if bet:
            for world, won in enumerate(self.units.pair(k0, k1)):
                self._event[world] += int(won)

    def _guess(self, masses: Wholes, reached: Reached) -> None:
        """Those who know no more bet on world 1 at slopes below 1."""
        if NOTHING in reached:
            first, end = (self.policy.runner.windows.centre + min(place, 0) for place in reached[NOTHING])
            for world in (0, 1):
                self._event[world] += int(masses[world, NOTHING, first:end].sum())
