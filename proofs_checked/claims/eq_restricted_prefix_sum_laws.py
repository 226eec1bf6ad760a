"""eq:restricted_prefix_sum_laws: within the common safe set, clipping does not change the law."""

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.clipped_runs import CASES, PAPER, Adversary, Setting, cases
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "eq:restricted_prefix_sum_laws"


@claim(LABEL, row=81, method=Method.EXHAUSTIVE, subject=(0, 1), mutant=(0,), scope=f"{CASES}; every event",
       uses=("eq:raw_clipped_prefix_sum_identity", "eq:raw_prefix_sum_bad_set"))  # fmt: skip
def laws_agree_within_the_set(subject: tuple[int, ...]) -> Finding:
    """Both laws give each event within G_T, and G_T^c, the same mass, at most delta; not within one world's own set."""

    def agree(setting: Setting, adversary: Adversary) -> bool:
        for world in (0, 1):
            raw_law, clipped_law = (setting.law(adversary, world, clipped=clipped) for clipped in (False, True))
            inside = [v for v in {*raw_law.support, *clipped_law.support} if setting.safe(adversary, v, worlds=subject)]
            if any(raw_law.probability(v) != clipped_law.probability(v) for v in inside):
                return False
            outside = [1 - sum(law.probability(v) for v in inside) for law in (raw_law, clipped_law)]
            if outside[0] != outside[1] or outside[1] > setting.failure:
                return False
        return True

    return every("adversaries", cases(PAPER), agree)
