"""Policies of games whose streams part once, on a grid: floats choose them, and `difference_play` says what they have.

A policy stands at a point of the grid, or at the one opposite it, where it bets the other way. By hidden state it has
what it has, so that it may be followed from anywhere. After something is seen it goes on from the point around it that
is worth most there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.enclosed.difference_root import DifferenceRoot, SeenFirst
from dpcert.audit.enclosed.differences import DifferenceGrid, DifferenceMove, Lead, difference
from dpcert.audit.enclosed.directions import Numbers
from dpcert.audit.enclosed.grid import Floats
from dpcert.audit.games.paired import Pair

Chosen = NDArray[np.signedinteger[Any]]
ENDED = -1
"""In place of the point from which a policy goes on: it bets on world 1 where the flip is 1."""


class Choices(NamedTuple):
    """What a policy does at the points of a grid in a round, in a state of the relation.

    Attributes:
        moves: What may be handed in.
        move: By point, the number of what is.
        nexts: By number of what is seen and point, where it goes on; ENDED where all is over.
        flips: By the same, -1 for the point opposite; where all is over, 1 to bet on world 1.
    """

    moves: tuple[DifferenceMove, ...]
    move: Chosen
    nexts: Chosen
    flips: Chosen


class Start(NamedTuple):
    """How a policy begins.

    Attributes:
        move: What is handed in in round 1; None where nothing is played.
        ways: By what is seen, (point, flip) as `Choices` has them.
        worth: What floats say that it is worth, about: B.
    """

    move: DifferenceMove | None
    ways: tuple[tuple[int, int], ...]
    worth: float


@dataclass
class DifferencePolicies:
    """Policies at the points of a grid, chosen from the last round to the first.

    Attributes:
        on: The grid.
        slopes: For which there are policies.
        stream: Pairs round by round, where nothing else may be handed in; None for any.
        parted: By round and the relation's state, choices once streams have parted.
        alike: By round and the relation's state, choices before, by slope.
    """

    on: DifferenceGrid
    slopes: Sequence[Fraction]
    stream: Sequence[Pair] | None = None
    parted: dict[tuple[int, Any], Choices] = field(default_factory=dict)
    alike: dict[tuple[int, Any], list[Choices]] = field(default_factory=dict)
    _parted: dict[Any, Floats] = field(default_factory=dict)
    _alike: dict[Any, list[Floats]] = field(default_factory=dict)

    def run(self) -> "DifferencePolicies":
        """The same, with what is chosen in every round but the first."""
        game = self.on.game
        points = self.on.directions.points / self.on.parts
        for round_ in range(game.rounds, 1, -1):
            self.on.check()
            parted, alike = dict[Any, Floats](), dict[Any, list[Floats]]()
            for state, flag in game.settled[round_ - 1].items():
                moves = self._moves(state, round_)
                if flag:
                    options = [self._same(move, points) for move in moves]
                    self.parted[round_, state], parted[state] = _best(moves, options, points)
                    continue
                rows = []
                for i, slope in enumerate(self.slopes):
                    options = [self._before(move, round_, slope, i) for move in moves]
                    rows.append(_best(moves, options, points[: self.on.beliefs]))
                self.alike[round_, state], alike[state] = [one for one, _ in rows], [value for _, value in rows]
            self._parted, self._alike = parted, alike
        return self

    def start(self, i: int) -> Start:
        """How the policy at a slope begins."""
        root, slope = DifferenceRoot(self.on), self.slopes[i]
        best = Start(None, (), float(abs(1 - slope)))
        for move in root.moves():
            if not self._allowed(move, 1):
                continue
            after = None if move.over else self._alike[move.then][i] if move.equal else self._parted[move.then]
            chosen = [_first(seen, after, move, slope) for seen in root.seen(move, slope)]
            worth = sum(value for _, value in chosen)
            if worth > best.worth:
                best = Start(move, tuple(way for way, _ in chosen), worth)
        return best

    def _allowed(self, move: DifferenceMove, round_: int) -> bool:
        return self.stream is None or tuple(move.pair) == tuple(self.stream[round_ - 1])

    def _moves(self, relation: Any, round_: int) -> tuple[DifferenceMove, ...]:
        """What may be handed in; all there is where a stream does not lead here."""
        moves = tuple(self.on.game.moves(relation, round_))
        return tuple(move for move in moves if self._allowed(move, round_)) or moves

    def _same(self, move: DifferenceMove, points: Floats) -> "_Option":
        """What equal inputs are worth by hidden state, once streams have parted."""
        leads = self.on.same(move)
        return self._option(leads, None if move.over else self._parted[move.then], len(points), None)

    def _before(self, move: DifferenceMove, round_: int, slope: Fraction, i: int) -> "_Option":
        """The same before, at a slope."""
        if not move.equal:
            leads = self.on.parting(move, slope)
            return self._option(leads, None if move.over else self._parted[move.then], self.on.beliefs, slope)
        leads = tuple(one.first(self.on.beliefs) for one in self.on.same(move))
        if self.on.game.tells_nothing(move, round_):
            return self._nothing(leads, slope)
        return self._option(leads, self._alike[move.then][i], self.on.beliefs, None, slope)

    def _nothing(self, leads: Sequence[Lead], slope: Fraction) -> "_Option":
        """One bet, whatever is seen."""
        shape = len(leads), self.on.beliefs
        ends = np.full(shape, ENDED), np.full(shape, 1 if slope < 1 else -1)
        value = np.full((self.on.beliefs, len(self.on.game.hidden.states)), float(abs(1 - slope)))
        return _Option(value, *ends)

    def _option(
        self,
        leads: Sequence[Lead],
        after: Floats | None,
        count: int,
        slope: Fraction | None,
        alike: Fraction | None = None,
    ) -> "_Option":
        """What a pair is worth at each point, by hidden state, and how a policy goes on.

        Args:
            leads: What is seen.
            after: What policies are worth after it, by hidden state; None where all is over.
            count: Points.
            slope: That of a difference which begins here, if one does.
            alike: The slope, where both worlds believe the same before and after.
        """
        self.on.check()
        states = len(self.on.game.hidden.states)
        value = np.zeros((count, states))
        nexts, flips = np.full((len(leads), count), ENDED), np.ones((len(leads), count), dtype=np.int64)
        for number, one in enumerate(leads):
            matrix = _floats(one, slope, self.on.game.hidden.denominator)
            if after is None or one.shown.over:
                total = one.vectors.sum(axis=1) if alike is None else np.full(count, float(1 - alike))
                flips[number] = np.where(total > 0, 1, -1)
                times = 1.0 if alike is None else float(1 - alike)
                value += times * flips[number][:, None] * matrix.sum(axis=1)
                continue
            nexts[number], flips[number] = _followed(one, after)
            value += flips[number][:, None] * (after[nexts[number]] @ matrix.T)
        return _Option(value, nexts, flips)


class _Option(NamedTuple):
    """What a pair is worth by point and hidden state, where it leads by what is seen and point, and with which flip."""

    value: Floats
    nexts: Numbers
    flips: Numbers


def _followed(one: Lead, after: Floats) -> tuple[Numbers, Numbers]:
    """From each point, the point around what follows that is worth most there, and the flip."""
    best, chosen = np.full(len(one.ids), -np.inf), one.ids[:, 0].copy()
    for corner in range(one.ids.shape[1]):
        ids = one.ids[:, corner]
        worth = np.einsum("ns,ns->n", one.vectors, after[ids]) * one.flips
        better = (worth > best) & (one.weights[:, corner] > 0)
        chosen[better], best[better] = ids[better], worth[better]
    return chosen, one.flips


def _best(moves: tuple[DifferenceMove, ...], options: Sequence[_Option], points: Floats) -> tuple[Choices, Floats]:
    """The best of some pairs at each point."""
    worths = np.stack([np.einsum("ns,ns->n", points, one.value) for one in options])
    move, at = worths.argmax(axis=0), np.arange(len(points))
    most, value = max(len(one.nexts) for one in options), np.stack([one.value for one in options])[move, at]
    nexts, flips = np.full((most, len(points)), ENDED), np.ones((most, len(points)), dtype=np.int64)
    for number, one in enumerate(options):
        here = np.flatnonzero(move == number)
        nexts[: len(one.nexts), here], flips[: len(one.nexts), here] = one.nexts[:, here], one.flips[:, here]
    return Choices(moves, move.astype(np.int32), nexts.astype(np.int32), flips.astype(np.int8)), value


def _floats(one: Lead, slope: Fraction | None, denominator: int) -> Floats:
    """Probabilities from state to state, in world 1 less `slope` times world 0 where there is one."""
    matrix, times = difference(one.shown, slope)
    return np.array([[int(m) / (denominator * times) for m in row] for row in matrix])


def _first(
    seen: SeenFirst, after: Floats | None, move: DifferenceMove, slope: Fraction
) -> tuple[tuple[int, int], float]:
    """How a policy goes on after something is seen in round 1, and what that is worth."""
    vector = np.array([float(one) for one in seen.vector])
    if after is None or seen.over or not seen.around:
        times = float(1 - slope) if move.equal else 1.0
        worth = float(vector.sum()) * times
        return (ENDED, 1 if worth > 0 else -1), abs(worth)
    worths = [(float(vector @ after[number]) * seen.flip, number) for number, _ in seen.around]
    worth, number = max(worths)
    return (number, seen.flip), worth
