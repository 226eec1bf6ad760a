"""Policies of games whose streams part once, on a grid: floats choose them, and `difference_play` says what they have.

A policy stands at a point of the grid. By hidden state it has what it has, whatever is believed, so that it may be
followed from anywhere. After something is seen it goes on from the point around it that is worth most there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.beliefs.difference_root import DifferenceRoot, SeenFirst
from dpcert.audit.beliefs.differences import DifferenceGrid, DifferenceMove, Lead, difference
from dpcert.audit.beliefs.directions import Numbers
from dpcert.audit.games.paired import Pair
from dpcert.audit.grids.grid import Floats

Chosen = NDArray[np.int32]
PASS, BET = -1, -2
"""In place of the point from which a policy goes on, where nothing follows: a bet on world 0, and one on world 1."""


class Choices(NamedTuple):
    """What a policy does at the points of a grid in a round, in a state of the relation.

    Attributes:
        moves: What may be handed in.
        move: By point, the number of what is.
        nexts: By number of what is seen and point, where it goes on, or its bet.
    """

    moves: tuple[DifferenceMove, ...]
    move: Chosen
    nexts: Chosen


class DifferenceStart(NamedTuple):
    """How a policy begins.

    Attributes:
        move: What is handed in in round 1; None where nothing is played.
        ways: By what is seen, where it goes on, or its bet.
        worth: What floats say that it is worth, about.
    """

    move: DifferenceMove | None
    ways: tuple[int, ...]
    worth: float


class _Option(NamedTuple):
    """What a pair is worth by point and hidden state, and by what is seen and point where a policy goes on."""

    value: Floats
    nexts: Numbers


class _Setting(NamedTuple):
    """In which world masses count how often: world 1, less `parting` times world 0, or both as often as `alike`.

    Attributes:
        parting: The slope, where streams part here.
        alike: What a mass is worth where nothing follows: 1 less the slope where streams have not parted, else 1.
    """

    parting: Fraction | None = None
    alike: float = 1.0


@dataclass
class DifferencePolicies:
    """Policies at the points of a grid, chosen from the last round to the first.

    Attributes:
        on: The grid.
        slopes: For which there are policies.
        stream: Pairs round by round, where nothing else may be handed in; None for any.
        parted: By round and the relation's state, choices once streams have parted.
        alike: By the same, choices before, by slope.
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
        game, points = self.on.game, self.on.faces.floats
        for round_ in range(game.rounds, 1, -1):
            self.on.check()
            parted, alike = dict[Any, Floats](), dict[Any, list[Floats]]()
            for state, flag in game.settled[round_ - 1].items():
                moves = self._moves(state, round_)
                if flag:
                    options = [self._same(move) for move in moves]
                    self.parted[round_, state], parted[state] = _best(moves, options, points)
                    continue
                rows = []
                for i in range(len(self.slopes)):
                    options = [self._before(move, round_, i) for move in moves]
                    rows.append(_best(moves, options, points[: self.on.beliefs]))
                self.alike[round_, state], alike[state] = [one for one, _ in rows], [value for _, value in rows]
            self._parted, self._alike = parted, alike
        return self

    def start(self, i: int) -> DifferenceStart:
        """How the policy at a slope begins."""
        root, slope = DifferenceRoot(self.on), self.slopes[i]
        best = DifferenceStart(None, (), float(max(Fraction(0), 1 - slope)))
        for move in root.moves():
            if not self._allowed(move, 1):
                continue
            after = None if move.over else self._alike[move.then][i] if move.equal else self._parted[move.then]
            chosen = [_first(seen, after) for seen in root.seen(move, slope)]
            worth = sum(value for _, value in chosen)
            if worth > best.worth:
                best = DifferenceStart(move, tuple(way for way, _ in chosen), worth)
        return best

    def _allowed(self, move: DifferenceMove, round_: int) -> bool:
        return self.stream is None or tuple(move.pair) == tuple(self.stream[round_ - 1])

    def _moves(self, relation: Any, round_: int) -> tuple[DifferenceMove, ...]:
        """What may be handed in; all there is where a stream does not lead here."""
        moves = tuple(self.on.game.moves(relation, round_))
        within = self.stream is None or round_ <= len(self.stream)
        return tuple(move for move in moves if within and self._allowed(move, round_)) or moves

    def _same(self, move: DifferenceMove) -> _Option:
        """What equal inputs are worth by hidden state, once streams have parted."""
        return self._option(self.on.same(move), None if move.over else self._parted[move.then], _Setting())

    def _before(self, move: DifferenceMove, round_: int, i: int) -> _Option:
        """The same before, at a slope."""
        slope, count = self.slopes[i], self.on.beliefs
        if not move.equal:
            after = None if move.over else self._parted[move.then]
            return self._option(self.on.parting(move, slope), after, _Setting(slope))
        leads = tuple(one.first(count) for one in self.on.same(move))
        if self.on.game.tells_nothing(move, round_):
            ways = np.full((len(leads), count), BET if slope < 1 else PASS)
            return _Option(np.full((count, len(self.on.game.hidden.states)), max(0.0, float(1 - slope))), ways)
        return self._option(leads, self._alike[move.then][i], _Setting(alike=float(1 - slope)))

    def _option(self, leads: Sequence[Lead], after: Floats | None, setting: _Setting) -> _Option:
        """What a pair is worth at each point.

        Args:
            leads: What is seen.
            after: What policies are worth after it, by point and hidden state; None where all is over.
            setting: How masses count.
        """
        self.on.check()
        value, nexts = np.zeros_like(leads[0].vectors[:, :1]), []
        for one in leads:
            matrix = _floats(one, setting.parting, self.on.game.hidden.denominator)
            if after is None or one.shown.over:
                bets = one.vectors.sum(axis=1) * setting.alike > 0
                nexts.append(np.where(bets, BET, PASS))
                value = value + bets[:, None] * (setting.alike * matrix.sum(axis=1))
            else:
                nexts.append(_followed(one, after))
                value = value + after[nexts[-1]] @ matrix.T
        return _Option(value, np.stack(nexts))


def _followed(one: Lead, after: Floats) -> Numbers:
    """From each point, the point around what follows that is worth most there."""
    best, chosen = np.full(len(one.ids), -np.inf), one.ids[:, 0].copy()
    for corner in range(one.ids.shape[1]):
        ids = one.ids[:, corner]
        worth = np.einsum("ns,ns->n", one.vectors, after[ids])
        better = (worth > best) & (one.weights[:, corner] > 0)
        chosen[better], best[better] = ids[better], worth[better]
    return chosen


def _best(moves: tuple[DifferenceMove, ...], options: Sequence[_Option], points: Floats) -> tuple[Choices, Floats]:
    """The best of some pairs at each point."""
    worths = np.stack([np.einsum("ns,ns->n", points, one.value) for one in options])
    move, at = worths.argmax(axis=0), np.arange(len(points))
    value = np.stack([one.value for one in options])[move, at]
    nexts = np.full((max(len(one.nexts) for one in options), len(points)), PASS, dtype=np.int32)
    for number, one in enumerate(options):
        here = np.flatnonzero(move == number)
        nexts[: len(one.nexts), here] = one.nexts[:, here]
    return Choices(moves, move.astype(np.int32), nexts), value


def _floats(one: Lead, slope: Fraction | None, denominator: int) -> Floats:
    """Probabilities from state to state, in world 1 less `slope` times world 0 where there is one."""
    matrix, times = difference(one.shown, slope)
    return np.array([[int(m) / (denominator * times) for m in row] for row in matrix])


def _first(seen: SeenFirst, after: Floats | None) -> tuple[int, float]:
    """How a policy goes on after something is seen in round 1, and what that is worth."""
    if after is None or seen.over or not seen.around:
        return (BET if seen.size else PASS), float(seen.size)
    vector = np.array([float(one) for one in seen.vector])
    worth, number = max((float(vector @ after[number]), number) for number, _ in seen.around)
    return number, worth
