"""A grid of slopes with one ratio from node to node, and what a release does to values at its nodes.

Node i of stage R, with R rounds to come, is the slope exp(step (i + R drift)): a real number that nobody rounds. What a
likelihood ratio does to it is the same at every node: so many nodes further, and a fraction beyond.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import floor, log

import numpy as np
from flint import arb, ctx, fmpq, fmpz
from numpy.typing import NDArray

from dpcert.audit.algebra.enclosure import ball
from dpcert.audit.frozen import frozen
from dpcert.audit.grids.stages import Release, Run
from dpcert.audit.limits import look

Floats = NDArray[np.float64]
MOST_RATIO = Fraction(1 << 200)
"""Likelihood ratios past which, and below whose inverse, an outcome settles the matter on a grid."""
LARGEST_LOG = 700
"""ln of the largest slope as a float; those past it count as it, where they are compared."""
ON_A_NODE = 1e-9
"""Parts of a step so small that a slope counts as on the node before it."""
BITS = 192
"""Bits at which weights between nodes are enclosed; where a slope may lie on either side of a node, more."""
MOST_BITS_BETWEEN_NODES = 1 << 14
"""Bits past which that is given up: no rational slope is so near to a node without being on it."""


@frozen
class Grid:
    """Step and drift, exact.

    Attributes:
        step: ln of the ratio of neighbouring nodes.
        drift: What a round moves the nodes by, in steps, in [0, 1).
    """

    step: Fraction
    drift: Fraction = Fraction(0)

    def base(self, stage: int) -> int:
        """The whole steps by which the nodes of a stage have moved: place j of an array is node j - base."""
        return stage * self.drift.numerator // self.drift.denominator

    def rest(self, stage: int) -> Fraction:
        """ln of the slope at place 0, in steps, in [0, 1)."""
        return stage * self.drift - self.base(stage)

    def leaned(self, weight: Fraction, steps: Fraction) -> Fraction:  # noqa: ARG002 - a grid that leans asks for it
        """What a weight is that leads so many steps back: the same wherever values are kept as they are."""
        return weight


@frozen
class SlopeShift:
    """Where a slope lies between nodes: `steps` nodes on, `part` of a step beyond; weights of both neighbours.

    The weights are floats, each within 2^-50 of its true value, relatively; `beyond`, e to the part of a step, is not
    above its own.
    """

    steps: int
    part: float
    near: float
    far: float
    beyond: float = 1.0


@frozen
class Telling:
    """A release for a policy on a grid.

    Attributes:
        runs: What it plays on after.
        bet: Probabilities, in world 0 and in world 1, of what it bets on at once, since world 0 hardly knows it.
    """

    runs: tuple[Run, ...]
    bet: tuple[Fraction, Fraction]

    @classmethod
    def of(cls, release: Release) -> "Telling":
        """That of a release; what world 1 hardly knows is never bet on, and left out."""
        runs, bet = [], (Fraction(0), Fraction(0))
        for run in release:
            _, k0, k1 = run
            if k0 * MOST_RATIO < k1:
                bet = bet[0] + k0, bet[1] + k1
            elif k1 and k0 <= k1 * MOST_RATIO:
                runs.append(run)
        return cls(tuple(runs), bet)


@frozen
class Taps:
    """A release on a grid: sums over values of what follows, at places shifted by whole numbers.

    Attributes:
        upper: (class, shift, weight): a chord's ends, weighed by what they have in world 1.
        runs: (class, shift, part, weight in world 1) of what a policy plays on after: the node before a slope, and how
            many steps it lies beyond that.
        free: What world 0 hardly can bring about, as it is in world 1.
        reach: The largest shift.
        longest: Numbers added up at most.
    """

    upper: tuple[tuple[int, int, float], ...]
    runs: tuple[tuple[int, int, float, float], ...]
    free: float
    reach: int
    longest: int


def shift(ratio: Fraction, grid: Grid, offset: Fraction) -> SlopeShift:
    """Where offset steps and a ratio lead from a node."""
    bits = BITS
    while True:
        place = _shift(ratio, grid.step, offset, bits)
        if place is not None:
            return place
        bits *= 2
        if bits > MOST_BITS_BETWEEN_NODES:
            raise ArithmeticError(f"a ratio cannot be told from a node at {MOST_BITS_BETWEEN_NODES} bits")


@lru_cache(maxsize=200_000)
def _shift(ratio: Fraction, step: Fraction, offset: Fraction, bits: int) -> SlopeShift | None:
    """The same at so many bits; None where they do not suffice."""
    if ratio == 1:  # the one ratio that can lie on a node: e to a rational power is rational at 0 alone
        steps = floor(offset)
        return _weighed(steps, offset - steps, step, bits)
    before, ctx.prec = ctx.prec, bits
    try:
        whole: fmpz | None
        at = ball(ratio).log() / ball(step) + ball(offset)
        whole = at.floor().unique_fmpz()
        return None if whole is None else _weighed(int(whole), at - whole, step, bits)
    finally:
        ctx.prec = before


def _weighed(steps: int, part: "arb | Fraction", step: Fraction, bits: int) -> SlopeShift | None:
    """The weights of a chord: far = (e^{part step} - 1) / (e^{step} - 1), near = 1 - far."""
    if part == 0:
        return SlopeShift(steps, 0.0, 1.0, 0.0)
    before, ctx.prec = ctx.prec, bits
    try:
        f, h = ball(part) if isinstance(part, Fraction) else part, ball(step)
        far = (f * h).expm1() / h.expm1()
        near = (f * h).exp() * ((1 - f) * h).expm1() / h.expm1()
        if not all(weight.rel_accuracy_bits() > 60 and weight > 0 for weight in (near, far)):
            return None
        return SlopeShift(
            steps, float(f.mid()), float(near.mid()), float(far.mid()), float((f * h).exp().mid()) * (1 - 2.0**-48)
        )
    finally:
        ctx.prec = before


def taps(release: Release, grid: Grid, stage: int) -> Taps:
    """What a release does to values of stage - 1, at places of arrays of `stage`."""
    base_step = grid.base(stage) - grid.base(stage - 1)
    upper: dict[tuple[int, int], Fraction] = {}
    telling = Telling.of(release)
    for after, k0, k1 in release:
        look()
        if not k1 or k0 * MOST_RATIO < k1:
            continue
        ratio = k0 / k1 if k0 <= k1 * MOST_RATIO else Fraction(1)  # values fall, and k1 is next to nothing
        at = shift(ratio, grid, grid.drift)
        for place, weight in ((at.steps - base_step, at.near), (at.steps - base_step + 1, at.far)):
            if weight:
                leaned = grid.leaned(k1, grid.drift - place - base_step)
                upper[after, place] = upper.get((after, place), Fraction(0)) + leaned * Fraction(weight)
    return Taps(
        tuple((after, k, float(w)) for (after, k), w in sorted(upper.items())),
        tuple(
            (after, at.steps - base_step, at.part, float(grid.leaned(k1, grid.drift - at.steps)))
            for after, at, k1 in ((after, shift(k0 / k1, grid, grid.drift), k1) for after, k0, k1 in telling.runs)
        ),
        float(telling.bet[1]),
        max((abs(k) for _, k in upper), default=0) + 1,
        len(upper) + 1,
    )


def nodes(grid: Grid, stage: int, low: int, high: int) -> Floats:
    """The slopes at places low to high - 1 of a stage, each within 2^-50 of its true value, relatively."""
    coarse = exponentials(grid.step * 256, low >> 8, (high >> 8) + 1)
    fine = exponentials(grid.step, 0, 256)
    table = np.multiply.outer(coarse, fine).reshape(-1)[low - (low >> 8 << 8) :][: high - low]
    return table * exponential_float(grid.step * grid.rest(stage))


@lru_cache(maxsize=64)
def exponentials(step: Fraction, low: int, high: int) -> Floats:
    """e^(step i) for low <= i < high, each within 2^-52 of its true value, relatively."""
    return np.array([exponential_float(step * i) for i in range(low, high)])


def exponential_float(x: Fraction) -> float:
    """e^x, within 2^-52 of its true value, relatively, where x is at most LARGEST_LOG."""
    before, ctx.prec = ctx.prec, BITS
    try:
        x = min(x, Fraction(LARGEST_LOG))
        return float(arb(fmpq(x.numerator, x.denominator)).exp().mid())
    finally:
        ctx.prec = before


def log_ratios(releases: Iterable[Release]) -> list[tuple[tuple[float, float], ...]]:
    """Per release, (ln of the likelihood ratio, probability in world 1) of its runs: a guide, never a bound."""
    ratios = []
    for release in releases:
        look()
        ratios.append(tuple((log(k0 / k1), float(k1)) for _, k0, k1 in Telling.of(release).runs))
    return ratios
