"""eq:prefix_sum_common_safe_set: one set of transcripts, the same in both worlds, in which nothing is clipped."""

from collections.abc import Callable

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.clipped_runs import (
    CASES,
    PAPER,
    Adversary,
    Setting,
    Transcript,
    cases,
    counterfactual,
)
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "eq:prefix_sum_common_safe_set"
Sums = Callable[[int, int], tuple[int, ...]]
"""(sum of the branch's own inputs, sum that the other world would have) -> those that a release has to be near."""


def built_anew(
    setting: Setting, adversary: Adversary, branch: int, sums: Sums, *, clipped: bool
) -> dict[Transcript, bool]:
    """What a branch of the simulation releases, and whether it calls that safe: its own sum is the one that it keeps.

    The other world's is worked out from the transcript, as that branch has to.
    """
    safe_at: dict[Transcript, bool] = {}
    for errors, _ in setting.paths:
        transcript: Transcript = ()
        own, safe = 0, True
        for off, most in zip(errors, setting.error, strict=True):
            own += adversary(transcript)[branch]
            release = own + (max(-most, min(most, off)) if clipped else off)
            other = counterfactual(adversary, 1 - branch, (*transcript, release))[-1]
            safe &= all(abs(release - exact) < most for exact in sums(own, other))
            transcript = (*transcript, release)
        safe_at[transcript] = safe
    return safe_at


@claim(LABEL, row=81, method=Method.EXHAUSTIVE, subject=lambda own, other: (own, other),
       mutant=lambda own, _: (own,), scope=CASES, uses=("eq:counterfactual_prefix_close",))  # fmt: skip
def the_set_knows_no_world(subject: Sums) -> Finding:
    """Built anew in each branch, from its own sum and the other world's, G_T is one set; from its own alone, it is not.

    It is the set that the sums of both worlds give from outside, too.
    """

    def common(setting: Setting, adversary: Adversary) -> bool:
        sets = [
            built_anew(setting, adversary, branch, subject, clipped=clipped)
            for branch in (0, 1)
            for clipped in (False, True)
        ]
        transcripts = {v for branch in sets for v in branch}
        return all(branch[v] == setting.safe(adversary, v) for v in transcripts for branch in sets if v in branch)

    return every("adversaries", cases(PAPER), common)
