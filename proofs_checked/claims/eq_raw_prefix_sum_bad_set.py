"""eq:raw_prefix_sum_bad_set: raw sums leave the common safe set no more often than they are too far off."""

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.clipped_runs import CASES, PAPER, TIGHT, Adversary, Setting, cases
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "eq:raw_prefix_sum_bad_set"


@claim(LABEL, row=81, method=Method.EXHAUSTIVE, subject=PAPER, mutant=TIGHT, scope=CASES,
       uses=("eq:counterfactual_prefix_close", "eq:prefix_sum_common_safe_set",
             "thm:dp_unbounded_prefix_sum/the_error_is_the_noises_alone"))  # fmt: skip
def raw_sums_leave_it_seldom(subject: int) -> Finding:
    """H_c, errors of at most B(t), lies in G_T, so that P_c(G_T^c) <= P(an error above B(t)); E > B + 1 is needed."""

    def seldom(setting: Setting, adversary: Adversary) -> bool:
        inside = all(
            setting.safe(adversary, setting.run(adversary, c, errors, clipped=False))
            for c in (0, 1)
            for errors, _ in setting.paths
            if setting.good(errors)
        )
        laws = [setting.law(adversary, c, clipped=False) for c in (0, 1)]
        outside = [sum(w for v, w in law.items() if not setting.safe(adversary, v)) for law in laws]
        return inside and max(outside) <= setting.failure

    return every("adversaries", cases(subject), seldom)
