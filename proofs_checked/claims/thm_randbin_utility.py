"""thm:randbin_utility: what leaves is a prefix of the events, none is missing when it is due, and few are left."""

from collections.abc import Callable

from dpcert.audit.draws import Draw
from dpcert.audit.finding import Finding, Method
from dpcert.audit.release import Release
from dpcert.mechanisms.randbin import Bin, RandBin, State
from dpcert.mechanisms.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.ledger import claim, found
from dpcert.proofs_checked.notes.bin_runs import ALPHAS, EXACT, HASTY, KERNELS, RUNS, SLOW, Round, every_round, rounds
from dpcert.proofs_checked.notes.cases import every

LABEL = "thm:randbin_utility"
Kernels = tuple[RandBin, ...]


class Newest(RandBin):
    """RandBin that takes the newest events in place of the oldest."""

    def step(self, state: State, x: object, draw: Draw) -> tuple[Release[bool, Bin], State]:
        """The algorithm's step, with the bin at the other end of the queue."""
        release, after = super().step(state, x, draw)
        return Release(release.visible, release.hidden and (release.hidden[1],) * 2), after


@claim(LABEL, row=34, method=Method.EXHAUSTIVE, scope=RUNS, subject=KERNELS, uses=("alg:randbin",),
       mutant=(Newest(ALPHAS[0], 2, ToyScheduler()),))  # fmt: skip
def bins_are_a_prefix_of_the_events(subject: Kernels) -> Finding:
    """Bin i holds the events number A[i-1] + 1 to A[i], so that the bins so far are a prefix of the stream."""

    def follows(mechanism: RandBin, step: Round) -> bool:
        del mechanism
        return step.left in (None, (step.t - step.last.loads, step.load))

    return every("steps", every_round(subject), follows)


@claim(LABEL, row=44, method=Method.EXHAUSTIVE, scope=RUNS, subject=KERNELS, mutant=HASTY, uses=("alg:randbin",))
def the_queue_never_runs_dry(subject: Kernels) -> Finding:
    """The queue holds t - A[i-1] events, and when bin i leaves at least C[i] + 2U of them."""

    def filled(mechanism: RandBin, step: Round) -> bool:
        enough = step.left is None or step.queued >= step.load + 2 * mechanism.level
        return step.queued == step.t - step.last.loads and step.backlog == step.t - step.due[0].loads and enough

    return every("steps", every_round(subject), filled)


def backlog_bound(mechanism: RandBin, step: Round) -> int:
    """4U + E[i] + E[i-1] - 1 with bin i due next; 2U - 1 for bin 0."""
    before, due = step.due
    return 4 * mechanism.level + due.error + before.error - 1 if due.bin else 2 * mechanism.level - 1


@claim(LABEL, row=46, method=Method.EXHAUSTIVE, scope=RUNS, subject=KERNELS, mutant=SLOW,
       uses=(f"{LABEL}/the_queue_never_runs_dry", "eq:randbin_threshold_invariant"))  # fmt: skip
def backlog_is_bounded(subject: Kernels) -> Finding:
    """At most 4U + E[i] + E[i-1] - 1 events wait after a step, bin i due next; at most 2U - 1 before bin 1 is due."""
    return every("steps", every_round(subject), lambda mechanism, step: step.backlog <= backlog_bound(mechanism, step))


@claim(LABEL, row=46, method=Method.EXHAUSTIVE, scope=f"{RUNS}; each of bins 1 to 3 due next", subject=KERNELS,
       mutant=EXACT, uses=(f"{LABEL}/backlog_is_bounded",))  # fmt: skip
def backlog_bound_is_attained(subject: Kernels) -> Finding:
    """With each bin due next, some run has exactly as many events waiting as the bound allows."""
    return attained(subject, lambda step: step.due[1].bin, lambda m, step: step.backlog == backlog_bound(m, step))


def attained(subject: Kernels, number: Callable[[Round], int], there: Callable[[RandBin, Round], bool]) -> Finding:
    """HOLDS if for each mechanism and bin up to 3 some step is `there`; the detail shows the first one's at bin 2."""
    shown = ""
    for mechanism in subject:
        steps = rounds(mechanism, 3)
        at = {number(step): step for step in reversed(steps) if there(mechanism, step)}
        missing = [bin_ for bin_ in (1, 2, 3) if bin_ not in at]
        if missing:
            return found(False, f"No run attains it for bin {missing[0]}.", mechanism=str(mechanism), bin=missing[0])
        shown = shown or f"U = {mechanism.level}: {described(at[2])}."
    return found(True, f"{shown} Likewise for bins 1 to 3 of {len(subject)} mechanisms.")


def described(step: Round) -> str:
    """t, both loads, S and E of a step up to whose end two loads are known."""
    one, two = step.due if step.due[1].bin == 2 else (step.last, step.current)
    return (
        f"step {step.t}, {step.queued} in the queue, {step.backlog} left, loads {one.loads} and {two.loads - one.loads}"
        f", S {one.noisy} and {two.noisy}, E {one.error} and {two.error}"
    )
