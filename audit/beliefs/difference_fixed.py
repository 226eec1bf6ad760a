"""Fixed streams of a hidden game whose streams part once, between bounds that close in on one another."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.beliefs.difference_refining import FIRST_STEPS, attained, largest, octaves_for, times_finer
from dpcert.audit.beliefs.difference_streams import DifferenceStreams
from dpcert.audit.beliefs.differences import DifferenceGame, DifferenceGrid
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.grids.bounding import best_lines
from dpcert.audit.grids.gaps import reckoned
from dpcert.audit.grids.orientation import Orientation, are_steep, asked_slopes, orientations
from dpcert.audit.grids.root import below
from dpcert.audit.grids.streams import LEAST_BROUGHT, OF_TOLERANCE, StreamsEnclosed, StreamsReached
from dpcert.audit.limits import within


@dataclass
class DifferenceStreamBounds:
    """The fixed streams of a game, being enclosed.

    Attributes:
        game: The game.
        exp_epsilons: Where bounds are to be near each other.
        known: What is known of them without.
        gap: How near.
        budget: Bounds the time.
        most_steps: Steps between hidden states past which no grid has more; None for no bound but those of all grids.
        found: What is known so far.
    """

    game: DifferenceGame
    exp_epsilons: tuple[Fraction, ...]
    known: Bracket
    gap: Fraction
    budget: Budget
    most_steps: int | None = None
    found: StreamsEnclosed = field(default_factory=StreamsEnclosed)

    def run(self) -> Bracket | None:
        """Bounds that are refined until the gap, the time, an interrupt or a limit; None where nothing is found."""
        with best_so_far(self.budget), within(self.budget.check):
            ways, parts, tried, before, apart = self._open(), FIRST_STEPS, 0, Fraction(2), Fraction(1)
            while ways and self.gap < apart < before * (1 - LEAST_BROUGHT):
                most = max(len(one.slopes) for one in ways)
                parts = largest(self.game, min(parts, self.most_steps or parts), most, self._octaves)
                if parts <= tried:
                    break
                before, apart, tried = apart, self._tried(parts, ways), parts
                parts *= times_finer(apart, self.gap)
        return self.found.bracket() if self.found.lines else None

    @property
    def _octaves(self) -> int:
        return octaves_for(self.exp_epsilons, self.gap)

    def _open(self) -> tuple[Orientation[DifferenceGame], ...]:
        """The ways to bound the game, at slopes at which more is known to be possible than what is reached."""
        slopes = asked_slopes(self.exp_epsilons)
        open_ = {s for s in slopes if self._apart_at(self.known, s) > self.gap}
        steep = are_steep(self.exp_epsilons, self.game.rounds, self.gap)
        swapped, symmetric = DifferenceGame.with_worlds_swapped, self.game.hidden.symmetric
        ways = orientations(self.game, swapped, slopes, steep=steep, symmetric=symmetric)
        return tuple(found for one in ways if (found := one.within(open_)).slopes)

    @staticmethod
    def _apart_at(bracket: Bracket, slope: Fraction) -> Fraction:
        """How far apart curves are at a slope, in delta."""
        e, order = (slope, "1-0") if slope >= 1 else (1 / slope, "0-1")
        return bracket.upper.hockey_stick(e, order) - bracket.lower.hockey_stick(e, order)  # type: ignore[arg-type]

    @property
    def reached(self) -> StreamsReached:
        """The fixed streams that were bounded by themselves."""
        return self.found.reached

    def _tried(self, parts: int, ways: Sequence[Orientation[DifferenceGame]]) -> Fraction:
        """How far apart bounds are after one grid more; streams that are largest on it are bounded by themselves."""
        for one in ways:
            self._bounded(DifferenceGrid(one.game, parts, self.budget.check, self._octaves), one)
        bracket = self.found.bracket()
        apart = max(self._apart_at(bracket, slope) for one in ways for slope in one.asked)
        self.budget.progress(f"enclosing fixed streams: {up(apart, 3)} apart")
        return apart

    def _bounded(self, grid: DifferenceGrid, on: Orientation[DifferenceGame]) -> None:
        """Bounds from one grid of one way to bound the game."""
        tolerance = reckoned(self.gap) / OF_TOLERANCE / self.game.rounds * min(Fraction(1), *on.slopes)
        made = DifferenceStreams(grid, on.slopes, float(tolerance)).run()
        bounds = [made.bound(i) for i in range(len(on.slopes))]
        for best in dict.fromkeys(pairs for _, pairs in bounds):
            points = attained(grid, on.slopes, best, on.units)
            for pairs, met in on.streams(best, [*points.values()]):
                known = self.found.curves.get(pairs, PowerFunction.identity())
                self.found.curves[pairs] = below([*met, *known.vertices])
        lines = on.lines([*zip(on.slopes, (value for value, _ in bounds), strict=True)])
        self.found.lines = best_lines([*self.found.lines, *lines])
