"""A grid of beliefs in either world and of slopes, and what a pair of inputs does to its points."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.beliefs.hidden import LEAST_OF, HiddenGame, ShownPair
from dpcert.audit.beliefs.simplex import Simplex
from dpcert.audit.grids.grid import MOST_RATIO, Floats, Grid, SlopeShift, exponentials, nodes, shift
from dpcert.audit.relations.adjacency import OVER

Numbers = NDArray[np.int64]
Values = dict[Any, Any]
"""Arrays by state of the relation."""


class Sight(NamedTuple):
    """What a pair shows, on the grid of beliefs.

    Attributes:
        around: Per world, for each belief those around the one after it.
        weights: Per world, their weights, which sum to 1.
        nearest: Per world, for each belief the nearest one after it.
        mass: Per world, for each belief how likely this is to be seen.
        after: Per world and belief, the masses by state after it; of a sum of `mass`.
        pair: What is shown.
    """

    around: tuple[Numbers, Numbers]
    weights: tuple[Floats, Floats]
    nearest: tuple[Numbers, Numbers]
    mass: tuple[list[Fraction], list[Fraction]]
    after: tuple[Floats, Floats]
    pair: ShownPair


class SlopeShifts(NamedTuple):
    """Where slopes go from one belief in world 0 and each in world 1.

    Attributes:
        certain: Where world 0 hardly knows what is seen, and it is bet on.
        live: Where both worlds know it: there the other arrays count.
        ratio: Likelihood ratios, about.
        steps: Whole steps between slopes.
        near, far: Weights of the slopes on either side.
    """

    certain: NDArray[np.bool_]
    live: NDArray[np.bool_]
    ratio: Floats
    steps: Numbers
    near: Floats
    far: Floats


@dataclass
class BeliefGrid:
    """Beliefs, slopes, and what rounds do to them.

    Attributes:
        hidden: The game.
        parts: Steps from one hidden state to another.
        grid: The slopes, without drift.
        half: Places on either side of slope 1.
        check: Raises Stopped once the work must end.
    """

    hidden: HiddenGame
    parts: int
    grid: Grid
    half: int
    check: Callable[[], None]
    _sights: dict[Any, tuple[Sight, ...]] = field(default_factory=dict)
    _shifts: dict[tuple[int, int], SlopeShifts] = field(default_factory=dict)

    @cached_property
    def simplex(self) -> Simplex:
        """What beliefs have beyond the least that each has."""
        return Simplex(len(self.hidden.states), self.parts)

    @property
    def scale(self) -> int:
        """What the masses of a belief sum to."""
        return self.parts * LEAST_OF

    @cached_property
    def beliefs(self) -> NDArray[np.object_]:
        """Whole masses by state, one belief a row, of a sum of `scale`."""
        least = np.array(self.hidden.least, dtype=object)
        made: NDArray[np.object_] = self.simplex.points.astype(object) * (LEAST_OF - sum(least)) + least * self.parts
        return made

    def between(self, masses: Sequence[int]) -> list[tuple[int, Fraction]]:
        """Beliefs around masses after a round, by number, and weights that sum to 1: as `Simplex.between`."""
        total = sum(masses)
        beyond = [mass * LEAST_OF - least * total for mass, least in zip(masses, self.hidden.least, strict=True)]
        if min(beyond) < 0:
            raise RuntimeError("a belief that is not among those that were laid on a grid")
        return self.simplex.between(beyond)

    @property
    def size(self) -> int:
        """How many slopes."""
        return 2 * self.half + 1

    @cached_property
    def slopes(self) -> Floats:
        """The slopes of the places."""
        return nodes(self.grid, 0, -self.half, self.half + 1)

    @cached_property
    def falling(self) -> Floats:
        """e^(step i) for as many numbers i below 0 as there are slopes, and one more."""
        return exponentials(self.grid.step, -self.size - 1, 0)

    @property
    def outcomes(self) -> int:
        """The most that any pair can show."""
        return max((len(shown) for shown in self._sights.values()), default=1)

    def from_last(
        self, best: Callable[[Any, int, Values, bool], Any], tally: Callable[[], None] = lambda: None
    ) -> Values:
        """What is known after round 1, worked out from the last round, by the relation's state.

        Args:
            best: The best of the moves in a state of the relation, in a round, by what is known after it; the last
                argument says whether both worlds were handed the same so far.
            tally: Called after each round.
        """
        now: Values = {}
        for round_ in range(self.hidden.game.horizon, 1, -1):
            self.check()
            now = {state: best(state, round_, now, alike) for state, alike in self.hidden.relations(round_).items()}
            tally()
        return now

    def moves(self, relation: Any, round_: int) -> Iterator[tuple[Any, bool, tuple[Sight, ...]]]:
        """(the relation's state after it, whether all is over then, what is shown), by pair."""
        last = round_ == self.hidden.game.horizon
        for pair, then in self.hidden.legal(relation, round_):
            over = last or then is OVER
            yield then, over, self.sights(pair, over=over)

    def sights(self, pair: Any, *, over: bool) -> tuple[Sight, ...]:
        """What a pair shows."""
        if (pair, over) not in self._sights:
            self._sights[pair, over] = tuple(map(self._place, self.hidden.seen(self.hidden.states, pair, over)))
        return self._sights[pair, over]

    def _place(self, pair: ShownPair) -> Sight:
        scale = self.scale * self.hidden.denominator
        around, weights, nearest, mass, after = [], [], [], [], []
        for world in (0, 1):
            masses = self.beliefs @ pair.worlds[world]
            ids, shares = np.zeros(masses.shape, dtype=np.int64), np.zeros(masses.shape)
            for row, row_masses in enumerate(() if pair.over else masses):
                self.check()
                for place, (number, weight) in enumerate(self.between(list(row_masses)) if any(row_masses) else ()):
                    ids[row, place], shares[row, place] = number, weight
            around.append(ids)
            weights.append(shares)
            nearest.append(ids[np.arange(len(ids)), shares.argmax(axis=1)])
            mass.append([Fraction(sum(row_masses), scale) for row_masses in masses])
            after.append((masses / scale).astype(float))
        both = (around[0], around[1]), (weights[0], weights[1]), (nearest[0], nearest[1])
        return Sight(*both, (mass[0], mass[1]), (after[0], after[1]), pair)

    def shifts(self, sight: Sight, i: int) -> SlopeShifts:
        """Where slopes go from belief i in world 0."""
        self.check()
        key = id(sight), i
        if key not in self._shifts:
            k0, nowhere = sight.mass[0][i], SlopeShift(0, 0.0, 0.0, 0.0)
            certain = np.array([k0 * MOST_RATIO < k1 for k1 in sight.mass[1]])
            live = np.array([bool(k1) and not sure for k1, sure in zip(sight.mass[1], certain, strict=True)])
            ratios = [min(k0 / k1, MOST_RATIO) if on else None for k1, on in zip(sight.mass[1], live, strict=True)]
            shifts = [nowhere if r is None else shift(r, self.grid, Fraction(0)) for r in ratios]
            self._shifts[key] = SlopeShifts(
                certain,
                live,
                np.array([0.0 if r is None else float(r) for r in ratios]),
                np.array([s.steps for s in shifts], dtype=np.int64),
                np.array([s.near for s in shifts]),
                np.array([s.far for s in shifts]),
            )
        return self._shifts[key]
