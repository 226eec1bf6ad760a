"""Policies whose masses lean: what is next to nothing in either world is kept as floats, by place and stage.

In world 1 masses lean as values do, in world 0 by one power of the slope more: there they weigh as much.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpcert.audit.algebra.power import Point
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.attained import AttainedRows, StagePolicy
from dpcert.audit.grids.choices import ClassPlaces
from dpcert.audit.grids.lower import GridPolicy
from dpcert.audit.grids.passes import LOST_TO_SMALL_FLOATS, Runner, off_by
from dpcert.audit.grids.replay import PlayedPolicy
from dpcert.audit.grids.sides import SideWorth
from dpcert.audit.grids.stages import NOTHING
from dpcert.audit.grids.tilted_grid import (
    LEANING_AT_THE_END,
    LEANING_PER_STAGE,
    LEAST_LEAN,
    LeansTooMuchError,
    TiltedGrid,
    TiltedRunner,
    lean,
)
from dpcert.audit.grids.units import NO_SPARE, Factor, NoSpare, RelativeUnits, Units, Wholes

MOVED_OUT = 2.0**-1030
"""More than small floats lose at a place in one stage: world 0 has it added, world 1 taken away."""
MOST_LEANING_MASS = 2.0**30
"""What leans is no larger, or the grid is not used: times 2^-1074, of MOST_LEANING_RUNS runs, it is below MOVED_OUT."""


def leaning(runner: Runner) -> TiltedRunner:
    """The runner of values that lean."""
    if not isinstance(runner, TiltedRunner):
        raise TypeError("values that do not lean")
    return runner


@frozen
class LeaningUnits(RelativeUnits):
    """Masses as floats that lean.

    Attributes:
        grid: By how much.
    """

    grid: TiltedGrid = TiltedGrid(Fraction(1))

    def led(self, k0: Fraction, k1: Fraction, steps: Fraction) -> Factor:
        """The factor of a run that leads so many steps back."""
        tilt = self.grid.tilt
        less = Fraction(0) if tilt * steps < LEAST_LEAN else k1 * lean(tilt, steps)
        return Factor(self.pair(k0 * lean(tilt + self.grid.step, steps), less), self.carry)

    def behind(self, values: Wholes) -> Wholes:
        """Masses of the node behind a slope, counted as those of the node before it are."""
        product: Wholes = values * self._behind.reshape(2, *(1,) * (values.ndim - 1))
        return product

    @cached_property
    def _behind(self) -> Wholes:
        return self.led(Fraction(1), Fraction(1), Fraction(-1)).high

    def capped(self, world0: Wholes) -> None:
        """Nothing: what leans may be above 1."""


@dataclass
class LeaningRows(AttainedRows):
    """What policies have, leaning.

    Attributes:
        stage: The stage of the rows.
    """

    stage: int = 0

    def follow(self, stage_policy: StagePolicy, places: "ClassPlaces | None" = None) -> None:  # type: ignore[override]
        """Goes on to the stage of the next choices."""
        self.stage = stage_policy.stage
        super().follow(stage_policy, places)
        self.slack += LEANING_PER_STAGE

    def exact(self, number: int, place: int) -> tuple[Fraction, Fraction]:
        """What a class has at a place of arrays, in either world, as it is."""
        runner = leaning(self.runner)
        at, exponent = place - runner.windows.centre, runner.exponents[self.stage]
        return turned(
            self.values[:, number, place], self.slack + LEANING_AT_THE_END, runner.tilted, (self.stage, at, exponent)
        )

    def _worth(self, stage: int) -> SideWorth:
        """What tells on which side of slopes to go on."""
        windows = self.runner.windows
        low, high = windows.at(stage)
        low, high = low - windows.pad, high + windows.pad
        step, flat = float(self.runner.grid.step), np.ones(high - low)
        return LeaningWorth(self.values, flat, windows.centre + low, step, units=self.units)

    def _end(self) -> None:
        """The row of those who guess at once, and the policies beyond the window."""
        runner, values = leaning(self.runner), self.values
        windows, exponents = runner.windows, runner.exponents
        a, b, pad = windows.centre + self.low, windows.centre + self.high, windows.pad
        here = values[:, :, a:b]
        if self.stage and exponents[self.stage] != exponents[self.stage - 1]:
            here *= 2.0 ** (exponents[self.stage - 1] - exponents[self.stage])
        values[:, NOTHING, a - pad : b + pad] = 0.0
        values[:, NOTHING + 1 :, b : b + pad] = 0.0  # past its last node nobody bets
        for world in (0, 1):
            before, _ = runner.pads(1 - world)
            values[world, NOTHING + 1 :, a - pad : a] = values[world, NOTHING + 1 :, a : a + 1] * before
            one = min(runner.at_one(self.stage), self.high + pad)
            if self.low - pad < one:
                _, guess = runner.below(self.stage, self.low - pad, one, 1 - world)
                values[world, NOTHING, a - pad : windows.centre + one] = guess
        if not values[:, :, a - pad : b + pad].max() < MOST_LEANING_MASS:
            raise LeansTooMuchError
        values[0, :, a - pad : b + pad] += MOVED_OUT
        values[1, :, a - pad : b + pad] -= MOVED_OUT
        np.maximum(values[1, :, a - pad : b + pad], 0.0, out=values[1, :, a - pad : b + pad])


@frozen
class LeaningWorth(SideWorth):
    """Which of two nodes beside a slope is worth more, where masses lean.

    Attributes:
        units: What they lean by.
    """

    units: Units = RelativeUnits()

    def fall(self, near: Wholes, far: Wholes) -> Wholes:
        """What policies lose from places to those a place on, in either world."""
        lost: Wholes = near - self.units.behind(far)
        return lost


@dataclass
class LeaningPolicy(GridPolicy):
    """What is chosen at the nodes of a grid whose values lean."""

    def ended(self, units: Units) -> AttainedRows:
        """What is had at the end."""
        return LeaningRows.ended(self.runner, units)


@dataclass
class LeaningPlayed(PlayedPolicy):
    """A policy that is played forwards with masses that lean."""

    small: float = MOVED_OUT
    sure: list[Fraction] = field(default_factory=lambda: [Fraction(0), Fraction(0)])
    leant: bool = False

    @property
    def from_place(self) -> int:
        """The place after round 1 at which masses do not lean."""
        return next((place for place in self.start.places if not isinstance(place, bool)), 0)

    @property
    def runner(self) -> TiltedRunner:
        """The grid's."""
        return leaning(self.policy.runner)

    def point(self) -> Point:
        """At least what it has in the event in world 0, at most what in world 1."""
        masses, places = self._begun()
        for stage_policy in reversed(self.policy.by_stage):
            self.runner.check()
            masses, places = self.after(stage_policy, masses, places)
        self.guess(0, masses, places)
        stage, slack = len(self.policy.by_stage), self.slack + self.runner.windows.widest + 1 + LEANING_AT_THE_END
        at = stage, self.from_place, self.runner.exponents[stage]
        x, y = turned(self.event, slack, self.runner.tilted, at) if self.leant else (Fraction(0), Fraction(0))
        return min(x + self.sure[0], Fraction(1)), y + self.sure[1]

    def first(self, k0: Fraction, k1: Fraction, place: int) -> Wholes:
        """The masses of a run of round 1."""
        world0, world1 = self.units.led(k0, k1, Fraction(self.from_place - place)).high
        if not max(world0, world1) < MOST_LEANING_MASS:
            raise LeansTooMuchError
        self.leant = True
        return np.array([world0 + MOVED_OUT, max(world1 - MOVED_OUT, 0.0)])

    def after(self, stage_policy: StagePolicy, masses: Wholes, places: ClassPlaces) -> tuple[Wholes, ClassPlaces]:
        """The masses one round on."""
        self.small = MOVED_OUT * 2.0 ** max(self._exponent(stage_policy.stage), 0)
        self.slack += LEANING_PER_STAGE
        return super().after(stage_policy, masses, places)

    def gather(self, stage: int, onward: Wholes, then: ClassPlaces) -> None:
        """Sends those beyond the window of a stage to its ends; those who know no more guess first."""
        if not onward.max() < MOST_LEANING_MASS:
            raise LeansTooMuchError
        onward *= 2.0 ** -self._exponent(stage + 1)
        if NOTHING in then:
            self.guess(stage, onward, {NOTHING: then.pop(NOTHING)})
        super().gather(stage, onward, then)

    def _exponent(self, stage: int) -> int:
        """The power of 2 that a stage's values are kept with, over that of the stage after it."""
        return self.runner.exponents[stage] - self.runner.exponents[stage - 1]

    def shares(self, mine: Wholes, factor: Factor, spare: Wholes | NoSpare = NO_SPARE) -> Wholes:
        """What a run has of masses."""
        return self._moved_out(self.units.times(mine, factor, spare), mine)

    def _moved_out(self, products: Wholes, masses: Wholes) -> Wholes:
        """Products, with what small floats may have lost."""
        products[0] += (masses[0] > 0) * self.small
        products[1] = np.maximum(products[1] - self.small, 0.0)
        return products

    def beyond(self, masses: Wholes, first: int) -> Wholes:
        """Masses before a window counted as those at its first node are; past its last node nobody bets."""
        if first > 0:
            return np.zeros(masses.shape)
        return self._moved_out(masses * np.array([self.runner.pads(1)[0], self.runner.pads(0)[0]]), masses)

    def won(self, k0: Fraction, k1: Fraction, *, bet: bool) -> None:
        """What is bet on in round 1."""
        if bet:
            self.sure = [self.sure[0] + k0, self.sure[1] + k1]

    def guess(self, stage: int, masses: Wholes, places: ClassPlaces) -> None:
        """Those who know no more bet on world 1 at slopes below 1."""
        if NOTHING in places:
            one = self.runner.at_one(stage)
            first, end = (min(place, one) for place in places[NOTHING])
            if first < end:
                centre = self.runner.windows.centre
                for world in (0, 1):
                    _, leaned = self.runner.below(stage, first, end, 1 - world)
                    here = masses[world, NOTHING, centre + first : centre + end]
                    self.event[world] += self.units.counted(float(np.dot(here, leaned)))


def turned(
    masses: "Wholes | list[int | Fraction]", slack: int, grid: TiltedGrid, at: tuple[int, int, int]
) -> tuple[Fraction, Fraction]:
    """Masses as they are: not below them in world 0, not above them in world 1.

    Args:
        masses: Leaning.
        slack: Operations that they come from.
        grid: By how much they lean.
        at: The stage, the place, and the power of 2 by which they are kept.
    """
    if not all(number < float("inf") for number in masses):
        raise LeansTooMuchError
    (_, up), (down, _) = grid.back(*at, Fraction(1)), grid.back(*at)
    x = (Fraction(masses[0]) * off_by(slack) + LOST_TO_SMALL_FLOATS) * up
    y = max(Fraction(0), Fraction(masses[1]) / off_by(slack) - LOST_TO_SMALL_FLOATS) * down
    return min(x, Fraction(1)), y
