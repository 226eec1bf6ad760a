"""sec:modular_comp: the remark on how to construct neighbour-preserving simulations."""

from dpcert.proofs_checked.ledger import cite

no_best_refinement_online = cite(
    "sec:modular_comp",
    "no_best_refinement_online",
    "A closest refinement of two sequences need not project to a closest refinement of their prefixes.",
    row=29,
    source="the paper says that there may be none and gives no witness; nothing later rests on it",
)
