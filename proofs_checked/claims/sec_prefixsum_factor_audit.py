"""sec:prefixsum_factor, "Adaptive-Safety Audit": the difference of streams decides every round of R x + z."""

from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BITS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import curves
from dpcert.proofs_checked.ledger import claim

LABEL = "sec:prefixsum_factor"
NOISE_WEIGHTS = {-1: 1, 0: 2, 1: 1}
Blocks = tuple[tuple[tuple[int, ...], ...], ...]
"""A_1, A_2, ...: the rows that are released in each round, each of as many entries as rounds have passed."""


@dataclass(frozen=True)
class MatrixCore:
    """Z_t = A_t x + eta_t: rows times the inputs so far, each with noise of its own; whole numbers.

    Args:
        blocks: A_1, A_2, ....
        spreads: Whether the noise is wider after an input 1, so that it is no longer the same for all streams.
    """

    blocks: Blocks
    spreads: bool = False
    alphabet: ClassVar[tuple[int, ...]] = BITS

    def law(self, prefix: tuple[int, ...]) -> Pmf[Any]:
        """The law of the rows of round t together."""
        wide = 2 if self.spreads and prefix[:-1].count(1) else 1
        rows: Pmf[Any] = from_weights({(): 1})
        for row in self.blocks[len(prefix) - 1]:
            at = sum(r * x for r, x in zip(row, prefix, strict=True))
            noisy = from_weights({at + wide * eta: weight for eta, weight in NOISE_WEIGHTS.items()})
            rows = rows.product(noisy).map(lambda pair: (*pair[0], pair[1]))
        return rows


SQUARES = [MatrixCore((((a,),), ((b, c),))) for a, b, c in product((-1, 0, 1, 2), repeat=3)]
TREE = MatrixCore((((1,),), ((0, 1), (1, 1))))
"""The tree of two rounds: nodes 1; 2 and 1..2."""
MIXED = MatrixCore((((1,), (-1,)), ((2, -1), (0, 1))))
NOTHING_AT_FIRST = MatrixCore(((), ((1, 1), (1, -1))))
CORES = [*SQUARES, TREE, MIXED, NOTHING_AT_FIRST]
SPREADING = [MatrixCore(TREE.blocks, spreads=True)]
SCOPE = "67 integer matrices of two rounds, up to two rows a round, signs mixed; bits, noise (1, 2, 1)/4 in each row"


@claim(LABEL, row=96, method=Method.EXHAUSTIVE, scope=SCOPE, subject=CORES, mutant=SPREADING,
       uses=("defn:inv_pair/bounded_integers_have_an_invariant_pair",))  # fmt: skip
def differences_decide_every_round(subject: list[MatrixCore]) -> Finding:
    """Pow(A_t x + eta_t || A_t x' + eta_t) = Pow(eta_t || eta_t + A_t (x' - x)): x' - x alone decides it.

    The inputs are vectors x_i e_i, so that the difference of sums over I_t = [1..t] tells the rounds apart.
    """

    def decided(core: MatrixCore, t: int) -> bool:
        powers: dict[tuple[int, ...], PowerFunction] = {}
        for x, other in product(product(BITS, repeat=t), repeat=2):
            curve = PowerFunction.from_laws(core.law(x), core.law(other))
            difference = tuple(b - a for a, b in zip(x, other, strict=True))
            if powers.setdefault(difference, curve) != curve:
                return False
        return True

    return every("rounds", product(subject, (1, 2)), decided)


@claim(LABEL, row=96, method=Method.EXHAUSTIVE, scope=SCOPE, subject=CORES, mutant=[TwoRound()],
       uses=(f"{LABEL}/differences_decide_every_round", "rem:vector_quant_decomp/the_vector_form_lifts",
             "thm:noise-ind-DP/adaptive_safety", "defn:tensor/any_attaining_pair_will_do"))  # fmt: skip
def inputs_that_adapt_gain_nothing(subject: list[Any]) -> Finding:
    """The core R x + z has one curve for fixed streams and for adaptive adversaries."""
    return every("cores", ((core,) for core in subject), lambda core: curves(core, 2).lift)
