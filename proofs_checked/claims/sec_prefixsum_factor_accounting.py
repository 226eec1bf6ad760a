"""sec:prefixsum_factor: RDP as (epsilon, delta), and what two hops of a Gaussian core cost."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.divergence import hockey_stick
from dpcert.audit.algebra.enclosure import Enclosure, Ends
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.accounting.group import group_epsilon
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.renyi_bounds import paper_epsilon
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.symbols import equal, settled
from dpcert.proofs_checked.ledger import claim, found

LABEL = "sec:prefixsum_factor"
DELTA = Fraction(1, 10**5)
ORDERS = (2, 3, 5)
RATIOS = tuple(Fraction(n, 2) for n in (2, 3, 4, 8, 14))
PAIRS = "225 pairs of laws on two outcomes with chances in sixteenths; alpha 2, 3, 5; e^epsilon 1, 3/2, 2, 4, 7"
Conversion = Callable[[Fraction, Fraction, int], Fraction]


def moment(p: Pmf[int], q: Pmf[int], alpha: int) -> Fraction:
    """e^((alpha - 1) D_alpha(P || Q)), the sum of p^alpha q^(1 - alpha)."""
    return sum((p.probability(y) ** alpha / q.probability(y) ** (alpha - 1) for y in (0, 1)), Fraction(0))


def converted(subject: Conversion) -> Finding:
    """Whether delta(epsilon) is at most the conversion of e^((alpha - 1) eps_alpha), e^epsilon and alpha, for all."""
    laws = [from_weights({0: n, 1: 16 - n}) for n in range(1, 16)]

    def below(p: Pmf[int], q: Pmf[int], alpha: int, e: Fraction) -> bool:
        return hockey_stick(p, q, exp_epsilon=e) <= subject(moment(p, q, alpha), e, alpha)

    return every("conversions", product(laws, laws, ORDERS, RATIOS), below)


def as_printed(m: Fraction, e: Fraction, alpha: int) -> Fraction:
    """delta of epsilon = eps_alpha + ln(1/delta) / (alpha - 1)."""
    return m / e ** (alpha - 1)


def more_sharply(m: Fraction, e: Fraction, alpha: int) -> Fraction:
    """The same times (1 - 1/alpha)^(alpha - 1) / alpha."""
    return as_printed(m, e, alpha) * Fraction(alpha - 1, alpha) ** (alpha - 1) / alpha


@claim(LABEL, row=93, method=Method.EXHAUSTIVE, scope=PAIRS, subject=as_printed, uses=(f"{LABEL}/notions",),
       mutant=lambda m, e, alpha: m / e**alpha)  # fmt: skip
def rdp_gives_epsilon_and_delta(subject: Conversion) -> Finding:
    """(alpha, eps_alpha)-RDP is (eps_alpha + ln(1/delta) / (alpha - 1), delta)-DP.

    P(p > e^epsilon q) <= e^((alpha - 1)(eps_alpha - epsilon)), by Markov's inequality, and delta is at most that.
    """
    return converted(subject)


@claim(LABEL, row=93, method=Method.EXHAUSTIVE, scope=PAIRS, subject=more_sharply, uses=(f"{LABEL}/notions",),
       mutant=lambda m, e, alpha: more_sharply(m, e, alpha) * Fraction(99, 100))  # fmt: skip
def rdp_gives_a_smaller_delta(subject: Conversion) -> Finding:
    """The delta of the conversion may be multiplied by (1 - 1/alpha)^(alpha - 1) / alpha (beyond the paper)."""
    return converted(subject)


Epsilon = Callable[[GaussianShift, Fraction], Enclosure]


def least(shift: GaussianShift, delta: Fraction) -> Enclosure:
    """epsilon of f_mu itself."""
    return GaussianProduct(shift).epsilon_for(delta)


def above_the_least(subject: Enclosure, shift: GaussianShift) -> Finding:
    """Whether a bound on epsilon is more than the least one of f_mu, with both of them at DELTA."""
    exact, bound = least(shift, DELTA).finite(), subject.finite()
    enclosures = {"least": _between(exact), "bound": _between(bound)}
    return found(
        bound.lower > exact.upper,
        f"Within {' and '.join(enclosures['bound'])}; the least is within {' and '.join(enclosures['least'])}.",
        **enclosures,
    )


def _between(ends: Ends) -> list[str]:
    return [down(ends.lower), up(ends.upper)]


@claim(LABEL, row=93, method=Method.ENCLOSED, scope="mu = 1, delta = 10^-5", mutant=least,
       subject=lambda shift, delta: paper_epsilon(shift, delta).epsilon,
       uses=(f"{LABEL}/rdp_gives_epsilon_and_delta", "lem:factor_privacy_constants/divergence_of_a_shift"))  # fmt: skip
def the_conversion_is_loose(subject: Epsilon) -> Finding:
    """At mu = 1 and delta = 10^-5 the best order gives epsilon 5.29852..., where 4.37717... is the least."""
    shift = GaussianShift.of_mu(1)
    return above_the_least(subject(shift, DELTA), shift)


@claim(LABEL, row=95, method=Method.SYMBOLIC, scope="every mu and nu; 27 points enclosed",
       uses=("fact:triangle_power",), subject=lambda mu, nu: (mu + nu) ** 2,
       mutant=lambda mu, nu: mu**2 + nu**2)  # fmt: skip
def hops_of_gaussians_add(subject: Callable[[Any, Any], Any]) -> Finding:
    """f_mu, then f_nu, is f of mu + nu, so that two hops are f_{2 mu}: what independent cores add is the squares.

    f_mu moves the quantile Phi^-1(alpha) by mu, and the next hop moves it on by nu.
    """
    z, mu, nu = sympy.symbols("z mu nu", positive=True)
    identity = equal(((z + mu) + nu - z) ** 2, subject(mu, nu))

    def met(alpha: Fraction, first: Fraction, second: Fraction) -> bool:
        square = subject(first, second)
        whole = GaussianShift(Ends(square, square)).power(alpha).finite()
        between = GaussianShift.of_mu(first).power(alpha).finite()
        lower, upper = (GaussianShift.of_mu(second).power(end).finite() for end in between)
        return (
            lower.lower <= whole.upper
            and whole.lower <= upper.upper
            and upper.upper - lower.lower < Fraction(1, 10**12)
        )

    sizes = [Fraction(1, 2), Fraction(1), Fraction(5, 2)]
    cases = product([Fraction(1, 100), Fraction(1, 3), Fraction(9, 10)], sizes, sizes)
    return settled(identity, "Both move one quantile.", every("points", cases, met))


@claim(LABEL, row=95, method=Method.ENCLOSED, scope="mu = 1, delta = 10^-5",
       subject=lambda shift, delta: group_epsilon(shift, 2, delta).epsilon, uses=(f"{LABEL}/hops_of_gaussians_add",),
       mutant=lambda shift, delta: least(shift.hops(2), delta))  # fmt: skip
def two_hops_cost_less_than_the_group_bound(subject: Epsilon) -> Finding:
    """Two hops by (2 epsilon, (1 + e^epsilon) delta), as printed, cost more than f_{2 mu} itself."""
    shift = GaussianShift.of_mu(1)
    return above_the_least(subject(shift, DELTA), shift.hops(2))
