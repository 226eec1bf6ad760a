"""Round 1 of a game whose streams part once, in rationals."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from dpcert.audit.beliefs.differences import DifferenceGrid, DifferenceMove, difference
from dpcert.audit.beliefs.hidden import ShownPair
from dpcert.audit.frozen import frozen


class SeenFirst(NamedTuple):
    """Something that a pair of round 1 shows.

    Attributes:
        shown: It, from the initial state.
        vector: The difference of masses after it, or the masses where both worlds were handed the same.
        around: Points around it and their weights, each off by no more than three roundings.
        size: What it comes to where nothing follows.
        over: Whether nothing does, or it tells nothing.
    """

    shown: ShownPair
    vector: tuple[Fraction, ...]
    around: tuple[tuple[int, Fraction], ...]
    size: Fraction
    over: bool


@frozen
class DifferenceRoot:
    """The first round.

    Attributes:
        on: The grid that it leads to.
    """

    on: DifferenceGrid

    def moves(self) -> Iterator[DifferenceMove]:
        """What may be handed in that can tell anything."""
        game = self.on.game
        for move in game.moves(game.hidden.game.adjacency.initial, 1):
            if not game.tells_nothing(move, 1):
                yield move

    def seen(self, move: DifferenceMove, slope: Fraction) -> list[SeenFirst]:
        """What a pair shows, at a slope."""
        hidden = self.on.game.hidden
        shown = hidden.seen((hidden.game.view.initial,), move.pair, move.over)
        return [self._seen(one, move, slope) for one in shown]

    def _seen(self, shown: ShownPair, move: DifferenceMove, slope: Fraction) -> SeenFirst:
        matrix, times = difference(shown, None if move.equal else slope)
        row, scale = matrix[:1], self.on.game.hidden.denominator * times
        vector = tuple(Fraction(int(one), scale) for one in row[0])
        size = max(Fraction(0), sum(vector, Fraction(0)) * (1 - slope if move.equal else 1))
        if shown.over or not any(vector):
            return SeenFirst(shown, vector, (), size, True)
        ids, weights = self.on.faces.shares(np.array(row, dtype=object), scale)
        around = tuple((int(i), Fraction(float(w))) for i, w in zip(ids[0], weights[0], strict=True) if w)
        return SeenFirst(shown, vector, around, size, False)
