"""Rounded Gaussian noise that runs: a finite law, and how far it is from N(0, sigma^2) rounded to the nearest."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.enclosure import ball, enclosed
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.mechanisms.noise.cell_masses import MASS_BITS, cell_masses


@dataclass(frozen=True)
class RoundedGaussian:
    """nu: k != 0 has what N(0, sigma^2) has in [k - 1/2, k + 1/2], rounded down to a multiple of 2^-128; 0 the rest.

    Unlike a discrete Gaussian's, the rounded Gaussian's privacy is that of a Gaussian which is rounded afterwards.

    Args:
        sigma: The standard deviation before rounding, in grid units, above 0.
    """

    sigma: Fraction

    def __post_init__(self) -> None:
        if self.sigma <= 0:
            raise expected("a sigma above 0", sigma=self.sigma)

    @cached_property
    def law(self) -> Pmf[int]:
        """nu, symmetric.

        >>> RoundedGaussian(Fraction(1, 100)).law
        Pmf({0: 1})
        """
        cells = cell_masses(Fraction(self.sigma))
        weights = dict(enumerate(reversed(cells), -len(cells)))
        weights[0] = (1 << MASS_BITS) - 2 * sum(cells)
        weights.update(enumerate(cells, 1))
        return from_weights(weights)

    @cached_property
    def distance(self) -> Fraction:
        """tau, at least the total variation distance between nu and the rounded Gaussian, and nearly that.

        All cells but 0 are at most the ideal ones, so it is what nu has at 0 in excess.
        """
        root = Fraction(2 * self.sigma) ** 2 * 2
        ideal = enclosed(lambda: (1 / ball(root).sqrt()).erf()).finite().lower
        return self.law.probability(0) - ideal


@lru_cache(maxsize=2)
def rounded_gaussian(sigma: Fraction) -> RoundedGaussian:
    """The law with this sigma, kept: it takes about a second per 20,000 grid units of sigma to make."""
    return RoundedGaussian(sigma)
