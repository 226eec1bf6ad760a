"""What an audit asks where nothing else is said."""

from fractions import Fraction

DEFAULT_HORIZON = 3
DEFAULT_EXP_EPSILONS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(5), Fraction(10))
DEFAULT_ADJACENCY = {"paired": "hamming", "npp": "edit"}
"""The neighbouring relation by game."""
DEFAULT_DELTA = Fraction(1, 10**6)
"""delta at which a report says epsilon, where none was asked for."""
