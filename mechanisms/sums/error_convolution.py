"""The bound on the hybrid prefix sum's error by convolution: the least whole B(t) that fails with at most beta_t."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from dpcert.mechanisms.noise.geometric_sums import GeometricSum, geometric_sum
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.union_bound import UnionBound


@dataclass(frozen=True)
class CoverSums:
    """Y_t - Q_t as a sum of geometric noises, made once for all rounds whose covers spend the same.

    The noises that run are cut off, hence more peaked: see `GeometricSum`.
    """

    noise: HybridNoise
    _made: dict[tuple[int, ...], GeometricSum] = field(default_factory=dict, repr=False, compare=False)

    def at(self, t: int) -> GeometricSum:
        """The sum of unbounded Geom(alpha_r) over the rounds r in the cover of t."""
        schedule = self.noise.schedule
        k, o = schedule.place(t)
        if schedule.budget == "uniform":
            key: tuple[int, ...] = (k, o.bit_count())
        else:
            key = (k, *sorted(schedule.units(r) for r in schedule.cover(t)[k:]))
        if key not in self._made:
            self._made[key] = geometric_sum(self.noise.exp_epsilon_at(r) for r in schedule.cover(t))
        return self._made[key]


@lru_cache(maxsize=8)
def shared_sums(exp_epsilon: Fraction, budget: str) -> CoverSums:
    """Those of every noise with that e^epsilon and budget, wherever its laws end: kept, with the tails worked out."""
    return CoverSums(HybridNoise(exp_epsilon, budget))


def raw_bounds(noise: HybridNoise, beta: Fraction, horizon: int | None, rounds: Iterable[int]) -> list[int]:
    """B(t) for each of `rounds`, the least whole number with P(|Y_t - Q_t| > B(t)) <= beta_t; it may fall with t.

    >>> raw_bounds(HybridNoise(Fraction(2)), Fraction(1, 10), None, [1, 2, 3])
    [4, 13, 15]
    """
    union, sums = UnionBound(beta, horizon), CoverSums(noise)
    return [sums.at(t).least_bound(union.share(t)) for t in rounds]


def envelope(bounds: Iterable[int]) -> list[int]:
    """The running maximum, the least nondecreasing bound. Source: claims 76."""
    return list(accumulate(bounds, max))


def convolution_segment(
    sums: CoverSums, union: UnionBound, k: int, last: int, bound: int, grain: int
) -> Iterator[tuple[int, int]]:
    """(t, running maximum of B) wherever it rises in segment k, up to round `last`, from `bound` on.

    The o in one aligned block of 2^h have the same binary digits above the lowest h, and of all their covers that of
    the last, whose lowest digits are ones, has the heaviest tails: its i-th interval from the left spends at most what
    the i-th of any other in the block does, if there is one. (Under "sharp", a subtree of height j with `left` to
    spend has left' = left - left // j after a left turn, and left' // (j - 1 - d) >= left // (j - d) for every d.)
    beta_t falls as well, so that a block whose last round keeps within `bound` is done; others are split, down to
    blocks of 2^grain, which get the bound of their last round: too high by little, and exact at that round.
    """
    before = (1 << k) - 1
    blocks = [(1 << k, 0), (0, k)]  # o = 2^k has a cover of its own
    while blocks:
        first, height = blocks.pop()
        end = before + first + (1 << height) - 1
        if before + first > last or end == before:
            continue
        if end <= last:
            total, share = sums.at(end), union.share(end)
            if not total.exceeds(bound, share):
                continue
            if height <= grain:
                bound = total.least_bound(share, above=bound)
                yield before + max(first, 1), bound
                continue
        half = 1 << height - 1
        blocks += [(first + half, height - 1), (first, height - 1)]
