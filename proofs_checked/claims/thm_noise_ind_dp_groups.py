"""thm:noise-ind-DP and defn:quant_decomp over Z_5, where distances differ, and where messages do not commute."""

from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.certificates import Clash, IndexSets, Monoid, around, monotone, round_powers
from dpcert.proofs_checked.cases.cores import IndexedSums, Mapped
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import curves
from dpcert.proofs_checked.cases.groups import BACKWARDS, IN_ORDER, TWO_ROUNDS, TrueOrUniform, asks
from dpcert.proofs_checked.ledger import claim

DEFINITION = "defn:quant_decomp"
THREE: IndexSets = ((1,), (1, 2), (1, 2, 3))
FALLING = (4, 2, 1, 1, 2)
"""Noise over Z_5 whose curve rises with the distance, from 1 to 2."""
Case = tuple[Any, Monoid]


@claim(DEFINITION, row=60, method=Method.EXHAUSTIVE, subject=IndexedSums(THREE, FALLING),
       mutant=IndexedSums(THREE, (4, 1, 2, 2, 1)), scope="every two streams of three rounds over Z_5, distances 0, 1, 2",
       uses=("defn:indep_decomp", "defn:inv_pair/the_aggregate_is_well_defined"))  # fmt: skip
def curves_over_z_5_rise_with_the_distance(subject: IndexedSums) -> Finding:
    """Noisy sums over Z_5 have a scalar certificate with monotone g_t; with noise that is higher at 2 than at 1, not."""

    def certified(mechanism: IndexedSums) -> bool:
        powers = round_powers(mechanism, THREE, around(5))
        distances = {d for _, d in powers} if not isinstance(powers, Clash) else set()
        return not isinstance(powers, Clash) and distances == {0, 1, 2} and monotone(powers)

    return every("mechanisms", [(subject,)], certified)


@claim(DEFINITION, row=60, method=Method.EXHAUSTIVE, subject=IN_ORDER, mutant=BACKWARDS,
       scope="true product or uniform, of symmetries of three things: every two streams of three rounds",
       uses=("defn:indep_decomp", "defn:inv_pair/the_aggregate_is_well_defined"))  # fmt: skip
def messages_need_not_commute(subject: Monoid) -> Finding:
    """The discrete metric decides every curve of products taken in increasing order; taken backwards it does not."""

    def certified(mechanism: TrueOrUniform) -> bool:
        powers = round_powers(mechanism, mechanism.index_sets, subject)
        return not isinstance(powers, Clash) and monotone(powers)

    listed = [(1,), (1, 2), (1, 2, 3)], [(1,), (2,), (1, 3)], [(1,), (), (2, 3)]
    return every("mechanisms", ((TrueOrUniform(tuple(sets)),) for sets in listed), certified)


@claim("thm:noise-ind-DP", row=65, method=Method.EXHAUSTIVE, mutant=[Mapped(IndexedSums(((1,), (1,)), FALLING), asks)],
       scope="noisy sums over Z_5, and true or uniform products of symmetries: all index sets, two rounds, all adversaries",
       subject=[core(sets) for sets in TWO_ROUNDS for core in (lambda s: IndexedSums(s, FALLING), TrueOrUniform)],
       uses=(f"{DEFINITION}/curves_over_z_5_rise_with_the_distance", f"{DEFINITION}/messages_need_not_commute",
             "thm:noise-ind-DP/adaptive_safety"))  # fmt: skip
def larger_groups_lift_as_well(subject: list[Any]) -> Finding:
    """Where distances take three values, or messages do not commute, fixed streams and adversaries have one curve."""
    return every("mechanisms", ((core,) for core in subject), lambda core: curves(core, 2).lift)
