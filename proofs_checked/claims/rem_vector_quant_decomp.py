"""rem:vector_quant_decomp: the difference of aggregates, not a distance, decides the curves of vector noise."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.certificates import Clash, on_the_line, round_powers
from dpcert.proofs_checked.cases.cores import AddedNoise, AllNodes, indexed_sums
from dpcert.proofs_checked.cases.counting import every, shown
from dpcert.proofs_checked.cases.curves import curves
from dpcert.proofs_checked.cases.geometric import Shift, atoms, surplus
from dpcert.proofs_checked.cases.stability import context_stable, exchanged
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, settled
from dpcert.proofs_checked.ledger import claim, found

LABEL = "rem:vector_quant_decomp"
SKEWED = AddedNoise(from_weights({0: 2, 1: 1}))


@claim(LABEL, row=63, method=Method.EXHAUSTIVE, scope="running sums of two bits, noise 0 or 1 with chances 2/3 and 1/3",
       subject=lambda u, v: u - v, mutant=lambda u, v: abs(u - v), uses=("defn:indep_decomp",))  # fmt: skip
def skewed_noise_has_a_vector_certificate(subject: Callable[[int, int], int]) -> Finding:
    """The signed difference of aggregates decides every one-round curve of asymmetric noise; its size does not."""
    powers = round_powers(SKEWED, ((1,), (1, 2)), on_the_line(subject))
    if isinstance(powers, Clash):
        return found(False, f"One size and two curves: {shown(powers.pairs)}.", pairs=shown(powers.pairs))
    return found(True, f"{len(powers)} pairs (t, difference), each with one curve.")


@claim(LABEL, row=64, method=Method.SYMBOLIC, scope="unbounded geometric noise on two coordinates, every alpha > 1",
       subject=((2, 2), (3, 0)), mutant=((1, 1), (3, 0)))  # fmt: skip
def no_norm_orders_the_shifts(subject: tuple[Shift, Shift]) -> Finding:
    """Shifts (2,2) and (3,0) have incomparable curves, so no metric makes the curves monotone in the distance."""
    alpha, (one, two) = 1 + sympy.Symbol("s", positive=True), subject

    def somewhere_above(one: Shift, two: Shift) -> bool:
        differences = (surplus(one, alpha, j) - surplus(two, alpha, j) for j in range(sum(one)))
        return any(nonnegative(d) and not equal(d, 0) for d in differences)

    def incomparable(a: Fraction) -> bool:
        f, g = (PowerFunction.from_segments((m, m / a**e) for e, m in atoms(shift, a)) for shift in (one, two))
        return not f <= g and not g <= f

    proved = somewhere_above(one, two) and somewhere_above(two, one)
    examples = every("values of alpha", [(Fraction(n, 4),) for n in (5, 6, 8, 20)], incomparable)
    return settled(proved, "Each has the larger delta at some power of alpha, for every alpha > 1.", examples)


NOISE = from_weights({-2: 1, -1: 2, 0: 4, 1: 2, 2: 1})
PLANE = AddedNoise(NOISE.product(NOISE), ((0, 0), (2, 2), (3, 0)))
Z_3 = [*indexed_sums(3, [(2, 1, 0)]), *indexed_sums(2, [(3, 2, 1)])]
VECTOR_ONLY = [*((core, core.horizon) for core in Z_3), (SKEWED, 3), (PLANE, 2)]


@claim(LABEL, row=64, method=Method.EXHAUSTIVE, uses=("thm:noise-ind-DP/case_1_is_below_the_product",),
       scope="noisy sums over Z_3, 64 for three rounds, 8 for two; skewed noise on Z, geometric noise in the plane",
       subject=VECTOR_ONLY, mutant=[(TwoRound(), 2)],
       theorems=("Decomposable.vector_adaptive_safety",))  # fmt: skip
def the_vector_form_lifts(subject: list[tuple[Any, int]]) -> Finding:
    """Where only a vector certificate exists, without monotone curves, adaptive adversaries still gain nothing."""
    return every("cores", subject, lambda core, horizon: curves(core, horizon).lift)


ONE_NODE = AllNodes((((1,),), ((1, 2),)))
EVERY_NODE = AllNodes((((1,),), ((2,), (1, 2))))


@claim(LABEL, row=108, method=Method.EXHAUSTIVE, scope="the tree of two rounds on bits, noise 1, 2, 1: every history",
       subject=ONE_NODE, condition="a round releases one node, or messages are indexed by their round (x_i e_i)",
       instead=(f"{LABEL}/messages_with_their_round_cover_the_whole_tree",), without=EVERY_NODE,
       uses=("defn:quant_decomp", "defn:inv_pair"))  # fmt: skip
def the_tree_is_covered_exactly(subject: AllNodes) -> Finding:
    """The binary tree has a vector certificate on plain messages."""
    slots = exchanged(subject, 2)
    if slots is not None:
        entries = [(one.i, one.round, text(one.curve.total_variation)) for one in slots]
        said = " and ".join(f"{tv} in slot {i}" for i, _, tv in entries)
        detail = f"Round {slots[0].round} tells 0 from 1 with total variation {said}, and an invariant pair gives one."
        lifted = f"The lift holds all the same: {curves(subject, 2).lift}."
        return found(False, f"{detail} {lifted}", slots=[list(one) for one in entries])
    powers = round_powers(subject, ((1,), (1, 2)), on_the_line(lambda u, v: u - v))
    return found(not isinstance(powers, Clash), "The difference of the sums decides every curve.")


@claim(LABEL, row=108, method=Method.EXHAUSTIVE, scope="the same tree, every release of both nodes, messages x_i e_i",
       subject=EVERY_NODE, mutant=TwoRound(), uses=("sec:cert/context_stability_suffices",))  # fmt: skip
def messages_with_their_round_cover_the_whole_tree(subject: Any) -> Finding:
    """With messages x_i e_i the difference of the vectors decides every curve of the whole tree, and it lifts."""
    stable = context_stable(subject, 2, curves(subject, 2))
    return found(stable and curves(subject, 2).lift, "One curve a challenge, slot and round, and no gap.")


NORMS = [shift for shift in product(range(5), repeat=2) if any(shift)]


@claim(LABEL, row=113, method=Method.EXHAUSTIVE, subject=lambda shift: sum(shift), mutant=lambda shift: max(shift),
       scope="geometric noise on two coordinates, shifts up to 4, alpha 5/4, 3/2, 2, 5",
       uses=(f"{LABEL}/no_norm_orders_the_shifts",))  # fmt: skip
def the_1_norm_bounds_the_profile(subject: Callable[[Shift], int]) -> Finding:
    """Coordinate-wise geometric noise under a shift is at most as telling as one coordinate shifted by its 1-norm."""

    def below(shift: Shift, a: Fraction) -> bool:
        one, all_at_once = (
            PowerFunction.from_segments((m, m / a**e) for e, m in atoms(s, a)) for s in (shift, (subject(shift),))
        )
        return one <= all_at_once

    values = [Fraction(n, 4) for n in (5, 6, 8, 20)]
    return every("pairs (shift, alpha)", product(NORMS, values), below)
