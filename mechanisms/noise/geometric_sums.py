"""The tail of a sum of independent geometric noises, from the poles of its generating function: no simulation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any

from flint import arb, fmpq

from dpcert.audit.algebra.enclosure import TINY, Enclosure, at_precision, ball, enclosed
from dpcert.audit.algebra.least import least
from dpcert.audit.errors import expected
from dpcert.mechanisms.noise.geometric import above_one

ACCURACY_BITS = 128
"""A tail is enclosed to within 2^-128 of itself or closer; a comparison that this leaves open is made exactly."""
FIRST_BITS = 512
"""Bits with which tails are first worked out; doubled while that is not enough."""
Pole = tuple[Any, list[Any]]
"""(r, c_0, ..., c_{m-1}): a pole of order m gives r^N sum_i c_i binomial(N, i) to the tail, N = b + summands."""


@dataclass(frozen=True)
class GeometricSum:
    """S, the sum of independent Geom(alpha), one for each of `alphas`, each e^eps above 1; make it by `geometric_sum`.

    Why its tails also bound those of other sums: call a law of whole numbers peaked if it is symmetric and unimodal,
    and more peaked than another if P(|X| > b) is at most the other's for every b. Sums of independent peaked laws are
    peaked. With X peaked, P(|X + y| <= b) falls in |y|, so that a summand Y may be replaced by a more peaked one, and
    X + Y becomes more peaked. Geom(alpha) cut off at [-K..K] is more peaked than Geom(alpha), as are Geom of a larger
    alpha, and 0 in its place.

    Args:
        alphas: Rising; equal ones may recur.
    """

    alphas: tuple[Fraction, ...]
    _made: dict[int, list[Pole]] = field(default_factory=dict, repr=False, compare=False)
    _tails: dict[int, Enclosure] = field(default_factory=dict, repr=False, compare=False)
    _balls: dict[int, arb] = field(default_factory=dict, repr=False, compare=False)

    def tail(self, b: int) -> Enclosure:
        """P(|S| > b), b at least 0, enclosed to within 2^-128 of itself.

        >>> tail = geometric_sum([Fraction(2)] * 3).tail(0)  # P(S = 0) is 11 / 81
        >>> Fraction(70, 81) in tail, tail.upper - tail.lower < Fraction(1, 2**128)
        (True, True)
        """
        if b < 0:
            raise expected("a bound of at least 0", b=b)
        if b not in self._tails:
            self._tails[b] = self._enclosed(b)
        return self._tails[b]

    def exact_tail(self, b: int) -> Fraction:
        """P(|S| > b) as a fraction; slow where alpha^b is long."""
        ratios = [(fmpq(alpha.denominator, alpha.numerator), order) for alpha, order in self._orders()]
        value = tail_from(poles(ratios), len(self.alphas), b)
        return Fraction(int(value.p), int(value.q))

    def exceeds(self, b: int, probability: Fraction) -> bool:
        """Whether P(|S| > b) > probability. Exact.

        >>> one = geometric_sum([Fraction(3)])  # P(|S| > 1) = 1/6
        >>> one.exceeds(1, Fraction(1, 6)), one.exceeds(1, Fraction(1, 7))
        (False, True)
        """
        told = at_precision(FIRST_BITS, lambda: self._told(b, probability))
        if told is not None:
            return told
        tail = self.tail(b)
        if tail.upper is not None and tail.upper <= probability:
            return False
        return (tail.lower is not None and tail.lower > probability) or self.exact_tail(b) > probability

    def least_bound(self, probability: Fraction, *, above: int = -1) -> int:
        """The least whole number B > above with P(|S| > B) <= probability.

        >>> geometric_sum([Fraction(3)]).least_bound(Fraction(1, 6))
        1
        """
        if probability <= 0:
            raise expected("a probability above 0", probability=probability)
        return least(lambda b: not self.exceeds(b, probability), above=above)

    def _orders(self) -> list[tuple[Fraction, int]]:
        """The different alphas, each with how often it comes."""
        return [(alpha, len(list(same))) for alpha, same in groupby(self.alphas)]

    def _enclosed(self, b: int) -> Enclosure:
        bits = max(self._made, default=FIRST_BITS)
        while True:
            tail = enclosed(lambda: self._ball(b, bits), bits=bits)  # noqa: B023  # it is used up at once
            if tail.lower and tail.upper and (tail.upper - tail.lower) * 2**ACCURACY_BITS < tail.lower:
                return tail
            if tail.upper is not None and tail.upper <= TINY:
                return tail
            bits *= 2

    def _told(self, b: int, probability: Fraction) -> bool | None:
        """Whether P(|S| > b) > probability as far as balls of FIRST_BITS tell, None where they overlap."""
        if b not in self._balls:
            self._balls[b] = self._ball(b, FIRST_BITS)
        tail, limit = self._balls[b], ball(probability)
        return True if tail > limit else False if tail <= limit else None

    def _ball(self, b: int, bits: int) -> arb:
        """P(|S| > b) at the precision in force, `bits`."""
        if bits not in self._made:
            self._made[bits] = poles([(ball(1 / alpha), order) for alpha, order in self._orders()])
        value = tail_from(self._made[bits], len(self.alphas), b)
        return value if value.is_finite() else arb(0, 1)


def geometric_sum(alphas: Iterable[Fraction]) -> GeometricSum:
    """The sum of independent Geom(alpha) over `alphas`, at least one.

    Raises: ArgumentError: no alphas, or one that is not above 1.
    """
    rising = tuple(sorted(above_one(alpha) for alpha in alphas))
    if not rising:
        raise expected("at least one summand", alphas=rising)
    return GeometricSum(rising)


def poles(ratios: Sequence[tuple[Any, int]]) -> list[Pole]:
    """What the poles of S's generating function contribute to P(|S| > b), in the field that the ratios r are in.

    With r = 1 / alpha and n summands, P(S > b) is the sum over the different r of the residue there of
    z^(b+n) / (1 - z) prod_i (1 - r_i)^2 / ((1 - r_i z) (z - r_i)). Fractions and balls will do, irrational ones too.

    Args:
        ratios: Each different r, below 1, with how often it comes.
    """
    scale: Any = 2
    for r, order in ratios:
        scale = scale * (1 - r) ** (2 * order)
    return [(r, _residue(r, order, ratios, scale)) for r, order in ratios]


def _residue(at: Any, order: int, ratios: Sequence[tuple[Any, int]], scale: Any) -> list[Any]:
    """c_i = h_{order-1-i} / at^i, h the power series in e, z = at + e, of all of it but z^(b+n) / (z - at)^order."""
    factors: list[tuple[Any, Any]] = [(1 - at, -1)]  # each constant + slope * e, to be divided by
    for r, often in ratios:
        factors += [(1 - r * at, -r)] * often
        if r is not at:
            factors += [(at - r, 1)] * often
    constant = scale
    for value, _ in factors:
        constant = constant / value
    series = [constant] + [0] * (order - 1)
    for value, slope in factors if order > 1 else ():
        ratio = slope / value
        for i in range(1, order):
            series[i] = series[i] - ratio * series[i - 1]
    series.reverse()
    return [c / at**i for i, c in enumerate(series)]


def tail_from(terms: Sequence[Pole], summands: int, b: int) -> Any:
    """P(|S| > b) from the terms at the `poles`, in their field."""
    n = b + summands
    total: Any = 0
    for r, coefficients in terms:
        inner, choose = coefficients[0], 1
        for i, c in enumerate(coefficients[1:], 1):
            choose = choose * (n - i + 1) // i
            inner = inner + c * choose
        total = total + r**n * inner
    return total
