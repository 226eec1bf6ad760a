"""Round 1 of a game of few hidden states, whose releases lead to a grid of beliefs and slopes."""

from dataclasses import field
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.algebra.power import Point
from dpcert.audit.beliefs.belief_grid import BeliefGrid, Values
from dpcert.audit.beliefs.hidden import ShownPair
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.bounding import Line
from dpcert.audit.grids.grid import Floats, shift
from dpcert.audit.grids.passes import LOST_TO_SMALL_FLOATS, off_by
from dpcert.audit.grids.units import Units, Wholes
from dpcert.audit.relations.adjacency import OVER

Masses = tuple[list[int], list[int]]
"""Whole masses by hidden state, in world 0 and in world 1."""


@frozen
class BeliefRoot:
    """The first round.

    Attributes:
        on: The grid.
        values: What is known on it: upper bounds, or attained points.
        slack: Float operations of what is known, each of which may be off by a unit.
        units: What attained points are in.
    """

    on: BeliefGrid
    values: Values
    slack: int = 0
    units: Units = field(default_factory=Units)

    def upper(self, slope: Fraction) -> Line:
        """A bound at a slope."""
        most = max(Fraction(0), 1 - slope)
        for then, sights in self._releases():
            most = max(most, sum((self._bound(one, then, slope) for one in sights), Fraction(0)))
        return slope, min(most, Fraction(1))

    def lower(self, slope: Fraction) -> Point:
        """A point that is attained, good at a slope."""
        worth, bet = max(Fraction(0), 1 - slope), Fraction(int(slope < 1))
        point = bet, bet
        for then, sights in self._releases():
            points = [self._attained(one, then, slope) for one in sights]
            x, y = (sum((p[world] for p in points), Fraction(0)) for world in (0, 1))
            if y - slope * x > worth:
                worth, point = y - slope * x, (min(x, Fraction(1)), y)
        return point

    def _releases(self) -> list[tuple[Any, tuple[ShownPair, ...]]]:
        hidden = self.on.hidden
        game = hidden.game
        releases = []
        for pair, then in hidden.legal(game.adjacency.initial, 1):
            over = then is OVER or game.horizon == 1
            releases.append((then, hidden.seen((game.view.initial,), pair, over)))
        return releases

    def _masses(self, sight: ShownPair) -> Masses:
        first, second = ([int(m) for m in world[0]] for world in sight.worlds)
        return first, second

    def _bound(self, sight: ShownPair, then: Any, slope: Fraction) -> Fraction:
        masses, d = self._masses(sight), self.on.hidden.denominator
        k0, k1 = Fraction(sum(masses[0]), d), Fraction(sum(masses[1]), d)
        if sight.over or not k1:
            return max(Fraction(0), k1 - slope * k0)
        if not k0:
            return k1
        values, factor = self.values[then], off_by(self.slack + 16)
        total = Fraction(0)
        for a, wa in self.on.between(masses[0]):
            for b, wb in self.on.between(masses[1]) if values.ndim == 3 else [(a, Fraction(1))]:
                row = values[a, b] if values.ndim == 3 else values[a]
                total += wa * wb * self._chord(row, slope * k0 / k1, factor)
        return k1 * total

    def _chord(self, row: Floats, slope: Fraction, factor: Fraction) -> Fraction:
        """A bound at any slope."""
        at = shift(slope, self.on.grid, Fraction(0))
        place = at.steps + self.on.half

        def value(i: int) -> Fraction:
            return Fraction(float(row[i])) * factor + LOST_TO_SMALL_FLOATS

        if place < 0:
            first = exponential(-self.on.grid.step * self.on.half).finite().upper
            return 1 - (1 - min(value(0), Fraction(1))) * slope / first
        if place >= len(row) - 1:
            return value(len(row) - 1)
        return (Fraction(at.near) * value(place) + Fraction(at.far) * value(place + 1)) * off_by(16)

    def _attained(self, sight: ShownPair, then: Any, slope: Fraction) -> Point:
        """What a policy has in the event after a release."""
        masses, d = self._masses(sight), self.on.hidden.denominator
        k0, k1 = Fraction(sum(masses[0]), d), Fraction(sum(masses[1]), d)
        guesses = [(Fraction(0), Fraction(0)), (k0, k1)]
        if sight.over or not k1 or not k0:
            return max(guesses, key=lambda p: p[1] - slope * p[0])
        points: Wholes = self.values[then]
        at = shift(slope * k0 / k1, self.on.grid, Fraction(0)).steps + self.on.half
        for a, _ in self.on.between(masses[0]):
            for b, _ in self.on.between(masses[1]):
                rows = points[:, a, b] if points.ndim == 5 else points[:, a]
                for place in {min(max(p, 0), rows.shape[-1] - 1) for p in (at, at + 1)}:
                    x, y = (
                        self.units.exact(self._mass(one, row), world, self.slack, d)
                        for world, (one, row) in enumerate(zip(masses, rows[:, :, place], strict=True))
                    )
                    guesses.append((x, y))
        return max(guesses, key=lambda p: p[1] - slope * p[0])

    def _mass(self, masses: list[int], had: Wholes) -> int | Fraction:
        """What masses by hidden state have together, in units of what each has: no float adds it up."""
        return sum(m * self.units.counted(v) for m, v in zip(masses, had, strict=True))
