"""eq:raw_clipped_prefix_sum_identity: on one path of the noise, both releases are safe together, and equal."""

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.clipped_runs import CASES, PAPER, Adversary, Setting, cases
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "eq:raw_clipped_prefix_sum_identity"


@claim(LABEL, row=81, method=Method.EXHAUSTIVE, subject=0, mutant=1, scope=f"{CASES}; every path of the noise",
       uses=("eq:prefix_sum_common_safe_set",))  # fmt: skip
def safe_together_and_equal(subject: int) -> Finding:
    """Y is in G_T if and only if its clipped twin is, and then they are one; with errors of E(t) let in, not."""

    def together(setting: Setting, adversary: Adversary) -> bool:
        for world in (0, 1):
            for errors, _ in setting.paths:
                raw, cut = (setting.run(adversary, world, errors, clipped=clipped) for clipped in (False, True))
                safe = [setting.safe(adversary, v, end=subject) for v in (raw, cut)]
                if safe[0] != safe[1] or (safe[0] and raw != cut):
                    return False
        return True

    return every("adversaries", cases(PAPER), together)
