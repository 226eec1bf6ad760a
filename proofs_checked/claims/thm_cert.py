"""thm:cert: a core that passes Checklist 1 is as private under feedback as it is on fixed streams."""

from typing import Any

from dpcert.audit.examine import examine
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import curves
from dpcert.proofs_checked.ledger import claim


@claim("thm:cert", row=None, method=Method.EXHAUSTIVE, scope="each core over up to four rounds, every adversary",
       subject=((BinaryTree(), 4), (IntervalSums(), 3), (RandomizedResponse(), 4)), mutant=((TwoRound(), 2),),
       uses=("thm:noise-ind-DP/adaptive_safety", "sec:cert/context_stability_suffices"))  # fmt: skip
def checklist_1_lifts(subject: tuple[tuple[Any, int], ...]) -> Finding:
    """Certified cores have one privacy profile for fixed streams and for adaptive adversaries."""

    def certified_and_lifts(core: Any, horizon: int) -> bool:
        items = examine(core, horizon=horizon, exp_epsilons=[1])["checklist"]
        return curves(core, horizon).lift and all(item["verdict"] == "HOLDS" for item in items)

    return every("cores", subject, certified_and_lifts)
