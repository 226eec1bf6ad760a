"""What k hops cost by the group-privacy bound on (epsilon, delta), to be read beside f_{k mu}."""

from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import INFINITE, ball
from dpcert.mechanisms.accounting.crossing import crossing
from dpcert.mechanisms.accounting.narrowing import side
from dpcert.mechanisms.accounting.point import BoundKind, PrivacyPoint, known
from dpcert.mechanisms.accounting.renyi_bounds import checked_delta
from dpcert.mechanisms.accounting.shift import GaussianShift, root
from dpcert.mechanisms.accounting.tails import shift_delta


def group_epsilon(shift: GaussianShift, k: int, delta: Fraction) -> PrivacyPoint:
    """k eps, of an eps at which delta_mu(eps) (e^{k eps} - 1) / (e^eps - 1) is at most delta, near the least one.

    Args:
        shift: f_mu of a single hop.
        k: The number of hops, at least 1.
        delta: The delta of all of them, above 0 and below 1.
    Source: paper.tex, sec:setting ("Extension to Multiple Edits").

    >>> group_epsilon(GaussianShift.of_mu(1), 1, Fraction(1, 10**5)).epsilon.upper < Fraction(437718, 10**5)
    True
    """
    number, square = checked_delta(delta), shift.mu_squared.upper
    hops = shift.hops(k)

    def spent(epsilon: Fraction) -> arb:
        e = ball(epsilon)
        times = ((k * e).expm1() / e.expm1()) if epsilon else arb(k)
        return times * shift_delta(e, root(square))

    at = crossing(lambda epsilon: side(lambda: spent(epsilon), number)).upper
    found = INFINITE if at is None else known(k * at)
    return PrivacyPoint(found, known(number), BoundKind.UPPER, f"group privacy of {k} hops", hops)
