"""Numbers at which a curve is read off, checked where they become exact: slopes, epsilons in nats, probabilities."""

from fractions import Fraction
from typing import NewType

from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected

Slope = NewType("Slope", Fraction)
"""e^epsilon, rational, at least 1, and known to be. Only `slope` makes one."""


def slope(exp_epsilon: object, **argument: object) -> Slope:
    """e^epsilon as an exact number of at least 1.

    Args:
        exp_epsilon: An int or a Fraction.
        argument: What an error shows in its place, by the name that the user knows.
    Raises: ArgumentError: no exact rational, or less than 1.

    >>> slope(2), slope(Fraction(3, 2))
    (Fraction(2, 1), Fraction(3, 2))
    """
    e = exact(exp_epsilon, "exp_epsilon")
    if e < 1:
        raise expected("e^epsilon of at least 1", **(argument or {"exp_epsilon": e}))
    return Slope(e)


def positive(exp_epsilon: object) -> Fraction:
    """e^epsilon as an exact number above 0. Raises: ArgumentError: no exact rational, or not above 0."""
    e = exact(exp_epsilon, "exp_epsilon")
    if e <= 0:
        raise expected("a positive e^epsilon", exp_epsilon=e)
    return e


def nats(epsilon: object) -> Fraction:
    """epsilon in nats, as an exact number of at least 0. Raises: ArgumentError: no exact rational, or below 0."""
    e = exact(epsilon, "epsilon")
    if e < 0:
        raise expected("epsilon of at least 0", epsilon=e)
    return e


def probability(delta: object) -> Fraction:
    """delta as an exact number in [0, 1]. Raises: ArgumentError: no exact rational, or outside."""
    d = exact(delta, "delta")
    if not 0 <= d <= 1:
        raise expected("delta in [0, 1]", delta=d)
    return d
