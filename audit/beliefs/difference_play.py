"""A policy of a game whose streams part once, played forwards in whole units: what it has in its event in either world.

What it attains rests on this alone: masses go from round to round with what is chosen, up in world 0 and down in
world 1, by the mechanism's weights. Where they are floats every operation is counted.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dpcert.audit.algebra.power import Point
from dpcert.audit.beliefs.difference_policies import BET, Choices, DifferencePolicies
from dpcert.audit.beliefs.differences import DifferenceMove
from dpcert.audit.beliefs.directions import Numbers
from dpcert.audit.beliefs.hidden import ShownPair
from dpcert.audit.grids.units import Factor, Units, Wholes

_Arriving = dict[Any, list[tuple[Numbers, Wholes]]]
"""By the relation's state, points and masses at them."""


@dataclass
class DifferencePlay:
    """A policy that is being played.

    Attributes:
        policies: What is chosen.
        i: The number of its slope.
        units: What masses are counted in.
        slack: Operations so far, where they are rounded.
    """

    policies: DifferencePolicies
    i: int
    units: Units = field(default_factory=Units)
    slack: int = 0
    _event: list[int | Fraction] = field(default_factory=lambda: [0, 0])
    _most_won: int = 0
    _factors: dict[int, tuple[ShownPair, list[tuple[int, int, Factor]]]] = field(default_factory=dict)

    def point(self) -> Point:
        """At least what it has in the event in world 0, at most what in world 1."""
        start, slope = self.policies.start(self.i), self.policies.slopes[self.i]
        if start.move is None:
            bet = Fraction(int(slope < 1))
            return bet, bet
        self._event, self.slack, self._most_won = [0, 0], 0, 0
        game = self.policies.on.game
        shown = game.hidden.seen((game.hidden.game.view.initial,), start.move.pair, start.move.over)
        masses = self.units.zeros(2, 1, 1) + self.units.one
        arriving: _Arriving = {}
        self.slack += self._per_round
        for one, way in zip(shown, start.ways, strict=True):
            self._sent(one, np.array([way]), masses, arriving.setdefault(start.move.then, []))
        for round_ in range(2, game.rounds + 1):
            self.policies.on.check()
            arriving = self._after(round_, arriving)
        slack = self.slack + self._most_won  # what is bet is added up once
        x, y = (self.units.exact(number, world, slack) for world, number in enumerate(self._event))
        return min(x, Fraction(1)), y

    @property
    def _per_round(self) -> int:
        """Operations of a round before what meets is added up: a weight, a product, a sum over hidden states."""
        return 2 + len(self.policies.on.game.hidden.states)

    def _after(self, round_: int, arriving: _Arriving) -> _Arriving:
        """Where masses are one round on."""
        onward: _Arriving = {}
        met = {state: self._met(parts) for state, parts in arriving.items() if parts}
        self.slack += self._per_round + max((most for _, _, most in met.values()), default=0)
        for state, (ids, masses, _) in met.items():
            parted = self.policies.parted.get((round_, state))
            choices = self.policies.alike[round_, state][self.i] if parted is None else parted
            chosen = choices.move[ids]
            for number in np.unique(chosen).tolist():
                here, move = np.flatnonzero(chosen == number), choices.moves[number]
                self._moved(choices, move, ids[here], masses[:, here], onward)
        return onward

    def _met(self, parts: list[tuple[Numbers, Wholes]]) -> tuple[Numbers, Wholes, int]:
        """Masses at the same points put together; and how many there are at one, at most."""
        ids, at = np.unique(np.concatenate([one for one, _ in parts]), return_inverse=True)
        together = np.concatenate([masses for _, masses in parts], axis=1)
        masses = self.units.zeros(2, len(ids), together.shape[2])
        for world in (0, 1):
            np.add.at(masses[world], at, together[world])
        return ids, masses, int(np.bincount(at).max())

    def _moved(
        self,
        choices: Choices,
        move: DifferenceMove,
        ids: Numbers,
        masses: Wholes,
        onward: _Arriving,
    ) -> None:
        """Sends masses on by what a pair shows."""
        hidden = self.policies.on.game.hidden
        for number, one in enumerate(hidden.seen(hidden.states, move.pair, move.over)):
            then = choices.nexts[number, ids].astype(np.int64)
            self._sent(one, then, masses, onward.setdefault(move.then, []))

    def _sent(self, one: ShownPair, then: Numbers, masses: Wholes, onto: list[tuple[Numbers, Wholes]]) -> None:
        """Sends masses where a policy goes on after something is seen, or into the event."""
        onward = self.units.zeros(2, masses.shape[1], len(self.policies.on.game.hidden.states))
        for state, after, factor in self._weights(one):
            part = self.units.times(masses[:, :, state], factor)
            part[0] += (masses[0, :, state] > 0) * self.units.carry[0]
            onward[:, :, after] += part
        bet = onward[:, then == BET]
        self._event = [e + self.units.counted(w) for e, w in zip(self._event, bet.sum(axis=(1, 2)), strict=True)]
        self._most_won = max(self._most_won, bet[0].size)
        on = np.flatnonzero(then >= 0)
        if len(on):
            onto.append((then[on], onward[:, on]))

    def _weights(self, one: ShownPair) -> list[tuple[int, int, Factor]]:
        """From which state to which, and how likely."""
        if id(one) not in self._factors:
            denominator, (first, second) = self.policies.on.game.hidden.denominator, one.worlds
            self._factors[id(one)] = (
                one,
                [
                    (
                        state,
                        after,
                        self.units.factor(*(Fraction(int(w[state, after]), denominator) for w in one.worlds)),
                    )
                    for state in range(len(first))
                    for after in range(first.shape[1])
                    if first[state, after] or second[state, after]
                ],
            )
        return self._factors[id(one)][1]
