"""thm:dp_unbounded_prefix_sum: how large the hybrid's error is, in closed form and by convolution."""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, product
from typing import Any

import sympy
from flint import arb

from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.noise.geometric import exp_epsilon_below
from dpcert.mechanisms.sums.error_convolution import envelope, raw_bounds
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.hybrid import Share, cover, segment, sharp_share, uniform_share
from dpcert.proofs_checked.cases.noise_sums import least_bound
from dpcert.proofs_checked.cases.orders import at_most, error_bound, ln
from dpcert.proofs_checked.cases.symbols import Expression, equal, nonnegative, settled, share
from dpcert.proofs_checked.ledger import claim, found

LABEL = "thm:dp_unbounded_prefix_sum"
REACH = 1600
"""As far as convolutions go; masses beyond it are below 2^-192 for the sums at hand."""


def alpha_below(part: Fraction) -> Fraction:
    """e^part, rounded down to 60 bits."""
    lower = exponential(part).lower
    return Fraction(int((lower or 0) * 2**60), 2**60)


FailureShare = Callable[[Any], Any]
"""t -> beta_t / beta."""


@claim(LABEL, row=77, method=Method.SYMBOLIC, scope="every t and beta; partial sums to t = 300 evaluated",
       subject=lambda t: 1 / (t * (t + 1)), mutant=lambda t: 1 / t**2)  # fmt: skip
def failures_add_up_to_beta(subject: FailureShare) -> Finding:
    """beta / (t (t + 1)) over t = 1, 2, ... sums to beta, and ln(1/beta_t) <= 2 ln(t + 1) + ln(1/beta)."""
    t = sympy.Symbol("t", positive=True)
    telescopes = equal(subject(t), 1 / t - 1 / (t + 1)) and nonnegative((t + 1) ** 2 - 1 / subject(t))
    sums, total = [], Fraction(0)
    for s in range(1, 301):
        total += subject(Fraction(s))
        sums.append((s, total))
    partial = every("partial sums", sums, lambda s, total: total == 1 - Fraction(1, s + 1))
    return settled(telescopes, "1/(t(t+1)) = 1/t - 1/(t+1), and t(t+1) <= (t+1)^2.", partial)


def moment(ratio: Expression, x: Expression) -> Expression:
    """E x^eta = (1 - r)^2 / ((1 - r x)(1 - r / x)) for eta of Geom(1 / r), 1 <= x < 1 / r."""
    return (1 - ratio) ** 2 / ((1 - ratio * x) * (1 - ratio / x))


@claim(LABEL, row=76, method=Method.SYMBOLIC, subject=2, mutant=1,
       scope="every t, epsilon and beta; epsilon 1, t to 63, beta 1/10, 10^-9, 10^-30 evaluated by convolution",
       uses=("sec:randbin/geometric_law_sums_to_1", f"{LABEL}/one_interval_a_round_makes_every_prefix"))  # fmt: skip
def errors_stay_within_the_explicit_bound(subject: int) -> Finding:
    """P(|Y_t - Q_t| > B(t)) <= beta / (t (t + 1)), B(t) = 2 (k+1)/epsilon (max(2k, 1)/3 + ln(2 t (t+1)/beta)).

    Y_t - Q_t is a sum of at most max(2k, 1) noises, none of a smaller e^eps than that of segment k, s^-2 for s < 1.
    Markov's inequality for x^|sum| with x = 1/s: E x^eta = 1 + s / (1 + s + s^2) <= 4/3 <= e^(1/3).
    """
    s, w, x = 1 / (1 + sympy.Symbol("u", positive=True)), share("w"), 1 + sympy.Symbol("x", positive=True)
    tilt = 1 / s ** sympy.Rational(2, subject)
    mgf = moment(s**2, tilt) if subject > 1 else sympy.oo
    largest = 1 / (x * (1 + sympy.Symbol("v", positive=True)))  # a ratio below 1 / x
    rises = nonnegative(moment(largest, x) - moment(largest * w, x))
    small = mgf is not sympy.oo and nonnegative(sympy.Rational(4, 3) - mgf) and at_most(ln(4) - ln(3), arb(1) / 3)

    def within(t: int, beta: Fraction) -> bool:
        alphas = [alpha_below(uniform_share(end)) for end in cover(t)]
        bound = error_bound(t, arb(1), beta) * subject / 2
        return len(alphas) <= max(2 * segment(t), 1) and at_most(
            least_bound(alphas, beta / (t * (t + 1)), REACH), bound
        )

    cases = product((1, 2, 3, 7, 14, 30, 62, 63), (Fraction(1, 10), Fraction(1, 10**9), Fraction(1, 10**30)))
    return settled(small and rises, "E x^eta rises with the ratio and is at most 4/3.", every("bounds", cases, within))


@claim(LABEL, row=76, method=Method.SYMBOLIC, subject=18, mutant=4,
       uses=(f"{LABEL}/errors_stay_within_the_explicit_bound",),
       scope="every t, epsilon and beta; t to 2^200, epsilon 1/10 to 10, beta 9/10 to 10^-9 evaluated")  # fmt: skip
def error_bound_has_the_stated_order(subject: int) -> Finding:
    """B never falls, and B(t) <= 18/epsilon ln(t + 1) (ln(t + 1) + ln(1/beta)).

    With L = ln(t + 1) >= ln(2^k + 1): k + 1 <= 2L, as e^((k+1)/2) <= 2^k + 1; and ln(2 t (t + 1)) <= L + 2L.
    """
    step, d = sympy.symbols("L D", nonnegative=True)
    inequality = nonnegative(subject * step * (step + d) - 2 * 2 * step * (2 * 2 * step / 3 + 3 * step + d))
    starts = all(at_most(arb(k + 1) / 2, ln(2**k + 1)) for k in range(3))
    goes_on = at_most(arb(1) / 2, ln(9) - ln(5))  # from k = 2 on, 2^k + 1 grows by 9/5 or more, the other by e^(1/2)

    def within(t: int, epsilon: Fraction, beta: Fraction) -> bool:
        now, after = (error_bound(s, arb(epsilon.numerator) / epsilon.denominator, beta) for s in (t, t + 1))
        order = subject * ln(t + 1) * (ln(t + 1) - ln(beta)) * epsilon.denominator / epsilon.numerator
        return at_most(now, after) and at_most(now, order)

    times = (1, 2, 3, 4, 7, 8, 15, 16, 255, 256, 2**40, 2**200 - 1)
    cases = product(times, (Fraction(1, 10), Fraction(1), Fraction(10)), (Fraction(9, 10), Fraction(1, 10**9)))
    proof = "B is at most 4/epsilon L (13/3 L + ln(1/beta)), and its factors rise with t."
    return settled(inequality and starts and goes_on, proof, every("settings", cases, within))


ENVELOPE = {1: 3, 2: 9, 3: 10, 4: 18, 7: 24, 8: 31, 15: 46}
RAW = {7: 21, 15: 36}


@claim(LABEL, row=76, method=Method.ENCLOSED, scope="epsilon 1, beta 1/10, t to 15: on either side of e",
       subject=uniform_share, mutant=sharp_share,
       uses=("sec:randbin/geometric_law_sums_to_1", f"{LABEL}/one_interval_a_round_makes_every_prefix"))  # fmt: skip
def least_bounds_by_convolution(subject: Share) -> Finding:
    """By convolution, B is 3, 9, 10, 18, 24, 31, 46 at t = 1, 2, 3, 4, 7, 8, 15, as the nondecreasing envelope.

    The least bounds themselves are 21 at 7 and 36 at 15: they fall where a segment ends, for there the cover is short.
    """
    rounds, beta = range(1, 16), Fraction(1, 10)
    low = [[alpha_below(subject(end)) for end in cover(t)] for t in rounds]
    bounds = [
        [
            least_bound([a + over for a in alphas], beta / (t * (t + 1)), 400)
            for t, alphas in zip(rounds, low, strict=True)
        ]
        for over in (Fraction(0), Fraction(1, 2**60))
    ]
    raw, rising = bounds[0], list(accumulate(bounds[0], max))
    theirs = raw_bounds(HybridNoise(exp_epsilon_below(Fraction(1))[0]), beta, None, rounds)
    right = (
        bounds[0] == bounds[1] == theirs
        and envelope(theirs) == rising
        and {t: rising[t - 1] for t in ENVELOPE} == ENVELOPE
        and {t: raw[t - 1] for t in RAW} == RAW
    )
    detail = f"Least bounds {', '.join(map(str, raw))}; their envelope {', '.join(map(str, rising))}."
    return found(right, detail, raw=raw, envelope=rising)
