"""eq:randbin_threshold_invariant: the bin that is due is not overdue, and no two are due at once."""

from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.proofs_checked.cases.bin_runs import KERNELS, RUNS, SLOW, Round, every_round
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim


@claim("eq:randbin_threshold_invariant", row=45, method=Method.EXHAUSTIVE, scope=RUNS, subject=KERNELS, mutant=SLOW,
       uses=("alg:randbin/bins_leave_at_their_threshold",))  # fmt: skip
def nothing_is_overdue(subject: tuple[RandBin, ...]) -> Finding:
    """After every step t < S[i] + E[i] + 2U; bins are due at least U steps apart, so at most one leaves in a step."""

    def ahead(mechanism: RandBin, step: Round) -> bool:
        before, due = (sums.noisy + sums.error + 2 * mechanism.level for sums in step.due)
        return step.t < due and (step.due[1].bin == 0 or due - before >= mechanism.level)

    return every("steps", every_round(subject), ahead)
