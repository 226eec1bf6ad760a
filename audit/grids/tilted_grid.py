"""Values that lean: kept with a factor a place and a power of 2 a stage, so that what is next to nothing is a float.

V = W(g) g^theta 2^-m at the node g of a stage. A run leads with the weight k1 (k1/k0)^theta in place of k1; all else is
as in `passes`. The largest sum of such weights bounds V everywhere, and so beyond windows as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import frexp, inf

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from dpcert.audit.algebra.enclosure import ball
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import BITS, Floats, Grid, Taps, exponential_float, exponentials, nodes
from dpcert.audit.grids.passes import ABSOLUTE, Bends, Runner, StageTaps
from dpcert.audit.grids.stages import NOTHING
from dpcert.audit.grids.windows import Windows

LEAST_LEAN = Fraction(-600)
"""ln of the least factor that a weight is kept with: a smaller one counts as it in upper bounds, as 0 in lower ones."""
MOST_LEAN = Fraction(600)
"""ln of the largest one: a grid on which a run has more is not used."""
LEANING_PER_STAGE = 16
"""Operations of a stage beside those of `passes`: the factor of a weight, and what is read beyond windows."""
LOST_AT_THE_END = 8.0
"""Units of 2^-1074 that small floats may lose where nothing follows."""
FARTHEST_LEVEL = 500
"""ln of the largest factor over a window's last node by which what lies behind it is bounded."""
MOST_BEYOND = Fraction(1 << 1000)
"""What bounds before a window are below where they are of use: else the largest sum bounds it."""
LEAST_FLOAT = 2.0**-1074
"""The least float above 0, of which what small floats lose is counted in units."""
SMALL_BEFORE = 2.0**-1070
"""More than the factor of a place before a window may have lost for being small."""
MOST_LEANING_RUNS = 1 << 13
"""Runs of a release past which values do not lean: each loses 2^-1044 at most, all of them less than MOVED_OUT."""
LEANING_AT_THE_END = 64
"""Operations where nothing follows: slopes and their powers."""
MOST_LOST = 2.0**60
"""Units of 2^-1074 that small floats may lose: LOST_TO_SMALL_FLOATS is more than that."""


@frozen
class TiltedGrid(Grid):
    """A grid whose values lean.

    Attributes:
        tilt: theta times the step: ln of the factor of a place.
        travel: Places by which place 0 moves up, a stage.
    """

    tilt: Fraction = Fraction(0)
    travel: Fraction = Fraction(0)

    def base(self, stage: int) -> int:
        """The whole steps by which nodes and places have moved: place j of an array is node j - base."""
        return Grid.base(self, stage) - stage * self.travel.numerator // self.travel.denominator

    def leaned(self, weight: Fraction, steps: Fraction) -> Fraction:
        """A weight with the factor of so many steps back, or a little more where that is next to nothing."""
        return weight * lean(self.tilt, steps)

    def back(self, stage: int, place: int, exponent: int, power: Fraction = Fraction(0)) -> tuple[Fraction, Fraction]:
        """Between which numbers 2^exponent over the factor of a place lies; over slope^power more than that factor."""
        at = place + self.rest(stage)
        return power_of_e(-(self.tilt + power * self.step) * at, exponent)


@lru_cache(maxsize=100_000)
def lean(tilt: Fraction, steps: Fraction) -> Fraction:
    """e^(tilt steps), within 2^-52 of it, relatively; not below e^LEAST_LEAN."""
    if tilt * steps > MOST_LEAN:
        raise LeansTooMuchError
    return Fraction(exponential_float(max(tilt * steps, LEAST_LEAN)))


class LeansTooMuchError(ValueError):
    """A run whose weight is no float: the grid is not used."""


def power_of_e(x: Fraction, exponent: int) -> tuple[Fraction, Fraction]:
    """Between which numbers e^x 2^exponent lies, 2^-100 of itself apart, about."""
    before, ctx.prec = ctx.prec, BITS
    try:
        value = ball(x).exp()
        return tuple(_dyadic(end) * Fraction(2) ** exponent for end in (value.lower(), value.upper()))  # type: ignore[return-value]
    finally:
        ctx.prec = before


def _dyadic(end: arb) -> Fraction:
    mantissa, power = (int(n) for n in end.man_exp())
    return Fraction(mantissa) * Fraction(2) ** power


@frozen
class TiltedWindows(Windows):
    """Windows whose ends are given.

    Attributes:
        ends: By stage, the first place and the one after the last.
    """

    ends: tuple[tuple[int, int], ...] = ()

    def at(self, stage: int) -> tuple[int, int]:
        """The first place, and the one after the last."""
        return self.ends[stage]

    @cached_property
    def farthest(self) -> int:
        """The farthest place of any stage."""
        return max(max(-low, high) for low, high in self.ends)


@dataclass
class TiltedRunner(Runner):
    """What passes of values that lean share.

    Attributes:
        exponents: By stage, m.
        most: By class, what bounds V of the last stage that was settled.
    """

    exponents: list[int] = field(default_factory=lambda: [0])
    most: Floats = field(default_factory=lambda: np.ones(1))
    _pads: dict[int, tuple[Floats, Floats]] = field(default_factory=dict)
    _known: "dict[int, tuple[Taps, NDArray[np.int64], Floats]]" = field(default_factory=dict)
    _lost: Floats = field(default_factory=lambda: np.full(1, LOST_AT_THE_END))

    def __post_init__(self) -> None:
        self.slack += LEANING_AT_THE_END

    @property
    def tilted(self) -> TiltedGrid:
        """The grid."""
        if not isinstance(self.grid, TiltedGrid):
            raise TypeError("a grid that does not lean")
        return self.grid

    def steps(self) -> Iterator[tuple[int, StageTaps]]:
        """(stage, its table's releases as taps), which are rounded a little more."""
        for stage, stage_taps in super().steps():
            self.slack += LEANING_PER_STAGE
            yield stage, stage_taps

    def unchanged(self, stage: int, now: Floats, new: Floats) -> bool:  # noqa: ARG002 - of `passes`
        """Never: each stage has a power of 2 of its own, and a bound of its own beyond its window."""
        return False

    def bends(self, now: Floats, first: int, end: int, room: Floats) -> Bends:
        """By how much chords on rows lie above what bends; `room` is overwritten."""
        return Bends(now, float(self.grid.step), first, end, room, float(self.tilted.tilt))

    def over(self, stage: int, rows: Floats, ends: Floats) -> None:  # noqa: ARG002 - it is written beyond the window too
        """The row of those who know no more at a stage: max(0, 1 - g), not below it, leaning."""
        (low, high), windows = self.windows.at(stage), self.windows
        first, one, end = low - windows.pad, self.at_one(stage), high + windows.pad
        one = min(max(one, first), end)
        into = rows[NOTHING, windows.centre + first : windows.centre + end]
        into[one - first :] = 0.0
        if first < one:
            slopes, leaned = self.below(stage, first, one)
            into[: one - first] = (np.maximum(0.0, 1 - slopes) + ABSOLUTE) * leaned

    def at_one(self, stage: int) -> int:
        """The first place of a stage whose slope is at least 1."""
        rest = self.grid.rest(stage)
        return -(rest.numerator // rest.denominator)

    def below(self, stage: int, first: int, end: int, power: int = 0) -> tuple[Floats, Floats]:
        """Slopes at places of which the last is below 1, and what 1 is kept as there; over slope^power."""
        part = self.grid.rest(stage) + self.at_one(stage)
        count = end - first
        upto = len(self._slopes) + end - self.at_one(stage)
        slopes, leaned = (table[upto - count : upto] for table in (self._slopes, self._powers[power]))
        tilt = self.tilted.tilt + power * self.grid.step
        return (
            slopes * exponential_float(self.grid.step * part),
            leaned * (exponential_float(tilt * part) * 2.0 ** -self.exponents[stage]),
        )

    @cached_property
    def _slopes(self) -> Floats:
        """Slopes of the nodes below 1."""
        return below_zero(self.grid.step, self._farthest_below)

    @cached_property
    def _powers(self) -> tuple[Floats, Floats]:
        """What 1 is kept as at these, in world 1 and in world 0."""
        tilt = self.tilted.tilt
        return below_zero(tilt, self._farthest_below), below_zero(tilt + self.grid.step, self._farthest_below)

    @cached_property
    def _farthest_below(self) -> int:
        """How many of them are read."""
        stages = range(self.windows.rounds + 1)
        return max(1, *(self.at_one(stage) - self.windows.at(stage)[0] + self.windows.pad for stage in stages))

    def settled(self, stage: int, stage_taps: StageTaps, rows: Floats, ends: Floats) -> None:  # noqa: ARG002 - of `passes`
        """Halves and doubles the rows of a stage so that their largest bound is near 1, and bounds them beyond it."""
        (low, high), windows, grid = self.windows.at(stage), self.windows, self.tilted
        self._bound(stage_taps)
        exponent = frexp(self.most.max(initial=0.0, where=np.arange(len(self.most)) > NOTHING))[1]
        self.exponents.append(self.exponents[-1] + exponent)
        self.most *= 2.0**-exponent
        self._lost = self._lost * 2.0**-exponent + 4
        self.most[NOTHING], self._lost[NOTHING] = 2.0 ** -self.exponents[-1], LOST_AT_THE_END
        if not (self._lost.max() < MOST_LOST and self.most.max() < inf):
            raise LeansTooMuchError
        a, b = windows.centre + low, windows.centre + high
        inside = rows[NOTHING + 1 :]
        if exponent:
            inside[:, a:b] *= 2.0**-exponent
        most, pad = self.most[NOTHING + 1 :, None], windows.pad
        first = power_of_e(grid.tilt * (low + grid.rest(stage)), -self.exponents[-1])[1]
        before, after = self.pads(0)
        inside[:, a - pad : a] = most
        if first < MOST_BEYOND:
            near = inside[:, a - pad : a]
            np.minimum(near, float(first) * (before + SMALL_BEFORE), out=near)
        inside[:, b : b + pad] = most
        near, last = inside[:, b : b + len(after)], inside[:, b - 1 : b] + self._lost[NOTHING + 1 :, None] * LEAST_FLOAT
        np.minimum(near, last * after, out=near)  # what small floats have lost at the last node grows along with it

    def pads(self, power: int) -> tuple[Floats, Floats]:
        """Factors of the places before a window, and of those behind it, over those of its ends; over slope^power.

        Those behind end where factors are no floats.
        """
        if power not in self._pads:
            tilt, pad = self.tilted.tilt + power * self.grid.step, self.windows.pad
            behind = min(pad, int(FARTHEST_LEVEL / tilt))
            self._pads[power] = below_zero(tilt, pad), nodes(Grid(tilt), 0, 1, behind + 1)
        return self._pads[power]

    def _bound(self, stage_taps: StageTaps) -> None:
        """What bounds V one round back, and what small floats have lost there, by class."""
        most, lost = [], []
        for one in stage_taps.releases:
            if one.longest > MOST_LEANING_RUNS:
                raise LeansTooMuchError
            after, weights = self._weights(one)
            most.append(float(np.dot(weights, self.most[after])))
            lost.append(float(np.dot(weights, self._lost[after])) * (1 + 2.0**-20) + 3 * one.longest + 8)
        classes = stage_taps.table.classes
        self.most = np.array([0.0, *(max(most[r] for r in ones) for ones in classes[NOTHING + 1 :])])
        self._lost = np.array([LOST_AT_THE_END, *(max(lost[r] for r in ones) for ones in classes[NOTHING + 1 :])])

    def _weights(self, one: Taps) -> "tuple[NDArray[np.int64], Floats]":
        """The classes that a release leads to, and its weights."""
        if id(one) not in self._known:
            after = np.array([number for number, _, _ in one.upper], dtype=np.int64)
            self._known[id(one)] = one, after, np.array([weight for _, _, weight in one.upper])
        return self._known[id(one)][1:]


def below_zero(exponent: Fraction, count: int) -> Floats:
    """e^(exponent i) for i from -count to -1, each within 2^-50 of its true value, relatively, or 2^-1072 of it."""
    block = 1
    while block * exponent < 1 and block < count:
        block *= 2
    blocks = -(-count // block)
    table = np.multiply.outer(exponentials(exponent * block, -blocks, 0), exponentials(exponent, 0, block))
    return table.reshape(-1)[blocks * block - count :]
