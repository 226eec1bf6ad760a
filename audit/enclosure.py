"""Intervals of rationals that provably hold a real number: e^x and ln x, rounded outward."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from dpcert.audit.errors import expected

PRECISION_BITS = 128


@dataclass(frozen=True, slots=True)
class Enclosure:
    """lower <= truth <= upper, always; None stands for infinity."""

    lower: Fraction | None
    upper: Fraction | None

    def __contains__(self, value: Fraction) -> bool:
        return (self.lower is not None and self.lower <= value) and (self.upper is None or value <= self.upper)


INFINITE = Enclosure(None, None)


def ball(value: Fraction) -> arb:
    """The ball around a rational."""
    return arb(fmpq(value.numerator, value.denominator))


def _ends(value: arb) -> Enclosure:
    """The rational end points of a ball; arb's own bounds are dyadic and rounded outward."""
    low, high = value.lower().man_exp(), value.upper().man_exp()
    return Enclosure(*(Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (low, high)))


def exponential(x: Fraction) -> Enclosure:
    """e^x for a rational x of size at most 10^4, as a rational interval.

    >>> exponential(Fraction(0))
    Enclosure(lower=Fraction(1, 1), upper=Fraction(1, 1))
    """
    if abs(x) > 10**4:
        raise expected("a number of size at most 10000", epsilon=x)
    return enclosed(lambda: ball(x).exp())


def logarithm(x: Fraction) -> Enclosure:
    """ln x for a rational x > 0, as a rational interval.

    >>> logarithm(Fraction(1)).upper
    Fraction(0, 1)
    """
    if x <= 0:
        raise expected("a positive number", x=x)
    return enclosed(lambda: ball(x).log())


def enclosed(compute: Callable[[], arb], *, bits: int = PRECISION_BITS) -> Enclosure:
    """The ends of the ball that `compute` makes at `bits` bits; the caller's precision is left as it was."""
    before = ctx.prec
    ctx.prec = bits
    try:
        return _ends(compute())
    finally:
        ctx.prec = before
