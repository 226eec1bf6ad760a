"""A slope: e^epsilon of at least 1, at which delta is read off a curve; checked where an argument becomes exact."""

from fractions import Fraction
from typing import NewType

from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected

Slope = NewType("Slope", Fraction)
"""e^epsilon, rational, at least 1, and known to be. Only `slope` makes one."""


def slope(exp_epsilon: object, **asked: object) -> Slope:
    """e^epsilon as an exact number of at least 1.

    Args:
        exp_epsilon: An int or a Fraction.
        asked: What an error shows in its place, by the name that the user knows.
    Raises: ArgumentError: no exact rational, or less than 1.

    >>> slope(2), slope(Fraction(3, 2))
    (Fraction(2, 1), Fraction(3, 2))
    """
    e = exact(exp_epsilon, "exp_epsilon")
    if e < 1:
        raise expected("e^epsilon of at least 1", **(asked or {"exp_epsilon": e}))
    return Slope(e)
