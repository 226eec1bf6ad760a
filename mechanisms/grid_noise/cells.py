"""P(k), what N(0, sigma^2) has in cell k of a grid, as a ball, and bounds on it over a run of cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import ball, enclosed
from dpcert.audit.errors import expected

HALF = Fraction(1, 2)
MOST_SIGMA_BITS = 56
"""Bits of the whole part of sigma in grid units at most: draws are kept in words of 64 bits."""


@dataclass(frozen=True)
class GaussianCells:
    """Cell k is [k - 1/2 - shift, k + 1/2 - shift]: N(0, sigma^2) plus the shift, rounded to the nearest whole number.

    So k minus the shift is what rounding to a shifted grid makes of the noise. The shift is public.

    Args:
        sigma: The standard deviation before rounding, in grid units, above 0.
        shift: In grid units, of size at most 1/2; 0 for the grid itself.
    Raises: ArgumentError: a sigma or shift outside its domain.
    Source: none; ours.
    """

    sigma: Fraction
    shift: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 0 < self.sigma < 1 << MOST_SIGMA_BITS:
            raise expected(f"a sigma above 0 and below 2^{MOST_SIGMA_BITS} grid units", sigma=self.sigma)
        if abs(self.shift) > HALF:
            raise expected("a shift of at most half a grid unit", shift=self.shift)

    def mass(self, k: int) -> arb:
        """P(k), at the precision in force.

        >>> GaussianCells(Fraction(1)).mass(0).contains((arb(2) ** -1.5).erf())
        True
        """
        low, high = k - HALF - self.shift, k + HALF - self.shift
        if high <= 0:
            low, high = -high, -low
        near, far = self._scaled(low), self._scaled(high)
        return (far.erf() - near.erf()) / 2 if low < 0 else (near.erfc() - far.erfc()) / 2

    def densities(self, numerators: Sequence[int], denominator: int) -> Iterator[arb]:
        """The density of N(0, sigma^2) at each quotient x: falling in |x|, a bound on cells beside x.

        >>> [x.str(2, radius=False) for x in GaussianCells(Fraction(2)).densities([0, 4], 2)]
        ['0.20', '0.12']
        """
        rate = ball(-1 / (2 * (self.sigma * denominator) ** 2))
        top = 1 / (ball(self.sigma) * (2 * arb.pi()).sqrt())
        return ((rate * (n * n)).exp() * top for n in numerators)

    def beyond(self, low: Fraction, high: Fraction) -> Fraction:
        """At least what N(0, sigma^2) has outside [low, high], where low < 0 < high."""
        return enclosed(lambda: (self._scaled(-low).erfc() + self._scaled(high).erfc()) / 2).finite().upper

    def _scaled(self, x: Fraction) -> arb:
        return ball(x / self.sigma) / arb(2).sqrt()
