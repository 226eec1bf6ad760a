"""The Toeplitz square root of prefix sums, f(k) = binom(2k, k) / 4^k, exact or enclosed, and bounds on its norm."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

from flint import arb

from dpcert.audit.algebra.enclosure import Enclosure, enclosed
from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.toeplitz import COEFFICIENT_BITS, MOST_COEFFICIENTS, ToeplitzEncoder

EXACT_ROOT_ROUNDS = 2_048
"""Rounds up to which coefficients of the square root are written out exactly, with two bits more a round."""


def coefficients(rounds: int) -> Iterator[Fraction]:
    """f(0) = 1, f(1) = 1/2, ..., exactly.

    Source: paper.tex, sec:prefixsum_factor.

    >>> [str(f) for f in coefficients(4)]
    ['1', '1/2', '3/8', '5/16']
    """
    return accumulate(range(1, rounds), lambda f, k: f * Fraction(2 * k - 1, 2 * k), initial=Fraction(1))


def square_root(rounds: int, bandwidth: int | None = None) -> ToeplitzEncoder:
    """R with R R = M, the prefix sums; with a bandwidth, its first diagonals alone.

    Args:
        rounds: T.
        bandwidth: Diagonals that are kept; all without it.
    Raises: ArgumentError: too many rounds, or a bandwidth that does not fit.
    Source: paper.tex, sec:prefixsum_factor.

    >>> square_root(3).values, square_root(3, 2).values
    ((8, 4, 3), (2, 1, 0))
    """
    if not 1 <= rounds <= MOST_COEFFICIENTS:
        raise expected(f"from 1 to {MOST_COEFFICIENTS} rounds", rounds=rounds)
    diagonals = rounds if bandwidth is None else bandwidth
    if not 1 <= diagonals <= rounds:
        raise expected(f"a bandwidth from 1 to {rounds}", bandwidth=bandwidth)
    if diagonals > EXACT_ROOT_ROUNDS:
        return _rounded(rounds, diagonals)
    bits, value, values = 2 * diagonals - 2, 1 << 2 * diagonals - 2, list[int]()
    for k in range(diagonals):
        value = value * (2 * k - 1) // (2 * k) if k else value
        values.append(value)
    spare = (values[-1] & -values[-1]).bit_length() - 1
    return ToeplitzEncoder((*(v >> spare for v in values), *[0] * (rounds - diagonals)), bits - spare)


def _rounded(rounds: int, diagonals: int) -> ToeplitzEncoder:
    """By steps rounded down: each loses less than a unit of 64 further bits, and passes on what was lost before."""
    shift = 64
    value = 1 << COEFFICIENT_BITS + shift
    values = [1 << COEFFICIENT_BITS]
    for k in range(1, diagonals):
        value = value * (2 * k - 1) // (2 * k)
        values.append(value >> shift)
    return ToeplitzEncoder((*values, *[0] * (rounds - diagonals)), COEFFICIENT_BITS, 2)


def squared_norm_bound(rounds: int) -> Enclosure:
    """(ln T + gamma + 4 ln 2) / pi, which is above s(R)^2 for every T.

    Source: claims 90.

    >>> squared_norm_bound(1).lower > 1
    True
    """
    return enclosed(lambda: (arb(rounds).log() + arb.const_euler() + 4 * arb(2).log()) / arb.pi())


def psi(rounds: int) -> Enclosure:
    """Psi(T) = 1 - (1 - gamma) / pi + ln T / pi + 2 / T, which s(R)^2 is above from T = 11 on.

    Source: paper.tex, prop:fhu_zcdp_rdp.

    >>> psi(11).upper < sum(f * f for f in coefficients(11))
    True
    """
    return enclosed(lambda: 1 - (1 - arb.const_euler()) / arb.pi() + arb(rounds).log() / arb.pi() + arb(2) / rounds)
