"""Intervals of rationals that provably hold a real number: e^x and ln x, rounded outward."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeVar

from flint import arb, ctx, fmpq

from dpcert.audit.algebra.rational import MOST_BITS
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen

T = TypeVar("T")
PRECISION_BITS = 128
"""Bits at which irrational numbers are enclosed, unless more are asked for."""
TINY = Fraction(1, 1 << MOST_BITS)
"""Numbers nearer to 0 are not written out: their fractions would have as many digits as they have zeros."""


class Ends(NamedTuple):
    """Two numbers, the first at most the second."""

    lower: Fraction
    upper: Fraction


@frozen(slots=True)
class Enclosure:
    """[lower, upper], rationals with lower <= truth <= upper, always. `in` asks whether a Fraction lies within.

    Args:
        lower: The lower end, rounded down; None where the truth is infinite.
        upper: The upper end, rounded up; None for infinity.
    Source: none; ours.

    >>> Fraction(1, 3) in Enclosure(Fraction(1, 4), Fraction(1, 2))
    True
    """

    lower: Fraction | None
    upper: Fraction | None

    def __contains__(self, value: Fraction) -> bool:
        return (self.lower is not None and self.lower <= value) and (self.upper is None or value <= self.upper)

    def finite(self) -> Ends:
        """Both ends as numbers, of what is known to be one.

        Raises: ArgumentError: an end is infinite.

        >>> exponential(Fraction(0)).finite().upper
        Fraction(1, 1)
        """
        if self.lower is None or self.upper is None:
            raise expected("an interval with finite ends", lower=self.lower, upper=self.upper)
        return Ends(self.lower, self.upper)


INFINITE = Enclosure(None, None)


def ball(value: Fraction) -> arb:
    """The ball around a rational."""
    return arb(fmpq(value.numerator, value.denominator))


def _ends(value: arb) -> Enclosure:
    """The rational end points of a ball; arb's own bounds are dyadic and rounded outward."""
    return Enclosure(_end(value.lower(), Fraction(0), -TINY), _end(value.upper(), TINY, Fraction(0)))


def _end(end: arb, above: Fraction, below: Fraction) -> Fraction:
    """An end as a fraction; one nearer to 0 than TINY becomes `above` or `below` 0, further out."""
    mantissa, exponent = (int(n) for n in end.man_exp())
    if exponent + mantissa.bit_length() < -MOST_BITS:
        return above if mantissa > 0 else below
    return Fraction(mantissa) * Fraction(2) ** exponent


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
    return at_precision(bits, lambda: _ends(compute()))


def finite(compute: Callable[[], arb], *, bits: int = PRECISION_BITS) -> Enclosure | None:
    """The same; None where the ball has no finite ends, so that nothing is known."""

    def ends() -> Enclosure | None:
        value = compute()
        return _ends(value) if value.is_finite() else None

    return at_precision(bits, ends)


def at_precision(bits: int, compute: Callable[[], T]) -> T:
    """What is computed at a precision, ends of balls included; the caller's is left as it was."""
    before = ctx.prec
    ctx.prec = bits
    try:
        return compute()
    finally:
        ctx.prec = before
