"""Geometric noise: Geom(e^eps) on the integers, clipped to a finite law with exact weights, and the law of loads."""

from fractions import Fraction

from dpcert.audit.algebra.enclosure import Enclosure, exponential, logarithm
from dpcert.audit.algebra.least import least
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected
from dpcert.mechanisms.noise.integer_laws import two_sided_geometric

EXP_EPSILON_STEPS = 2**20
"""A decimal epsilon becomes a rational e^epsilon with this denominator."""


def exp_epsilon_below(epsilon: Fraction, *, steps: int = EXP_EPSILON_STEPS) -> tuple[Fraction, Enclosure]:
    """The largest multiple of 1 / steps that is at most e^epsilon, and the loss, epsilon minus its logarithm, enclosed.

    Raises: ArgumentError: an epsilon too small for a multiple above 1.

    >>> alpha, loss = exp_epsilon_below(Fraction(1), steps=10)
    >>> alpha, 0 < loss.lower < loss.upper < Fraction(1, 100)
    (Fraction(27, 10), True)
    """
    low = exponential(epsilon).lower
    alpha = Fraction(0) if low is None else Fraction(low * steps // 1, steps)
    if alpha <= 1:
        raise expected(f"an epsilon with e^epsilon of at least 1 + 1/{steps}", epsilon=epsilon)
    ln = logarithm(alpha)
    return alpha, Enclosure(*(None if end is None else epsilon - end for end in (ln.upper, ln.lower)))


def geometric_mass(exp_epsilon: Fraction, k: int) -> Fraction:
    """P(Geom = k), the symmetric geometric law on all integers. Source: paper.tex, sec:randbin.

    >>> [geometric_mass(Fraction(2), k) for k in (-1, 0, 1)]
    [Fraction(1, 6), Fraction(1, 3), Fraction(1, 6)]
    """
    alpha = above_one(exp_epsilon)
    return (alpha - 1) / (alpha + 1) / alpha ** abs(k)


def geometric_tail(exp_epsilon: Fraction, k: int) -> Fraction:
    """P(|Geom| >= k), in closed form.

    >>> geometric_tail(Fraction(2), 1) + geometric_mass(Fraction(2), 0)
    Fraction(1, 1)
    """
    alpha = above_one(exp_epsilon)
    return Fraction(1) if k <= 0 else 2 / ((alpha + 1) * alpha ** (k - 1))


def level_for(exp_epsilon: Fraction, delta: Fraction) -> int:
    """U, the smallest even positive integer with P(|Geom| >= U / 2) at most delta. Source: def:truncated_geom.

    >>> level_for(Fraction(2), Fraction(1, 3)), level_for(Fraction(100), Fraction(1, 2))
    (4, 2)
    """
    if not 0 < delta < 1:
        raise expected("a delta above 0 and below 1", delta=delta)
    return 2 * least(lambda half: geometric_tail(exp_epsilon, half) <= delta)


def truncated_geometric(exp_epsilon: Fraction, level: int) -> Pmf[int]:
    """G, the law of Geom clipped to [-U/2..U/2], U the level; each end takes the whole tail beyond it.

    Source: def:truncated_geom.

    >>> truncated_geometric(Fraction(2), 4)
    Pmf({-2: 1/6, -1: 1/6, 0: 1/3, 1: 1/6, 2: 1/6})
    """
    half = even(level) // 2
    return two_sided_geometric(above_one(exp_epsilon), first=-half, last=half)


def load_law(exp_epsilon: Fraction, level: int) -> Pmf[int]:
    """The law of a load C, 3U/2 + G on [U..2U]. Source: alg:randbin.

    >>> load_law(Fraction(2), 2)
    Pmf({2: 1/3, 3: 1/3, 4: 1/3})
    """
    return truncated_geometric(exp_epsilon, level).map(lambda k: 3 * level // 2 + k)


def above_one(exp_epsilon: Fraction) -> Fraction:
    """e^epsilon, checked to be above 1."""
    alpha = exact(exp_epsilon, "exp_epsilon")
    if alpha <= 1:
        raise expected("an e^epsilon above 1", exp_epsilon=exp_epsilon)
    return alpha


def even(level: int) -> int:
    """The level U, checked to be even and positive."""
    if level < 2 or level % 2:
        raise expected("an even level of at least 2", level=level)
    return level
