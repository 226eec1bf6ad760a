"""eq:prefix_sum_common_safe_set: one set of transcripts, the same in both worlds, in which nothing is clipped."""

from itertools import product

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.clipped_runs import CASES, PAPER, Adversary, Setting, cases
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "eq:prefix_sum_common_safe_set"


@claim(LABEL, row=81, method=Method.EXHAUSTIVE, subject=(0, 1), mutant=(0,), scope=CASES,
       uses=("eq:counterfactual_prefix_close",))  # fmt: skip
def the_set_knows_no_world(subject: tuple[int, ...]) -> Finding:
    """G_T is the same set if the worlds change places; a set of transcripts near one world's sums alone is not."""

    def common(setting: Setting, adversary: Adversary) -> bool:
        def swapped(seen: tuple[int, ...]) -> tuple[int, int]:
            return adversary(seen)[1], adversary(seen)[0]

        ways = product((0, 1), setting.paths, (False, True))
        runs = {setting.run(adversary, world, path[0], clipped=clipped) for world, path, clipped in ways}
        return all(setting.safe(adversary, v, worlds=subject) == setting.safe(swapped, v, worlds=subject) for v in runs)

    return every("adversaries", cases(PAPER), common)
