"""Clopper-Pearson bounds on a probability, from how often an event came in independent runs; rounded outward."""

from fractions import Fraction

from flint import arb, ctx, fmpq

from dpcert.audit.errors import expected

GRID_BITS = 40
"""Bits of a bound: a multiple of 2^-GRID_BITS, at most a few of these outside the exact one."""
PROVING_BITS = 192
"""Bits at which the chance of a tail is enclosed."""


def at_least(hits: int, runs: int, risk: Fraction) -> Fraction:
    """A lower bound on the probability of an event, above it with probability at most `risk`.

    Args:
        hits: How often the event came.
        runs: Independent runs, at least 1.
        risk: In (0, 1).
    Returns: A dyadic number p with P(Bin(runs, p) >= hits) <= risk, proven by balls.
    Raises: ArgumentError: counts or a risk that are none.
    Source: Clopper and Pearson 1934, the exact interval of a binomial proportion.

    >>> at_least(0, 10, Fraction(1, 20))
    Fraction(0, 1)
    >>> 0 <= Fraction(1, 2) - at_least(10, 10, Fraction(1, 1024)) < Fraction(1, 2**35)
    True
    """
    if not 0 <= hits <= runs or runs < 1 or not 0 < risk < 1:
        raise expected("0 <= hits <= runs and a risk between 0 and 1", hits=hits, runs=runs, risk=risk)
    if hits == 0:
        return Fraction(0)
    whole = 1 << GRID_BITS
    guess, step = max(0, _guess(hits, runs, risk) - 2), 4
    while guess > 0 and not covers(hits, runs, Fraction(guess, whole), risk):
        guess, step = max(0, guess - step), 4 * step
    return Fraction(guess, whole)


def at_most(hits: int, runs: int, risk: Fraction) -> Fraction:
    """An upper bound on the probability of an event, below it with probability at most `risk`.

    Args:
        hits, runs, risk: As for `at_least`.
    Returns: A dyadic number p with P(Bin(runs, p) <= hits) <= risk, proven by balls; 1 where there is no other.
    """
    return 1 - at_least(runs - hits, runs, risk)


def covers(hits: int, runs: int, probability: Fraction, risk: Fraction) -> bool:
    """Whether balls prove that P(Bin(runs, probability) >= hits) <= risk: the regularised incomplete beta function.

    Args:
        hits: How often the event came.
        runs: Independent runs.
        probability: What is held to be a lower bound.
        risk: In (0, 1).
    """
    if probability <= 0 or hits == 0:
        return probability <= 0
    if probability >= 1:
        return False
    before = ctx.prec
    ctx.prec = PROVING_BITS
    try:
        at = arb(fmpq(probability.numerator, probability.denominator))
        chance = at.beta_lower(hits, runs - hits + 1, regularized=True)
        return bool(chance <= arb(fmpq(risk.numerator, risk.denominator)))
    finally:
        ctx.prec = before


def _guess(hits: int, runs: int, risk: Fraction) -> int:
    """Where the bound lies, in units of the grid, as floats have it: what is made of it is proven."""
    from scipy.special import betaincinv  # here, for hardly any audit samples

    return int(betaincinv(hits, runs - hits + 1, risk.numerator / risk.denominator) * (1 << GRID_BITS))
