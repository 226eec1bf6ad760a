"""defn:list_comp: one mechanism's hidden outputs are the other's inputs, and an adversary adapts to what both show."""

from collections.abc import Callable

from dpcert.audit.algebra.power import supremum
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import FixedAndAdaptive, curves
from dpcert.proofs_checked.cases.plays import played
from dpcert.proofs_checked.cases.stages import Stage, SteppedCore
from dpcert.proofs_checked.claims.thm_dp_comp import FEW, PLAYED, challengers, fed
from dpcert.proofs_checked.ledger import claim


@claim("defn:list_comp", row=30, method=Method.EXHAUSTIVE, scope=PLAYED, subject=lambda both: both.adaptive,
       mutant=lambda both: both.fixed, uses=("defn:power_mech", "def:paired_sim"))  # fmt: skip
def feedback_from_both_stages_counts(subject: Callable[[FixedAndAdaptive], object]) -> Finding:
    """The curve of the composition is the hull over adversaries who choose a pair after (v, w) of the rounds before."""

    def reached(stage: Stage, second: SteppedCore) -> bool:
        literal = supremum(played(fed(stage, second), a, stage.horizon) for a in challengers(stage, second))
        return subject(curves(fed(stage, second), stage.horizon)) == literal

    return every("pipelines", FEW, reached)
