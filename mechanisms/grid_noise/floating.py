"""Gaussian noise by floating-point numbers, rounded to the grid: fast, and not covered by any certificate."""

import secrets
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.grid_noise.sampling import Words

NOT_COVERED = "floating-point noise: not covered by the guarantee"
"""What every account of such noise says."""


@dataclass(frozen=True)
class FloatingGaussian:
    """N(0, sigma^2) as numpy draws it, rounded to whole numbers: to compare with, never to release.

    Args:
        sigma: In grid units, above 0.
        shift: 0: the grid itself.
    Raises: ArgumentError: a sigma that is not positive.

    >>> FloatingGaussian(Fraction(10)).distance is None
    True
    """

    sigma: Fraction
    shift: Fraction = Fraction(0)
    _generator: np.random.Generator = field(
        default_factory=lambda: np.random.default_rng(secrets.randbits(128)), repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.sigma <= 0 or self.shift != 0:
            raise expected("a sigma above 0, and no shift", sigma=self.sigma, shift=self.shift)

    @property
    def distance(self) -> None:
        """Nothing is proven."""
        return None

    def sample(self, count: int) -> Words:
        """So many draws."""
        return np.rint(self._generator.normal(0, float(self.sigma), count)).astype(np.int64)
