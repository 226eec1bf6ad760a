"""alg:randbin_sketch: the skeleton draws a bin's size when the bin leaves, the algorithm one bin ahead."""

from fractions import Fraction
from functools import partial
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS, outcomes
from dpcert.proofs_checked.cases.sketch import AtEmission
from dpcert.proofs_checked.ledger import claim, found

LABEL = "alg:randbin_sketch"
Bins = tuple[tuple[int, int], ...]
"""(step of leaving, size) of each bin so far."""


def first_bins(mechanism: RandBin, number: int) -> Pmf[Bins]:
    """The joint law of the first bins."""
    runs: dict[tuple[Any, Bins], Fraction] = {(mechanism.initial, ()): Fraction(1)}
    masses: list[tuple[Bins, Fraction]] = []
    t = 0
    while runs:
        t += 1
        following: dict[tuple[Any, Bins], Fraction] = {}
        for (state, past), mass in runs.items():
            results = outcomes(partial(mechanism.step, state, "event"))
            for (release, after), weight in results.items():
                more = (*past, (t, release.hidden[1])) if release.visible else past
                share = mass * Fraction(weight, sum(results.values()))
                if len(more) == number:
                    masses.append((more, share))
                else:
                    following[after, more] = following.get((after, more), Fraction(0)) + share
        runs = following
    return Pmf(masses)


@claim(LABEL, row=57, method=Method.EXHAUSTIVE, scope="e^epsilon 2, U 2, E 1, uniform noise: bins 1 and 2",
       readings={"drawn when the bin leaves, as the skeleton puts it": AtEmission(ALPHAS[0], 2, ToyScheduler()),
                 "drawn one bin ahead, as alg:randbin does": RandBin(ALPHAS[0], 2, ToyScheduler())},
       uses=("alg:randbin/bins_leave_at_their_threshold",))  # fmt: skip
def a_bin_has_the_size_that_is_drawn_as_it_leaves(subject: RandBin) -> Finding:
    """Given the visible schedule up to the step in which a bin leaves, its size still has the load law.

    The readings differ in the schedule too: with the first, bin i leaves at S[i-1] + E[i-1] + 2U, and bin 1 always in
    step 2U. With the second a bin's time leans on its own size, and only the scheduler's noise hides it.
    """
    law = first_bins(subject, 2)
    for i in (1, 2):
        by_schedule: dict[tuple[int, ...], dict[int, Fraction]] = {}
        for bins, mass in law.items():
            times = tuple(t for t, _ in bins[:i])
            sizes = by_schedule.setdefault(times, {})
            sizes[bins[i - 1][1]] = sizes.get(bins[i - 1][1], Fraction(0)) + mass
        for times, sizes in sorted(by_schedule.items()):
            conditional = {size: mass / sum(sizes.values()) for size, mass in sorted(sizes.items())}
            if conditional != dict(subject.loads.items()):
                shown = ", ".join(f"{size}: {text(mass)}" for size, mass in conditional.items())
                detail = f"If bin {i} leaves in step {times[-1]}, its size has the law {shown}."
                return found(
                    False, detail, bin=i, step=times[-1], law={str(k): text(w) for k, w in conditional.items()}
                )
    first = sorted({bins[0][0] for bins in law.support})
    return found(True, f"So it is for bins 1 and 2; bin 1 leaves in step {', '.join(map(str, first))}.")


@claim(LABEL, row=57, method=Method.EXHAUSTIVE, scope="e^epsilon 2, U 2 and 4, E 1, uniform noise: the first two bins",
       subject=(RandBin(ALPHAS[0], 2, ToyScheduler()), RandBin(ALPHAS[0], 4, ToyScheduler(4))),
       mutant=(AtEmission(ALPHAS[0], 2, ToyScheduler()),),
       uses=("alg:randbin/bins_leave_at_their_threshold", "eq:randbin_fresh_load"))  # fmt: skip
def one_bin_ahead_is_what_the_proofs_need(subject: tuple[RandBin, ...]) -> Finding:
    """Drawn one bin ahead, C[i] + 2U events are there when bin i leaves; drawn as it leaves, perhaps none is left."""
    least = []
    for mechanism in subject:
        times_and_sizes = first_bins(mechanism, 2).support
        left = [bins[i][0] - sum(size for _, size in bins[: i + 1]) for bins in times_and_sizes for i in (0, 1)]
        least.append(min(left) - 2 * mechanism.level)
    shown = ", ".join(f"{n + 2 * mechanism.level}" for n, mechanism in zip(least, subject, strict=True))
    return found(min(least) >= 0, f"Fewest events left behind a bin: {shown}.", fewest=shown)
