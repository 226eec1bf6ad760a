"""Bounds on games whose streams part once that close in on one another, on finer and finer grids of directions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import sqrt

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.power import ORDERS, Order, Point, PowerFunction
from dpcert.audit.beliefs.difference_play import DifferencePlay
from dpcert.audit.beliefs.difference_policies import DifferencePolicies
from dpcert.audit.beliefs.difference_upper import DifferenceUpper
from dpcert.audit.beliefs.differences import DifferenceGame, DifferenceGrid
from dpcert.audit.beliefs.faces import points_of
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.games.paired import Pair
from dpcert.audit.grids.bounding import PLAYED_WITHIN, Line, best_lines
from dpcert.audit.grids.gaps import reckoned
from dpcert.audit.grids.orientation import FLAT, Orientation, are_steep, asked_slopes, orientations
from dpcert.audit.grids.refining import CURVE_SLOPES, Refinement
from dpcert.audit.grids.root import above, below, between
from dpcert.audit.grids.units import Units
from dpcert.audit.limits import within

FIRST_STEPS, FINER_STEPS = 4, (2, 16)
"""Steps between two hidden states of the first grid; by how many times a grid has more, at least and at most."""
MOST_VECTORS = 4_000_000
"""Numbers of the vectors that one sight leads to on a grid, past which no finer one is tried."""
MOST_GRADED_VECTORS = 1_000_000
"""The same of a grid at steep slopes, whose numbers are longer than a machine word."""
MOST_OCTAVES, OF_GAP = 512, 16
"""Powers of 2 past which no grid goes; and in how many parts of the gap, over the slope, the last of them lies."""
MOST_CHOICE_BYTES = 1 << 29
"""Bytes of what policies choose on a grid past which no finer one is tried."""
BYTES_A_SIGHT = 7
"""Bytes of what a policy chooses at a point, for each thing that may be seen."""
NOTHING_OPEN = Fraction(1, 10**9)
"""How near to what everybody has a bound lies where no policy is looked for; nearer where less is asked to be open."""


@dataclass
class DifferenceRefining:
    """A game whose streams part once, being enclosed.

    Attributes:
        game: It.
        exp_epsilons: Where delta is asked for.
        gap: What bounds may be apart.
        budget: Bounds the time.
        near: Further e^epsilon at which curves are read off.
        lines: The best bounds by slope.
        points: By slope, a point that is attained.
        save: Called after each grid.
    """

    game: DifferenceGame
    exp_epsilons: Sequence[Fraction]
    gap: Fraction
    budget: Budget
    near: tuple[Fraction, ...] = ()
    steps: int = 0
    parts: int = 0
    next_parts: int = FIRST_STEPS
    lines: list[Line] = field(default_factory=list)
    points: dict[Fraction, Point] = field(default_factory=dict)
    save: Callable[["DifferenceRefining"], None] = lambda _: None

    @cached_property
    def orientations(self) -> tuple[Orientation[DifferenceGame], ...]:
        """The ways in which the game is bounded."""
        steep = are_steep((*self.exp_epsilons, *self.near), self.game.rounds, self.gap)
        swapped, symmetric = DifferenceGame.with_worlds_swapped, self.game.hidden.symmetric
        return tuple(orientations(self.game, swapped, self.slopes, steep=steep, symmetric=symmetric))

    @property
    def octaves(self) -> int:
        """Powers of 2 of what is above 0 on grids."""
        return octaves_for(self.exp_epsilons, self.gap)

    @property
    def slopes(self) -> tuple[Fraction, ...]:
        """Where curves are read off."""
        return tuple(dict.fromkeys((*asked_slopes((*self.exp_epsilons, *self.near)), *CURVE_SLOPES)))

    def run(self, first: int = FIRST_STEPS) -> Refinement:
        """Refines until the gap, the time, an interrupt or a limit; the first grid has so many steps."""
        end, self.next_parts = "", first
        with best_so_far(self.budget) as part, within(self.budget.check):
            while not end:
                end = self._step()
        return Refinement(self.bracket(), self.apart(), self.steps, part.stopped or end, self._events())

    def bracket(self) -> Bracket:
        """The bounds so far."""
        under = below(self.points.values()) if self.points else PowerFunction.identity()
        return between(under, above(self.lines))

    def apart(self) -> Fraction:
        """How far apart they are, at most, at the e^epsilon asked for."""
        bracket = self.bracket()
        return max(bracket.upper.delta(e) - bracket.lower.delta(e) for e in self.exp_epsilons)

    def _events(self) -> dict[tuple[Fraction, Order], Point]:
        """What policies have in their event, where it is worth anything."""
        lower, events = self.bracket().lower, dict[tuple[Fraction, Order], Point]()
        for e in self.exp_epsilons:
            order: Order = max(ORDERS, key=lambda one: lower.hockey_stick(e, one))
            slope = e if order == "1-0" else 1 / e
            if slope in self.points and lower.hockey_stick(e, order) > max(Fraction(0), 1 - e):
                x, y = self.points[slope]
                events[e, order] = (x, y) if order == "1-0" else (1 - x, 1 - y)
        return events

    def _step(self) -> str:
        apart = self.apart() if self.steps else Fraction(1)
        self.budget.progress(f"refining bounds: {up(apart, 3)} apart after {self.steps} grids")
        if self.steps and apart <= self.gap:
            return f"the bounds are within {up(self.gap, 3)} of each other"
        parts = self.next_parts
        if self.steps:
            parts = self.parts * times_finer(apart, self.gap)
        parts = largest(self.game, parts, len(self.slopes), self.octaves)
        if parts <= self.parts:
            return "no finer grid is within its limits (MOST_VECTORS, MOST_CHOICE_BYTES)"
        for one in self.orientations:
            self._tried(DifferenceGrid(one.game, parts, self.budget.check, self.octaves), one)
        self.parts, self.steps = parts, self.steps + 1
        self.save(self)
        return ""

    def _tried(self, grid: DifferenceGrid, on: Orientation[DifferenceGame]) -> None:
        """Bounds from one grid more."""
        lines = DifferenceUpper(grid, on.slopes).run().lines()
        self.lines = best_lines([*self.lines, *on.lines(lines)])
        near = min(NOTHING_OPEN, self.gap / 4)
        open_ = [s for s, v in lines if v > max(Fraction(0), 1 - s) + near]
        for slope, point in on.points_by_slope(attained(grid, open_, units=on.units)):
            before = self.points.get(slope, (Fraction(0), Fraction(0)))
            self.points[slope] = max(before, point, key=lambda p: p[1] - slope * p[0])


def attained(
    grid: DifferenceGrid, slopes: Sequence[Fraction], stream: Sequence[Pair] | None = None, units: Units | None = None
) -> dict[Fraction, Point]:
    """By slope, a point that a policy attains; of one that hands in a pair of streams, where that is named.

    Raises: RuntimeError: a policy that is played has another value than was claimed of it.
    """
    policies, points = DifferencePolicies(grid, slopes, stream).run(), dict[Fraction, Point]()
    for i, slope in enumerate(slopes):
        play = DifferencePlay(policies, i, units or Units())
        x, y = points[slope] = play.point()
        within = PLAYED_WITHIN + play.units.loosened(play.slack)
        if abs(y - slope * x - Fraction(policies.start(i).worth)) > within * (1 + slope * play.units.rounded_by(x)):
            raise RuntimeError("a policy that has another value than was claimed of it")
    return points


def octaves_for(exp_epsilons: Sequence[Fraction], gap: Fraction) -> int:
    """Powers of 2 that a grid has of what is above 0: none at flat slopes, at others down to a part of the gap."""
    most = max(asked_slopes(exp_epsilons))
    return 0 if most <= FLAT else min(MOST_OCTAVES, int(OF_GAP * most / gap).bit_length())


def times_finer(apart: Fraction, gap: Fraction) -> int:
    """By how many times the next grid has more steps: bounds come nearer with their square."""
    return min(max(round(sqrt(float(apart / reckoned(gap)) * 2)), FINER_STEPS[0]), FINER_STEPS[1])


def largest(game: DifferenceGame, parts: int, slopes: int, octaves: int = 0) -> int:
    """So many steps between hidden states, or as many fewer as limits ask for; 0 where none are few enough."""
    states, most = len(game.hidden.states), MOST_GRADED_VECTORS if octaves else MOST_VECTORS
    chosen = (game.rounds * (slopes + (1 << states)) * game.most_shown * BYTES_A_SIGHT) >> states
    while parts and (
        points_of(game.faces, parts, octaves) * states > most
        or points_of(game.faces, parts, octaves) * chosen > MOST_CHOICE_BYTES
    ):
        parts //= 2
    return parts
