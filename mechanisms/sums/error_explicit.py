"""The bound on the hybrid prefix sum's error in closed form, B(t) = (2 / ln alpha) (n / 3 + ln(2 / beta_t))."""

from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import PRECISION_BITS, Enclosure, ball, enclosed
from dpcert.audit.algebra.least import least
from dpcert.mechanisms.noise.bounded_geometric import power_below
from dpcert.mechanisms.sums.error_function import whole
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import UNITS
from dpcert.mechanisms.sums.union_bound import UnionBound


def explicit_bound(noise: HybridNoise, union: UnionBound, t: int, *, bits: int = PRECISION_BITS) -> Enclosure:
    """B(t) with P(|Y_t - Q_t| >= B(t)) <= beta_t, nondecreasing, n = max(2k, 1) for t in segment k.

    alpha is that of segment k's own root, the least in any cover of the segment under either budget (under "sharp"
    left // j, the share of the next left child, never falls on the way down, and starts at the root's). With exact
    roots and without a horizon this is (2 (k + 1) / epsilon) (max(2k, 1) / 3 + ln(2 t (t + 1) / beta)).

    Why it holds: a cover has at most n intervals. With x = alpha^(-1/2), Geom(alpha) has E alpha^(eta / 2) =
    1 + x / (1 + x + x^2) <= 4/3 < e^(1/3), and Geom of a larger alpha has less. By Markov's inequality for
    alpha^(S / 2), P(|S| >= B) <= 2 e^(n / 3) alpha^(-B / 2) = beta_t.

    Source: paper.tex, thm:dp_unbounded_prefix_sum; claims 76.
    """
    k = t.bit_length() - 1
    alpha = power_below(noise.exp_epsilon, Fraction(UNITS // (k + 1), UNITS))
    summands = Fraction(max(2 * k, 1), 3)

    def bound() -> arb:
        return 2 * (ball(summands) + ball(2 / union.share(t)).log()) / ball(alpha).log()

    return enclosed(bound, bits=bits)


def explicit_error(noise: HybridNoise, union: UnionBound, t: int, rounding: str) -> int:
    """E(t) of B(t). B(t) is never whole: e^(2n/3) is no algebraic number, so that some precision tells.

    >>> explicit_error(HybridNoise(Fraction(2)), UnionBound(Fraction(1, 10)), 1, "tight")
    12
    """
    bits = PRECISION_BITS
    while True:
        bound = explicit_bound(noise, union, t, bits=bits)
        if bound.lower is not None and bound.upper is not None:
            error = whole(bound.lower, rounding)
            if error == whole(bound.upper, rounding):
                return error
        bits *= 2


def explicit_segment(
    noise: HybridNoise, union: UnionBound, k: int, last: int, rounding: str
) -> Iterator[tuple[int, int]]:
    """(t, E(t)) at the first round of segment k and wherever E rises in it, up to round `last`."""
    low, high = 1 << k, min((2 << k) - 1, last)

    def error(t: int) -> int:
        return explicit_error(noise, union, t, rounding)

    at, value, most = low, error(low), error(high)
    yield at, value
    while value < most:
        at = least(lambda t: t >= high or error(t) != value, above=at)  # noqa: B023  # used at once
        value = error(at)
        yield at, value
