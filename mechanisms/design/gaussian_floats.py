"""Gaussian tails and union bounds in floating point, many numbers at once: what searches look at, and no proof does."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, erfc, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.algebra.power import PowerFunction
from dpcert.mechanisms.sums.toeplitz_encoder import column_norm_squared
from dpcert.mechanisms.sums.toeplitz_error import groups

Row = NDArray[np.float64]
ROOT = sqrt(2)
"""The probability of a normal tail past x deviations is erfc(x / ROOT) / 2."""
FARTHEST_LOSS = 700.0
"""A loss whose exponential is a float still; past it the second world has nothing."""
LEAST_SIZE, MOST_SIZE = 1.0, 20.0
"""Deviations of the last round between which an error is looked for."""
GRAIN = (MOST_SIZE - LEAST_SIZE) / 2**24
"""Sizes are told apart by so much."""
NEWTON_STEPS = 40
"""Of Newton, to an error of a probability."""
LEAST_BOUND = 1e-300
"""Stands for a bound that is 0 in floating point."""
LAST_STEP = 1e-9
"""Steps of this size end it."""


def tails(sizes: Row) -> Row:
    """erfc of each number."""
    return np.fromiter(map(erfc, sizes.tolist()), np.float64, len(sizes))


def gaussian_deltas(losses: Row, mu: float) -> Row:
    """delta_mu at e^loss, one for each loss: a normal tail less e^loss times another.

    >>> gaussian_deltas(np.array([0.0]), 1.0).round(4).tolist()
    [0.3829]
    """
    near = tails((losses / mu - mu / 2) / ROOT)
    far = tails((losses / mu + mu / 2) / ROOT)
    with np.errstate(invalid="ignore"):  # a loss of -infinity, of which the first tail is all
        second = np.where(far > 0, np.exp(np.minimum(losses, FARTHEST_LOSS)) * far, 0.0)
    found: Row = np.maximum(0.0, (near - second) / 2)
    return found


@dataclass(frozen=True, eq=False)
class RoundGroups:
    """P(a normal variable of some round is past x deviations of the last round's), by the union bound.

    Attributes:
        counts: Rounds of each group.
        roots: The root of twice the group's share of the last round's variance.
    """

    counts: Row
    roots: Row

    @classmethod
    def of(cls, groups: Sequence[tuple[int, float]]) -> "RoundGroups":
        """(rounds, root) of each group."""
        counts, roots = zip(*groups, strict=True)
        return cls(np.array(counts, np.float64), np.array(roots, np.float64))

    def beyond(self, size: float) -> float:
        """The bound at so many deviations, two-sided."""
        return float(self.counts @ tails(size / self.roots))

    def size(self, probability: float) -> float:
        """At which the bound is the probability, about, by Newton's steps; a multiple of GRAIN past LEAST_SIZE."""
        target = log(probability)
        size = min(MOST_SIZE, sqrt(max(1.0, 2 * (log(float(self.counts.sum())) - target))))
        for _ in range(NEWTON_STEPS):
            bound = max(self.beyond(size), LEAST_BOUND)
            fall = 2 / sqrt(pi) * float((self.counts / self.roots) @ np.exp(-((size / self.roots) ** 2)))
            step = (log(bound) - target) * bound / max(fall, LEAST_BOUND)
            size = min(MOST_SIZE, max(LEAST_SIZE, size + step))
            if abs(step) < LAST_STEP:
                break
        return LEAST_SIZE + ceil((size - LEAST_SIZE) / GRAIN) * GRAIN


@dataclass(frozen=True, eq=False)
class NearCost:
    """What a load beside a scheduler's noise, and clipping of that noise, cost of delta: enclosures' numbers, nearly.

    Attributes:
        orders: For each order of worlds the masses of atoms in the first world, and their losses less epsilon.
        units: The deviation of the scheduler's noise, in grid units, at which mu is 1.
        scale: Grid units in one event.
        counts, roots, roundings: For each group of rounds its rounds, the root of twice the variance of a sum of noise
            of deviation 1, and what rounding moves it by at most.
    """

    orders: tuple[tuple[Row, Row], ...]
    units: float
    scale: int
    counts: Row
    roots: Row
    roundings: Row

    @classmethod
    def of(cls, load: PowerFunction, exp_epsilon: Fraction, scale: int, rounds: int) -> "NearCost":
        """Of a load's curve, at e^epsilon."""
        masses = np.array([[float(p), float(q)] for p, q in load.segments]).T
        with np.errstate(divide="ignore"):
            losses = np.diff(np.log(masses), axis=0)[0]
        epsilon = log(exp_epsilon)
        orders = (masses[0], epsilon + losses), (masses[1], epsilon - losses)
        rows = np.array(
            [[count, float(variance), float(rounding)] for count, variance, rounding in groups(scale, rounds)]
        )
        units = sqrt(column_norm_squared(scale, rounds))
        return cls(orders, units, scale, rows[:, 0], np.sqrt(2 * rows[:, 1]), rows[:, 2])

    def at(self, error: int, sigma: int) -> float:
        """With so much error, in events, and noise of this deviation, in grid units."""
        noise = max(float(masses @ gaussian_deltas(losses, self.units / sigma)) for masses, losses in self.orders)
        reach = (self.scale * (error - 0.5) - self.roundings) / (self.roots * sigma)
        return noise + min(1.0, float(self.counts @ tails(reach)))
