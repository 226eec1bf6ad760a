"""Tails of sums of independent Geom(alpha): whole numbers over 2^BITS, rounded down, convolved term by term."""

from collections.abc import Sequence
from fractions import Fraction

from dpcert.audit.algebra.enclosure import Enclosure

BITS = 192
"""A mass is a whole number of 2^-BITS."""


def sum_masses(alphas: Sequence[Fraction], reach: int) -> list[int]:
    """P(S = m) for m = -reach..reach, from below, in 2^-BITS; S is the sum of independent Geom(alpha).

    Geom(alpha) at k weighs (1 - r) / (1 + r) r^|k|, r = 1 / alpha: one sweep each way makes a convolution.
    """
    masses = [0] * reach + [1 << BITS] + [0] * reach
    for alpha in alphas:
        p, q = alpha.numerator, alpha.denominator
        forward, backward = masses[:], masses[:]
        for i in range(1, len(masses)):
            forward[i] += forward[i - 1] * q // p
            backward[-1 - i] += backward[-i] * q // p
        beyond = [*backward[1:], 0]
        masses = [(p - q) * (f + b * q // p) // (p + q) for f, b in zip(forward, beyond, strict=True)]
    return masses


def tails(alphas: Sequence[Fraction], reach: int) -> list[Enclosure]:
    """P(|S| > b) for b = 0..reach - 1, enclosed: what the masses miss in all may lie on either side.

    >>> tail = tails([Fraction(3)], 40)[1]
    >>> Fraction(1, 6) in tail, tail.upper - tail.lower < Fraction(1, 10**18)
    (True, True)
    """
    masses, whole = sum_masses(alphas, reach), 1 << BITS
    missed = whole - sum(masses)
    bounds, inside = [], masses[reach]
    for b in range(reach):
        bounds.append(Enclosure(Fraction(max(0, whole - inside - missed), whole), Fraction(whole - inside, whole)))
        inside += masses[reach - b - 1] + masses[reach + b + 1]
    return bounds


def least_bound(alphas: Sequence[Fraction], probability: Fraction, reach: int) -> int:
    """The least b with P(|S| > b) <= probability. Raises: ArithmeticError: open at this reach.

    >>> least_bound([Fraction(3)], Fraction(1, 7), 40)
    2
    """
    for b, tail in enumerate(tails(alphas, reach)):
        if tail.upper is not None and tail.upper <= probability:
            return b
        if tail.lower is None or tail.lower <= probability:
            raise ArithmeticError("an enclosure of the tail is too wide")
    raise ArithmeticError("the tail is above the probability as far as it was worked out")
