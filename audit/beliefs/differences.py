"""Games of few hidden states whose streams part once: then the difference of what is believed is all that counts.

While both worlds were handed the same they believe the same. Once they are handed the same for good, what is left is a
function of the difference of their masses alone, convex and in proportion: a vector of one number a hidden state in
place of two beliefs and a slope (docs/decisions/0016).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from dpcert.audit.beliefs.directions import Numbers, shares_of, wholes_for
from dpcert.audit.beliefs.faces import Face, Faces, largest_of
from dpcert.audit.beliefs.hidden import HiddenGame, ShownPair
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import Floats
from dpcert.audit.grids.units import Wholes
from dpcert.audit.limits import look, within
from dpcert.audit.relations.adjacency import OVER

MOST_DIFFERENCE_ROUNDS = 20_000
"""Rounds past which a game is not looked at by differences."""
FEW_ON_A_FACE = 4
"""Hidden states that are open together up to which a grid of differences is tried before beliefs that are met."""


class DifferenceMove(NamedTuple):
    """A pair that may be handed in.

    Attributes:
        pair: It.
        then: The relation's state after it.
        equal: Whether both worlds are handed the same.
        over: Whether all is over after it.
    """

    pair: Any
    then: Any
    equal: bool
    over: bool


@frozen
class DifferenceGame:
    """A game of few hidden states, of whose streams each pair parts in no more than one round.

    Attributes:
        hidden: It.
        settled: By round from the first, by the relation's state before it, whether both worlds are handed the same
            from there on.
    """

    hidden: HiddenGame
    settled: tuple[dict[Any, bool], ...]

    @classmethod
    def of(cls, hidden: HiddenGame) -> "DifferenceGame | None":
        """The game; None where streams that parted may part again."""
        rounds = hidden.game.horizon
        if rounds > MOST_DIFFERENCE_ROUNDS:
            return None
        settled: list[dict[Any, bool]] = [{}]
        for round_ in range(rounds, 0, -1):
            look()
            relations = hidden.relations(round_)
            settled.append({state: _is_settled(hidden, state, round_, settled[-1]) for state in relations})
        made = cls(hidden, tuple(reversed(settled[1:])))
        for round_, by_state in enumerate(made.settled, 1):
            if not all(alike or by_state[state] for state, alike in made.alike(round_).items()):
                return None
        return made

    def with_worlds_swapped(self) -> "DifferenceGame":
        """The same game, whose world 0 is world 1 of this one."""
        return DifferenceGame(self.hidden.with_worlds_swapped(), self.settled)

    @property
    def rounds(self) -> int:
        """How many there are."""
        return self.hidden.game.horizon

    @cached_property
    def _shown(self) -> list[tuple[ShownPair, ...]]:
        """What pairs of inputs can show, at first and later."""
        hidden, inputs = self.hidden, self.hidden.game.inputs
        froms = (hidden.game.view.initial,), hidden.states
        return [hidden.seen(states, pair, False) for states in froms for pair in product(inputs, inputs)]

    @property
    def most_shown(self) -> int:
        """The most that a pair of inputs can show."""
        return max(map(len, self._shown))

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """Sets of hidden states that what is seen can leave open together."""
        matrices = ((one.worlds[0] + one.worlds[1]) for shown in self._shown for one in shown if not one.over)
        supports = (tuple(np.flatnonzero(one.any(axis=0)).tolist()) for one in matrices)
        return largest_of(one for one in supports if one)

    def alike(self, round_: int) -> dict[Any, bool]:
        """The relation's states before a round; whether both worlds were handed the same so far."""
        return self.hidden.relations(round_)

    def moves(self, relation: Any, round_: int) -> Iterator[DifferenceMove]:
        """What may be handed in."""
        last = round_ == self.rounds
        for pair, then in self.hidden.legal(relation, round_):
            yield DifferenceMove(pair, then, pair[0] == pair[-1], last or then is OVER)

    def tells_nothing(self, move: DifferenceMove, round_: int) -> bool:
        """Whether after equal inputs so far, and these, both worlds are handed the same to the end."""
        return move.equal and (move.over or self.settled[round_][move.then])


def _is_settled(hidden: HiddenGame, relation: Any, round_: int, after: dict[Any, bool]) -> bool:
    """Whether both worlds are handed the same from a round on; `after`: the same of the round after it."""
    last = round_ == hidden.game.horizon
    pairs = hidden.legal(relation, round_)
    return all(pair[0] == pair[-1] and (then is OVER or last or after[then]) for pair, then in pairs)


def by_differences(hidden: HiddenGame, budget: Budget) -> DifferenceGame | None:
    """The game by differences; None where streams may part again, and where there is no time left."""
    with best_so_far(budget), within(budget.check):
        return DifferenceGame.of(hidden)
    return None


def few_differences(hidden: HiddenGame, budget: Budget) -> bool:
    """Whether a game is better laid on a grid of differences than followed from belief to belief."""
    game = by_differences(hidden, budget)
    return game is not None and max(map(len, game.faces)) <= FEW_ON_A_FACE


class Lead(NamedTuple):
    """Where something that is seen leads from points of a grid: whole vectors, as parts of a scale.

    Attributes:
        shown: What is seen.
        vectors: By point, the difference of masses after it, or the masses where both worlds believe the same.
        size: By point, the vector's sum, and 0 where it is less.
        ids: By point, points around the vector.
        weights: Their weights.
    """

    shown: ShownPair
    vectors: Floats
    size: Floats
    ids: Numbers
    weights: Floats

    def first(self, count: int) -> "Lead":
        """The same of the first points alone."""
        vectors, size = self.vectors[:count], self.size[:count]
        return Lead(self.shown, vectors, size, self.ids[:count], self.weights[:count])


@dataclass
class DifferenceGrid:
    """Points of a grid of directions, and what pairs of inputs do to them.

    Attributes:
        game: The game.
        parts: Steps from one hidden state to another.
        check: Raises Stopped once the work must end.
        octaves: As `Faces` has it.
    """

    game: DifferenceGame
    parts: int
    check: Callable[[], None]
    octaves: int = 0
    _leads: dict[Any, tuple[Lead, ...]] = field(default_factory=dict)

    @cached_property
    def faces(self) -> Faces:
        """The points; beliefs are those without a negative coordinate, which come first."""
        return Faces(len(self.game.hidden.states), self.game.faces, self.parts, self.octaves)

    @property
    def beliefs(self) -> int:
        """How many points are beliefs."""
        return self.faces.beliefs

    @property
    def operations(self) -> int:
        """Sums and products of a round at a point, at most, where a release is a sum of chords."""
        return self.game.most_shown * (self.faces.corners + 1)

    def same(self, move: DifferenceMove) -> tuple[Lead, ...]:
        """What equal inputs show, from each point."""
        return self._lead(move, None)

    def parting(self, move: DifferenceMove, slope: Fraction) -> tuple[Lead, ...]:
        """What unequal inputs show, from each belief: world 1 less world 0 as often as the slope says."""
        return self._lead(move, slope)

    def _lead(self, move: DifferenceMove, slope: Fraction | None) -> tuple[Lead, ...]:
        key = move.pair, move.over, slope
        if key not in self._leads:
            hidden = self.game.hidden
            shown = hidden.seen(hidden.states, move.pair, move.over)
            self._leads[key] = tuple(self._placed(one, slope) for one in shown)
        return self._leads[key]

    def _placed(self, shown: ShownPair, slope: Fraction | None) -> Lead:
        self.check()
        points = self.faces.points if slope is None else self.faces.points[: self.beliefs]
        matrix, times = difference(shown, slope)
        scale = self.faces.scale * self.game.hidden.denominator * times
        most = max(1, int(abs(matrix).sum(axis=1).max()) if matrix.size else 0)
        whole = wholes_for(most * self.faces.scale * (self.parts + 1) * max(1, len(matrix)))
        vectors = whole(points) @ whole(matrix)
        floats, size = shares_of(vectors, scale), shares_of(np.maximum(vectors.sum(axis=1), 0), scale)
        if shown.over:  # where it leads to counts for nothing
            nowhere = np.zeros((len(points), 0), dtype=np.int64)
            return Lead(shown, floats, size, nowhere, nowhere.astype(float))
        return Lead(shown, floats, size, *self.faces.shares(vectors, scale))


def difference(shown: ShownPair, slope: Fraction | None) -> tuple[Wholes, int]:
    """Whole weights from state to state in either world alike, or world 1 less `slope` times world 0; times what."""
    if slope is None:
        return shown.worlds[1], 1
    return shown.worlds[1] * slope.denominator - shown.worlds[0] * slope.numerator, slope.denominator
