"""P(k), what N(0, sigma^2) has in cell k of a grid, as a ball, and bounds on it over a run of cells."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import at_precision, ball, enclosed
from dpcert.audit.errors import expected

HALF = Fraction(1, 2)
DENSITY_SPARE = 256
"""Bits beyond those asked for, of densities that are made one from another: tails are 2^-141 of the top."""
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

    @property
    def highest(self) -> arb:
        """The density of N(0, sigma^2) at 0."""
        return 1 / (ball(self.sigma) * (2 * arb.pi()).sqrt())

    def densities(self, first: int, step: int, denominator: int, bits: int) -> Iterator[tuple[int, int]]:
        """The density of N(0, sigma^2) at first / denominator, and so on by the step: a bound on cells beside each.

        Each is the one before it times a factor, and so is the factor: whole numbers, rounded outward.

        Returns: At most and at least as much, in multiples of 2^-bits.

        >>> found = GaussianCells(Fraction(2)).densities(0, 4, 2, 20)
        >>> [[round(end / 2**20, 4) for end in next(found)] for _ in range(2)]
        [[0.1995, 0.1995], [0.121, 0.121]]
        """
        fine = bits + DENSITY_SPARE
        (low, high), (least, most), (down, up) = at_precision(
            fine + 64, lambda: [outward(x * arb(1 << fine)) for x in self._grown(first, step, denominator)]
        )
        while True:
            yield low >> DENSITY_SPARE, -(-high >> DENSITY_SPARE)
            low, high = low * least >> fine, -(-high * most >> fine)
            least, most = least * down >> fine, -(-most * up >> fine)

    def _grown(self, first: int, step: int, denominator: int) -> tuple[arb, arb, arb]:
        """The first density, what the next one is of it, and what the factor after that is of this one."""
        rate = ball(-1 / (2 * (self.sigma * denominator) ** 2))
        factor = (rate * (2 * first + step) * step).exp()
        return (rate * first**2).exp() * self.highest, factor, (2 * rate * step**2).exp()

    def beyond(self, low: Fraction, high: Fraction) -> Fraction:
        """At least what N(0, sigma^2) has outside [low, high], where low < 0 < high."""
        return enclosed(lambda: (self._scaled(-low).erfc() + self._scaled(high).erfc()) / 2).finite().upper

    def _scaled(self, x: Fraction) -> arb:
        return ball(x / self.sigma) / arb(2).sqrt()


def outward(number: arb) -> tuple[int, int]:
    """Whole numbers below and above, of a number that is not below 0."""
    return max(0, _whole(number.lower().floor())), _whole(number.upper().ceil())


def _whole(number: arb) -> int:
    mantissa, exponent = number.man_exp()
    return int(mantissa) << int(exponent)
