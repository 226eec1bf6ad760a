"""lem:randbin_wrapper: the contract of the wrapper, which rests on the simulation's steps."""

from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.pair_runs import PAIRED, PAIRED_RUNS, Emission, Paired, every_emission
from dpcert.proofs_checked.claims.defn_randbin_npp import CROSSED
from dpcert.proofs_checked.ledger import claim


@claim("lem:randbin_wrapper", row=None, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=PAIRED, mutant=CROSSED,
       uses=("defn:randbin_npp", "sec:randbin_short/one_edit_touches_two_adjacent_bins"))  # fmt: skip
def one_edit_is_at_most_two_adjacent_bins(subject: Paired) -> Finding:
    """RandBin has a simulation with the real output in each branch; its outputs differ in two adjacent bins at most."""

    def kept(mechanism: RandBin, step: Emission) -> bool:
        del mechanism
        differ = [first != second for first, second in (*step.past.differing, step.held)]
        return step.same and not any(differ[2:])

    return every("bins", every_emission(subject), kept)
