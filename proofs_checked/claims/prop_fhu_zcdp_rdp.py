"""prop:fhu_zcdp_rdp: the norm of the smooth factorisation, which the printed bound falls short of from T = 11 on."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate

import sympy
from flint import arb

from dpcert.audit.algebra.enclosure import Ends, ball
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.matrices.square_root import coefficients, square_root
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.orders import Number, at_most, ln
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, settled
from dpcert.proofs_checked.ledger import cited, claim, found

LABEL = "prop:fhu_zcdp_rdp"
Bound = Callable[[int], arb]


def norms(rounds: int) -> list[Fraction]:
    """s(R)^2 = f(0)^2 + ... + f(T-1)^2 for T = 1, 2, ..., exactly."""
    return list(accumulate(f * f for f in coefficients(rounds)))


def long_norms(rounds: int) -> Iterator[tuple[int, arb]]:
    """(T, a number of at least s(R)^2), for T = 1, 2, ..., from coefficients over 2^128 with their radius."""
    encoder = square_root(rounds)
    unit = arb(2) ** (-2 * encoder.bits)
    squares = ((value + encoder.radius) ** 2 for value in encoder.values)
    return ((t, arb(total) * unit) for t, total in enumerate(accumulate(squares), 1))


def psi(rounds: int) -> arb:
    """Psi(T), as it is printed."""
    return 1 + (ln(rounds) + arb.const_euler() - 1) / arb.pi() + arb(2) / rounds


def with_constant(rounds: int, twos: Number) -> arb:
    """(ln T + gamma + c ln 2) / pi, c = `twos`."""
    return (ln(rounds) + arb.const_euler() + ball(Fraction(twos)) * ln(2)) / arb.pi()


def corrected(rounds: int) -> arb:
    """(ln T + gamma + 4 ln 2) / pi."""
    return with_constant(rounds, 4)


@claim(LABEL, row=90, method=Method.ENCLOSED, scope="T from 1 to 300, norms exact", subject=psi, control=corrected,
       corrected="s(R)^2 < (ln T + gamma + 4 ln 2) / pi for every T; Psi fails for every T >= 11.",
       instead=(f"{LABEL}/norm_is_below_the_corrected_bound", f"{LABEL}/norm_is_above_the_printed_bound_from_11_on"),
       uses=("sec:prefixsum_factor/the_square_root_makes_prefix_sums",))  # fmt: skip
def norm_is_at_most_the_printed_bound(subject: Bound) -> Finding:
    """s(R)^2 <= Psi(T): false at T = 11; s(R)^2 <= (ln T + gamma + 4 ln 2) / pi is true."""
    for rounds, norm in enumerate(norms(300), 1):
        if not at_most(ball(norm), subject(rounds)):
            detail = f"At T = {rounds} s(R)^2 is {text(norm)}, more than {subject(rounds)}."
            return found(False, detail, rounds=rounds, norm=text(norm), bound=str(subject(rounds)))
    return found(True, "All 300 norms are at most the bound.")


@claim(LABEL, row=90, method=Method.ENCLOSED, scope="Delta = sigma = 1, T from 1 to 300", subject=psi,
       control=corrected,
       corrected="rho_FHU <= Delta^2 (ln T + gamma + 4 ln 2) / (2 pi sigma^2), and the rest with it.",
       instead=(f"{LABEL}/norm_is_below_the_corrected_bound", "lem:factor_privacy_constants/rho_of_the_longest_column"),
       uses=(f"{LABEL}/norm_is_at_most_the_printed_bound", "lem:factor_privacy_constants"))  # fmt: skip
def rho_is_at_most_the_printed_one(subject: Bound) -> Finding:
    """rho_FHU <= Delta^2 Psi(T) / (2 sigma^2), and with it epsilon_alpha and the takeaway: false at T = 11."""
    for rounds, norm in enumerate(norms(300), 1):
        rho, bound = GaussianShift.of_noise(Ends(norm, norm), 1).rho.upper, subject(rounds) / 2
        if not at_most(ball(rho), bound):
            detail = f"At T = {rounds} the core is rho-zCDP for rho = {text(rho)} and none smaller; printed is {bound}."
            return found(False, detail, rounds=rounds, rho=text(rho), printed=str(bound))
    return found(True, "All 300 values of rho are at most the bound.")


K = 1 + sympy.Symbol("k", nonnegative=True)
"""A symbol for any number of at least 1."""
RATIO = (2 * K + 1) / (2 * K + 2)
"""f(k + 1) / f(k)."""


def by_integrals(lower: sympy.Expr, upper: sympy.Expr) -> bool:
    """Whether W_n, the integral of sin^n over [0, pi/2], puts f(k)^2 between 1 / (pi `lower`) and 1 / (pi `upper`).

    By parts, n W_n = (n - 1) W_{n-2}; so W_{2k} = pi/2 f(k), W_{2k+1} = 1 / ((2k+1) f(k)), and W_n falls in n.
    """
    s, n = sympy.symbols("s n", positive=True)
    parts = equal(s**2 - (n - 1) * (1 - s**2), n * s**2 - (n - 1))  # d/dx (-sin^(n-1) cos), over sin^(n-2)
    even = equal((2 * K + 2 - 1) / (2 * K + 2), RATIO)
    odd = equal((2 * K + 2) / (2 * K + 3), (2 * K + 1) / (2 * K + 3) / RATIO)
    # W_{2k+1} <= W_{2k} <= W_{2k-1} = 1 / (2k f(k)), each times 2 f(k) / pi
    return parts and even and odd and equal(lower, (2 * K + 1) / 2) and equal(upper, 2 * K / 2)


@claim(LABEL, row=90, method=Method.SYMBOLIC, scope="every k >= 1; k up to 300 evaluated",
       subject=(K + sympy.Rational(1, 2), K), mutant=(K + sympy.Rational(1, 5), K))  # fmt: skip
def squares_lie_between(subject: tuple[sympy.Expr, sympy.Expr]) -> Finding:
    """1 / (pi (k + 1/2)) <= f(k)^2 <= 1 / (pi k), so that pi k f(k)^2 tends to 1."""
    lower, upper = subject
    at = [tuple(Fraction(str(part.subs(K.args[1], k - 1))) for part in (lower, upper)) for k in range(1, 300)]

    def between(f: Fraction, low: Fraction, high: Fraction) -> bool:
        return at_most(1, arb.pi() * ball(low * f * f)) and at_most(arb.pi() * ball(high * f * f), 1)

    cases = ((f, *ends) for f, ends in zip(list(coefficients(300))[1:], at, strict=True))
    return settled(by_integrals(lower, upper), "By Wallis's integrals.", every("values of k", cases, between))


def falls(factor: sympy.Expr) -> bool:
    """Whether `factor` f(k)^2 falls strictly, for every k >= 1."""
    step = K.args[1]
    quotient = factor.subs(step, step + 1) / factor * RATIO**2
    return nonnegative(1 - quotient) and not equal(quotient, 1)


@claim(LABEL, row=90, method=Method.SYMBOLIC, scope="every T from the first on; 300 evaluated, norms exact", subject=11,
       mutant=10, uses=(f"{LABEL}/squares_lie_between",))  # fmt: skip
def norm_is_above_the_printed_bound_from_11_on(subject: int) -> Finding:
    """s(R)^2 > Psi(T) for every T >= 11, for s(R)^2 - Psi(T) rises with T.

    (k + 1/2) f(k)^2 falls, to 1/pi. ln(1 + 1/T) = 2 (x + x^3/3 + ...), x = 1/(2T+1), is at most 2x + 2/3 x^3/(1-x^2).
    So s^2 gains more than 2x/pi, and Psi less than that, for it loses 2/(T (T+1)), which is more than what is left.
    """
    x = 1 / (2 * K + 1)
    rest = sympy.Rational(2, 3) * x**3 / (1 - x**2)
    rises = (
        falls(K + sympy.Rational(1, 2))
        and nonnegative(2 / (K * (K + 1)) - rest)
        and equal(1 / (K + sympy.Rational(1, 2)), 2 * x)
    )
    values = list(enumerate(norms(subject + 299), 1))[subject - 1 :]
    first = not at_most(ball(values[0][1]), psi(subject))
    examples = every("norms", values, lambda rounds, norm: not at_most(ball(norm), psi(rounds)))
    return settled(rises and first, f"The difference rises, and is above 0 at T = {subject}.", examples)


@cited(LABEL, "Watson, The constants of Landau and Lebesgue, Quarterly Journal of Mathematics (1930)", row=90,
       scope="T = 2, 4, 8, ..., 512 by exact norms", subject=4, mutant=3,
       uses=("sec:prefixsum_factor/the_square_root_makes_prefix_sums",))  # fmt: skip
def limit_of_the_norm(subject: int) -> Finding:
    """s(R)^2 - (ln T + gamma + 4 ln 2) / pi tends to 0: the s(R)^2 are Landau's constants.

    Here: it is below 0, and a doubling of T at least halves it within 1/T, the known next term 1/(4 pi T).
    """
    exact = norms(512)
    left = {t: ball(exact[t - 1]) - with_constant(t, subject) for t in (2**k for k in range(1, 10))}
    return every("T", left.items(), lambda t, rest: bool(abs(rest * (4 * t) * arb.pi() + 1) < arb(2) / t))


@claim(LABEL, row=90, method=Method.SYMBOLIC, scope="every T; T up to 10,000 enclosed", subject=4,
       mutant=4 - Fraction(1, 10**4), uses=(f"{LABEL}/squares_lie_between", f"{LABEL}/limit_of_the_norm"))  # fmt: skip
def norm_is_below_the_corrected_bound(subject: Number) -> Finding:
    """s(R)^2 < (ln T + gamma + 4 ln 2) / pi for every T, for the difference falls to 0; 4 is the least such number.

    (k + 1/4 + 1/(32k)) f(k)^2 falls, to 1/pi, and the factor is at most the root of k (k + 1). With x = 1/T,
    ln(1 + x) < x / sqrt(1 + x), for the latter's derivative is the larger one by ((1 + x/2) - sqrt(1+x)) / (1+x)^(3/2).
    So s^2 gains more than (ln(T+1) - ln T) / pi.
    """
    factor, x = K + sympy.Rational(1, 4) + 1 / (32 * K), 1 / K
    root = nonnegative(K * (K + 1) - factor**2) and nonnegative((1 + x / 2) ** 2 - (1 + x))
    s = sympy.Symbol("s", positive=True)
    grows = (
        sympy.simplify(
            sympy.diff(s / sympy.sqrt(1 + s) - sympy.log(1 + s), s)
            - (1 + s / 2 - sympy.sqrt(1 + s)) / (1 + s) ** sympy.Rational(3, 2)
        )
        == 0
    )
    inequalities = falls(factor) and root and bool(grows) and subject >= 4

    def below(rounds: int, norm: arb) -> bool:
        return not at_most(with_constant(rounds, subject), norm)

    return settled(inequalities, "The difference falls to 0.", every("norms", long_norms(10**4), below))


Factors = tuple[Callable[[int], Fraction], Callable[[int], Fraction]]
"""What L and R have on their diagonals, by how far below the main one they are."""
FIRST = tuple(coefficients(40))
HALVES: Factors = (FIRST.__getitem__, FIRST.__getitem__)
ONE_SIDED: Factors = (lambda _: Fraction(1), lambda k: Fraction(k == 0))
"""M = M I."""


@claim(LABEL, row=90, method=Method.EXHAUSTIVE, scope="T from 2 to 12, and 40, entry by entry", subject=HALVES,
       mutant=ONE_SIDED, uses=("sec:prefixsum_factor/the_square_root_makes_prefix_sums",))  # fmt: skip
def rows_are_as_long_as_columns(subject: Factors) -> Finding:
    """||R||_{1 to 2} = ||L||_{2 to infinity}: the last row of L has the entries of the first column of R."""

    def equally_long(rounds: int) -> bool:
        left, right = subject
        rows = max(sum(left(t - i) ** 2 for i in range(t + 1)) for t in range(rounds))
        columns = max(sum(right(t - i) ** 2 for t in range(i, rounds)) for i in range(rounds))
        return rows == columns

    return every("numbers of rounds", ((rounds,) for rounds in (*range(2, 13), 40)), equally_long)
