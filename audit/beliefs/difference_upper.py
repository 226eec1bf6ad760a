"""Upper bounds on games whose streams part once, on a grid of differences and one of beliefs.

What is left is at most a sum of chords: between differences once the streams have parted, between beliefs before. Every
number is at least 0, and vectors and weights come of whole numbers, so that floats are off by a counted factor
(docs/decisions/0016).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dpcert.audit.beliefs.difference_root import DifferenceRoot
from dpcert.audit.beliefs.differences import DifferenceGrid, DifferenceMove, Lead
from dpcert.audit.grids.bounding import Line
from dpcert.audit.grids.grid import Floats
from dpcert.audit.grids.passes import LOST_TO_SMALL_FLOATS, off_by

OF_A_ROUND = 12
"""Operations of a round beside its sums, each of which may be off by a unit."""


@dataclass
class DifferenceUpper:
    """What is left after round 1, at most.

    Attributes:
        on: The grid.
        slopes: Where bounds are wanted.
        parted: By the relation's state once streams have parted, bounds by point.
        alike: By the relation's state before, bounds by slope and belief.
        slack: Float operations, each of which may be off by a unit.
    """

    on: DifferenceGrid
    slopes: Sequence[Fraction]
    parted: dict[Any, Floats] = field(default_factory=dict)
    alike: dict[Any, list[Floats]] = field(default_factory=dict)
    slack: int = 0

    def run(self) -> "DifferenceUpper":
        """The same, with what is known of every round but the first."""
        game = self.on.game
        for round_ in range(game.rounds, 1, -1):
            self.on.check()
            settled = game.settled[round_ - 1]
            parted = {state: self._parted(state, round_) for state, flag in settled.items() if flag}
            alike = {state: self._alike(state, round_) for state, flag in settled.items() if not flag}
            self.parted, self.alike = parted, alike
            self.slack += self.on.operations + OF_A_ROUND
        return self

    def lines(self) -> list[Line]:
        """Bounds on W at the slopes."""
        root = DifferenceRoot(self.on)
        return [(slope, self._line(root, slope, i)) for i, slope in enumerate(self.slopes)]

    def _line(self, root: DifferenceRoot, slope: Fraction, i: int) -> Fraction:
        factor, most = off_by(self.slack + OF_A_ROUND), max(Fraction(0), 1 - slope)
        lost = LOST_TO_SMALL_FLOATS * (1 + slope)  # where streams part what was lost is multiplied by as much
        for move in root.moves():
            rows = None if move.over else self.alike[move.then][i] if move.equal else self.parted[move.then]
            total = Fraction(0)
            for seen in root.seen(move, slope):
                if rows is None or seen.over:
                    total += seen.size
                    continue
                total += lost  # of weights that are too small for floats
                for number, weight in seen.around:
                    total += weight * (Fraction(float(rows[number])) * factor + lost)
            most = max(most, total)
        return min(Fraction(1), most)

    def _parted(self, relation: Any, round_: int) -> Floats:
        """Bounds on what is above 0 of the differences that one is split into."""
        best = np.zeros(len(self.on.faces.points))
        for move in self.on.game.moves(relation, round_):
            after = None if move.over else self.parted[move.then]
            np.maximum(best, _chords(self.on.same(move), after), out=best)
        return best

    def _alike(self, relation: Any, round_: int) -> list[Floats]:
        """Bounds where both worlds believe the same, by slope."""
        made = [np.full(self.on.beliefs, unparted(slope)) for slope in self.slopes]
        for move in self.on.game.moves(relation, round_):
            if self.on.game.tells_nothing(move, round_):
                continue
            for i, slope in enumerate(self.slopes):
                self.on.check()
                np.maximum(made[i], self._moved(move, slope, i), out=made[i])
        return made

    def _moved(self, move: DifferenceMove, slope: Fraction, i: int) -> Floats:
        if not move.equal:
            return _chords(self.on.parting(move, slope), None if move.over else self.parted[move.then])
        leads = tuple(one.first(self.on.beliefs) for one in self.on.same(move))
        return _chords(leads, self.alike[move.then][i], unparted(slope))


def unparted(slope: Fraction) -> float:
    """What is left of a mass of 1 at a slope where nothing more is told."""
    return float(max(Fraction(0), 1 - slope))


def _chords(leads: Sequence[Lead], after: Floats | None, ended: float = 1.0) -> Floats:
    """Sums of chords over what is seen; `ended`: what a mass of 1 comes to after which nothing follows."""
    total: Floats = np.zeros(len(leads[0].size))
    for one in leads:
        if after is None or one.shown.over:
            total += one.size * ended
        else:
            for corner in range(one.ids.shape[1]):
                total += one.weights[:, corner] * after[one.ids[:, corner]]
    return total
