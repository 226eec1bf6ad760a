"""defn:do: f-DP asks for one order of the worlds; a symmetric relation gives the other."""

from fractions import Fraction
from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.adjacency import HAMMING, Adjacency, ZeroOut
from dpcert.proofs_checked.cases.cores import two_round_cores
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import curves, known_curves
from dpcert.proofs_checked.cases.seeds import one_seed
from dpcert.proofs_checked.ledger import claim

GRID = (Fraction(1, 4), Fraction(1, 2), Fraction(1))


@claim("defn:do", row=25, method=Method.EXHAUSTIVE, subject=HAMMING, mutant=ZeroOut(null=0),
       scope="all two-round cores on bits with chances 1/4, 1/2 or 1, 324 of 729 up to the names of a round's inputs; "
       "128 of 1,024 mechanisms with one seed bit",
       uses=("def:paired_sim", "defn:power_mech"))  # fmt: skip
def both_orders_have_one_curve(subject: Adjacency[Any]) -> Finding:
    """Adaptive and fixed-stream curves are their own reverse, for the adversary may swap the two streams."""
    cases = [(mechanism,) for mechanism in (*two_round_cores(GRID), *list(one_seed())[::8])]

    def symmetric(mechanism: object) -> bool:
        both = known_curves(mechanism, 2) if subject is HAMMING else curves(mechanism, 2, subject)
        return all(curve == curve.reversed() for curve in both)

    return every("mechanisms", cases, symmetric)
