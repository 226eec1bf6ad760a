"""sec:cert: what "stable one-round privacy cost" has to mean for the lift, and what fresh randomness is needed for."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.audit.kernels.label import label, parameters_of
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated
from dpcert.proofs_checked.cases.cores import AllNodes, BiasByThePast, SameBitAgain, two_round_cores
from dpcert.proofs_checked.cases.counting import every, shown
from dpcert.proofs_checked.cases.curves import FixedAndAdaptive, curves, known_curves
from dpcert.proofs_checked.cases.plays import blind, streams, view_law
from dpcert.proofs_checked.cases.seeds import OneSeed, one_seed
from dpcert.proofs_checked.cases.stability import (
    Condition,
    context_dominated,
    context_stable,
    exchanged,
    fresh_randomness_alone,
    future_stable,
    one_round_curves,
    stable_total_variation,
)
from dpcert.proofs_checked.ledger import claim, found

LABEL = "sec:cert"
GRID = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1))
FIRST = GRID[:2]
THREE_ROUNDS = (BiasByThePast(), SameBitAgain(), BinaryTree(), TwoRoundRepeated())
CORES = (
    "all two-round cores on bits with chances 1/3 or 1/2 and then 1/3, 1/2, 2/3 or 1, 480 of 1,024 up to the names of "
    "a round's inputs; and four cores over three rounds"
)


@cache
def _solved() -> tuple[tuple[Any, int, FixedAndAdaptive], ...]:
    """The cores of CORES with their horizons and exact curves."""
    games = [*((core, 2) for core in two_round_cores(GRID, FIRST)), *((core, 3) for core in THREE_ROUNDS)]
    return tuple((core, horizon, known_curves(core, horizon)) for core, horizon in games)


def _parameters(mechanism: object) -> dict[str, str]:
    return {name: label(value) for name, value in parameters_of(mechanism).items()}


def _suffices(condition: Condition) -> Finding:
    """Whether every core with the certificate has equal curves; one that has it and a gap refutes it."""
    certified_cases = [case for case in _solved() if condition(*case)]
    for core, _, both in certified_cases:
        if not both.lift:
            values = [text(power.total_variation) for power in both]
            detail = f"Certified, and yet fixed streams reach {values[0]} and adaptive adversaries {values[1]}."
            return found(False, detail, core=_parameters(core), total_variation=values)
    gaps = sum(not both.lift for _, _, both in _solved())
    detail = (
        f"{len(certified_cases)} of {len(_solved())} cores are certified, none of them with a gap; "
        f"{gaps} others have one."
    )
    return found(bool(certified_cases) and gaps > 0, detail)


@claim(LABEL, row=69, method=Method.EXHAUSTIVE, scope=CORES, subject=context_stable, mutant=stable_total_variation,
       uses=("defn:power_mech", "fact:joint_convexity", "fact:composition"),
       theorems=("Lift.context_stable_lift",))  # fmt: skip
def context_stability_suffices(subject: Condition) -> Finding:
    """One curve for each challenge and round, whatever the common context, is enough (beyond the paper)."""
    return _suffices(subject)


@claim(LABEL, row=105, method=Method.EXHAUSTIVE, scope=CORES,
       readings={"the power function": context_stable, "the total variation": stable_total_variation})  # fmt: skip
def a_stable_privacy_cost_suffices(subject: Condition) -> Finding:
    """Common context does not change the privacy cost of a discrepancy: enough, if the cost is the whole curve."""
    return _suffices(subject)


@claim(LABEL, row=70, method=Method.EXHAUSTIVE, scope=CORES, subject=context_dominated, mutant=fresh_randomness_alone,
       uses=("defn:power_mech", "defn:power_sup/hull_is_the_supremum", "fact:composition"),
       theorems=("Lift.context_dominated_lift",))  # fmt: skip
def context_domination_suffices(subject: Condition) -> Finding:
    """The product over rounds of the hulls over contexts below the fixed-stream curve is enough (beyond the paper)."""
    return _suffices(subject)


@claim(LABEL, row=107, method=Method.EXHAUSTIVE, scope=CORES, subject=future_stable, mutant=stable_total_variation,
       uses=("defn:power_mech", "defn:power_sup/hull_is_the_supremum", "fact:composition"),
       theorems=("Lift.future_stable_lift",))  # fmt: skip
def future_stability_suffices(subject: Condition) -> Finding:
    """One curve for every later common input, the inputs before the challenge given, is enough (beyond the paper)."""
    return _suffices(subject)


SEEDED = f"128 of the 1,024 mechanisms of two rounds that answer bits from one shared bit of seed; {CORES}"


@claim(LABEL, row=71, method=Method.EXHAUSTIVE, scope=SEEDED, uses=("defn:power_mech",),
       subject=lambda power: power.largest_ratio, mutant=lambda power: power.total_variation,
       theorems=("PureLift.pure_lift",))  # fmt: skip
def pure_guarantees_lift(subject: Callable[[PowerFunction], Any]) -> Finding:
    """The largest likelihood ratio is the same under feedback, shared seeds or not (beyond the paper)."""
    solved = [(core, both) for core, _, both in _solved()]
    solved += [(seeded, known_curves(seeded, 2)) for seeded in list(one_seed())[::8]]
    return every("mechanisms", solved, lambda _, both: bool(subject(both.fixed) == subject(both.adaptive)))


SHARED_SEED_WITH_A_GAP = OneSeed((0, 0, 1, 1), (0, 0, 0, 1, 0, 1, 1, 1))


@claim(LABEL, row=72, method=Method.EXHAUSTIVE, scope="the mechanism over two rounds: every stream, every adversary",
       subject=SharedCoin(), control=SHARED_SEED_WITH_A_GAP,
       corrected="Shared randomness may open a gap, and need not: pure guarantees lift always (row 71).",
       instead=(f"{LABEL}/pure_guarantees_lift",),
       uses=("defn:indep_decomp", "defn:power_mech"))  # fmt: skip
def fresh_randomness_is_necessary(subject: Any) -> Finding:
    """A mechanism whose rounds share randomness does not lift: false for one noisy bit released twice."""
    laws = [view_law(subject, blind(pairs), 0, 2) for pairs in streams(subject, 2)]
    if all(
        law == law.map(lambda y: y[:1]).product(law.map(lambda y: y[1:])).map(lambda y: y[0] + y[1]) for law in laws
    ):
        raise ValueError("the rounds do not share randomness")
    both = curves(subject, 2)
    values = [text(power.total_variation) for power in both]
    detail = f"The rounds are dependent; total variation {values[0]} for fixed streams, {values[1]} under feedback."
    return found(
        not both.lift, detail, mechanism=_parameters(subject), curve=[shown(v) for v in both.adaptive.vertices]
    )


TREE_OF_TWO = AllNodes((((1,),), ((1, 2),)))
WEIGHTED = AllNodes((((1,),), ((1, 2),)), ((2,), (1, 2)))


def _no_exchange(cores: tuple[AllNodes, ...]) -> Finding:
    """Whether no core has a challenge with two curves in two slots: it has no certificate on plain messages then."""
    for core in cores:
        slots = exchanged(core, 2)
        if slots is not None:
            values = [text(one.curve.total_variation) for one in slots]
            where = f"0 against 1 has total variation {values[0]} in slot {slots[0].i} and {values[1]} in {slots[1].i}"
            detail = f"Rows (2) and (1, 2): in round {slots[0].round}, {where}."
            return found(False, detail, rows=["(2)", "(1, 2)"], noise=[1, 2, 1], total_variation=values)
    return found(True, f"{len(cores)} cores.")


@claim(LABEL, row=109, method=Method.EXHAUSTIVE, subject=(TREE_OF_TWO, WEIGHTED), control=(TREE_OF_TWO,),
       scope="a lower-triangular core of two rounds on bits, rows (2) and (1, 2), noise 1, 2, 1",
       corrected="The tree does, with one node a round. A lower-triangular core has a certificate of the vector form "
                 "with messages indexed by their round (x_i e_i), or is context-stable: both carry the lift.",
       instead=(f"{LABEL}/lower_triangular_cores_are_context_stable",
                "rem:vector_quant_decomp/messages_with_their_round_cover_the_whole_tree"),
       uses=("defn:quant_decomp", "rem:vector_quant_decomp/the_tree_is_covered_exactly"))  # fmt: skip
def both_examples_pass_as_formalised(subject: tuple[AllNodes, ...]) -> Finding:
    """The tree and every lower-triangular mechanism are quantitatively decomposable: false for rows (2), (1, 2)."""
    return _no_exchange(subject)


@claim(LABEL, row=109, method=Method.EXHAUSTIVE, subject=(WEIGHTED, AllNodes((((1,),), ((1, 2),)), ((2,), (1, 3)))),
       mutant=(TwoRoundRepeated(),), uses=(f"{LABEL}/context_stability_suffices",),
       scope="lower-triangular cores of two rounds on bits, rows (2), (1, 2) or (1, 3), noise 1, 2, 1")  # fmt: skip
def lower_triangular_cores_are_context_stable(subject: tuple[Any, ...]) -> Finding:
    """A lower-triangular core has one curve for each slot, challenge and round, and lifts."""
    solved = [(core, curves(core, 2)) for core in subject]
    return every("cores", solved, lambda core, both: context_stable(core, 2, both) and both.lift)


@claim(LABEL, row=109, method=Method.EXHAUSTIVE, subject=WEIGHTED, mutant=TREE_OF_TWO,
       scope="rows (2), (1, 2), noise 1, 2, 1, messages indexed by their round")  # fmt: skip
def no_metric_of_indexed_messages_is_monotone(subject: AllNodes) -> Finding:
    """Even with messages x_i e_i no distance is monotone: round 1 asks d(0, e_1) > d(0, e_2), round 2 the reverse.

    The messages are vectors, of which round 1 weighs the first coordinate alone: e_2 leaves no trace in it.
    """
    of = {(one.i, one.round): one.curve for one in one_round_curves(subject, 2) if one.challenge == (0, 1)}
    first = of[1, 1] > PowerFunction.identity()
    second = of[2, 2] >= of[1, 2] and of[2, 2] != of[1, 2]
    values = [text(of[i, t].total_variation) for i, t in ((1, 1), (1, 2), (2, 2))]
    return found(first and second, f"Total variation of slots 1, 1, 2 in rounds 1, 2, 2: {', '.join(values)}.")
