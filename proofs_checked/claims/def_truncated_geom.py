"""def:truncated_geom: the geometric law clipped to [-U/2, U/2], how large U is, and the loads made from it."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from flint import arb

from dpcert.audit.algebra.enclosure import ball, enclosed, exponential
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.mechanisms.noise.geometric import geometric_mass, geometric_tail, level_for, load_law, truncated_geometric
from dpcert.proofs_checked.cases.bin_runs import ALPHAS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.orders import at_most, ln
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, settled, share
from dpcert.proofs_checked.ledger import claim, found

LABEL = "def:truncated_geom"
Law = Callable[[Fraction, int], Pmf[int]]


def cut_off(base: Fraction, level: int) -> Pmf[int]:
    """The geometric law given that it lies in [-U/2, U/2]: the tails go to all values, not to the ends."""
    inside = {k: geometric_mass(base, k) for k in range(-(level // 2), level // 2 + 1)}
    return Pmf({k: w / sum(inside.values()) for k, w in inside.items()})


@claim(LABEL, row=39, method=Method.SYMBOLIC,
       scope="every e^epsilon above 1 and U; e^epsilon 2, 3/2, 3 and U 2, 4, 6, 8, 10 evaluated",
       subject=truncated_geometric, mutant=cut_off, uses=("sec:randbin/geometric_law_sums_to_1",))  # fmt: skip
def ends_hold_the_tails(subject: Law) -> Finding:
    """G has support [-U/2..U/2]: the geometric masses inside, and half of P(|Geom| >= U/2) on either end."""

    def clipped(base: Fraction, level: int) -> bool:
        half, law = level // 2, subject(base, level)
        inside = all(law.probability(k) == geometric_mass(base, k) for k in range(1 - half, half))
        ends = all(law.probability(end) == geometric_tail(base, half) / 2 for end in (-half, half))
        return inside and ends and sorted(law.support) == [*range(-half, half + 1)]

    a, w = 1 + sympy.Symbol("a", positive=True), sympy.Symbol("w", positive=True)
    end, inner = a * w / (a + 1), (a - 1) / (a + 1)  # w = a^-(U/2); the inner masses are those of Geom
    rest = 2 * inner * (1 - w) / (1 - 1 / a) - inner  # of a geometric series, |k| < U/2
    proved = equal(end - end / a, inner * w) and equal(rest + 2 * end, 1)
    evaluated = every("laws", product(ALPHAS, range(2, 11, 2)), clipped)
    proof = "a w/(a + 1) falls by Geom's own mass from n to n + 1, and with the inner masses both ends make 1."
    return settled(proved and evaluated.verdict is Verdict.HOLDS, proof, evaluated)


@claim(LABEL, row=39, method=Method.EXHAUSTIVE, scope="e^epsilon 2, 3/2, 3 and U 2, 4, 6, 8, 10", subject=load_law,
       mutant=lambda base, level: truncated_geometric(base, 2 * level).map(lambda k: 3 * level // 2 + k),
       uses=(f"{LABEL}/ends_hold_the_tails",))  # fmt: skip
def loads_fill_U_to_2U(subject: Law) -> Finding:  # noqa: N802 - U is the level's name
    """3U/2 + G has support [U..2U], U the level that G is clipped at."""
    cases = product(ALPHAS, range(2, 11, 2))
    return every("laws", cases, lambda base, u: sorted(subject(base, u).support) == [*range(u, 2 * u + 1)])


BASES = (*ALPHAS, Fraction(11, 10), Fraction(8, 5), Fraction(100))
DELTAS = tuple(Fraction(*pair) for pair in ((9, 10), (1, 2), (2, 5), (1, 3), (16, 45), (1, 6), (1, 10), (1, 10**6)))
GRID = list(product(BASES, DELTAS))
PARAMETERS = "every e^epsilon above 1 and delta; e^epsilon 11/10 to 100 with delta 9/10 to 10^-6 evaluated"
TAIL = "sec:randbin/geometric_law_sums_to_1"


def first_level(base: Fraction, delta: Fraction) -> int:
    """The least even U with P(|Geom| >= U/2) <= delta, mass after mass."""
    half, beyond = 1, 1 - geometric_mass(base, 0)
    while beyond > delta:
        beyond -= 2 * geometric_mass(base, half)
        half += 1
    return 2 * half


def logarithmic_ceiling(x: Fraction, base: Fraction) -> int:
    """ceil(ln x / ln base); where rounding leaves it open, base^m tells."""
    quotient = enclosed(lambda: ball(x).log() / ball(base).log())
    if quotient.lower is None or quotient.upper is None:
        raise ArithmeticError("an unbounded quotient")
    m: int = -(-quotient.lower // 1)
    return m if m >= quotient.upper or base**m >= x else m + 1


@claim(LABEL, row=36, method=Method.SYMBOLIC, scope=PARAMETERS, subject=1, mutant=0, uses=(TAIL,))
def level_in_closed_form(subject: int) -> Finding:
    """U = 2 max(1, ceil(1 + ln(2 / ((1 + e^epsilon) delta)) / epsilon)), and the max is never needed."""
    a, w, d = 1 + sympy.Symbol("a", positive=True), sympy.Symbol("w", positive=True), share("d")
    tail = 2 * a ** (1 - subject) / (w * (a + 1))  # P(|Geom| >= n) with w = a^(n - subject)
    equivalence = equal(d - tail, d / w * (w - 2 / ((a + 1) * d))) and nonnegative(a * 2 / (a + 1) - 1)

    def agrees(base: Fraction, delta: Fraction) -> bool:
        half = subject + logarithmic_ceiling(2 / ((1 + base) * delta), base)
        return half >= 1 and 2 * half == first_level(base, delta) == level_for(base, delta)

    proof = "P(|Geom| >= n) <= delta if and only if a^(n-1) >= 2/((a+1) delta), and that exceeds 1/a."
    return settled(equivalence, proof, every("pairs (e^epsilon, delta)", GRID, agrees))


@claim(LABEL, row=37, method=Method.SYMBOLIC, scope=PARAMETERS, subject=4, mutant=2, uses=(TAIL,))
def level_with_a_floor(subject: int) -> Finding:
    """U <= 4 + (2 / epsilon) ln(1 / delta), that is, e^(epsilon (U - 4) / 2) <= 1 / delta."""
    a = 1 + sympy.Symbol("a", positive=True)
    proved = nonnegative(1 - 2 * a ** (2 - subject // 2) / (a + 1))  # P(|Geom| >= n - 1) a^(n - subject/2) <= 1
    proof = "If U/2 = n is at least 2, delta < P(|Geom| >= n-1) = 2 a^(2-n)/(a+1) <= a^(2-n); else U = 2."
    below = every("pairs (e^epsilon, delta)", GRID, lambda a, d: a ** ((first_level(a, d) - subject) // 2) <= 1 / d)
    return settled(proved, proof, below)


Shape = Callable[[Any, Any], Any]
"""(epsilon, ln(1/delta)) -> what U is a constant times of, at most."""


@claim(LABEL, row=37, method=Method.SYMBOLIC, subject=lambda epsilon, logs: logs / epsilon,
       control=lambda epsilon, logs: 1 + logs / epsilon,
       corrected="(2 / epsilon) ln(1 / delta) <= U <= 4 + (2 / epsilon) ln(1 / delta): of the order of 1 + that.",
       instead=(f"{LABEL}/level_with_a_floor", f"{LABEL}/level_is_at_least_the_logarithm"),
       uses=(f"{LABEL}/level_with_a_floor",),
       scope="every constant K, at epsilon = K and delta = 1/2; the control on a grid with K = 4")  # fmt: skip
def level_is_of_the_printed_order(subject: Shape) -> Finding:
    """U = O((1 / epsilon) ln(1 / delta)): false, U is at least 2 however large epsilon is; with 1 + it is true."""
    constant = sympy.Symbol("K", positive=True)
    value = sympy.simplify(constant * subject(constant, sympy.log(2)))
    if not value.free_symbols and value < 2:
        levels = {k: first_level(exponential(Fraction(k)).finite().lower, Fraction(1, 2)) for k in (4, 40, 400)}
        if set(levels.values()) == {2}:
            detail = f"With epsilon = K and delta = 1/2, U = 2, and K times the order is {value} for every K."
            return found(False, detail, epsilon="K", delta="1/2", level=2, bound=f"{value} < 2")

    def below(base: Fraction, delta: Fraction) -> bool:
        return at_most(arb(first_level(base, delta)), 4 * subject(ln(base), -ln(delta)))

    return every("pairs (e^epsilon, delta)", GRID, below)


@claim(LABEL, row=111, method=Method.SYMBOLIC, scope=PARAMETERS, subject=1, mutant=2, uses=(TAIL,))
def level_is_at_least_the_logarithm(subject: int) -> Finding:
    """U >= (2 / epsilon) ln(1 / delta), that is, e^(epsilon U / 2) >= 1 / delta; with row 37, U is of that order."""
    a, w = 1 + sympy.Symbol("a", positive=True), sympy.Symbol("w", positive=True)
    tail = 2 * a / (w * (a + 1))  # P(|Geom| >= n) with w = a^n, at most delta
    proved = nonnegative(tail - subject / w)
    above = every("pairs (e^epsilon, delta)", GRID, lambda a, d: a ** (first_level(a, d) // 2) >= subject / d)
    return settled(proved, "delta >= P(|Geom| >= n) = 2 a^(1-n) / (a+1) >= a^-n for n = U/2, since 2a >= a + 1.", above)
