"""eq:randbin_load_profile: how much one load of RandBin tells, Z against Z - theta."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import sympy

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.noise.geometric import load_law
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, settled
from dpcert.proofs_checked.ledger import claim

THIRD, QUARTER, SIXTH = Fraction(1, 3), Fraction(1, 4), Fraction(1, 6)
EXPECTED = [
    (2, 2, [(0, THIRD), (2 * THIRD, 1)]),
    (2, 4, [(0, SIXTH), (SIXTH, 3 * SIXTH), (3 * SIXTH, 5 * SIXTH), (5 * SIXTH, 1)]),
    (3, 2, [(0, QUARTER), (QUARTER, 3 * QUARTER), (3 * QUARTER, 1)]),
]
"""e^epsilon, U, and the corners between (0, 0) and (1, 1)."""


def clipped(base: int, level: int) -> Pmf[int]:
    """Z = 3U/2 + Geom(e^epsilon) clipped to [-U/2, U/2]: P(k) is (e - 1)/(e + 1) e^-|k|, tails on the end points."""
    half, unit = level // 2, Fraction(base - 1, base + 1)
    inside = {k: unit / base ** abs(k) for k in range(1 - half, half)}
    tail = (1 - sum(inside.values())) / 2
    return Pmf({half + level + k: w for k, w in {-half: tail, **inside, half: tail}.items()})


def cut_off(base: int, level: int) -> Pmf[int]:
    """The same with the tails' mass spread over all values, not put on the end points."""
    half = level // 2
    weights = {k: Fraction(1, base ** abs(k)) for k in range(-half, half + 1)}
    return Pmf({half + level + k: w / sum(weights.values()) for k, w in weights.items()})


@claim(
    "eq:randbin_load_profile", row=42, method=Method.EXHAUSTIVE, uses=("defn:power",),
    scope="(e^epsilon, U) = (2, 2), (2, 4) and (3, 2), theta -1 and 1", subject=clipped, mutant=cut_off,
)  # fmt: skip
def load_curves(subject: Callable[[int, int], Pmf[int]]) -> Finding:
    """Pow(Z‖Z - theta) has the listed corners, is the same for either theta, and is symmetric."""

    def holds(base: int, level: int, corners: list[tuple[Fraction, Fraction]], theta: int) -> bool:
        law = subject(base, level)
        curve = PowerFunction.from_laws(law, law.map(lambda z: z - theta))
        return [*curve.vertices] == [(0, 0), *corners, (1, 1)] and curve.reversed() == curve

    return every("curves", ((*case, theta) for case in EXPECTED for theta in (-1, 1)), holds)


Parts = dict[str, tuple[Any, Any]]
"""What the curve is made of -> (mass under Z, mass under Z - 1)."""


def parts(a: Any, w: Any) -> Parts:
    """The six parts of the curve, with a = e^epsilon_1 and w = a^(1 - U/2)."""
    end, inside = w / (a + 1), (1 - w) / (a + 1)  # an end of the support, and all between an end and the middle
    return {
        "gone": (0, end), "rising": (inside, a * inside), "left": (end, (a - 1) * end),
        "right": ((a - 1) * end, end), "falling": (a * inside, inside), "lost": (end, 0),
    }  # fmt: skip


def in_order(a: Fraction) -> tuple[str, ...]:
    """The parts by falling ratio: from 2 on, from the golden ratio on, and below it."""
    if a >= 2:
        return "gone", "rising", "left", "right", "falling", "lost"
    if a * a >= a + 1:
        return "gone", "rising", "right", "left", "falling", "lost"
    return "gone", "right", "rising", "falling", "left", "lost"


def without_the_golden_ratio(a: Fraction) -> tuple[str, ...]:
    """The same with two orders, which turn at 2."""
    return in_order(max(a, Fraction(9, 5)))


Order = Callable[[Fraction], tuple[str, ...]]
REGIMES = (Fraction(5, 2), Fraction(9, 5), Fraction(3, 2))
"""An e^epsilon_1 of each."""


def _falls(order: Order) -> bool:
    """Whether the ratios fall in that order wherever e^epsilon_1 lies within its regime."""
    over = sympy.Symbol("s", positive=True)
    for at in REGIMES:
        a = (2 if at >= 2 else 1) + over
        golden = a * a - a - 1
        signs = {REGIMES[0]: [1], REGIMES[1]: [1, golden, 2 - a], REGIMES[2]: [1, -golden]}[at]  # none is negative
        named = parts(a, sympy.Symbol("w", positive=True))
        ratios = [named[name][1] / named[name][0] for name in order(at)[1:-1]]
        steps = [sympy.cancel(first - second) for first, second in pairwise(ratios)]
        if not all(any(nonnegative(step / sign) for sign in signs) for step in steps):
            return False
    return True


@claim("eq:randbin_load_profile", row=42, method=Method.SYMBOLIC, subject=in_order, mutant=without_the_golden_ratio,
       uses=("defn:power", "def:truncated_geom/ends_hold_the_tails"),
       scope="every e^epsilon_1 above 1, every U and either theta; ten evaluated with U 2, 4, 6, 8")  # fmt: skip
def load_curves_for_every_u(subject: Order) -> Finding:
    """Pow(Z‖Z - theta) has at most six segments, in an order that turns at e^epsilon_1 = 2 and the golden ratio.

    Inside, masses fall by a = e^epsilon_1 a step, so that all ratios on one side of the middle are a, on the other 1/a,
    and each side weighs (1 - a^(1-U/2)) / (a + 1). The ends have ratios a - 1 and 1/(a - 1) beside their neighbours,
    and nothing beyond.
    """
    a, w = 1 + sympy.Symbol("s", positive=True), sympy.Symbol("w", positive=True)
    masses = parts(a, w)
    step = masses["rising"][0].subs(w, w / a) - masses["rising"][0]  # one more value on a side, of mass m_(U/2)
    sums = [sum(mass[world] for mass in masses.values()) for world in (0, 1)]
    mirrors = zip(("gone", "rising", "left"), ("lost", "falling", "right"), strict=True)
    identities = (
        equal(step, (a - 1) / (a + 1) * w / a)
        and all(equal(total, 1) for total in sums)
        and all(equal(masses[one][i], masses[two][1 - i]) for one, two in mirrors for i in (0, 1))
        and _falls(subject)
    )

    def holds(base: Fraction, level: int, theta: int) -> bool:
        law = load_law(base, level)
        curve = PowerFunction.from_laws(law, law.map(lambda z: z - theta))
        masses = parts(base, base ** (1 - level // 2))
        corners = {(Fraction(0), Fraction(0))}
        x = y = Fraction(0)
        for name in subject(base):
            x, y = x + masses[name][0], y + masses[name][1]
            corners.add((x, y))
        return set(curve.vertices) <= corners and all(curve(u) == v for u, v in corners if u > 0)

    bases = [Fraction(n, 10) for n in (11, 15, 16, 17, 18, 20, 21, 25, 30, 50)]
    proof = "The parts make both laws, mirror each other, and have ratios that fall in this order."
    return settled(identities, proof, every("curves", product(bases, (2, 4, 6, 8), (-1, 1)), holds))
