"""f_mu, the power function of N(0, 1) against N(mu, 1), by its native parameter mu^2."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import isqrt

from flint import arb

from dpcert.audit.algebra.enclosure import Enclosure, Ends, ball
from dpcert.audit.algebra.rational import exact
from dpcert.audit.algebra.renyi import quantile
from dpcert.audit.errors import expected
from dpcert.mechanisms.accounting.narrowing import narrow
from dpcert.mechanisms.accounting.tails import tail

LARGEST_SQUARE = Fraction(10) ** 600
"""The largest mu^2 that is accounted for, and the inverse of the least: mu from 10^-300 to 10^300."""
MOST_GAUSSIAN_HOPS = 10**18
"""Neighbours apart that two inputs are at most, and copies of a Gaussian core."""


@dataclass(frozen=True, slots=True)
class GaussianShift:
    """f_mu(alpha) = Phi(Phi^-1(alpha) + mu), of N(0, 1) against N(mu, 1), with mu^2 between two rationals.

    A core R x + z with z of deviation sigma in every coordinate has mu = ||R (x - x')|| / sigma at most. Made by
    `of_mu`, `of_rho` or `of_noise`.

    Args:
        mu_squared: mu^2, positive; both ends are the same where it is known exactly.
    Source: paper.tex, sec:prefixsum_factor.

    >>> GaussianShift.of_mu(2).then(GaussianShift.of_mu(1)) == GaussianShift.of_mu(3)
    True
    """

    mu_squared: Ends

    def __post_init__(self) -> None:
        low, high = self.mu_squared
        if low > high or low <= 0:
            raise expected("a positive mu^2, its lower end first", lower=low, upper=high)
        if high > LARGEST_SQUARE or low * LARGEST_SQUARE < 1:
            raise expected("a mu from 10^-300 to 10^300", mu_squared=low if high <= LARGEST_SQUARE else high)

    @classmethod
    def of_mu(cls, mu: Fraction | int) -> "GaussianShift":
        """f_mu of a rational mu above 0."""
        return cls(_square(_positive_rational(mu, "mu")))

    @classmethod
    def of_rho(cls, rho: Fraction | int) -> "GaussianShift":
        """The f_mu whose Rényi divergences are those of rho-zCDP: mu^2 = 2 rho.

        A mechanism that is known to be rho-zCDP, and not to be Gaussian, may be above it.
        """
        twice = 2 * _positive_rational(rho, "rho")
        return cls(Ends(twice, twice))

    @classmethod
    def of_noise(cls, l2_squared: Ends, sigma: Fraction | int) -> "GaussianShift":
        """Of what changes by a vector of squared length `l2_squared` at most, under noise of deviation sigma.

        >>> GaussianShift.of_noise(Ends(Fraction(4), Fraction(4)), Fraction(2)) == GaussianShift.of_mu(1)
        True
        """
        variance = _positive_rational(sigma, "sigma") ** 2
        return cls(Ends(l2_squared.lower / variance, l2_squared.upper / variance))

    @property
    def mu(self) -> Enclosure:
        """mu, the distance of the means in deviations."""
        low, high = self.mu_squared
        return Enclosure(_root_end(low, up=False), _root_end(high, up=True))

    @property
    def rho(self) -> Ends:
        """mu^2 / 2: it is rho-zCDP, and for no smaller rho. Source: paper.tex, lem:factor_privacy_constants."""
        return Ends(self.mu_squared.lower / 2, self.mu_squared.upper / 2)

    def renyi(self, order: Fraction | int) -> Ends:
        """D_alpha = alpha mu^2 / 2, in nats, of either order of worlds; for a rational alpha above 1.

        Source: claims 94; paper.tex, lem:factor_privacy_constants.

        >>> GaussianShift.of_mu(1).renyi(3).upper
        Fraction(3, 2)
        """
        alpha = exact(order, "alpha")
        if alpha <= 1:
            raise expected("an order above 1", alpha=alpha)
        return Ends(alpha * self.rho.lower, alpha * self.rho.upper)

    def then(self, other: "GaussianShift") -> "GaussianShift":
        """f_mu, then f_nu: f_{mu + nu}, the bound of two hops, attained where they go the same way.

        Source: claims 95; paper.tex, fact:triangle_power.
        """
        low, high = ((a + b, a * b) for a, b in zip(self.mu_squared, other.mu_squared, strict=True))
        return GaussianShift(Ends(low[0] + 2 * _root_end(low[1], up=False), high[0] + 2 * _root_end(high[1], up=True)))

    def hops(self, k: int) -> "GaussianShift":
        """f_mu, k times over: f_{k mu}.

        >>> GaussianShift.of_mu(1).hops(2) == GaussianShift.of_mu(2)
        True
        """
        return self._times(_count(k, "hops") ** 2)

    def tensor(self, other: "GaussianShift") -> "GaussianShift":
        """f_mu ⊗ f_nu, two independent Gaussian cores: the squares of mu and nu add.

        Source: paper.tex, defn:tensor.

        >>> GaussianShift.of_mu(3).tensor(GaussianShift.of_mu(4)) == GaussianShift.of_mu(5)
        True
        """
        return GaussianShift(Ends(*(a + b for a, b in zip(self.mu_squared, other.mu_squared, strict=True))))

    def copies(self, n: int) -> "GaussianShift":
        """f_mu ⊗ ... ⊗ f_mu, n independent Gaussian cores."""
        return self._times(_count(n, "copies"))

    def power(self, alpha: Fraction | int) -> Enclosure:
        """f_mu(alpha), the power at type-I error alpha, enclosed.

        >>> 0.2595 < GaussianShift.of_mu(1).power(Fraction(1, 20)).lower < 0.2596
        True
        """
        level = _level(alpha)
        if level in (0, 1):
            return Enclosure(level, level)
        return _over(self.mu_squared, lambda mu: tail(-quantile(level) - mu))

    def trade_off(self, alpha: Fraction | int) -> Enclosure:
        """1 - f_mu(alpha), the least type-II error at type-I error alpha, enclosed in its own right, however small."""
        level = _level(alpha)
        if level in (0, 1):
            return Enclosure(1 - level, 1 - level)
        low, high = self.mu_squared
        return _over(Ends(high, low), lambda mu: tail(quantile(level) + mu))

    def _times(self, factor: int) -> "GaussianShift":
        return GaussianShift(Ends(self.mu_squared.lower * factor, self.mu_squared.upper * factor))


def root(square: Fraction) -> arb:
    """The ball around the square root of a rational of at least 0."""
    return ball(square).sqrt()


def squared(sensitivity: Fraction | int) -> Ends:
    """The square of an L2 sensitivity that is known exactly."""
    return _square(_positive_rational(sensitivity, "sensitivity"))


def of_sensitivity(sensitivity: Fraction | int, sigma: Fraction | int) -> GaussianShift:
    """f_mu of mu = sensitivity / sigma.

    >>> of_sensitivity(2, 4) == GaussianShift.of_mu(Fraction(1, 2))
    True
    """
    return GaussianShift.of_noise(squared(sensitivity), sigma)


def _over(squares: Ends, probability: Callable[[arb], arb]) -> Enclosure:
    """A probability, from its value at the first mu to that at the second."""
    first, second = (narrow(partial(lambda s: probability(root(s)), s), most=Fraction(1)) for s in squares)
    return Enclosure(first.lower, second.upper)


def _root_end(square: Fraction, *, up: bool) -> Fraction:
    """The square root, exactly where it is rational, else the end of an enclosure."""
    whole = [isqrt(part) for part in square.as_integer_ratio()]
    if Fraction(*whole) ** 2 == square:
        return Fraction(*whole)
    ends = narrow(lambda: root(square)).finite()
    return ends.upper if up else ends.lower


def _positive_rational(value: Fraction | int, name: str) -> Fraction:
    number = exact(value, name)
    if number <= 0:
        raise expected(f"a {name} above 0", **{name: number})
    return number


def _level(alpha: Fraction | int) -> Fraction:
    level = exact(alpha, "alpha")
    if not 0 <= level <= 1:
        raise expected("alpha in [0, 1]", alpha=level)
    return level


def _count(value: int, name: str) -> int:
    if type(value) is not int or not 1 <= value <= MOST_GAUSSIAN_HOPS:
        raise expected("a whole number of at least 1 and at most 10^18", **{name: value})
    return value


def _square(value: Fraction) -> Ends:
    return Ends(value**2, value**2)
