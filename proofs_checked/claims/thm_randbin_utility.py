"""thm:randbin_utility: what leaves is a prefix of the events, none is missing when it is due, and few are left."""

from collections.abc import Callable
from fractions import Fraction

import sympy
from flint import arb

from dpcert.audit.finding import Finding, Method
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.noise.geometric import level_for
from dpcert.mechanisms.randbin.on_geometric_loads import Bin, RandBin, State
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS, EXACT, HASTY, KERNELS, RUNS, SLOW, Round, every_round, rounds
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.orders import at_most, ln, paper_error, polylog
from dpcert.proofs_checked.cases.symbols import nonnegative, settled
from dpcert.proofs_checked.ledger import claim, found

LABEL = "thm:randbin_utility"
Kernels = tuple[RandBin, ...]


class Newest(RandBin):
    """RandBin that takes the newest events in place of the oldest."""

    def step(self, state: State, x: object, draw: Draw) -> tuple[Release[bool, Bin], State]:
        """The algorithm's step, with the bin at the other end of the queue."""
        release, after = super().step(state, x, draw)
        return Release(release.visible, release.hidden and (release.hidden[1],) * 2), after


@claim(LABEL, row=34, method=Method.EXHAUSTIVE, scope=RUNS, subject=KERNELS,
       uses=("alg:randbin/bins_leave_at_their_threshold",),
       mutant=(Newest(ALPHAS[0], 2, ToyScheduler()),))  # fmt: skip
def bins_are_a_prefix_of_the_events(subject: Kernels) -> Finding:
    """Bin i holds the events number A[i-1] + 1 to A[i], so that the bins so far are a prefix of the stream."""

    def follows(mechanism: RandBin, step: Round) -> bool:
        del mechanism
        return step.left in (None, (step.t - step.last.loads, step.load))

    return every("steps", every_round(subject), follows)


@claim(
    LABEL,
    row=44,
    method=Method.EXHAUSTIVE,
    scope=RUNS,
    subject=KERNELS,
    mutant=HASTY,
    uses=("alg:randbin/bins_leave_at_their_threshold",),
)
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
    example = ""
    for mechanism in subject:
        steps = rounds(mechanism, 3)
        at = {number(step): step for step in reversed(steps) if there(mechanism, step)}
        missing = [bin_ for bin_ in (1, 2, 3) if bin_ not in at]
        if missing:
            return found(False, f"No run attains it for bin {missing[0]}.", mechanism=label(mechanism), bin=missing[0])
        example = example or f"U = {mechanism.level}: {described(at[2])}."
    return found(True, f"{example} Likewise for bins 1 to 3 of {len(subject)} mechanisms.")


def described(step: Round) -> str:
    """t, both loads, S and E of a step up to whose end two loads are known."""
    one, two = step.due if step.due[1].bin == 2 else (step.last, step.current)
    return (
        f"step {step.t}, {step.queued} in the queue, {step.backlog} left, loads {one.loads} and {two.loads - one.loads}"
        f", S {one.noisy} and {two.noisy}, E {one.error} and {two.error}"
    )


def worst_backlog(t: int, root: Fraction, delta: Fraction) -> int:
    """The bound on the backlog at time t with E of th:prefix_sum, `root` e^(epsilon/2): bin i, i <= t, is due."""
    bound = 4 * level_for(root, delta / 2) + 2 * paper_error(t, ln(root), delta / 2) - 1
    return min(t, bound)


TIMES = (1, 2, 3, 4, 7, 8, 15, 31, 32, 255, 256, 2**16, 2**40, 2**200 - 1)
SETTINGS = [(Fraction(root), Fraction(1, d)) for root in ("11/10", "3/2", "2", "10", "1000000") for d in (2, 10, 10**9)]


@claim(LABEL, row=59, method=Method.SYMBOLIC, subject=110, mutant=30,
       scope="every t, epsilon and delta, E as th:prefix_sum has it; 210 settings evaluated",
       uses=(f"{LABEL}/backlog_is_bounded", "def:truncated_geom/level_with_a_floor",
             "th:prefix_sum/error_function_is_as_stated"))  # fmt: skip
def backlog_has_the_stated_order(subject: int) -> Finding:
    """The backlog is at most 110 (1 + (1/epsilon) ln(t+1) (ln(t+1) + ln(1/delta))), E and U being those of the paper.

    With L = ln(t+1), D = ln(1/delta) and x = 1/epsilon: 4U <= 16 + 16x (D + ln 2) and, at epsilon/2 and delta/2,
    E <= 3 + 8x L (13/3 L + D + ln 2); ln 2 <= L, and 1 <= 3/2 L.
    """
    x, d = sympy.symbols("x D", nonnegative=True)
    over = sympy.Symbol("s", nonnegative=True)
    step = sympy.Rational(2, 3) + over  # L is at least ln 2, which exceeds 2/3
    level = 16 + 16 * x * (d + step)
    error = 3 + 8 * x * step * (sympy.Rational(13, 3) * step + d + step)
    bound = level + 2 * error - 1
    inequality = nonnegative(subject * (1 + x * step * (step + d)) - bound) and at_most(arb(2) / 3, ln(2))

    def below(t: int, root: Fraction, delta: Fraction) -> bool:
        return at_most(arb(worst_backlog(t, root, delta)), subject * (1 + polylog(t, 2 * ln(root), delta)))

    proof = "The bound on the backlog, 4U + 2E(t) - 1, is below it coefficient by coefficient."
    return settled(inequality, proof, every("settings", ((t, *setting) for t in TIMES for setting in SETTINGS), below))
