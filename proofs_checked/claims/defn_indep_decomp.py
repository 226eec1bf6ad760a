"""defn:indep_decomp: every round's release is a function of the inputs so far and of a seed of its own."""

from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.plays import blind, streams, view_law
from dpcert.proofs_checked.ledger import claim


@claim("defn:indep_decomp", row=60, method=Method.EXHAUSTIVE, scope="every stream of two rounds", uses=("def:view",),
       subject=TwoRound(), mutant=SharedCoin())  # fmt: skip
def fixed_streams_give_product_laws(subject: Any) -> Finding:
    """On a fixed stream the releases of different rounds are independent."""

    def independent(law: Pmf[Any]) -> bool:
        first, second = law.map(lambda y: y[0]), law.map(lambda y: y[1])
        return law == first.product(second)

    laws = [(view_law(subject, blind(pairs), 0, 2),) for pairs in streams(subject, 2)]
    return every("laws of the releases of two rounds", laws, independent)
