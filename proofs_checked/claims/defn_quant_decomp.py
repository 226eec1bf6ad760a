"""defn:quant_decomp: one distance between aggregates decides every one-round curve."""

from typing import NamedTuple

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.proofs_checked.cases.certificates import (
    Clash,
    IndexSets,
    around,
    monotone,
    on_the_line,
    one_sided,
    round_powers,
)
from dpcert.proofs_checked.cases.cores import AddedNoise
from dpcert.proofs_checked.cases.counting import shown
from dpcert.proofs_checked.ledger import claim, found

LABEL = "defn:quant_decomp"
LOWBIT = ((1,), (1, 2), (3,), (1, 2, 3, 4))


@claim(LABEL, row=60, method=Method.EXHAUSTIVE, scope="every two streams of four rounds over Z_3",
       subject=LOWBIT, mutant=(*LOWBIT[:3], (3, 4)),
       uses=("defn:indep_decomp", "defn:inv_pair/the_aggregate_is_well_defined"))  # fmt: skip
def tree_nodes_are_decomposable(subject: IndexSets) -> Finding:
    """The tree's noisy nodes over Z_3 have a scalar certificate with I_t = [t - lowbit(t) + 1 .. t]."""
    powers = round_powers(BinaryTree(), subject, around(3))
    if isinstance(powers, Clash):
        detail = f"Round {powers.round}: one distance and two curves, for {shown(powers.pairs)}."
        return found(False, detail, round=powers.round, pairs=shown(powers.pairs))
    return found(
        monotone(powers), f"{len(powers)} pairs (t, distance), each with one curve, none falling with distance."
    )


class Noise(NamedTuple):
    """Integer weights of the noise values from `least` on."""

    least: int
    weights: tuple[int, ...]


@claim(LABEL, row=63, method=Method.EXHAUSTIVE, scope="running sums of two bits with fresh noise, every two streams",
       subject=Noise(-1, (1, 2, 1)), condition="the noise is symmetric", without=Noise(0, (2, 1)),
       uses=("defn:indep_decomp", "defn:inv_pair/the_aggregate_is_well_defined"))  # fmt: skip
def noisy_sums_have_a_scalar_certificate(subject: Noise) -> Finding:
    """Running sums with fresh additive noise are quantitatively decomposable, curves being decided by a distance."""
    noise = from_weights({subject.least + k: w for k, w in enumerate(subject.weights)})
    signed = round_powers(AddedNoise(noise), ((1,), (1, 2)), on_the_line(lambda u, v: u - v))
    curve = None if isinstance(signed, Clash) else one_sided(signed)
    if curve is not None:
        values = [curve.hockey_stick(2, order) for order in ("0-1", "1-0")]
        one, other = map(text, values)
        detail = f"One pair of histories has delta {one} at e^epsilon 2 one way and {other} the other way."
        return found(False, f"{detail} No metric has a direction.", curve=[shown(v) for v in curve.vertices])
    powers = round_powers(AddedNoise(noise), ((1,), (1, 2)), on_the_line(lambda u, v: abs(u - v)))
    return found(not isinstance(powers, Clash) and monotone(powers), "The distance |u - u'| decides every curve.")
