"""What delta of RandBin on Gaussian noise is made of, and what a report reads of the mechanism."""

from fractions import Fraction
from typing import NamedTuple, Protocol

from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.sums.toeplitz_noise import ToeplitzNoise


class Costs(NamedTuple):
    """What delta is made of, each rounded up.

    Attributes:
        noise: A load shifted by 1 beside all of the scheduler's core releases, with ideal Gaussian noise.
        clipping: P(the scheduler's raw error ever reaches E).
        finite: (1 + e^eps) n tau, for n draws that are not quite Gaussian.
    """

    noise: Fraction
    clipping: Fraction
    finite: Fraction


class OnGaussianNoise(Protocol):
    """The parts of `RandBinGaussian` that its report names."""

    @property
    def level(self) -> int:
        """U, events."""
        ...

    @property
    def loads(self) -> Pmf[int]:
        """The law of a load."""
        ...

    @property
    def sigma(self) -> Fraction:
        """The deviation of the scheduler's noise, in grid units."""
        ...

    @property
    def scale(self) -> int:
        """Grid units in one event."""
        ...

    @property
    def noise(self) -> ToeplitzNoise:
        """The scheduler's noise."""
        ...

    @property
    def rounds(self) -> int:
        """The loads that are drawn within the horizon."""
        ...

    @property
    def horizon(self) -> int:
        """Events that it takes."""
        ...

    @property
    def error(self) -> int:
        """E, events."""
        ...

    @property
    def mu_squared(self) -> Fraction:
        """mu^2 of the scheduler's core releases together."""
        ...

    def waiting(self, events: int) -> int:
        """The most events that wait within so many."""
        ...

    def costs(self, exp_epsilon: Fraction) -> Costs:
        """delta at e^epsilon by its parts."""
        ...

    def delta_at(self, exp_epsilon: Fraction) -> Fraction:
        """At least delta at e^epsilon."""
        ...
