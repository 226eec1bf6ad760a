"""Divergences of two exact laws, each a function of their power function."""

from collections.abc import Hashable
from fractions import Fraction
from typing import TypeVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.slope import slope

Y = TypeVar("Y", bound=Hashable)


def hockey_stick(p: Pmf[Y], q: Pmf[Y], *, exp_epsilon: Fraction | int) -> Fraction:
    """sup_S P(S) - e^epsilon Q(S), the least delta of the ordered pair. Exact.

    Two-sided privacy needs both orders.

    Args:
        p: Law in world 0, over any finite sample space.
        q: Law in world 1; outcomes missing from it weigh 0.
        exp_epsilon: e^epsilon, dimensionless, at least 1.
    Returns: A probability in [0, 1].
    Raises: ArgumentError: exp_epsilon is below 1.
    Source: paper.tex, the fact after defn:power ("DP in Terms of Power Function").

    >>> from dpcert import bernoulli
    >>> hockey_stick(bernoulli(Fraction(1, 2)), bernoulli(Fraction(1, 4)), exp_epsilon=Fraction(1))
    Fraction(1, 4)
    """
    e = slope(exp_epsilon)
    return sum((max(Fraction(0), w - e * q.probability(y)) for y, w in p.items()), Fraction(0))


def total_variation(p: Pmf[Y], q: Pmf[Y]) -> Fraction:
    """TV(P, Q) = sup_S |P(S) - Q(S)|, delta at epsilon = 0. Exact.

    Args:
        p: Law in world 0, over any finite sample space.
        q: Law in world 1; outcomes missing from it weigh 0.
    Returns: A probability in [0, 1], the same in both orders.
    Source: paper.tex, sec:prelim.

    >>> from dpcert import bernoulli
    >>> total_variation(bernoulli(Fraction(68, 100)), bernoulli(Fraction(65, 100)))
    Fraction(3, 100)
    """
    return hockey_stick(p, q, exp_epsilon=1)


def privacy_profile(p: Pmf[Y], q: Pmf[Y], *, exp_epsilon: Fraction | int) -> Fraction:
    """delta(epsilon) of an unordered pair of laws: the larger of both orders. Exact.

    Args:
        p: Law in world 0, over any finite sample space.
        q: Law in world 1; outcomes missing from either weigh 0 there.
        exp_epsilon: e^epsilon, dimensionless, above 0.
    Returns: A probability in [0, 1].
    Raises: ArgumentError: exp_epsilon is not above 0.
    Source: paper.tex, the fact after defn:power ("DP in Terms of Power Function").

    >>> from dpcert import bernoulli
    >>> privacy_profile(bernoulli(Fraction(1, 4)), bernoulli(Fraction(1, 2)), exp_epsilon=Fraction(3, 2))
    Fraction(1, 8)
    """
    return PowerFunction.from_laws(p, q).delta(exp_epsilon)
