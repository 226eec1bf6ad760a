"""The nuclear norm of a workload, enclosed, and what it says of the error of every factorisation."""

from fractions import Fraction

import numpy as np
from flint import arb

from dpcert.audit.algebra.enclosure import Ends, enclosed
from dpcert.mechanisms.matrices.dyadic import Floats, over
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.product import workload_floats
from dpcert.mechanisms.matrices.rounding import relative
from dpcert.mechanisms.matrices.workloads import NamedWorkload, Workload

SUMMED_SINES = 4_096
"""Singular values of prefix sums that are summed one by one, the largest ones; the sum of the rest is bounded."""
MOST_SINGULAR_ROUNDS = 1_024
"""Rounds of a workload other than prefix sums up to which its nuclear norm is enclosed, by singular values."""


def least_mean(encoder: Encoder, workload: NamedWorkload) -> Ends | None:
    """(||M||_* / (T s))^2 for s the longest column of R: no L R = M has a smaller mean of ||L_t||^2.

    For ||M||_* <= ||L||_F ||R||_F, and ||R||_F^2 <= T s^2. The largest ||L_t||^2 is at least the mean. None where the
    nuclear norm of M is not known.

    >>> from dpcert.mechanisms.matrices.tree import TreeEncoder
    >>> from dpcert.mechanisms.matrices.workloads import named_workload
    >>> found = least_mean(TreeEncoder(1), named_workload("prefix"))
    >>> found.lower <= 1 <= found.upper
    True
    """
    norms, rounds = encoder.squared_norms(), encoder.rounds
    if not workload.is_prefix and rounds > MOST_SINGULAR_ROUNDS:
        return None
    nuclear = nuclear_norm(rounds) if workload.is_prefix else nuclear_of(workload.of(rounds))
    below = Ends(over(max(norms.lower), norms.bits), over(max(norms.upper), norms.bits))
    lower = nuclear.lower**2 / (rounds**2 * below.upper)
    return Ends(lower, nuclear.upper**2 / (rounds**2 * below.lower) if below.lower else lower)


def nuclear_norm(rounds: int) -> Ends:
    """||M||_* of prefix sums, the sum over k from 1 to T of 1 / (2 sin((2k - 1) pi / (4T + 2))), enclosed.

    Past the first terms, g = 1/sin is convex and falls up to pi/2: a sum of its values at steps h is at least 1/h times
    the integral between the ends of the sum plus half of both end values, and at most 1/h times that of half a step
    more on each side. The integral is ln tan of half the angle.

    >>> nuclear_norm(1).lower <= 1 <= nuclear_norm(1).upper
    True
    """
    few = min(rounds, SUMMED_SINES)

    def at(k: int) -> arb:
        return (2 * k - 1) * arb.pi() / (4 * rounds + 2)

    def first() -> arb:
        return sum(((2 * at(k).sin()) ** -1 for k in range(1, few + 1)), arb(0))

    def between(left: arb, right: arb) -> arb:
        step = arb.pi() / (2 * rounds + 1)
        return ((right / 2).tan().log() - (left / 2).tan().log()) / (2 * step)

    def least() -> arb:
        ends = (2 * at(few + 1).sin()) ** -1 + (2 * at(rounds).sin()) ** -1
        return first() + between(at(few + 1), at(rounds)) + ends / 2

    def most() -> arb:
        half = arb.pi() / (4 * rounds + 2)
        return first() + between(at(few + 1) - half, at(rounds) + half)

    if few == rounds:
        return enclosed(first).finite()
    return Ends(enclosed(least).finite().lower, enclosed(most).finite().upper)


def nuclear_of(workload: Workload) -> Ends:
    """||M||_*, by singular vectors in floats: at least <M, Q> / ||Q||_op for Q near U V^T.

    And at most (||A||_F^2 + ||B||_F^2) / 2 + sqrt(T) ||M - A B||_F, for A near U S^(1/2) and B near S^(1/2) V^T.

    >>> from dpcert.mechanisms.matrices.workloads import prefix_sums
    >>> found = nuclear_of(prefix_sums(1))
    >>> found.lower <= 1 <= found.upper < 1 + Fraction(1, 10**9)
    True
    """
    target, doubt = workload_floats(workload)
    left, sizes, right = np.linalg.svd(target)
    share = relative(len(target) ** 2)
    turned = left @ right
    squared = np.abs(turned.T @ turned) + np.abs(turned).T @ np.abs(turned) * share
    longest = float(np.sqrt(squared.sum(axis=0).max()) * (1 + share))
    along = float((turned * target).sum() - (np.abs(turned) * (np.abs(target) * share + doubt)).sum() * (1 + share))
    root = np.sqrt(sizes)
    first, second = left * root, root[:, None] * right
    off = np.abs(target - first @ second) + (np.abs(first) @ np.abs(second) + np.abs(target)) * share + doubt
    norms = float((np.square(first).sum() + np.square(second).sum()) / 2 * (1 + share))
    rest = float(np.sqrt(len(target)) * np.linalg.norm(off) * (1 + share))
    return Ends(max(Fraction(0), _below(along) / _above(longest)), _above(norms) + _above(rest))


def _above(x: Floats | float) -> Fraction:
    return Fraction(float(np.nextafter(x, np.inf)))


def _below(x: Floats | float) -> Fraction:
    return Fraction(float(np.nextafter(x, -np.inf)))
