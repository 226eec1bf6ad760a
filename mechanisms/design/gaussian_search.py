"""Guesses, in floating point, at the parts of RandBin on Gaussian noise: nothing here is proven, or relied upon."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, log, pi, sqrt

import numpy as np

from dpcert.mechanisms.design.gaussian_floats import RoundGroups, Row, gaussian_deltas

POINTS = 64
"""Loads at which a long law of loads is sampled."""
SHAPE = (4.7, 7.0, 0.6)
"""A good (slope U/2, curvature (U/2)^2 / 2, taper), nearly the same for all privacies; the search starts from it."""
POLISHED = 4
"""Of the levels tried, how many are tried again from scratch."""
WORTH = 1e-4
"""The share of delta below which a better shape is not worth a step."""
LOG_SHIFT = 3.35
"""The sum of the first n squares of binom(2k, k) / 4^k is about (ln n + 3.35) / pi."""
Start = tuple[tuple[float, ...], float]
"""(slope U/2, curvature (U/2)^2 / 2, taper) and mu."""


@dataclass(frozen=True)
class Guess:
    """Parts that are about right. Plain floats: nothing of them is exact.

    Attributes:
        level: U, even.
        shape: (slope, curvature, taper) of the loads.
        sigma: The deviation of the scheduler's noise, in units of the inputs.
        error: E, not rounded.
    """

    level: int
    shape: tuple[float, float, float]
    sigma: float
    error: float

    @property
    def backlog(self) -> float:
        """4U + 2E."""
        return 4 * self.level + 2 * self.error


@dataclass(frozen=True)
class DesignTarget:
    """What is asked for: e^epsilon, delta, and events; `tapered` says whether loads may be other than Gaussian."""

    exp_epsilon: float
    delta: float
    horizon: int
    tapered: bool = True

    def guess(self, level: int, start: "Start | None" = None) -> tuple[Guess | None, "Start"]:
        """The best parts at a level (None where the loads alone cost too much), and where the next search may start."""
        half, best = level // 2, None
        rounds = max(1, self.horizon // level - 2)
        variance = (log(rounds) + LOG_SHIFT) / pi
        shape, mu = start or self._start()
        for factor in (1.3, 1.1, 1.1) if start is None else (1.15, 1.05):
            shape = _descend(lambda to: log(self.load(half, to, mu)), shape, factor)  # noqa: B023  # used at once
            at, error = _golden(lambda at: self._error(half, shape, exp(at), variance, rounds), log(mu))  # noqa: B023  # here too
            if error == inf:
                break
            mu = exp(at)
            best = Guess(level, _per_event(shape, half), sqrt(variance) / mu, error)
        return best, (shape, mu)

    def _start(self) -> "Start":
        """A shape, and a share of 0.7 of about as much as a Gaussian of so much privacy may have."""
        shape = SHAPE if self.tapered else (0.0, 11.0, 0.0)
        return shape, 0.7 * log(self.exp_epsilon) / sqrt(2 * log(1 / self.delta))

    def load(self, half: int, shape: tuple[float, ...], mu: float) -> float:
        """delta of f_load tensor G_mu; long laws are sampled."""
        places = _places(half)
        masses = places.widths * np.exp(places.heights @ shape)
        losses = log(self.exp_epsilon) + places.falls @ shape
        end = exp(places.end @ shape)
        delta = end + float(masses @ gaussian_deltas(losses, mu))
        return max(delta / (end + float(masses.sum())), 1e-300)

    def _error(self, half: int, shape: tuple[float, ...], mu: float, variance: float, rounds: int) -> float:
        """E, where clipping may cost what the loads leave of delta."""
        rest = self.delta - self.load(half, shape, mu)
        if rest <= 0:
            return inf
        return 1 + _groups(rounds).size(rest) * variance / mu

    def guesses(self) -> list[Guess]:
        """Levels near the best one, the best first; none where no level that was tried will do."""
        guess_at: dict[int, Guess | None] = {}
        start: Start | None = None

        def cost(level: int) -> float:
            nonlocal start
            if level not in guess_at:
                guess_at[level], after = self.guess(level, start) if 2 <= level <= self.horizon else (None, start)
                start = after if guess_at[level] is not None else start
            guess = guess_at[level]
            return inf if guess is None else guess.backlog

        level = 2 * max(1, min(self.horizon // 2, round(40 / log(self.exp_epsilon))))
        while cost(level) == inf and 2 * level <= self.horizon:
            level *= 2
        if cost(level) == inf:
            return []
        step = max(2, level // 4 * 2)
        while step >= max(2, level // 60):
            best = min((level, level - step, level + step), key=cost)
            step = step if best != level else step // 4 * 2
            level = best
        start = None
        for near in sorted((at for at in guess_at if guess_at[at] is not None), key=cost)[:POLISHED]:
            again, _ = self.guess(near)
            guess_at[near] = min(
                (one for one in (guess_at[near], again) if one is not None), key=lambda one: one.backlog
            )
        return sorted((one for one in guess_at.values() if one is not None), key=lambda one: one.backlog)


def _per_event(shape: tuple[float, ...], half: int) -> tuple[float, float, float]:
    return shape[0] / half, 2 * shape[1] / half**2, shape[2]


@dataclass(frozen=True, eq=False)
class Places:
    """Loads at which a law is sampled; times the shape, a row is the logarithm of a weight.

    Attributes:
        widths: How many loads each stands for.
        heights: Of its middle one: (-|k| / half, -(k / half)^2, log(1 - |k| / (half + 1))), of load 3 half + k.
        falls: Of the load before that less the middle one.
        end: Of the least load.
    """

    widths: Row
    heights: Row
    falls: Row
    end: Row


@lru_cache(maxsize=256)
def _places(half: int) -> Places:
    """Narrow near the end, where most is lost."""

    def place(k: float) -> Row:
        return np.array([-abs(k) / half, -((k / half) ** 2), log(1 - abs(k) / (half + 1))])

    step, k, cells = max(1, 2 * half // POINTS), 1 - half, list[tuple[int, float]]()
    while k <= half:
        width = min(step, 1 + (k + half) // 8, half + 1 - k)
        cells.append((width, k + (width - 1) / 2))
        k += width
    heights = np.array([place(middle) for _, middle in cells])
    before = np.array([place(middle - 1) for _, middle in cells])
    return Places(np.array([float(width) for width, _ in cells]), heights, before - heights, place(-half))


@lru_cache(maxsize=256)
def _groups(rounds: int) -> RoundGroups:
    """Groups of rounds that grow by a fifth."""
    last, end, groups = log(rounds) + LOG_SHIFT, rounds, list[tuple[int, float]]()
    while end >= 1:
        start = int(end / 1.2)
        share = (log((start + 1 + end) / 2) + LOG_SHIFT) / last
        groups.append((end - start, sqrt(2 * share)))
        end = start
    return RoundGroups.of(groups)


def _descend(cost: Callable[[tuple[float, ...]], float], start: tuple[float, ...], factor: float) -> tuple[float, ...]:
    """A local minimum, one coordinate at a time by a factor that shrinks to 1; what is 0 stays 0."""
    here, best = start, cost(start)
    while factor > 1.01:
        improved = False
        for i, value in enumerate(here):
            for by in (factor, 1 / factor) if value else ():
                there = (*here[:i], here[i] * by, *here[i + 1 :])
                found = cost(there)
                if found < best - WORTH:
                    here, best, improved = there, found, True
                    break
        if not improved:
            factor = sqrt(factor)
    return here


def _golden(cost: Callable[[float], float], around: float) -> tuple[float, float]:
    """(argument, value) of a minimum within a factor of 4 of `around`; to the right of it the cost may be infinite."""
    share, low, high = (sqrt(5) - 1) / 2, around - 1.4, around + 1.4
    left, right = high - share * (high - low), low + share * (high - low)
    at_left, at_right = cost(left), cost(right)
    for _ in range(20):  # either part is cut as the whole is, so that one of both values is known
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - share * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + share * (high - low)
            at_right = cost(right)
    return min(((at, cost(at)) for at in (low, (low + high) / 2)), key=lambda pair: pair[1])
