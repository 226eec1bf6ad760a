"""(epsilon, delta) from the Rényi divergences alpha rho of a Gaussian: as the paper converts them, and more sharply."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from flint import arb

from dpcert.audit.algebra.enclosure import Enclosure, Ends, ball
from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected
from dpcert.mechanisms.accounting.crossing import crossing
from dpcert.mechanisms.accounting.narrowing import narrow, side
from dpcert.mechanisms.accounting.point import BoundKind, PrivacyPoint, TrueOf, known
from dpcert.mechanisms.accounting.product import checked_epsilon
from dpcert.mechanisms.accounting.shift import GaussianShift

NEAR_ORDER = Fraction(1, 1 << 20)
"""The best order to convert at is looked for to so much of its distance from 1; any order gives a bound."""
PAPER, SHARPER = "RDP at the best order, as the paper converts it", "RDP at one order, converted more sharply"


def paper_epsilon(shift: GaussianShift, delta: Fraction) -> PrivacyPoint:
    """inf over alpha > 1 of alpha rho + ln(1/delta) / (alpha - 1), which is rho + 2 sqrt(rho ln(1/delta)).

    Source: paper.tex, sec:prefixsum_factor ("Converting RDP to (epsilon, delta)-DP").

    >>> 5.2985 < paper_epsilon(GaussianShift.of_mu(1), Fraction(1, 10**5)).epsilon.lower < 5.2986
    True
    """
    log_inverse = _log_inverse(checked_delta(delta))
    found = _rising(shift.rho, lambda rho: rho + 2 * (rho * log_inverse()).sqrt())
    return PrivacyPoint(found, known(delta), BoundKind.UPPER, PAPER, shift, true_of=TrueOf.ZCDP)


def paper_delta(shift: GaussianShift, epsilon: Fraction) -> PrivacyPoint:
    """inf over alpha > 1 of e^((alpha - 1)(alpha rho - eps)): e^(-(eps - rho)^2 / (4 rho)), and 1 where eps <= rho.

    Source: the same, solved for delta.
    """
    at = checked_epsilon(epsilon)

    def bound(rho: Fraction) -> Enclosure:
        if at <= rho:
            return known(Fraction(1))
        return narrow(lambda: ball(-((at - rho) ** 2) / (4 * rho)).exp(), most=Fraction(1))

    found = Enclosure(bound(shift.rho.lower).lower, bound(shift.rho.upper).upper)
    return PrivacyPoint(known(at), found, BoundKind.UPPER, PAPER, shift, true_of=TrueOf.ZCDP)


def sharper_epsilon(shift: GaussianShift, delta: Fraction) -> PrivacyPoint:
    """alpha rho + ln((alpha - 1) / alpha) - ln(delta alpha) / (alpha - 1), at a rational alpha near the best one.

    Source: arXiv 2004.00010v4, Proposition 12 (Canonne, Kamath and Steinke).

    >>> 4.728 < sharper_epsilon(GaussianShift.of_mu(1), Fraction(1, 10**5)).epsilon.upper < 4.729
    True
    """
    log_inverse, rho = _log_inverse(checked_delta(delta)), shift.rho.upper
    past = _past_one(lambda x: log_inverse() - (1 + x).log() - ball(rho) * x * x)

    def bound(rho: arb) -> arb:
        x = ball(past)
        return (1 + x) * rho + (x / (1 + x)).log() + (log_inverse() - (1 + x).log()) / x

    found = _rising(shift.rho, bound)
    return PrivacyPoint(found, known(delta), BoundKind.UPPER, SHARPER, shift, 1 + past, TrueOf.ZCDP)


def sharper_delta(shift: GaussianShift, epsilon: Fraction) -> PrivacyPoint:
    """e^((alpha - 1)(alpha rho - eps)) (1 - 1/alpha)^alpha / (alpha - 1), at a rational alpha near the best one.

    Source: the same, solved for delta.
    """
    at, rho = checked_epsilon(epsilon), shift.rho.upper
    past = _past_one(lambda x: ball(at) - (2 * x + 1) * ball(rho) - (x / (1 + x)).log())

    def bound(rho: arb) -> arb:
        x = ball(past)
        return (x * ((1 + x) * rho - ball(at)) + x * x.log() - (1 + x) * (1 + x).log()).exp()

    found = _rising(shift.rho, bound, most=Fraction(1))
    return PrivacyPoint(known(at), found, BoundKind.UPPER, SHARPER, shift, 1 + past, TrueOf.ZCDP)


def checked_delta(delta: Fraction) -> Fraction:
    """A delta as an exact number. Raises: ArgumentError: it is not above 0 and below 1."""
    number = exact(delta, "delta")
    if not 0 < number < 1:
        raise expected("a delta above 0 and below 1", delta=number)
    return number


def _log_inverse(delta: Fraction) -> Callable[[], arb]:
    """ln(1/delta), made at the precision that is set."""
    return lambda: -ball(delta).log()


def _rising(rhos: Ends, bound: Callable[[arb], arb], most: Fraction | None = None) -> Enclosure:
    """A bound that rises with rho, from its value at one end to that at the other; 0 where it is negative."""
    low, high = (narrow(partial(lambda rho: bound(ball(rho)), rho), Fraction(0), most) for rho in rhos)
    return Enclosure(low.lower, None if high.upper is None else max(Fraction(0), high.upper))


def _past_one(slope: Callable[[arb], arb]) -> Fraction:
    """alpha - 1 near where a falling function of it passes 0, of few digits."""
    found = crossing(lambda x: side(lambda: slope(ball(x)), Fraction(0)), NEAR_ORDER)
    return found.upper or found.lower or Fraction(1)
