"""Bounds on games of few hidden states that close in on one another, on finer and finer grids of beliefs and slopes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import log

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.power import Point, PowerFunction
from dpcert.audit.beliefs.belief_grid import BeliefGrid
from dpcert.audit.beliefs.belief_policies import BeliefLower
from dpcert.audit.beliefs.belief_root import BeliefRoot
from dpcert.audit.beliefs.belief_upper import BeliefUpper
from dpcert.audit.beliefs.hidden import HiddenGame
from dpcert.audit.beliefs.simplex import count
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.grids.bounding import Line, best_lines
from dpcert.audit.grids.gaps import reckoned
from dpcert.audit.grids.grid import Grid
from dpcert.audit.grids.orientation import Orientation, are_steep, asked_slopes, orientations
from dpcert.audit.grids.refining import CURVE_SLOPES, Refinement
from dpcert.audit.grids.root import above, below, between
from dpcert.audit.limits import within

FIRST_PARTS, FIRST_SLOPE_STEP = 4, Fraction(1, 10)
"""Steps between two hidden states, and ln of the ratio of neighbouring slopes, of the first grid."""
FEW_BELIEFS = 40
"""Beliefs past which the first grid has half as many steps."""
BESIDE = 4
"""ln of how far slopes of a grid reach past those that are asked for."""
NEAR_THE_GAP = 16
"""Times the gap within which bounds are near it."""
HOPED_OF_A_GRID = 0.25
"""What a finer grid is hoped to bring, in parts of what the last one brought: what is lost goes with the square."""
MOST_VALUES = 12_000_000
"""Numbers that a grid holds for one state of the relation, past which no finer one is tried."""


@dataclass
class BeliefSide:
    """One side: the finest grid that was tried, and what making it finer brought.

    Attributes:
        parts: Its steps between hidden states.
        step: Its step between slopes.
        change: How much the last grid moved the bound by halving the steps between beliefs, and between slopes.
        done: Whether none is finer.
    """

    parts: int = FIRST_PARTS
    step: Fraction = FIRST_SLOPE_STEP
    change: list[float] = field(default_factory=lambda: [float("inf"), float("inf")])
    tries: int = 0
    done: bool = False

    def next(self, apart: float, gap: float) -> tuple[int, Fraction, tuple[int, ...]]:
        """The next grid, and what is finer of it: 0 for beliefs, 1 for slopes.

        Where bounds are near the gap and neither alone is hoped to close them, both are: the last grids take longest.

        Args:
            apart: How far apart the bounds are.
            gap: How far apart they may be.
        """
        if not self.tries:
            return self.parts, self.step, (0,)
        finer: tuple[int, ...] = (1,) if self.change[1] > self.change[0] / 2 else (0,)
        hoped = max(self.change) * HOPED_OF_A_GRID
        if (
            apart <= NEAR_THE_GAP * gap
            and apart - hoped > gap
            and max(self.change) < float("inf")
            and min(self.change) > 0
        ):
            finer = (0, 1)
        return self.parts * (2 if 0 in finer else 1), self.step / (2 if 1 in finer else 1), finer


@dataclass
class BeliefRefining:
    """A game of few hidden states whose bounds are being refined.

    Attributes:
        hidden: The game.
        exp_epsilons: Where delta is asked for.
        gap: What bounds may be apart.
        budget: Bounds the time.
        near: Further e^epsilon at which curves are read off.
        save: Called with the number of grids, all bounds and both sides after each grid.
    """

    hidden: HiddenGame
    exp_epsilons: Sequence[Fraction]
    gap: Fraction
    budget: Budget
    near: tuple[Fraction, ...] = ()
    steps: int = 0
    lines: list[Line] = field(default_factory=list)
    points: set[Point] = field(default_factory=set)
    upper: BeliefSide = field(default_factory=BeliefSide)
    lower: BeliefSide = field(default_factory=BeliefSide)
    save: Callable[["BeliefRefining"], None] = lambda _: None

    def __post_init__(self) -> None:
        few = count(len(self.hidden.states), FIRST_PARTS) <= FEW_BELIEFS
        self.upper.parts = self.lower.parts = FIRST_PARTS if few else FIRST_PARTS // 2

    @property
    def slopes(self) -> tuple[Fraction, ...]:
        """Where curves are read off."""
        return tuple(dict.fromkeys((*asked_slopes((*self.exp_epsilons, *self.near)), *CURVE_SLOPES)))

    @cached_property
    def orientations(self) -> tuple[Orientation[HiddenGame], ...]:
        """The ways in which the game is bounded."""
        steep = are_steep((*self.exp_epsilons, *self.near), self.hidden.game.horizon, self.gap)
        swapped, symmetric = HiddenGame.with_worlds_swapped, self.hidden.symmetric
        return tuple(orientations(self.hidden, swapped, self.slopes, steep=steep, symmetric=symmetric))

    def run(self) -> Refinement:
        """Refines until the gap, the time, an interrupt or a limit."""
        end = ""
        with best_so_far(self.budget) as part, within(self.budget.check):
            while not end:
                end = self._step()
        return Refinement(self.bracket(), self._apart(), self.steps, part.stopped or end)

    def bracket(self) -> Bracket:
        """The bounds so far."""
        under = below(self.points) if self.points else PowerFunction.identity()
        return between(under, above(self.lines))

    def _apart(self) -> Fraction:
        bracket = self.bracket()
        return max(bracket.upper.delta(e) - bracket.lower.delta(e) for e in self.exp_epsilons)

    def _step(self) -> str:
        apart = self._apart()
        self.budget.progress(f"refining bounds: {up(apart, 3)} apart after {self.steps} grids")
        if self.steps and apart <= self.gap:
            return f"the bounds are within {up(self.gap, 3)} of each other"
        sides = [side for side in (self.upper, self.lower) if not side.done]
        if not sides:
            return "no finer grid is within its limits (MOST_VALUES)"
        side = min(sides, key=lambda one: (one.tries > 0, -sum(one.change), one.tries))
        before = self.bracket()
        if not self._refine(side):
            side.done = True
            return ""
        after = self.bracket()
        change = max(
            float(abs(getattr(after, name).delta(e) - getattr(before, name).delta(e)))
            for e in self.exp_epsilons
            for name in ("lower", "upper")
        )
        for one in self._finer:
            side.change[one] = float("inf") if side.tries == 1 else change / len(self._finer)
        if side.tries == 1:
            side.change[1] = 0.0 if side is self.lower else float("inf")
        self.steps += 1
        self.save(self)
        return ""

    _finer: tuple[int, ...] = ()

    def _refine(self, side: BeliefSide) -> bool:
        """Tries the next grid of a side; False where it is past a limit."""
        parts, step, self._finer = side.next(float(self._apart()), float(reckoned(self.gap)))
        farthest = max(abs(log(s.numerator) - log(s.denominator)) for s in self.slopes[: 2 * len(self.exp_epsilons)])
        half, states = int((farthest + BESIDE) / float(step)) + 1, len(self.hidden.states)
        size = count(states, parts) ** 2 * (2 * half + 1) * (2 * states if side is self.lower else 1)
        if size > MOST_VALUES:
            return False
        for one in self.orientations:
            self._tried(BeliefGrid(one.game, parts, Grid(step), half, self.budget.check), one, side)
        side.parts, side.step, side.tries = parts, step, side.tries + 1
        return True

    def _tried(self, grid: BeliefGrid, on: Orientation[HiddenGame], side: BeliefSide) -> None:
        """Bounds from one grid more, on one side."""
        if side is self.upper:
            upper = BeliefUpper(grid)
            over = BeliefRoot(grid, upper.run(), upper.slack)
            self.lines = best_lines([*self.lines, *on.lines([over.upper(s) for s in on.slopes])])
        else:
            lower = BeliefLower(grid, on.units)
            under = BeliefRoot(grid, lower.run(), lower.slack, lower.units)
            self.points |= {*on.points([under.lower(s) for s in on.slopes])}
