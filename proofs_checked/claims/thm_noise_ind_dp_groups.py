"""thm:noise-ind-DP and defn:quant_decomp over Z_5, where distances differ, and where messages do not commute."""

from collections.abc import Callable
from itertools import product
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
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
       mutant=IndexedSums(THREE, (4, 1, 2, 2, 1)), scope="every two streams of three rounds over Z_5: distances 0 to 2",
       uses=("defn:indep_decomp", "defn:inv_pair/the_aggregate_is_well_defined"))  # fmt: skip
def curves_over_z_5_rise_with_the_distance(subject: IndexedSums) -> Finding:
    """Noisy sums over Z_5 have a scalar certificate with monotone g_t; with a curve higher at 1 than at 2, not."""

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
       scope="sums over Z_5, and true or uniform products of symmetries: all index sets, two rounds, all adversaries",
       subject=[core(sets) for sets in TWO_ROUNDS for core in (lambda s: IndexedSums(s, FALLING), TrueOrUniform)],
       uses=(f"{DEFINITION}/curves_over_z_5_rise_with_the_distance", f"{DEFINITION}/messages_need_not_commute",
             "thm:noise-ind-DP/adaptive_safety"))  # fmt: skip
def larger_groups_lift_as_well(subject: list[Any]) -> Finding:
    """Where distances take three values, or messages do not commute, fixed streams and adversaries have one curve."""
    return every("mechanisms", ((core,) for core in subject), lambda core: curves(core, 2).lift)


HIGHER_BETWEEN = (4, 1, 2, 2, 1)
"""Noise over Z_5 whose curve is higher at distance 1 than at 2."""
ASKED = Mapped(IndexedSums(((1,), (1,)), FALLING), asks)


@claim("thm:noise-ind-DP", row=68, method=Method.EXHAUSTIVE, mutant=[ASKED],
       scope="noisy sums over Z_5 whose curves fall with the distance: all index sets that hold something, two rounds",
       subject=[IndexedSums(sets, HIGHER_BETWEEN) for sets in TWO_ROUNDS if all(sets)])  # fmt: skip
def monotonicity_is_never_used(subject: list[Any]) -> Finding:
    """Proof: one curve a distance is enough; mechanisms lift whose g_t fall as the distance grows."""

    def lifts(core: Any) -> bool:
        powers = round_powers(core, core.index_sets, around(5)) if isinstance(core, IndexedSums) else {}
        return not isinstance(powers, Clash) and not (powers and monotone(powers)) and curves(core, 2).lift

    return every("mechanisms", ((core,) for core in subject), lifts)


@claim("thm:noise-ind-DP", row=68, method=Method.EXHAUSTIVE, subject=around(5).difference,
       mutant=lambda u, v: around(5).difference(u, v) // 2, uses=("defn:quant_decomp", "defn:power/identity_is_least"),
       scope="noisy sums over Z_5: every two streams of two rounds, all index sets")  # fmt: skip
def no_distance_costs_nothing(subject: Callable[[int, int], int]) -> Finding:
    """Proof: g_t(0) = Id, since aggregates at distance 0 are one and the law is theirs; a metric is needed for that."""
    streams = list(product(range(5), repeat=2))

    def free(core: IndexedSums, x: tuple[int, ...], y: tuple[int, ...]) -> bool:
        u, v = (sum(z[i - 1] for i in core.index_sets[1]) % 5 for z in (x, y))
        return subject(u, v) > 0 or PowerFunction.from_laws(core.law(x), core.law(y)) == PowerFunction.identity()

    listed = [IndexedSums(sets, FALLING) for sets in TWO_ROUNDS[:4]]
    return every("pairs of streams", product(listed, streams, streams), free)
