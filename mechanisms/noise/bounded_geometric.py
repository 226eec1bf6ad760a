"""Geometric noise that runs: a finite symmetric law, and exactly what a shift by one of it gives away."""

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise, repeat

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.enclosure import ball, enclosed
from dpcert.audit.algebra.least import least
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.mechanisms.noise.geometric import EXP_EPSILON_STEPS, above_one

EXACT_BITS = 4096
"""Masses are those of Geom exactly while their numerators stay this short."""
SPARE_BITS = 160
"""Beyond that, the bits that the smallest mass kept has at least, so that rounding up adds a share of about 2^-160."""


@lru_cache(maxsize=4096)
def power_below(exp_epsilon: Fraction, share: Fraction, *, steps: int = EXP_EPSILON_STEPS) -> Fraction:
    """The largest multiple of 1 / steps that is at most exp_epsilon^share; exact powers come out exactly.

    Raises: ArgumentError: that multiple is not above 1.

    >>> power_below(Fraction(4), Fraction(1, 2)), power_below(Fraction(4), Fraction(1, 3), steps=100)
    (Fraction(2, 1), Fraction(79, 50))
    """
    alpha = above_one(exp_epsilon)
    if not 0 < share <= 1:
        raise expected("a share above 0 and at most 1", share=share)
    if share == 1 and (alpha * steps).denominator == 1:
        return alpha
    lower = enclosed(lambda: (ball(alpha).log() * ball(share)).exp()).lower
    candidate = Fraction(1) if lower is None else Fraction(lower * steps // 1, steps)
    above = candidate + Fraction(1, steps)
    if share.denominator <= 64 and above**share.denominator <= alpha**share.numerator:
        candidate = above  # the power is that very multiple, in the middle of its ball
    if candidate <= 1:
        raise expected(f"a share of e^epsilon of at least 1 + 1/{steps}", exp_epsilon=alpha, share=share)
    return candidate


@lru_cache(maxsize=1024)
def bounded_geometric(exp_epsilon: Fraction, truncation: Fraction) -> Pmf[int]:
    """Geom(e^eps) on [-K..K] alone, K the least whole number of at least 1 whose mass is at most `truncation`.

    Symmetric, unimodal, and nowhere heavier in its tails than Geom: P(|eta| > b) is at most Geom's for every b. Where
    the exact masses would be longer than EXACT_BITS they are rounded up, one after the other, from the middle out:
    no mass is then more than e^eps = alpha times its neighbour. Tails are no heavier even so: rounding adds at most
    2 K alpha / (alpha - 1) to one, ending at K takes 2 N alpha^-K / (alpha - 1) from it, and N, the mass at 0, is at
    least K alpha^(K + 1).

    >>> bounded_geometric(Fraction(2), Fraction(1, 10))
    Pmf({-2: 1/10, -1: 1/5, 0: 2/5, 1: 1/5, 2: 1/10})
    """
    alpha = above_one(exp_epsilon)
    if not 0 < truncation < 1:
        raise expected("a truncation above 0 and below 1", truncation=truncation)
    reach = _reach(alpha, truncation)
    if reach * max(alpha.numerator.bit_length(), 1) <= EXACT_BITS:
        p, q = alpha.numerator, alpha.denominator
        masses = list(accumulate(repeat(q, reach), lambda mass, _: mass // p * q, initial=p**reach))
    else:
        masses = _rounded(alpha, truncation)
    half = len(masses) - 1
    return from_weights({k: masses[abs(k)] for k in range(-half, half + 1)})


def _reach(alpha: Fraction, truncation: Fraction) -> int:
    """K: mass at K of the restricted law, (alpha - 1) / (alpha^K (alpha + 1) - 2), is at most truncation."""
    wanted = ((alpha - 1) / truncation + 2) / (alpha + 1)
    return least(lambda power: not _at_most(alpha, power, wanted))


def _at_most(alpha: Fraction, power: int, bound: Fraction) -> bool:
    """Whether alpha^power < bound; where powers are long, whether they surely are."""
    if power * alpha.numerator.bit_length() <= 4 * EXACT_BITS:
        return alpha**power < bound
    upper = enclosed(lambda: (ball(alpha).log() * power).exp()).upper
    return upper is not None and upper < bound


def _rounded(alpha: Fraction, truncation: Fraction) -> list[int]:
    """Masses from 0 outwards, each the one before over alpha, rounded up, until the last is within truncation.

    The last but one is above truncation, so that alpha^(K - 1) is below 2 / truncation and K below
    1 + ln(2 / truncation) alpha / (alpha - 1).
    """
    sizes = 1 / truncation, alpha, alpha, 1 / (alpha - 1)
    bits = SPARE_BITS + sum((size.numerator // size.denominator).bit_length() for size in sizes)
    (p, q), (share, whole) = alpha.as_integer_ratio(), truncation.as_integer_ratio()
    masses = [1 << bits]
    total = masses[0]
    while masses[-1] * whole > share * total or len(masses) == 1:
        masses.append(-(-masses[-1] * q // p))
        total += 2 * masses[-1]
    return masses


def unit_shift(law: Pmf[int]) -> tuple[Fraction, Fraction]:
    """(e^eps, delta) with Pow(eta || eta + 1) <= DP_{eps,delta}, exactly, for a symmetric unimodal law on [-K..K].

    delta is the mass at K, which only one world has beyond the other; e^eps is the largest ratio of neighbouring
    masses. Where all ratios are equal, the two curves are equal.

    >>> unit_shift(bounded_geometric(Fraction(2), Fraction(1, 10)))
    (Fraction(2, 1), Fraction(1, 10))
    """
    weights, total = law.integer_weights()
    half = max(weights)
    masses = [weights.get(k, 0) for k in range(half + 1)]
    if any(weights.get(-k) != w for k, w in enumerate(masses)) or any(w < v or not v for w, v in pairwise(masses)):
        raise expected("a symmetric unimodal law on all of [-K..K]", law=law)
    ratio = max((Fraction(w, v) for w, v in pairwise(masses)), default=Fraction(1))
    return ratio, Fraction(masses[-1], total)
