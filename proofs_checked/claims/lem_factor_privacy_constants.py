"""lem:factor_privacy_constants: rho and the Rényi divergences of L (R x + z), from the longest column of R."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from flint import acb, arb

from dpcert.audit.algebra.enclosure import Ends, ball
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.encoder import encoder_of_rows
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.symbols import equal, settled
from dpcert.proofs_checked.ledger import claim

LABEL = "lem:factor_privacy_constants"
Rows = tuple[tuple[int, ...], ...]
CHANGES = [Fraction(n, 4) for n in range(-6, 7)]
ROUNDS = 3


def matrices() -> list[Rows]:
    """Every fifth of the causal ones of three rounds with entries -1, 0, 1, one of them doubled, but for 0."""
    entries = product((-1, 0, 1), repeat=6)
    found: Iterator[Rows] = (((a, 0, 0), (b, c, 0), (d, 2 * e, f)) for a, b, c, d, e, f in entries)
    return [rows for rows in found if any(map(any, rows))][::5]


def lengths(rows: Rows, change: Fraction) -> list[Fraction]:
    """||R (x - x')||^2 for x - x' = change e_i, i = 1, 2, ...."""
    return [sum(((change * row[i]) ** 2 for row in rows), Fraction(0)) for i in range(ROUNDS)]


Rho = Callable[[Fraction, Fraction, Fraction], Fraction]


@claim(LABEL, row=91, method=Method.EXHAUSTIVE, subject=lambda s, d, sigma: d**2 * s / (2 * sigma**2),
       scope="146 causal matrices of three rounds, changes from -3/2 to 3/2 in quarters, sigma 1 and 7/2",
       mutant=lambda s, d, sigma: d * s / (2 * sigma**2), uses=(f"{LABEL}/divergence_of_a_shift",))  # fmt: skip
def rho_of_the_longest_column(subject: Rho) -> Finding:
    """||R (x - x')||^2 <= Delta^2 s(R)^2, attained, and rho = Delta^2 s(R)^2 / (2 sigma^2) is the least."""

    def least(rows: Rows, most: Fraction, sigma: Fraction) -> bool:
        s = column_sensitivity(encoder_of_rows(rows)).l2_squared
        longest = max(n for change in CHANGES if abs(change) <= most for n in lengths(rows, change))
        rho = GaussianShift.of_noise(Ends(longest, longest), sigma).rho
        return s.lower == s.upper and longest == most**2 * s.upper and rho.upper == subject(s.upper, most, sigma)

    sizes = [(Fraction(1), Fraction(1)), (Fraction(3, 2), Fraction(7, 2))]
    return every("cores", ((rows, *size) for rows in matrices() for size in sizes), least)


REACH = 80
"""The integrals are worked out within so many deviations of 0; the rest is bounded."""


def moment(alpha: Fraction, mu: Fraction) -> arb:
    """The integral of p^alpha q^(1 - alpha) for N(mu, 1) against N(0, 1), by quadrature and a bound on the tails.

    The exponent is at most b |y| - y^2/2 with b = alpha mu, and b |y| <= y^2/4 past 4 b: what is left out is at most
    2 e^(-y^2/4) / (2 sqrt(2 pi)) from REACH on, each way.
    """
    a, m = ball(alpha), ball(mu)

    def density(y: Any, _: Any) -> Any:
        return (-a * (y - m) ** 2 / 2 - (1 - a) * y**2 / 2).exp() / (2 * arb.pi()).sqrt()

    inner = acb.integral(density, -REACH, REACH).real
    rest = arb(2).sqrt() * (arb(REACH) / 2).erfc()
    return inner + (rest / 2) + rest.union(-rest) / 2  # between inner and inner + rest


Divergence = Callable[[Any, Any], Any]


@claim(LABEL, row=94, method=Method.SYMBOLIC, subject=lambda alpha, mu: alpha * mu**2 / 2,
       mutant=lambda alpha, mu: (alpha - 1) * mu**2 / 2,
       scope="every alpha > 1 and mu; 30 integrals enclosed")  # fmt: skip
def divergence_of_a_shift(subject: Divergence) -> Finding:
    """D_alpha(N(mu, 1) || N(0, 1)) = alpha mu^2 / 2, by completing the square."""
    alpha, mu, y = sympy.symbols("alpha mu y")
    exponent = -alpha * (y - mu) ** 2 / 2 - (1 - alpha) * y**2 / 2
    identity = equal(exponent, -((y - alpha * mu) ** 2) / 2 + (alpha - 1) * subject(alpha, mu))

    def enclosed(order: Fraction, shift: Fraction) -> bool:
        value = (moment(order, shift).log() / ball(order - 1)) - ball(subject(order, shift))
        return bool(abs(value) < arb(10) ** -9)

    orders: Sequence[Fraction] = [Fraction(n, 2) for n in (3, 4, 5, 7, 12)]
    cases = product(orders, [Fraction(n, 4) for n in (-6, -1, 1, 2, 4, 7)])
    return settled(identity, "The rest is the density of N(alpha mu, 1).", every("integrals", cases, enclosed))


Length = Callable[[Any, Any], Any]
SHIFTS = [(Fraction(a, c), Fraction(b, c)) for a, b, c in ((3, 4, 5), (3, 4, 2), (5, -12, 8), (-8, 15, 17), (1, 0, 1))]
"""Of rational length."""


@claim(LABEL, row=91, method=Method.SYMBOLIC, subject=lambda a, b: a**2 + b**2, mutant=lambda a, b: (a + b) ** 2,
       scope="every shift of two coordinates; 10 products of integrals enclosed",
       uses=("defn:tensor/any_attaining_pair_will_do", f"{LABEL}/divergence_of_a_shift"))  # fmt: skip
def a_shift_costs_its_length_alone(subject: Length) -> Finding:
    """N(0, I) against N(m, I) is as far apart as N(0, 1) against N(mu, 1) with mu = ||m||.

    The likelihood ratio at y is e^(<m, y> - ||m||^2/2), and <m, y> has the law N(0, ||m||^2) in the one world and the
    same moved by ||m||^2 in the other: the ratio's law, which decides the curve, is that of one coordinate.
    """
    a, b, y, z = sympy.symbols("a b y z", real=True)
    ratio = -((y - a) ** 2 + (z - b) ** 2) / 2 + (y**2 + z**2) / 2
    variance, moved = a * a + b * b, a * a + b * b  # of a y + b z for independent y and z, and where (a, b) moves it
    identities = (
        equal(ratio, a * y + b * z - subject(a, b) / 2) and equal(variance, subject(a, b)) and equal(moved, variance)
    )

    def enclosed(order: Fraction, shift: tuple[Fraction, Fraction]) -> bool:
        length = ball(subject(*shift)).sqrt()
        both = moment(order, shift[0]) * moment(order, shift[1])
        return bool(abs(both.log() - ball(order * (order - 1)) * length**2 / 2) < arb(10) ** -9)

    evaluated = every("integrals", product((Fraction(3, 2), Fraction(3)), SHIFTS), enclosed)
    return settled(identities, "The ratio looks at <m, y> alone.", evaluated)
