"""sec:prelim, "Finite-Precision Convention" and the finite message space."""

from collections.abc import Callable
from itertools import product
from typing import Any

from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.cores import BINOMIAL, AddedNoise, Mapped, indexed_sums
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import adaptive, curves
from dpcert.proofs_checked.ledger import claim, found

LABEL = "sec:prelim"


@claim(LABEL, row=21, method=Method.EXHAUSTIVE, scope="integers 0 to 5 as messages, every two of them",
       readings={"sums of integers": lambda u, v: u + v, "sums modulo 6": lambda u, v: (u + v) % 6})  # fmt: skip
def sums_of_messages_are_messages(subject: Callable[[int, int], int]) -> Finding:
    """A finite message space holds the integer streams, counters and aggregates that are sent and added up."""
    for u, v in product(range(6), repeat=2):
        if subject(u, v) not in range(6):
            return found(False, f"{u} + {v} = {subject(u, v)} is no message.", messages=[u, v], sum=subject(u, v))
    return found(True, "Every sum is a message.")


@claim(LABEL, row=22, method=Method.EXHAUSTIVE, uses=("defn:power/data_processing", "defn:power_mech"),
       scope="noisy sums over Z_3, two rounds, every choice of index sets, every map to three values",
       subject=lambda y, _: y, mutant=lambda y, prefix: (y, prefix[-1] // 2))  # fmt: skip
def upper_bounds_survive_quantisation(subject: Callable[[Any, Any], Any]) -> Finding:
    """A fixed, data-independent map of the releases never raises the adaptive curve; one that looks at the data may."""
    ideal = [(core, adaptive(core, 2)) for core in indexed_sums(2, [(2, 1, 1)])]
    cases = ((core, bound, table) for core, bound in ideal for table in product(range(3), repeat=3))

    def below(core: Any, bound: Any, table: tuple[int, ...]) -> bool:
        return bool(adaptive(Mapped(core, lambda y, prefix: subject(table[y], prefix)), 2) <= bound)

    return every("cores and maps", cases, below)


IDEAL = AddedNoise(BINOMIAL)
COARSE = AddedNoise(BINOMIAL, shown=lambda _, y: y // 2)
CLIPPED = AddedNoise(BINOMIAL, shown=lambda t, y: max(0, min(t, y)))
SUMS = "noisy sums of two bits, binomial noise on -2..2: every adversary, every epsilon"


@claim(LABEL, row=22, method=Method.EXHAUSTIVE, scope=f"{SUMS}; every second value told apart", subject=IDEAL,
       condition="it is the ideal core that is certified", without=COARSE,
       instead=(f"{LABEL}/upper_bounds_survive_quantisation",),
       uses=("thm:noise-ind-DP/adaptive_safety", f"{LABEL}/upper_bounds_survive_quantisation"))  # fmt: skip
def a_quantised_core_keeps_the_certified_guarantee(subject: AddedNoise) -> Finding:
    """The fixed-stream curve that was certified bounds the quantised core against adaptive adversaries."""
    bound, power = curves(subject, 2).fixed, adaptive(COARSE, 2)
    bends = sorted({max(a, b) / min(a, b) for a, b in power.segments if a and b})
    above = [e for e in bends if power.delta(e) > bound.delta(e)]
    at = above[0] if above else bends[0]
    witness = {"exp_epsilon": text(at), "bound": text(bound.delta(at)), "reached": text(power.delta(at))}
    detail = (
        f"At e^epsilon {text(at)} the bound is {witness['bound']} and the quantised core reaches {witness['reached']}."
    )
    return found(power <= bound, detail, **witness)


@claim(LABEL, row=66, method=Method.EXHAUSTIVE, scope=f"{SUMS}; clipped to [0, 1] and [0, 2]", subject=CLIPPED,
       control=IDEAL,
       corrected="The profile of the ideal core, which is certified, bounds the clipped one.",
       instead=("sec:prelim/a_clipped_core_is_bounded_by_the_ideal_profile",),
       uses=("defn:power_mech",))  # fmt: skip
def a_clipped_core_lifts_by_its_own_profile(subject: AddedNoise) -> Finding:
    """The fixed-stream profile of the core as it runs, clipped, holds against adaptive adversaries: false."""
    fixed, reached = (power.total_variation for power in curves(subject, 2))
    detail = f"Total variation {text(fixed)} for fixed streams and {text(reached)} for adaptive adversaries."
    return found(curves(subject, 2).lift, detail, total_variation=[text(fixed), text(reached)])


@claim(LABEL, row=66, method=Method.EXHAUSTIVE, scope=f"{SUMS}; clipped to [0, 1] and [0, 2]", subject=IDEAL,
       mutant=CLIPPED,
       uses=("thm:noise-ind-DP/adaptive_safety", f"{LABEL}/upper_bounds_survive_quantisation"))  # fmt: skip
def a_clipped_core_is_bounded_by_the_ideal_profile(subject: AddedNoise) -> Finding:
    """The fixed-stream profile of the ideal core bounds the clipped one against adaptive adversaries."""
    bound, reached = curves(subject, 2).fixed, adaptive(CLIPPED, 2)
    most, found_ = text(bound.total_variation), text(reached.total_variation)
    detail = f"Total variation at most {most}; the clipped core reaches {found_}."
    return found(reached <= bound, detail)
