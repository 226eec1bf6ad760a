"""Raw errors of the hybrid prefix sum by listing every draw of every round: obviously right, not fast."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod

from dpcert.mechanisms.sums.hybrid_noise import HybridNoise

Errors = tuple[int, ...]


@lru_cache(maxsize=64)
def raw_errors(noise: HybridNoise, horizon: int) -> dict[Errors, Fraction]:
    """The law of (Y_1 - Q_1, ..., Y_T - Q_T), from the laws of the noises and the covers."""
    laws = [sorted(noise.law(t).items()) for t in range(1, horizon + 1)]
    covers = [noise.schedule.cover(t) for t in range(1, horizon + 1)]
    found: dict[Errors, Fraction] = {}
    for drawn in product(*laws):
        errors = tuple(sum(drawn[r - 1][0] for r in cover) for cover in covers)
        found[errors] = found.get(errors, Fraction(0)) + prod((mass for _, mass in drawn), start=Fraction(1))
    return found


def ever_above(noise: HybridNoise, horizon: int, most: Callable[[int], Fraction | int]) -> Fraction:
    """P(|Y_t - Q_t| > most(t) in some round t)."""
    return sum(
        (
            mass
            for errors, mass in raw_errors(noise, horizon).items()
            if any(abs(e) > most(t) for t, e in enumerate(errors, 1))
        ),
        Fraction(0),
    )
