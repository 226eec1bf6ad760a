"""defn:power_mech: the curve of two mechanisms is the supremum over all adversaries, or over non-adaptive ones."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BITS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import adaptive, curves
from dpcert.proofs_checked.cases.delayed import Delayed
from dpcert.proofs_checked.cases.plays import literal_adaptive, literal_fixed
from dpcert.proofs_checked.ledger import claim

LABEL = "defn:power_mech"
THIRD, HALF = Fraction(1, 3), Fraction(1, 2)


def _named_once(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> bool:
    """Of the tables [[a, b], [c, d]] that differ in the names of inputs, and of the first answer, the first one."""
    return (a, b, c, d) == min((a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a))


TABLES = [table for table in product((THIRD, HALF, Fraction(1)), repeat=4) if _named_once(*table)]
CORES = [TwoRound((THIRD, 2 * THIRD), ((a, b), (c, d))) for a, b, c, d in TABLES]
SCOPE = (
    "two-round cores on bits, first chances 1/3 and 2/3, later ones 1/3, 1/2 or 1, 27 of 81 up to names; 40 adversaries"
)


@claim(LABEL, row=23, method=Method.EXHAUSTIVE, scope=SCOPE, uses=("def:view", "defn:power_sup/hull_is_the_supremum"),
       subject=lambda core: curves(core, 2).adaptive, mutant=lambda core: curves(core, 2).fixed)  # fmt: skip
def backward_induction_is_the_supremum(subject: Callable[[TwoRound], PowerFunction]) -> Finding:
    """The solver's curve is the hull over the list of all deterministic adversaries."""
    cases = [(core,) for core in CORES]
    return every("cores", cases, lambda core: subject(core) == literal_adaptive(core, 2, BITS))


@claim(LABEL, row=23, method=Method.EXHAUSTIVE, scope=SCOPE, uses=("def:view",),
       subject=lambda core: Delayed(core, 2), mutant=lambda core: core)  # fmt: skip
def non_adaptive_adversaries_see_nothing_in_time(subject: Callable[[TwoRound], Any]) -> Finding:
    """Fixed streams reach exactly what adaptive adversaries reach who are shown everything after the last round."""
    cases = [(core,) for core in CORES]
    return every(
        "cores", cases, lambda core: adaptive(subject(core), 2) == literal_fixed(core, 2) == curves(core, 2).fixed
    )
