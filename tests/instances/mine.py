"""A file with a mechanism of a user's, for commands to be tried on."""

MINE = """
from fractions import Fraction
from dpcert import bernoulli
class Mine:
    alphabet = (0, 1)
    def __init__(self, scale: int = 1, truth: Fraction = Fraction(1, 3), open=None, ways: tuple[int, ...] = (),
                 maybe: int | None = None, near: float = 0.5):
        assert type(scale) is int and type(truth) is Fraction and all(type(w) is int for w in ways)
        assert maybe is None or type(maybe) is int
        assert type(near) is float
    def law(self, prefix):
        return bernoulli(Fraction(1 + prefix[-1], 3))
"""
