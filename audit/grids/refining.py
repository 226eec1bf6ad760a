"""Bounds that close in on one another: grids are made finer where most is open, and the best of both sides is kept."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.power import ORDERS, Order, Point, supremum
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.bounding import PartBounds
from dpcert.audit.grids.closing import Closing, Known, Side
from dpcert.audit.grids.gaps import reckoned
from dpcert.audit.grids.orientation import are_steep, orientations
from dpcert.audit.grids.parts import Part, parts
from dpcert.audit.grids.root import between
from dpcert.audit.grids.stages import Stages, swapped_stages
from dpcert.audit.grids.tilting import NEXT_TO_NOTHING, Leaning, near_for_what_they_are
from dpcert.audit.grids.units import RelativeUnits
from dpcert.audit.limits import within

MOST_CELLS = 10**11
"""Places, times outcomes worked out at each, past which no finer grid is tried unasked."""
MOST_GRID_BYTES = 1 << 30
"""Bytes of the rows of a grid past which no finer one is tried."""
MOST_GRIDS = 40
"""Grids tried on either side of a part."""
GRIDS_OF_BOTH = 2
"""Grids that both sides of a part try, the first ones: policies are read off their upper bounds. Finer ones are each
side's own, so that choices kept there would mostly serve nobody, at twice the time."""
FINER_GRIDS = (2, 16)
"""By how much a grid is made finer, at least and at most."""
MOST_PLAYED = 5_000_000_000
"""Cells of all policies that are played forwards, so few that roundings stay below PLAYED_WITHIN; others are not."""
PARTS_PLAYED = 4
"""Playing policies has one of so many parts of the time that is left."""
PARTS_LEANT = 2
"""Slopes where next to nothing can be learnt have one of so many parts of the time that is left."""
CURVE_SLOPES = tuple(Fraction(2**i, 16) for i in range(9)) + tuple(
    Fraction(2**i, 16) * Fraction(181, 128) for i in range(8)
)
"""Slopes at which a curve is read off beside those that are asked for."""
MOST_CURVE_SLOPES = 160
"""Slopes past which none are added to read off an epsilon more closely."""


@frozen
class Refinement:
    """What is known of a game after some refining.

    Attributes:
        bracket: Between which curves its power function lies.
        gap: How far apart they are, at most, at the e^epsilon that are asked for.
        steps: Grids tried.
        end: What ended the refining.
        events: By e^epsilon and order, what a policy of the lower bound has in its event, world by world, when it
            is played forwards.
    """

    bracket: Bracket
    gap: Fraction
    steps: int
    end: str
    events: Mapping[tuple[Fraction, Order], Point] = field(default_factory=dict)

    @property
    def in_words(self) -> str:
        """The gap, for a scope."""
        return f"enclosed between bounds that are at most {up(self.gap, 3)} apart"


@dataclass
class Refining:
    """A game whose bounds are being refined.

    Attributes:
        stages: The game.
        exp_epsilons: Where delta is asked for.
        deltas: For which an epsilon is read off.
        gap: What bounds may be apart.
        budget: Bounds the time.
        near: Further e^epsilon at which curves are read off.
        save: Called with the number of grids and all parts after each grid.
        steps: Grids so far.
        leaning: By e^epsilon where next to nothing can be learnt, the parts, either way round.
    """

    stages: Stages
    exp_epsilons: Sequence[Fraction]
    deltas: Sequence[Fraction]
    gap: Fraction
    budget: Budget
    near: tuple[Fraction, ...] = ()
    save: Callable[[int, Sequence[Closing]], None] | None = None
    steps: int = 0
    leaning: dict[Fraction, list[tuple[Closing, bool, Leaning]]] = field(default_factory=dict)

    def run(self, closing: "list[Closing] | None" = None) -> Refinement:
        """Refines until the gap, the time, an interrupt or a limit."""
        all_parts = self.begun() if closing is None else closing
        end = ""
        with best_so_far(self.budget) as part, within(self.budget.check):
            while not end:
                end = self._step(all_parts)
        over = bool(part.stopped)
        if not part.stopped:
            with best_so_far(self.budget) as small, self.budget.share(PARTS_LEANT), within(self.budget.check):
                self._lean(all_parts)
            over = small.interrupted
        bracket = self.bracket(all_parts)
        events: dict[tuple[Fraction, Order], Point] = {}
        if not over:
            with best_so_far(self.budget), self.budget.share(PARTS_PLAYED), within(self.budget.check):
                for key, event in self._played(all_parts, bracket):
                    events[key] = event
        return Refinement(bracket, self.apart(bracket), self.steps, part.stopped or end, events)

    def _lean(self, closing: Sequence[Closing]) -> None:
        """Bounds each slope where next to nothing can be learnt as near as it takes for what that is."""
        bracket = self.bracket(closing)
        for e in self.exp_epsilons:
            if e <= 1 or bracket.lower.delta(e) >= NEXT_TO_NOTHING or not bracket.upper.delta(e):
                continue
            ways = [
                (one, swapped, Leaning(stages, e))
                for one in closing
                for swapped, stages in one.ways(both=not self.steep)
            ]
            self.leaning[e] = ways
            for refined in near_for_what_they_are([way[-1] for way in ways], self.budget.check, self.budget.progress):
                one, swapped, _ = next(way for way in ways if way[-1] is refined)
                one.keep_small(refined, swapped=swapped)

    def _played_leaning(self, e: Fraction) -> Iterator[tuple[tuple[Fraction, Order], Point]]:
        """The policy that attains most at a slope where next to nothing can be learnt, played forwards."""
        closing, swapped, best = max(self.leaning[e], key=lambda way: way[-1].lower)
        self.budget.progress("playing the adversaries of lower bounds")
        event = best.played(self.budget.check)
        if event is None:
            return
        order: Order = "0-1" if swapped else "1-0"
        event = (event[1], event[0]) if swapped else event
        yield (e, order), event
        if closing.mirrored:
            other: Order = "0-1" if order == "1-0" else "1-0"
            yield (e, other), (event[1], event[0])

    def _played(self, closing: Sequence[Closing], bracket: Bracket) -> Iterator[tuple[tuple[Fraction, Order], Point]]:
        """The policies of the lower bounds, played forwards, as long as they are not too large.

        Raises: RuntimeError: one has another value than was claimed of it.
        """
        cells = MOST_PLAYED
        for e in self.exp_epsilons:
            if e in self.leaning:
                yield from self._played_leaning(e)
                continue
            order: Order = max(ORDERS, key=lambda one: bracket.lower.hockey_stick(e, one))
            slope = e if order == "1-0" else 1 / e
            best = max(
                (one for one in closing if not self.steep or one.swapped == (order == "0-1")),
                key=lambda one: max((y - slope * x for x, y in one.points), default=Fraction(0)),
            )
            if not bracket.lower.hockey_stick(e, order) or not best.lower.steps:
                continue
            grid = best.bounding.grid(best.lower.steps[-1])
            cells -= best.bounding.cells(grid)
            if cells < 0:
                return
            self.budget.progress("playing the adversaries of lower bounds")
            slope = e if best.swapped else slope
            _, (x1, y1) = best.bounding.replayed(grid, slope, self.budget.check, placewise=best.lower.again)
            event = (y1, x1) if best.swapped else (x1, y1) if order == "1-0" else (1 - x1, 1 - y1)
            yield (e, order), event
            if best.mirrored:
                other: Order = "0-1" if order == "1-0" else "1-0"
                yield (e, other), (event[1], event[0])

    @property
    def steep(self) -> bool:
        """Whether at the largest e^epsilon roundings leave more open than may be: each is worth that many times more.

        Then a part is bounded with its worlds swapped as well, at slopes of at least 1 alone.
        """
        return are_steep((*self.exp_epsilons, *self.near), self.stages.rounds, self.gap)

    def begun(self) -> list[Closing]:
        """The parts, of which nothing is known."""
        own = tuple(dict.fromkeys(s for e in self.exp_epsilons for s in (e, 1 / e)))
        others = (*CURVE_SLOPES, *(s for e in self.near for s in (e, 1 / e)))
        slopes = tuple(dict.fromkeys((*own, *others)))
        found = [one for part in parts(self.stages) for one in self._both_ways(part, slopes)]
        return sorted(found, key=lambda one: one.bounding.spread.deviation, reverse=True)

    def _both_ways(self, part: Part, slopes: tuple[Fraction, ...]) -> Iterator[Closing]:
        """A part as it is; where slopes are steep, with its worlds swapped as well."""
        known = Known()
        for one in orientations(part.stages, swapped_stages, slopes, steep=self.steep):
            bounding = PartBounds(one.game, one.slopes, units=one.units, steep=self.steep)
            if bounding.in_floats(max(self.exp_epsilons), self.gap):
                bounding.units = RelativeUnits()
            yield Closing(bounding, part.mirrored, one.turns == (True,), known)

    def bracket(self, closing: Iterable[Closing]) -> Bracket:
        """The bounds of the whole game."""
        curves = [one.curves() for one in closing]
        return between(supremum([under for under, _ in curves]), supremum([over for _, over in curves]))

    def apart(self, bracket: Bracket) -> Fraction:
        """How far apart the bounds are, at most."""
        return max(bracket.upper.delta(e) - bracket.lower.delta(e) for e in self.exp_epsilons)

    def _step(self, closing: list[Closing]) -> str:
        """Tries one more grid; says what ends the refining, if anything does."""
        bracket = self.bracket(closing)
        apart = self.apart(bracket)
        known = all(one.lines for one in closing)
        self.budget.progress(f"refining bounds: {up(apart, 3)} apart after {self.steps} grids")
        if known and apart <= self.gap:
            return f"the bounds are within {up(self.gap, 3)} of each other"
        choice = self._worst(closing, bracket)
        if choice is None:
            return "no finer grid is within its limits (MOST_CELLS, MOST_GRID_BYTES, MOST_GRIDS)"
        one, side = choice
        choosing = len(one.upper.steps) < GRIDS_OF_BOTH and (one is closing[0] or bool(one.upper.steps))
        self._refine(one, side, float(apart), choosing=choosing)
        self.steps += 1
        self._read_closer(closing, bracket)
        if self.save is not None:
            self.save(self.steps, closing)
        return ""

    def _worst(self, closing: list[Closing], bracket: Bracket) -> tuple[Closing, Side] | None:
        """The side of a part on which most is open; parts that cannot matter are let be."""
        count = (1 if self.steep else 2) * len(self.exp_epsilons)
        sides = []
        for one in closing:
            if one.lines and self._idle(one, bracket):
                continue
            sides += [
                (side.open(count), -len(side.steps), one, side) for side in (one.upper, one.lower) if not side.done
            ]
        best = max(sides, key=lambda entry: entry[:2], default=None)
        return None if best is None else best[2:]

    def _idle(self, one: Closing, bracket: Bracket) -> bool:
        """Whether a part lies below what is attained elsewhere, or between bounds that are near enough."""
        under, over = one.curves()
        return all(
            over.delta(e) - max(bracket.lower.delta(e), under.delta(e)) <= self.gap / 2 for e in self.exp_epsilons
        )

    def _refine(self, one: Closing, side: Side, apart: float, *, choosing: bool) -> None:
        """Tries a finer grid on a side; a part of which little is expected is first bounded alone.

        No grid brings more than what the bounds are apart.
        """
        step = self._finer(one, side, apart) if side.steps else one.bounding.coarsest
        grid = one.bounding.grid(step)
        if side.steps and (
            one.bounding.cells(grid) > MOST_CELLS
            or one.bounding.bytes(grid) > MOST_GRID_BYTES
            or len(side.steps) >= MOST_GRIDS
        ):
            side.done = "limits"
            return
        side.steps.append(step)
        if side is one.upper:
            lines = one.bound(grid, self.budget.check, choosing=choosing)
            side.values.append(tuple(value for _, value in lines))
        else:
            points = one.attain(grid, self.budget.check)
            side.values.append(tuple(y - s * x for s, (x, y) in zip(one.bounding.slopes, points, strict=True)))

    def _finer(self, one: Closing, side: Side, apart: float) -> float:
        """The step of the next grid; or of the last one, to choose sides of slopes place by place there."""
        last = side.steps[-1]
        if side is one.lower and not side.again and one.bounding.one_sided(one.bounding.grid(last)):
            return last
        hope = min(side.open((1 if self.steep else 2) * len(self.exp_epsilons)), apart)
        finer = (max(hope, 1e-300) / (float(reckoned(self.gap)) * 0.4)) ** 0.5
        return last / min(max(finer if len(side.steps) > 1 else 2.0, FINER_GRIDS[0]), FINER_GRIDS[1])

    def _read_closer(self, closing: Iterable[Closing], bracket: Bracket) -> None:
        """Adds slopes where an epsilon for a delta lies by what is known so far."""
        near = set()
        for delta in self.deltas:
            for curve in (bracket.lower, bracket.upper):
                found = curve.exp_epsilon_for(delta)
                if found is not None and 1 < found < 10**6:
                    rounded = Fraction(round(found * 2**20), 2**20)
                    near |= {rounded, 1 / rounded}
        for one in closing:
            added = sorted(s for s in near - set(one.bounding.slopes) if s >= 1 or not self.steep)
            if len(one.bounding.slopes) + len(added) <= MOST_CURVE_SLOPES:
                one.bounding.slopes = (*one.bounding.slopes, *added)
