"""The most that the rounds which hold one item of the hybrid schedule spend together, over all items."""

from fractions import Fraction
from functools import lru_cache

from dpcert.mechanisms.noise.bounded_geometric import power_below
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import UNITS


def most_spent(noise: HybridNoise, horizon: int) -> Fraction:
    """max over items i of the product of exp_epsilon_at(t) over the rounds t up to `horizon` that hold i. Exact.

    >>> most_spent(HybridNoise(Fraction(16)), 2), most_spent(HybridNoise(Fraction(16)), 7) <= 16
    (Fraction(16, 1), True)
    """
    last = horizon.bit_length() - 1
    return max(spent_in_segment(noise, k, horizon - (1 << k) + 1) for k in range(last + 1))


def spent_in_segment(noise: HybridNoise, k: int, rounds: int) -> Fraction:
    """The same over the items of segment k, rounds 2^k to 2^(k+1) - 1, of which so many `rounds` are over.

    >>> spent_in_segment(HybridNoise(Fraction(16)), 1, 2)
    Fraction(16, 1)
    """
    root = UNITS // (k + 1)
    if noise.budget == "uniform":
        held = min(k + 1, rounds.bit_length())  # the first item is held by rounds 1, 2, 4, ... of its segment
        return power_below(noise.exp_epsilon, Fraction(root, UNITS)) ** held
    below = _of_subtree(noise.exp_epsilon, k, UNITS - root, min(rounds, 1 << k))
    return below * _power(noise.exp_epsilon, root) if rounds >= 1 << k else below


@lru_cache(maxsize=1 << 16)
def _of_subtree(exp_epsilon: Fraction, height: int, units: int, rounds: int) -> Fraction:
    """The most over items of a subtree, its own interval apart, `units` remaining, so many of its rounds over."""
    if height == 0:
        return Fraction(1)
    half, share = 1 << (height - 1), units // height
    inside = _of_subtree(exp_epsilon, height - 1, units - share, min(rounds, half))
    if rounds < half:
        return inside
    beside = _of_subtree(exp_epsilon, height - 1, units, rounds - half)
    return max(inside * _power(exp_epsilon, share), beside)


def _power(exp_epsilon: Fraction, units: int) -> Fraction:
    return power_below(exp_epsilon, Fraction(units, UNITS))
