"""Claims about R x + z, (epsilon, delta), rho-zCDP and mu-GDP, against its enclosed f_mu."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.verdicts.families import Concentration, Gaussian
from dpcert.audit.verdicts.requirements import AtMost, Claimed, Judgement
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift

CLAIM_DIGITS = 10
"""Significant digits of what a claim is compared with, rounded outward."""


def decided(
    claim: Claimed, shift: GaussianShift, scope: str, *, is_causal: bool, witness: Mapping[str, Any] | None = None
) -> Judgement:
    """One claim: kept at the upper end of mu, exceeded at its lower end, which fixed inputs attain, or open.

    Args:
        claim: What is claimed.
        shift: f_mu, mu enclosed.
        scope: In words.
        is_causal: Whether the upper end holds against inputs that adapt; without it nothing is said to be kept.
        witness: The inputs that attain the lower end.

    >>> from dpcert.audit.verdicts.requirements import claim
    >>> decided(claim("rho=1/2"), GaussianShift.of_mu(1), "", is_causal=True).finding.verdict.value
    'HOLDS'
    """
    where, words = _against(claim, shift)
    if where == 1:
        detail = f"Exceeded: on fixed inputs, {words}."
        return Judgement(claim.name, Finding(Verdict.REFUTED, Method.ENCLOSED, scope, detail, witness or {}))
    if where == -1 and is_causal:
        return Judgement(claim.name, Finding(Verdict.HOLDS, Method.ENCLOSED, scope, f"Kept: {words}."))
    why = "of fixed inputs alone, " if where == -1 else ""
    return Judgement(claim.name, Finding(Verdict.UNDECIDED, None, scope, f"Open: {why}{words}."))


def _against(claim: Claimed, shift: GaussianShift) -> tuple[int | None, str]:
    """1 where the claim is exceeded, -1 where it is kept, None between the ends; and what it was compared with."""
    if isinstance(claim, Gaussian):
        return _side(shift.mu_squared, claim.mu**2), f"mu {_between(shift.mu.finite())}"
    if isinstance(claim, Concentration):
        return _side(shift.rho, claim.rho), f"rho {_between(shift.rho)}"
    return _of_delta(claim, shift)


def _of_delta(claim: AtMost, shift: GaussianShift) -> tuple[int | None, str]:
    """By delta at the claimed epsilon, which is above 0 at every one, for Gaussian noise."""
    product, epsilon = GaussianProduct(shift), claim.epsilon or Fraction(0)
    found = product.delta_at(epsilon).finite()
    told = f"delta {_between(found)} at the claimed epsilon"
    if claim.delta == 0:
        return 1, f"{told}; Gaussian noise has a delta above 0 at every epsilon"
    return product.side(epsilon, claim.delta), told


def _side(ends: Ends, number: Fraction) -> int | None:
    if ends.lower > number:
        return 1
    return -1 if ends.upper <= number else None


def _between(ends: Ends) -> str:
    low, high = down(ends.lower, CLAIM_DIGITS), up(ends.upper, CLAIM_DIGITS)
    return f"= {low}" if Fraction(low) == Fraction(high) else f"in [{low}, {high}]"
