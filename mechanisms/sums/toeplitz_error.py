"""E of the Toeplitz prefix sum: how likely it is that its raw error ever reaches so much, by a union bound."""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from flint import arb

from dpcert.audit.algebra.enclosure import ball, enclosed
from dpcert.audit.algebra.least import least
from dpcert.audit.errors import expected
from dpcert.mechanisms.sums.error_function import Steps
from dpcert.mechanisms.sums.toeplitz_encoder import decoder_column

GROUP = 64
"""Rounds t - t // GROUP to t are bounded together, by what holds at t."""


LARGEST = 1 << 64
"""An error past which a scale is too coarse: its decoder then amplifies noise from round to round."""


def overrun(scale: int, sigma: Fraction, rounds: int, error: int) -> Fraction:
    """At least P(|Y_t - Q_t| >= error for some t <= rounds), z a Gaussian of deviation sigma rounded to the nearest.

    The sums of e are L (g + u), g Gaussian and |u| <= 1 (both roundings), so that an error so large means that
    |(L g)_t| >= c (error - 1/2) - |l_0| - ... - |l_{t-1}|. It is the beta that clipping at `error` costs.

    Args:
        scale, sigma: c, and the deviation in grid units.
        rounds: The public horizon.
        error: E, in units of the inputs, at least 1.
    """
    if error < 1:
        raise expected("an error of at least 1", error=error)
    if sigma <= 0:
        raise expected("a sigma above 0", sigma=sigma)
    upper = enclosed(lambda: _union(scale, sigma, rounds, error)).upper
    return Fraction(1) if upper is None else min(Fraction(1), upper)


def _union(scale: int, sigma: Fraction, rounds: int, error: int) -> arb:
    total, reach, root = arb(0), ball(scale * Fraction(2 * error - 1, 2)), ball(2 * Fraction(sigma) ** 2)
    for count, variance, rounding in groups(scale, rounds):
        total += count * ((reach - rounding) / (root * variance).sqrt()).erfc()
    return total


@lru_cache(maxsize=8)
def groups(scale: int, rounds: int) -> tuple[tuple[int, arb, arb], ...]:
    """(rounds in the group, variance of (L g)_t per sigma^2, sum of |l|), the latter two at the group's last round."""
    column, ends = decoder_column(scale, rounds), list(_ends(rounds))
    made: list[tuple[int, arb, arb]] = []
    variance, absolute, start = arb(0), arb(0), 0
    for end in ends:
        for entry in column[start:end]:
            variance += entry * entry
            absolute += abs(entry)
        made.append((end - start, variance, absolute))
        start = end
    return tuple(made)


def _ends(rounds: int) -> Iterator[int]:
    """The groups' last rounds."""
    end = 1
    while end < rounds:
        yield end
        end += 1 + end // GROUP
    yield rounds


def error_for(scale: int, sigma: Fraction, rounds: int, beta: Fraction) -> Steps:
    """E, the least constant with overrun(E) <= beta.

    Where every round's bound is the same, the largest is least: a round with less would cost others more.

    >>> error_for(4, Fraction(4), 3, Fraction(1, 100))
    Steps(starts=(1,), values=(5,), horizon=3)
    """
    if not 0 < beta < 1:
        raise expected("a beta above 0 and below 1", beta=beta)

    def suffices(error: int) -> bool:
        if error > LARGEST:
            raise expected(f"a scale fine enough for {rounds} rounds", scale=scale)
        return overrun(scale, sigma, rounds, error) <= beta

    return Steps((1,), (least(suffices),), rounds)
