"""What fixed streams of a core reach, between bounds: ways to go on, of which the best are bounded by themselves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.power import Order, PowerFunction, supremum
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Move, Outcome, Pair
from dpcert.audit.grids.bounding import FIRST_PLACES, Line, PartBounds, best_lines
from dpcert.audit.grids.gaps import reckoned
from dpcert.audit.grids.orientation import Orientation, are_steep, orientations
from dpcert.audit.grids.parts import mirrors
from dpcert.audit.grids.refining import CURVE_SLOPES, FINER_GRIDS, Refining
from dpcert.audit.grids.root import above, between
from dpcert.audit.grids.stages import StageRound, Stages, release_of, swapped_stages
from dpcert.audit.grids.stream_rows import StreamsPass, StreamsRoot
from dpcert.audit.limits import within

MOST_STREAM_CELLS = 2 * 10**10
"""Places of a grid, times rounds, outcomes and ways to go on, past which no finer one is tried for fixed streams."""
LEAST_BROUGHT = Fraction(1, 10)
"""What a grid has to bring, of what bounds were apart, for a finer one to be tried."""
FIRST_STREAM_GAPS = Fraction(1, 100), Fraction(1, 1000)
"""How near bounds of fixed streams are to be first: few ways to go on are that much apart, and it may refute."""
SQUARE_OF_FIT = 16
"""By how much less chords are hoped to lose on a grid that fits likelihood ratios: a guide to the first grid."""
FEWEST_AND_MOST_PLACES = FIRST_PLACES // 4, 4 * FIRST_PLACES
"""Places of the widest window of a first grid, about."""
MARGIN = 1.5
"""By how much more than is hoped to be enough, by the square of the step, the next grid is made finer, at least."""
OF_TOLERANCE, OF_STREAM = 3, 6
"""One of so many parts of the gap: what ways that are left out may bring, and what bounds of one pair are apart."""


@frozen
class StreamsReached:
    """Fixed streams that were bounded by themselves: curves that each attains at least.

    Attributes:
        pairs: The pairs of inputs, round by round, by number.
        curves: By number.
    """

    pairs: Mapping[int, tuple[Pair, ...]]
    curves: Mapping[int, PowerFunction]

    @property
    def power(self) -> PowerFunction:
        """Their supremum."""
        return supremum([PowerFunction.identity(), *self.curves.values()])

    @property
    def streams(self) -> Callable[[int], tuple[Pair, ...]]:
        """The pairs of inputs, round by round, behind a number."""
        return self.pairs.__getitem__

    def witness(self, exp_epsilon: Fraction, order: Order) -> tuple[Pair, ...]:
        """A pair of streams that reaches most at a slope and order."""
        return self.pairs[max(self.curves, key=lambda one: self.curves[one].hockey_stick(exp_epsilon, order))]


@dataclass
class StreamsEnclosed:
    """What is known of fixed streams so far.

    Attributes:
        lines: The best upper bounds on all of them, by slope.
        curves: What some pairs of streams each attain at least.
    """

    lines: list[Line] = field(default_factory=list)
    curves: dict[tuple[Pair, ...], PowerFunction] = field(default_factory=dict)

    @property
    def reached(self) -> StreamsReached:
        """The fixed streams that were bounded by themselves."""
        return StreamsReached(dict(enumerate(self.curves)), dict(enumerate(self.curves.values())))

    def bracket(self) -> Bracket:
        """The bounds so far."""
        return between(self.reached.power, above(self.lines))


class StreamsOriented(NamedTuple):
    """One way to bound the fixed streams of a game.

    Attributes:
        orientation: It.
        bounding: The game on grids.
        asked: Slopes at which bounds are to be near each other.
    """

    orientation: Orientation[Stages]
    bounding: PartBounds
    asked: tuple[Fraction, ...]


@dataclass
class StreamBounds:
    """The fixed streams of a game on a core, being enclosed.

    Attributes:
        stages: The game; after each of its moves one position follows, whatever is seen.
        exp_epsilons: Where bounds are to be near each other.
        gap: How near.
        budget: Bounds the time.
        found: What is known so far.
    """

    stages: Stages
    exp_epsilons: tuple[Fraction, ...]
    gap: Fraction
    budget: Budget
    found: StreamsEnclosed = field(default_factory=StreamsEnclosed)
    _near: dict[tuple[Pair, ...], Fraction] = field(default_factory=dict)

    def run(self) -> Bracket | None:
        """Bounds that are refined until the gap, the time, an interrupt or a limit; None where nothing is known."""
        asked = tuple(dict.fromkeys(s for e in self.exp_epsilons for s in (e, 1 / e)))
        with best_so_far(self.budget), within(self.budget.check):
            ways = [*self._ways(asked)]
            for gap in FIRST_STREAM_GAPS:
                if gap > self.gap:
                    self._tried(gap, ways, self._first_step(gap, ways))
            step, before = self._first_step(self.gap, ways), Fraction(2)
            apart, most = self._tried(self.gap, ways, step)
            while self.gap < apart < before * (1 - LEAST_BROUGHT):
                finer = sqrt(float(apart / reckoned(self.gap)) * MARGIN)
                step /= min(max(finer, MARGIN), FINER_GRIDS[1])
                if max(one.bounding.cells(one.bounding.grid(step)) for one in ways) * most > MOST_STREAM_CELLS:
                    break
                before = apart
                apart, most = self._tried(self.gap, ways, step)
        return self.found.bracket() if self.found.lines else None

    def _ways(self, asked: tuple[Fraction, ...]) -> Iterator[StreamsOriented]:
        """The ways in which the game is bounded."""
        slopes = dict.fromkeys((*asked, *CURVE_SLOPES))
        steep = are_steep(self.exp_epsilons, self.stages.rounds, self.gap)
        symmetric = mirrors(self.stages, self.stages)
        for one in orientations(self.stages, swapped_stages, slopes, steep=steep, symmetric=symmetric):
            yield StreamsOriented(one, PartBounds(one.game, one.slopes), one.within(asked).slopes)

    def _first_step(self, gap: Fraction, ways: Sequence[StreamsOriented]) -> float:
        """The step at which chords are hoped to lose about the gap, neither far coarser nor far finer than is usual.

        They lose rounds * step^2 / 8 where ratios lie on no nodes; a grid that fits them loses SQUARE_OF_FIT less.
        """
        hoped = sqrt(8 * SQUARE_OF_FIT * float(reckoned(gap)) / self.stages.rounds)
        coarsest, finest = (max(one.bounding.first_step(places) for one in ways) for places in FEWEST_AND_MOST_PLACES)
        return min(max(hoped, finest), coarsest)

    @property
    def reached(self) -> StreamsReached:
        """The fixed streams that were bounded by themselves."""
        return self.found.reached

    def apart(self) -> Fraction:
        """How far apart they are, at most."""
        bracket = self.found.bracket()
        return max(bracket.upper.delta(e) - bracket.lower.delta(e) for e in self.exp_epsilons)

    def _tried(self, gap: Fraction, ways: Sequence[StreamsOriented], step: float) -> tuple[Fraction, int]:
        """How far apart bounds are after one grid more, and how many ways to go on it has from one class at most."""
        self.budget.progress("enclosing fixed streams")
        most = max(self._bounded(gap, one, step) for one in ways)
        apart = self.apart()
        self.budget.progress(f"enclosing fixed streams: {up(apart, 3)} apart")
        return apart, most

    def _bounded(self, gap: Fraction, on: StreamsOriented, step: float) -> int:
        """Bounds from one grid of one way to bound the game; the ways that are largest on it are bounded alone."""
        runner = on.bounding.runner(on.bounding.grid(step), self.budget.check)
        tolerance = float(reckoned(gap) / OF_TOLERANCE / self.stages.rounds)
        root = StreamsRoot(StreamsPass(runner, tolerance).run(), on.bounding.tables[-1])
        bounds = {slope: root.bound(slope) for slope in on.bounding.slopes}
        lines = on.orientation.lines([(slope, value) for slope, (value, _) in bounds.items()])
        for way in dict.fromkeys(bounds[slope][1] for slope in on.asked):
            if way is not None:
                played = self._played(on.orientation.game, root, way)
                for pairs, _ in on.orientation.streams(played, ()):
                    self._bounded_alone(gap, pairs)
        self.found.lines = best_lines([*self.found.lines, *lines])
        return root.made.most

    def _bounded_alone(self, gap: Fraction, pairs: tuple[Pair, ...]) -> None:
        """What one pair of streams reaches at least, unless that is known as well as is asked."""
        alone = self._alone(pairs)
        if alone is None or self._near.get(pairs, 2) <= gap:
            return
        found = Refining(alone, self.exp_epsilons, (), gap / OF_STREAM, self.budget).run()
        known = self.found.curves.get(pairs, PowerFunction.identity())
        self._near[pairs], self.found.curves[pairs] = gap, supremum([known, found.bracket.lower])

    def _alone(self, pairs: tuple[Pair, ...]) -> Stages | None:
        """The game in which nothing but these is handed in; None where that may not be."""
        levels: list[StageRound] = []
        position = 0
        for round_, pair in enumerate(pairs, 1):
            move = next((one for one in self.stages.level(round_).moves[position] if one.pair == pair), None)
            if move is None or position == END:
                return None
            position = move.outcomes[0].after
            levels.append(StageRound((None,), ((_alone(move, over=round_ == len(pairs)),),)))
        return Stages(len(levels), tuple(levels))

    def _played(self, game: Stages, root: StreamsRoot, way: tuple[int, int]) -> tuple[Pair, ...]:
        """The inputs that bring these releases about."""
        pairs: list[Pair] = []
        position = 0
        for round_, (table, number) in enumerate(root.releases(way), 1):
            last = round_ == self.stages.rounds
            class_of = () if last else self._classes(root, round_ + 1)
            move = next(
                one
                for one in game.level(round_).moves[position]
                if release_of(one, class_of, last) == table.releases[number]
            )
            pairs.append(move.pair)
            position = move.outcomes[0].after
        return tuple(pairs)

    def _classes(self, root: StreamsRoot, round_: int) -> tuple[int, ...]:
        """The class of each position of a round after the first."""
        return root.made.kept[self.stages.rounds - round_][0].class_of


def _alone(move: Move, *, over: bool) -> Move:
    """A move after which one position follows, or nothing."""
    outcomes = tuple(
        Outcome(o.observation, o.weight0, o.weight1, END if over or o.after == END else 0) for o in move.outcomes
    )
    return Move(move.pair, outcomes, move.denominator0, move.denominator1)
