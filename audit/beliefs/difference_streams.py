"""What fixed streams reach in a hidden game whose streams part once: a row for each way to go on, as of cores.

A pair of streams that is fixed leaves nothing to choose after round 1, so that what is left is once more a sum of what
linear functions of what is believed have above 0: convex, and bounded by chords. Of two ways to go on the one is left
out whose row lies nowhere above the other's by more than a tolerance (docs/decisions/0016).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dpcert.audit.beliefs.difference_root import DifferenceRoot, SeenFirst
from dpcert.audit.beliefs.difference_upper import OF_A_ROUND, unparted
from dpcert.audit.beliefs.differences import DifferenceGrid, DifferenceMove, Lead
from dpcert.audit.beliefs.directions import Numbers
from dpcert.audit.games.paired import Pair
from dpcert.audit.grids.grid import Floats
from dpcert.audit.grids.passes import ABSOLUTE, LOST_TO_SMALL_FLOATS, off_by
from dpcert.audit.grids.stream_rows import folded, undominated

MOST_POINT_ROW_BYTES = 1 << 27
"""Bytes of the rows of a round, by state of the relation and slope, past which the least are folded into others."""


class PointWays(NamedTuple):
    """Ways to go on from a state of the relation.

    Attributes:
        rows: Bounds at the points, a row a way.
        moves: What may be handed in.
        move: By way, the number of what is.
        then: By way, its number among those after that.
    """

    rows: Floats
    moves: tuple[DifferenceMove, ...]
    move: Numbers
    then: Numbers


@dataclass
class DifferenceStreams:
    """Ways to go on, from the last round to the first.

    Attributes:
        on: The grid.
        slopes: Where bounds are wanted.
        tolerance: By how much a way that is left out may lie above the one that stands for it, in parts of what the
            coordinates of a point above 0 come to.
        parted: By round and the relation's state, ways once streams have parted.
        alike: By the same, ways before, by slope.
        slack: Float operations, each of which may be off by a unit.
    """

    on: DifferenceGrid
    slopes: Sequence[Fraction]
    tolerance: float
    parted: dict[tuple[int, Any], PointWays] = field(default_factory=dict)
    alike: dict[tuple[int, Any], list[PointWays]] = field(default_factory=dict)
    slack: int = 0

    def run(self) -> "DifferenceStreams":
        """The same, with what is known of every round but the first; rows are kept of round 2 alone."""
        game = self.on.game
        for round_ in range(game.rounds, 1, -1):
            for state, flag in game.settled[round_ - 1].items():
                if flag:
                    self.parted[round_, state] = self._parted(state, round_)
                else:
                    self.alike[round_, state] = [self._alike(state, round_, i) for i in range(len(self.slopes))]
            self._forget(round_ + 1)
            self.slack += self.on.operations + OF_A_ROUND
        return self

    def _forget(self, round_: int) -> None:
        """Rows of a round that were read."""
        empty = np.empty((0, 0))
        for state in self.on.game.settled[round_ - 1] if round_ <= self.on.game.rounds else ():
            if (round_, state) in self.parted:
                self.parted[round_, state] = self.parted[round_, state]._replace(rows=empty)
            else:
                self.alike[round_, state] = [one._replace(rows=empty) for one in self.alike[round_, state]]

    def _parted(self, relation: Any, round_: int) -> PointWays:
        moves = tuple(self.on.game.moves(relation, round_))
        count = len(self.on.faces.points)
        rows = [
            _rows(self.on.same(move), None if move.over else self.parted[round_ + 1, move.then].rows, count)
            for move in moves
        ]
        return self._kept(moves, rows, self._allowed)

    @cached_property
    def _allowed(self) -> Floats:
        """The tolerance at the points, a little less."""
        above = np.maximum(self.on.faces.floats, 0).sum(axis=1)
        allowed: Floats = above * (self.tolerance * (1 - ABSOLUTE))
        return allowed

    def _alike(self, relation: Any, round_: int, i: int) -> PointWays:
        self.on.check()
        moves = tuple(self.on.game.moves(relation, round_))
        return self._kept(moves, [self._before(move, round_, i) for move in moves], self._allowed[: self.on.beliefs])

    def _before(self, move: DifferenceMove, round_: int, i: int) -> Floats:
        """The rows of a pair that is handed in where both worlds believe the same."""
        slope, count = self.slopes[i], self.on.beliefs
        if self.on.game.tells_nothing(move, round_):
            return np.full((1, count), unparted(slope))
        if not move.equal:
            after = None if move.over else self.parted[round_ + 1, move.then].rows
            return _rows(self.on.parting(move, slope), after, count)
        leads = tuple(one.first(count) for one in self.on.same(move))
        return _rows(leads, self.alike[round_ + 1, move.then][i].rows, count, unparted(slope))

    def _kept(self, moves: tuple[DifferenceMove, ...], parts: Sequence[Floats], allowed: Floats) -> PointWays:
        """The ways that are kept, where others may lie above them by what is allowed."""
        self.on.check()
        rows = np.concatenate(parts)
        move = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        then = np.concatenate([np.arange(len(part)) for part in parts])
        most = max(1, MOST_POINT_ROW_BYTES // (8 * rows.shape[1]))
        chosen = undominated(rows, allowed)
        return PointWays(folded(rows[chosen], most), moves, move[chosen][:most], then[chosen][:most])

    def bound(self, i: int) -> tuple[Fraction, tuple[Pair, ...]]:
        """A bound on W at a slope, and the pair of streams behind it."""
        slope, root = self.slopes[i], DifferenceRoot(self.on)
        least, best, pairs = max(Fraction(0), 1 - slope), 0.0, self._any()
        for move in root.moves():
            total = self._first(move, root.seen(move, slope), i)
            way = int(total.argmax())
            if total[way] > max(best, float(least)):
                best, pairs = float(total[way]), (move.pair, *self._pairs(move, way, i))
        factor = off_by(self.slack + self.on.operations + self.on.game.most_shown * OF_A_ROUND + OF_A_ROUND)
        lost = self.on.game.rounds * Fraction(self.tolerance) + LOST_TO_SMALL_FLOATS * (1 + slope)
        return min(Fraction(1), max(least, Fraction(best)) * factor + lost * factor), pairs

    def _first(self, move: DifferenceMove, shown: Sequence[SeenFirst], i: int) -> Floats:
        """Bounds on a pair of round 1 with each way to go on."""
        rows = None if move.over else self._ways(2, move.then, i).rows
        total = np.zeros(1 if rows is None else len(rows))
        for seen in shown:
            if rows is None or seen.over:
                total = total + float(seen.size)
            else:
                for number, weight in seen.around:
                    total = total + float(weight) * rows[:, number]
        return total

    def _ways(self, round_: int, relation: Any, i: int) -> PointWays:
        parted = self.parted.get((round_, relation))
        return self.alike[round_, relation][i] if parted is None else parted

    def _pairs(self, move: DifferenceMove, way: int, i: int) -> list[Pair]:
        """The pairs after round 1; any where all is over or nothing more is told."""
        pairs: list[Pair] = []
        for round_ in range(2, self.on.game.rounds + 1):
            if move.over:
                break
            ways = self._ways(round_, move.then, i)
            way = min(way, len(ways.move) - 1)
            move, way = ways.moves[ways.move[way]], int(ways.then[way])
            pairs.append(move.pair)
        return pairs

    def _any(self) -> tuple[Pair, ...]:
        """Some streams."""
        relation, pairs = self.on.game.hidden.game.adjacency.initial, list[Pair]()
        for round_ in range(1, self.on.game.rounds + 1):
            move = next(self.on.game.moves(relation, round_))
            pairs.append(move.pair)
            if move.over:
                break
            relation = move.then
        return tuple(pairs)


def _rows(leads: Sequence[Lead], after: Floats | None, count: int, ended: float = 1.0) -> Floats:
    """Sums of chords over what is seen, a row for each way to go on; `ended`: what a mass of 1 is worth at an end."""
    total = np.zeros((1 if after is None else len(after), count))
    for one in leads:
        if after is None or one.shown.over:
            total += one.size * ended
        else:
            for corner in range(one.ids.shape[1]):
                total += one.weights[:, corner] * after[:, one.ids[:, corner]]
    return total
