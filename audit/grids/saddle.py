"""Where a steep slope is decided: the power of the likelihood ratio by which masses lean there, a guide in floats.

The largest sum over a game of q (q / p)^theta, over g^theta, bounds what can be learnt at slope g. The theta at which
it is least says at which slopes the rounds between matter, and how far around them.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import log

import numpy as np

from dpcert.audit.frozen import frozen
from dpcert.audit.grids.grid import MOST_RATIO, Floats
from dpcert.audit.grids.stages import NOTHING, Release, RoundTable, Stages
from dpcert.audit.limits import look

THETAS = np.geomspace(1e-3, 1e6, 48)
"""Powers that are tried first."""
CLOSER, TRIED_CLOSER = 3, 16
"""How often the best one is looked for more closely, and among how many."""
NEARBY = 1e-3
"""By how much of itself a power is changed to see what a sum's logarithm does: its slope, and how that bends."""
BITS_OF_RATIO = 1024
"""Bits past which the largest ratio is rounded up."""


class SettlesAtOnceError(ValueError):
    """World 0 hardly knows some outcome after round 1: then no power of the ratio has a sum."""


@frozen
class Saddle:
    """What a slope turns on.

    Attributes:
        theta: The power of the ratio.
        log_size: ln of what bounds the value at the slope, about.
        means: By stage, where ln of the slope is to be expected: least and most over classes.
        variances: By stage, how far around, at most.
        logs: By stage, ln of the largest sum.
        off: By how much ln of slopes is expected to be larger, since the power is not the best one exactly.
    """

    theta: Fraction
    log_size: float
    means: Floats
    variances: Floats
    logs: Floats
    off: float


@frozen
class _TableSums:
    """A table, as arrays by release and run."""

    after: "np.ndarray[tuple[int, int], np.dtype[np.int64]]"
    log1: Floats
    ratio: Floats
    order: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    starts: "np.ndarray[tuple[int], np.dtype[np.int64]]"

    @classmethod
    def of(cls, table: RoundTable) -> "_TableSums":
        runs = [_logs(release) for release in table.releases]
        most = max(map(len, runs), default=1)
        shape = len(runs), most
        after, log1, ratio = np.zeros(shape, dtype=np.int64), np.full(shape, -np.inf), np.zeros(shape)
        for i, one in enumerate(runs):
            for j, (number, q, a) in enumerate(one):
                after[i, j], log1[i, j], ratio[i, j] = number, q, a
        classes = table.classes[NOTHING + 1 :]
        starts = np.cumsum([0, *map(len, classes)])[:-1]
        return cls(after, log1, ratio, np.array([r for one in classes for r in one], dtype=np.int64), starts)

    def before(self, logs: Floats, thetas: Floats) -> Floats:
        """ln of the largest sums one round back, by class and power."""
        if not len(self.order):
            return logs[: NOTHING + 1]
        terms = self.log1[:, :, None] + self.ratio[:, :, None] * thetas + logs[self.after]
        most = terms.max(axis=1)
        sums = most + np.log(np.exp(terms - most[:, None, :]).sum(axis=1))
        return np.concatenate([logs[: NOTHING + 1], np.maximum.reduceat(sums[self.order], self.starts)])


def _logs(release: Release) -> list[tuple[int, float, float]]:
    """(class, ln of what it has in world 1, ln of that over world 0) of the runs that count."""
    runs = []
    for after, k0, k1 in release:
        if k1 and k0 * MOST_RATIO < k1:
            raise SettlesAtOnceError
        if k1:
            runs.append((after, _log(k1), _log(k1 / k0) if k0 <= k1 * MOST_RATIO else 0.0))
    return runs


def _log(x: Fraction) -> float:
    return log(x.numerator) - log(x.denominator)


def _levels(stages: Stages, thetas: Floats) -> Iterator[Floats]:
    """ln of the largest sums, by class and power, from the end to after round 1."""
    logs = (thetas * np.log(thetas) - (1 + thetas) * np.log1p(thetas))[None]
    yield logs
    known: dict[int, tuple[RoundTable, _TableSums]] = {}
    for _, table in zip(range(1, stages.rounds), stages.tables(), strict=False):
        look()
        if id(table) not in known:
            known[id(table)] = table, _TableSums.of(table)
        logs = known[id(table)][1].before(logs, thetas)
        yield logs


def _whole(releases: Iterable[Release], logs: Floats, thetas: Floats, slope: Fraction) -> Floats:
    """ln of the bound on all rounds, by power."""
    sizes = []
    for release in releases:
        terms = [np.full(len(thetas), -np.inf)]
        for after, k0, k1 in release:
            if k1 and k0 * MOST_RATIO < k1:
                terms.append(np.full(len(thetas), _log(k1)))
            elif k1 and k0 <= k1 * MOST_RATIO:
                terms.append(_log(k1) + thetas * (_log(k1 / k0) - _log(slope)) + logs[after])
        sizes.append(np.logaddexp.reduce(terms))
    most: Floats = np.max(sizes, axis=0)
    return most


def saddle(stages: Stages, first: Sequence[Release], slope: Fraction) -> Saddle | None:
    """What a slope above 1 turns on; None where no round decides it: no power has a sum, or the flattest is best.

    Args:
        stages: The game.
        first: The releases of round 1.
        slope: Which one.
    """
    thetas = THETAS
    try:
        for closer in range(CLOSER + 1):
            *_, last = _levels(stages, thetas)
            sizes = _whole(first, last, thetas, slope)
            at = int(np.argmin(sizes))
            if closer == 0 and at == 0:
                return None
            low, high = thetas[max(at - 1, 0)], thetas[min(at + 1, len(thetas) - 1)]
            theta = Fraction(float(thetas[at])).limit_denominator(1 << 20)
            thetas = np.geomspace(low, high, TRIED_CLOSER)
    except SettlesAtOnceError:
        return None
    return _around(stages, first, slope, (theta, float(np.min(sizes))))


def _around(stages: Stages, first: Sequence[Release], slope: Fraction, best: tuple[Fraction, float]) -> Saddle:
    """The same at a power, by what its neighbours say."""
    theta, log_size = best
    apart = float(theta) * NEARBY
    near = float(theta) + np.array([-apart, 0.0, apart])
    means, variances, most = [], [], []
    for logs in _levels(stages, near):
        telling = logs[NOTHING + 1 :] if len(logs) > 1 else logs
        slopes = (telling[:, 2] - telling[:, 0]) / (2 * apart)
        bends = (telling[:, 2] + telling[:, 0] - 2 * telling[:, 1]) / apart**2
        means.append((float(slopes.min()), float(slopes.max())))
        variances.append(max(0.0, float(bends.max())))
        most.append(float(telling[:, 1].max()))
    sizes = _whole(first, logs, near, slope)
    off = float(sizes[2] - sizes[0]) / (2 * apart)
    return Saddle(theta, log_size, np.array(means), np.array(variances), np.array(most), off)


def largest_ratio(stages: Stages, first: Sequence[Release]) -> Fraction | None:
    """At least the largest ratio of world 1 to world 0 of all that can be seen; None for infinity.

    It is that ratio itself as long as it has few digits (`BITS_OF_RATIO`); from there on nothing can be learnt.
    """
    tops = [Fraction(1)]
    for _, table in zip(range(1, stages.rounds), stages.tables(), strict=False):
        look()
        by_release = [_top(release, tops) for release in table.releases]
        tops = [Fraction(1), *(_most([by_release[r] for r in one]) for one in table.classes[NOTHING + 1 :])]
        if not all(tops):
            return None
    return _most([Fraction(1), *(_top(release, tops) for release in first)]) or None


def _top(release: Release, tops: Sequence[Fraction]) -> Fraction:
    """That of a release, and all that follows it; 0 stands for infinity."""
    most = _most([tops[after] * k1 / k0 if k0 else Fraction(0) for after, k0, k1 in release if k1])
    bits = most.numerator.bit_length()
    if bits <= BITS_OF_RATIO:
        return most
    places = BITS_OF_RATIO // 2 - bits + most.denominator.bit_length()
    unit = Fraction(1, 1 << places) if places >= 0 else Fraction(1 << -places)
    return (most / unit).__ceil__() * unit


def _most(ratios: Sequence[Fraction]) -> Fraction:
    """The largest of some, of which 0 stands for infinity."""
    return max(ratios) if all(ratios) else Fraction(0)
