"""A step and a drift on which likelihood ratios lie near nodes, so that chords bound little too much."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from dpcert.audit.grids.grid import Floats, Grid
from dpcert.audit.limits import look

TRIES = 4_000
"""Steps at even distances that are looked at."""
MOST_FITTED = 32
"""Releases that a grid is fitted to, those with the largest spread; the others are let be."""
MOST_BASES = 12
"""Ratios of which one is laid on a node."""
DRIFT_BITS, STEP_BITS = 60, 80
"""Bits of a drift and of a step: so many that what is laid on a node is as good as on it."""
FAVOUR = 4
"""The power of its variance by which a release counts: what tells more is what is used."""


def aligned(releases: Sequence[Sequence[tuple[float, float]]], coarsest: float) -> Grid:
    """The grid of the best step from half the coarsest one to it, at equal cost.

    Args:
        releases: Each as (log ratio, probability); a guide, so floats do.
        coarsest: The largest step.
    """
    guides = sorted({tuple(one) for one in releases if len(one) > 1}, key=_variance, reverse=True)[:MOST_FITTED]
    if not guides:
        return Grid(Fraction(round(coarsest * 2**STEP_BITS), 2**STEP_BITS))
    steps = _steps(guides, coarsest)
    bases = list(dict.fromkeys([a for one in guides[:4] for a, _ in one] + [0.0]))[:MOST_BASES]
    best = (np.inf, coarsest, 0.0)
    for base in bases:
        cost = _off(guides, steps, base)
        i = int(np.argmin(cost))
        if cost[i] < best[0]:
            best = float(cost[i]), float(steps[i]), float(np.mod(-base / steps[i], 1.0))
    drift = Fraction(round(best[2] * 2**DRIFT_BITS), 2**DRIFT_BITS) % 1
    return Grid(Fraction(round(best[1] * 2**STEP_BITS), 2**STEP_BITS), drift)


def _variance(one: Sequence[tuple[float, float]]) -> float:
    return sum(p * a * a for a, p in one)


def _steps(guides: Sequence[Sequence[tuple[float, float]]], coarsest: float) -> Floats:
    """Steps at even distances, and those on which two ratios of a release lie whole steps apart."""
    steps = [np.linspace(coarsest / 2, coarsest, TRIES)]
    for one in guides[:4]:
        for (a, _), (b, _) in combinations(one[:6], 2):
            apart = abs(a - b)
            first = int(np.ceil(apart / coarsest))
            if apart and first < TRIES:
                steps.append(apart / np.arange(max(first, 1), max(2 * first, first + 1) + 1))
    return np.concatenate(steps)


def _off(guides: Sequence[Sequence[tuple[float, float]]], steps: Floats, base: float) -> Floats:
    """What chords add to the variance of a round, in squares of the largest step, by step."""
    weights = np.array([_variance(one) for one in guides]) ** FAVOUR
    weights /= max(float(weights.sum()), 1e-300)
    total, worst = np.zeros_like(steps), np.zeros_like(steps)
    for one, weight in zip(guides, weights, strict=True):
        look()
        off = np.zeros_like(steps)
        for a, p in one:
            part = np.mod((a - base) / steps, 1.0)
            part = np.where(part > 1 - 1e-9, 0.0, part)
            off += p * part * (1 - part)
        total += weight * off
        np.maximum(worst, off, out=worst)
    return total + worst / 50
