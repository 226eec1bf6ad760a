"""How near bounds are to come, as sizes of grids are reckoned from it: of any gap that a user names a float is one."""

from fractions import Fraction

LEAST_RECKONED = Fraction(1, 1 << 1000)
"""The gap that smaller ones are reckoned as: what 1 is of it is still a float, and no grid comes as near."""


def reckoned(gap: Fraction) -> Fraction:
    """The gap, no smaller than LEAST_RECKONED and no more than 1: for how fine a grid is, never for whether it will do.

    >>> float(1 / reckoned(Fraction(1, 10**400))) < float("inf"), reckoned(Fraction(10**400))
    (True, Fraction(1, 1))
    """
    return min(max(gap, LEAST_RECKONED), Fraction(1))
