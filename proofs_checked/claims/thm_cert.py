"""thm:cert: a core that passes Checklist 1 is as private under feedback as it is on fixed streams."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.examine import examine
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.kernels.protocols import PrefixCore
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.interval_sums import IntervalSums
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BiasByThePast, SameBitAgain, two_round_cores
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import FixedAndAdaptive, curves, known_curves
from dpcert.proofs_checked.cases.stability import Condition, context_stable, fresh_randomness_alone
from dpcert.proofs_checked.claims.sec_cert import FIRST, GRID
from dpcert.proofs_checked.ledger import claim, found

STRIDE = 37
"""Every so many-th of the two-round cores is audited; prime, so that all their entries vary."""
NAMED = (
    (BinaryTree(), 4), (IntervalSums(), 3), (RandomizedResponse(), 4), (SameBitAgain(), 3), (BiasByThePast(), 3),
    (TwoRound(), 2),
)  # fmt: skip
Asked = Callable[[Item], bool]


@claim("thm:cert", row=None, method=Method.EXHAUSTIVE, subject=lambda _: True,
       mutant=lambda item: item is not Item.STABLE_COST,
       scope="13 two-round cores on bits with chances 1/3 to 1, and six named cores over up to four rounds",
       uses=("thm:noise-ind-DP/adaptive_safety", "sec:cert/context_stability_suffices"))  # fmt: skip
def checklist_1_lifts(subject: Asked) -> Finding:
    """Cores that pass the checklist have one privacy profile for fixed streams and adaptive adversaries.

    Without item 4 they need not.
    """
    games = [*((core, 2) for core in list(two_round_cores(GRID, FIRST))[::STRIDE]), *NAMED]
    count = 0
    for core, horizon in games:
        items = examine(core, horizon=horizon, exp_epsilons=[1])["checklist"]
        if all(item["verdict"] == "HOLDS" for item in items if subject(Item(item["item"]))):
            count += 1
            both = known_curves(core, horizon)
            if not both.lift:
                return found(False, f"One passes and has a gap: {core}.", core=str(core))
    return found(count > 1, f"{count} of {len(games)} cores pass, none of them with a gap.")


@claim("thm:cert", row=None, method=Method.EXHAUSTIVE, subject=(BiasByThePast(), 3), mutant=(TwoRound(), 2),
       scope="a bit with a bias that the bit before chooses: three rounds, every adversary",
       uses=("sec:cert/future_stability_suffices",))  # fmt: skip
def the_checklist_is_not_necessary(subject: tuple[PrefixCore[Any, Any], int]) -> Finding:
    """A core may fail the checklist, and the scalar, vector and context-stable forms with it, and lift all the same."""
    both = curves(*subject)
    stable = context_stable(*subject, both)
    said = f"{'Stable' if stable else 'Not stable'} under common context; {'no gap' if both.lift else 'a gap'}."
    return found(not stable and both.lift, said)


QUARTERS = (Fraction(1, 4), Fraction(1, 2), Fraction(1))


@claim("thm:cert", row=None, method=Method.EXHAUSTIVE, subject=context_stable, mutant=fresh_randomness_alone,
       scope="all two-round cores on bits with chances 1/4, 1/2 or 1, 324 of 729 up to the names of a round's inputs",
       uses=("sec:cert/context_stability_suffices",), theorems=("Lift.context_stable_lift",))  # fmt: skip
def certified_cores_lift(subject: Condition) -> Finding:
    """Of all cores of a grid, those whose one-round cost is stable have no gap; among the others several have one."""
    unknown = FixedAndAdaptive(PowerFunction.identity(), PowerFunction.identity())
    certified_cores, others = list[TwoRound](), list[TwoRound]()
    for core in two_round_cores(QUARTERS):
        (certified_cores if subject(core, 2, unknown) else others).append(core)
    answer = every("certified cores", ((core,) for core in certified_cores), lambda core: known_curves(core, 2).lift)
    if answer.verdict is Verdict.REFUTED:
        return answer
    gaps = sum(not known_curves(core, 2).lift for core in others)
    said = f"{len(certified_cores)} cores are certified, none with a gap; {gaps} of {len(others)} others have one."
    return found(bool(certified_cores) and gaps > 1, said)
