"""eq:counterfactual_prefix_close: whatever was released, the sums of both worlds are at most 1 apart."""

from itertools import product
from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, Adjacency
from dpcert.proofs_checked.cases.clipped_runs import PAPER, Adversary, Setting, cases, counterfactual
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "eq:counterfactual_prefix_close"


@claim(LABEL, row=81, method=Method.EXHAUSTIVE, subject=(UNIT_HAMMING, (0, 1)), mutant=(HAMMING, (0, 2)),
       scope="every adversary on bits, every transcript of two rounds; those that look at signs, three rounds",
       uses=("sec:prefix-sum/unit_hamming_is_as_defined",))  # fmt: skip
def sums_are_one_apart(subject: tuple[Adjacency[Any], tuple[int, ...]]) -> Finding:
    """|Q_t^(0) - Q_t^(1)| <= 1 after every transcript, reached in that world or not."""

    def close(setting: Setting, adversary: Adversary) -> bool:
        firsts = {setting.run(adversary, c, errors, clipped=False)[0] for c in (0, 1) for errors, _ in setting.paths}
        later = [range(-7, 9)] * (len(setting.bounds) - 2)
        return all(
            abs(u - v) <= 1
            for seen in product(firsts, *later, (0,))
            for u, v in zip(*(counterfactual(adversary, c, seen) for c in (0, 1)), strict=True)
        )

    return every("adversaries", cases(PAPER, *subject), close)
