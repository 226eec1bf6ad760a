"""Laws that mechanisms draw from, as exact `Pmf`s: geometric, discrete Laplace, rounded Laplace and Gaussian, and more.

All are made for `draw(law)` in a `step`, and for `law(prefix)`. `Pmf.map`, `convolve`, `condition`, `product` and
`Pmf.mix` make others of them.

>>> from fractions import Fraction
>>> geometric(Fraction(1, 2), last=2).convolve(point(1))
Pmf({1: 1/2, 2: 1/4, 3: 1/4})
"""

from dpcert.audit.algebra.common_laws import bernoulli, from_weights, point, uniform
from dpcert.mechanisms.noise.integer_laws import (
    binomial,
    discrete_laplace,
    geometric,
    poisson_sample,
    two_sided_geometric,
)
from dpcert.mechanisms.noise.rounded_laws import rounded_gaussian, rounded_laplace

__all__ = [
    "bernoulli", "binomial", "discrete_laplace", "from_weights", "geometric", "point", "poisson_sample",
    "rounded_gaussian", "rounded_laplace", "two_sided_geometric", "uniform",
]  # fmt: skip
