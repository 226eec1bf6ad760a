"""What a split is chosen for: little noise, little waiting, or a stated mix of both."""

from dataclasses import dataclass
from fractions import Fraction

from dpcert.audit.algebra.rational import written
from dpcert.audit.errors import expected, one_line

MOST_MIX_BELOW = 100
"""The largest denominator of a mix's weight: powers up to it are compared."""


@dataclass(frozen=True)
class Objective:
    """noise^(1 - w) waiting^w, which is to be small.

    Args:
        text: As it was named.
        waiting: w, from 0 (noise alone) to 1 (waiting alone).
    """

    text: str
    waiting: Fraction

    def cost(self, noise: Fraction, waiting: int) -> tuple[Fraction, Fraction]:
        """A number that orders as the objective does, and then the other of the two, for ties.

        >>> mix = named_objective("mix=1/2")
        >>> mix.cost(Fraction(1, 2), 8) == mix.cost(Fraction(4), 1)
        False
        >>> mix.cost(Fraction(1, 2), 8)[0] == mix.cost(Fraction(4), 1)[0]
        True
        """
        part, whole = self.waiting.numerator, self.waiting.denominator
        return noise ** (whole - part) * waiting**part, noise if part else Fraction(waiting)


def named_objective(text: str) -> Objective:
    """`noise`, `delay`, or `mix=W` with W between them.

    Raises: ArgumentError: another text.
    """
    name, equals, weight = text.partition("=")
    if text in ("noise", "delay"):
        return Objective(text, Fraction(int(text == "delay")))
    if name != "mix" or not equals:
        raise expected("noise, delay or mix=W", minimise=one_line(text, 60))
    number = written(weight, "minimise")
    if not 0 <= number <= 1 or number.denominator > MOST_MIX_BELOW:
        most = f"over a denominator of at most {MOST_MIX_BELOW}"
        raise expected(f"a weight of waiting from 0 to 1, {most}", minimise=one_line(text, 60))
    return Objective(text, number)
