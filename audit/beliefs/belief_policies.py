"""Policies of few hidden states on a grid of beliefs and slopes, and what they attain, in whole units.

A policy stands at a node: a belief in either world, and a slope. After a round it goes on from the nearest belief in
either world and from the better of two slopes; which is better, and which pair is handed in, floats say, and any answer
is a policy. By hidden state it has what it has, whatever is believed.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dpcert.audit.beliefs.belief_grid import BeliefGrid, Sight, SlopeShifts, Values
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import Floats
from dpcert.audit.grids.units import Factor, Units, Wholes


@dataclass
class BeliefLower:
    """What policies attain: by state of the relation, at (world, belief, belief, hidden state, slope).

    Where both worlds believe the same, at (world, belief, hidden state, slope). In world 0 it is at least what they
    have in their event from that hidden state on, in world 1 at most.

    Attributes:
        on: The grid.
        units: What is counted in.
        slack: Operations so far, where they are rounded.
    """

    on: BeliefGrid
    units: Units = field(default_factory=Units)
    slack: int = 0
    _factors: dict[int, tuple[Sight, "_Chances"]] = field(default_factory=dict)

    def run(self) -> Values:
        """What is attained after round 1."""
        return self.on.from_last(self._best, self._counted)

    def _counted(self) -> None:
        """A sum for each thing seen and state after it, and for what is bet; a weight, a product."""
        self.slack += self.on.outcomes * (len(self.on.hidden.states) + 2) + 2

    def _best(self, relation: Any, round_: int, after: Values, alike: bool) -> Wholes:
        on = self.on
        count, states = len(on.simplex.points), len(on.hidden.states)
        best = self.units.zeros(2, *((count,) if alike else (count, count)), states, on.size)
        worth = np.zeros((count, 1 if alike else count, on.size))  # of betting on nothing
        for then, over, sights in on.moves(relation, round_):
            for i in range(count):
                others = np.array([i]) if alike else np.arange(count)
                row = self._row(sights, None if over else after[then], i, others)
                value = self._worth(row, i, others)
                better = value > worth[i]
                into = best[:, i : i + 1] if alike else best[:, i]
                np.copyto(into, row, where=better[None, :, None, :])
                np.copyto(worth[i], value, where=better)
        return best

    def _worth(self, points: Wholes, i: int, others: Any) -> Floats:
        beliefs = (self.on.beliefs / self.on.scale).astype(float)
        gained = np.einsum("jh,jhm->jm", beliefs[others], points[1].astype(float))
        paid = np.einsum("h,jhm->jm", beliefs[i], points[0].astype(float))
        worth: Floats = gained - self.on.slopes * paid
        return worth

    def _row(self, sights: tuple[Sight, ...], after: Wholes | None, i: int, others: Any) -> Wholes:
        """What policies have that hand in a pair, at belief i in world 0 and others in world 1."""
        on, states = self.on, len(self.on.hidden.states)
        row = self.units.zeros(2, len(others), states, on.size)
        for one in sights:
            shifts, work = SlopeShifts(*(part[others] for part in on.shifts(one, i))), self._chances(one)
            if after is None or one.pair.over:
                bets = shifts.certain[:, None] | (shifts.live[:, None] & (on.slopes * shifts.ratio[:, None] < 1))
                row += work.all[:, None, :, None] * bets[None, :, None, :]
                continue
            row += work.all[:, None, :, None] * shifts.certain[None, :, None, None]
            a, b = one.nearest[0][i], one.nearest[1][others]
            points = after[:, a][:, None] if after.ndim == 4 else after[:, a, b]
            self._follow(row, work, points, self._slopes(one, points, shifts, i, others), shifts.live)
        np.minimum(row[0], self.units.one, out=row[0])
        return row

    def _slopes(self, one: Sight, points: Wholes, shifts: SlopeShifts, i: int, others: Any) -> Any:
        """The place at which the policy goes on, by belief and place."""
        size = self.on.size
        before = np.clip(np.arange(size) + np.clip(shifts.steps, -size, size)[:, None], 0, size - 1)
        behind = np.minimum(before + 1, size - 1)
        gained = np.einsum("jh,jhm->jm", one.after[1][others], points[1].astype(float))
        paid = np.einsum("h,jhm->jm", one.after[0][i], points[0].astype(float))
        worth = [
            np.take_along_axis(gained, at, 1) - self.on.slopes * np.take_along_axis(paid, at, 1)
            for at in (before, behind)
        ]
        return np.where(worth[0] >= worth[1], before, behind)

    def _follow(self, onto: Wholes, work: "_Chances", points: Wholes, places: Any, live: Any) -> None:
        """Adds what is attained after what is seen, state by state."""
        ahead = np.take_along_axis(points, places[None, :, None, :], 3)
        for (state, after), factor in work.factors.items():
            product = self.units.times(ahead[:, :, after], factor)
            product += self.units.carry[:, None, None]
            onto[:, :, state] += product * live[None, :, None]

    def _chances(self, one: Sight) -> "_Chances":
        if id(one) not in self._factors:
            self._factors[id(one)] = one, _Chances.of(self.units, one, self.on.hidden.denominator)
        return self._factors[id(one)][1]


@frozen
class _Chances:
    """How likely something is to be seen: by hidden state before and after it, and by the one before it alone."""

    factors: dict[tuple[int, int], Factor]
    all: Wholes

    @classmethod
    def of(cls, units: Units, one: Sight, denominator: int) -> "_Chances":
        states = range(len(one.pair.worlds[0]))

        def chances(state: int, after: int | slice) -> tuple[Fraction, Fraction]:
            first, second = (Fraction(int(np.sum(world[state, after])), denominator) for world in one.pair.worlds)
            return first, second

        pairs = {(state, after): chances(state, after) for state in states for after in states}
        factors = {key: units.factor(*both) for key, both in pairs.items() if any(both)}
        return cls(factors, np.stack([units.pair(*chances(state, slice(None))) for state in states], axis=1))
