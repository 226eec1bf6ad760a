"""Steep slopes at which next to nothing can be learnt: bounds that are near each other for what they are.

Where an absolute gap is reached by 0 below and 10^-301 above, passes whose values lean go on, slope by slope.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import log

from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.power import Point
from dpcert.audit.grids.bounding import FIRST_PLACES
from dpcert.audit.grids.grid import Grid
from dpcert.audit.grids.root import BITS_KEPT, round_down, round_up
from dpcert.audit.grids.saddle import largest_ratio, saddle
from dpcert.audit.grids.stages import Stages
from dpcert.audit.grids.tilted_bounding import TiltedBounds
from dpcert.audit.grids.tilted_grid import LeansTooMuchError

NEXT_TO_NOTHING = Fraction(1, 10**30)
"""What delta is below where bounds are to be near each other for what they are, whatever gap is asked for."""
LEAST_DELTA_TOLD = Fraction(1, 1 << 16_384)
"""What is smaller is bounded by it."""
NEAR_FOR_ITS_SIZE = Fraction(1, 100)
"""By how much of itself the upper bound may then lie above the lower one."""
MOST_LEANING_GRIDS = 12
"""Grids of values that lean, tried for one slope of a part."""
MOST_LEANING_CELLS = 2 * 10**9
"""Places, times outcomes worked out at each, past which no finer one is tried."""
MOST_LEANING_BYTES = 1 << 28
"""Bytes of the rows of such a grid past which none is tried."""
LEAST_GAINED = Fraction(1, 1000)
"""The part of a bound that a finer grid has to bring, or none follows."""
AIM = 0.008
"""ln of the ratio of both bounds at which a finer grid aims; chords lose with the square of the step."""
FINER_LEANING = (2.0, 16.0)
"""By how much such a grid is made finer, at least and at most."""


@dataclass
class Leaning:
    """A part at one slope, or what it is with its worlds swapped.

    Attributes:
        stages: The part, its worlds swapped or not.
        slope: The slope, above 1.
        upper: A bound of what can be learnt there.
        point: An event, in world 0 and in world 1, that is attained.
        steps: The coarsest step of each grid so far.
        done: Whether no finer one follows.
        bounding: How it is bounded; None where nothing leans.
        best: The grid whose policy attains the event, and how wide its windows are.
    """

    stages: Stages
    slope: Fraction
    upper: Fraction = Fraction(1)
    point: Point = (Fraction(0), Fraction(0))
    steps: list[float] = field(default_factory=list)
    done: bool = False
    bounding: TiltedBounds | None = None
    best: tuple[Grid, float] | None = None

    @property
    def lower(self) -> Fraction:
        """What is attained at the slope."""
        return max(Fraction(0), self.point[1] - self.slope * self.point[0])

    def begin(self) -> None:
        """Tells what the slope turns on; nothing can be learnt at the largest ratio and past it."""
        bounding = TiltedBounds(self.stages, (self.slope,))
        first = bounding.first_releases
        most = largest_ratio(self.stages, first)
        if most is not None and self.slope >= most:
            self.upper, self.done = Fraction(0), True
            return
        turns_on = saddle(self.stages, first, self.slope)
        if turns_on is None or turns_on.log_size > log(NEXT_TO_NOTHING) / 2:  # some powers of 10 above delta
            self.done = True
            return
        bounding.saddle, self.bounding = turns_on, bounding

    def finer(self, check: Callable[[], None], enough: Fraction) -> None:
        """One grid more: bounds from above, and below them unless they come down to what is attained or enough."""
        if self.bounding is None:
            return
        grid = self.bounding.grid(self._step())
        large = self.bounding.cells(grid) > MOST_LEANING_CELLS or self.bounding.bytes(grid) > MOST_LEANING_BYTES
        if large or len(self.steps) > MOST_LEANING_GRIDS:
            self.done = True
            return
        before = self.upper, self.lower
        try:
            self._bound(self.bounding, grid, check)
            if self.upper > max(enough, self.lower * (1 + NEAR_FOR_ITS_SIZE)):
                self._attain(self.bounding, grid, check)
        except LeansTooMuchError:
            self.done = True
        upper, lower = before
        if len(self.steps) > 1 and self.upper > upper * (1 - LEAST_GAINED) and self.lower < lower * (1 + LEAST_GAINED):
            self.done = self.done or not self.bounding.widen()

    def _step(self) -> float:
        """The step of the next grid."""
        if self.bounding is None:
            raise TypeError("a slope of which nothing is known")
        if not self.steps:
            step = self.bounding.first_step(FIRST_PLACES)
        else:
            apart = log(self.upper / self.lower) if self.lower else AIM * FINER_LEANING[1] ** 2
            finer = min(max((apart / AIM) ** 0.5, FINER_LEANING[0]), FINER_LEANING[1])
            step = self.steps[-1] / finer
        self.steps.append(step)
        return step

    def _bound(self, bounding: TiltedBounds, grid: Grid, check: Callable[[], None]) -> None:
        ((_, upper),) = bounding.upper(grid, check)
        self.upper = min(self.upper, max(round_up(upper, BITS_KEPT), LEAST_DELTA_TOLD))

    def _attain(self, bounding: TiltedBounds, grid: Grid, check: Callable[[], None]) -> None:
        ((x, y),) = bounding.lower(grid, check)
        x, y = round_up(x, 2 * BITS_KEPT), round_down(y, 2 * BITS_KEPT)
        if y - self.slope * x > max(self.lower, LEAST_DELTA_TOLD):
            self.point, self.best = (x, y), (grid, bounding.deviations)

    def played(self, check: Callable[[], None]) -> Point | None:
        """What the policy of the event has when it is played forwards. Raises: RuntimeError: it has another value."""
        if self.bounding is None or self.best is None:
            return None
        grid, deviations = self.best
        self.bounding.be_wide(deviations)
        try:
            return self.bounding.replayed(grid, self.slope, check)[1]
        except LeansTooMuchError:
            return None


def near_for_what_they_are(
    leanings: Sequence[Leaning], check: Callable[[], None], progress: Callable[[str], None]
) -> Iterator[Leaning]:
    """Refines until what is open of all parts is a small part of what is attained; gives each that was refined."""
    for one in leanings:
        one.begin()
        yield one
        if not one.done:
            one.finer(check, max(other.lower for other in leanings))
            yield one
    while True:
        lower = max(one.lower for one in leanings)
        near = max(lower * (1 + NEAR_FOR_ITS_SIZE), LEAST_DELTA_TOLD)
        open_ = [one for one in leanings if not one.done and one.upper > near]
        if not open_:
            return
        worst = max(open_, key=lambda one: one.upper)
        progress(f"refining bounds at e^epsilon = {up(worst.slope, 3)}: {up(worst.upper - lower, 3)} apart")
        worst.finer(check, lower)
        yield worst
