"""sec:prelim, the example after fact:triangle_power: two (epsilon, delta) hops."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from dpcert.audit.algebra.power import dp_power
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.dp_lines import below, lines, then
from dpcert.proofs_checked.cases.symbols import nonnegative, ratio, settled, share
from dpcert.proofs_checked.ledger import claim

RATIOS = [Fraction(n, 4) for n in (4, 5, 8, 20)]
EIGHTHS = [Fraction(n, 8) for n in range(9)]
POINTS = "values of e^epsilon and delta"
PROOF = "Each line of the bound is above a composite of two lines."
USES = ("fact:triangle_power", "fig:power_function/three_pieces")


@claim(
    "sec:prelim", row=11, method=Method.SYMBOLIC, scope="every e^epsilon >= 1, every delta that is allowed", uses=USES,
    subject=lambda a: 1 / (1 + a), condition="delta (1 + e^epsilon) <= 1", without=lambda _: 1,
    instead=("sec:prelim/two_hops_capped",),
)  # fmt: skip
def two_hops_as_printed(subject: Callable[[Any], Any]) -> Finding:
    """Two hops of DP_{epsilon,delta} stay below DP_{2 epsilon, delta (1 + e^epsilon)}."""
    a = ratio("a")
    d = share("t") * subject(a)
    inequality = nonnegative(1 - d * (1 + a)) and below(then(lines(a, d), lines(a, d)), lines(a * a, d * (1 + a)))

    def holds(exp_epsilon: Fraction, delta: Fraction) -> bool:
        hop, two = dp_power(exp_epsilon, delta), delta * (1 + exp_epsilon)
        return two <= 1 and hop.then(hop) <= dp_power(exp_epsilon**2, two)

    return settled(inequality, PROOF, every(POINTS, ((a, t * subject(a)) for a in RATIOS for t in EIGHTHS), holds))


@claim(
    "sec:prelim", row=11, method=Method.SYMBOLIC, scope="every e^epsilon >= 1 and delta in [0, 1]", uses=USES,
    subject=lambda a, d: d * (1 + a), mutant=lambda _, d: 2 * d,
)  # fmt: skip
def two_hops_capped(subject: Callable[[Any, Any], Any]) -> Finding:
    """Two hops of DP_{epsilon,delta} stay below DP_{2 epsilon, min(1, delta (1 + e^epsilon))}."""
    a, d = ratio("a"), share("d")
    inequality = below(then(lines(a, d), lines(a, d)), lines(a * a, subject(a, d)))

    def holds(exp_epsilon: Fraction, delta: Fraction) -> bool:
        hop, two = dp_power(exp_epsilon, delta), min(Fraction(1), subject(exp_epsilon, delta))
        return hop.then(hop) <= dp_power(exp_epsilon**2, two)

    return settled(inequality, PROOF, every(POINTS, product(RATIOS, EIGHTHS), holds))
