"""lem:randbin_backlog: how long an event waits, D(i) steps after its own, with the constants of the backlog bound."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.proofs_checked.cases.bin_runs import EXACT, KERNELS, RUNS, SLOW, Round, every_round
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.orders import at_most, ln, polylog
from dpcert.proofs_checked.claims.thm_randbin_utility import SETTINGS, TIMES, attained, worst_backlog
from dpcert.proofs_checked.ledger import claim, found

LABEL = "lem:randbin_backlog"


def shortest(step: Round) -> int:
    """D of the last event of the bin that leaves."""
    return step.t - step.current.loads


def longest(step: Round) -> int:
    """D of its first event."""
    return step.t - step.last.loads - 1


def limit(mechanism: RandBin, step: Round) -> int:
    """4U + E[k] + E[k-1] - 1 for bin k."""
    return 4 * mechanism.level + step.current.error + step.last.error - 1


@claim(LABEL, row=47, method=Method.EXHAUSTIVE, scope=RUNS, subject=KERNELS, mutant=SLOW,
       uses=("thm:randbin_utility/bins_are_a_prefix_of_the_events", "eq:randbin_threshold_invariant"))  # fmt: skip
def delay_is_bounded(subject: tuple[RandBin, ...]) -> Finding:
    """An event that leaves in bin k waits at least 2U and at most 4U + E[k] + E[k-1] - 1 steps."""

    def within(mechanism: RandBin, step: Round) -> bool:
        return 2 * mechanism.level <= shortest(step) <= longest(step) <= limit(mechanism, step)

    leaving = ((mechanism, step) for mechanism, step in every_round(subject) if step.left is not None)
    return every("bins", leaving, within)


@claim(LABEL, row=47, method=Method.EXHAUSTIVE, scope=f"{RUNS}; each of bins 1 to 3", subject=KERNELS, mutant=EXACT,
       uses=(f"{LABEL}/delay_is_bounded",))  # fmt: skip
def both_delays_are_attained(subject: tuple[RandBin, ...]) -> Finding:
    """In each bin some event of some run waits exactly 2U steps, and one exactly 4U + E[k] + E[k-1] - 1."""
    least = attained(subject, number, lambda m, step: step.left is None or shortest(step) == 2 * m.level)
    most = attained(subject, number, lambda m, step: step.left is None or longest(step) == limit(m, step))
    worse = least if least.witness else most
    return found(
        not worse.witness, f"Last event of bin 2: {least.detail} First event of bin 2: {most.detail}", **worse.witness
    )


def number(step: Round) -> int:
    """The bin that leaves; 0, of which nothing is asked, for a step in which none does."""
    return step.current.bin if step.left else 0


def printed_order(t: int, root: Fraction, delta: Fraction) -> arb:
    """(1/epsilon) ln t (ln t + ln(1/delta))."""
    return ln(t) * (ln(t) - ln(delta)) / (2 * ln(root))


def order_with_a_floor(t: int, root: Fraction, delta: Fraction) -> arb:
    """1 + (1/epsilon) ln(t + 1) (ln(t + 1) + ln(1/delta)), as thm:randbin_utility has it."""
    return 1 + polylog(t, 2 * ln(root), delta)


Order = Callable[[int, Fraction, Fraction], arb]


@claim(LABEL, row=48, method=Method.ENCLOSED, subject=printed_order, control=order_with_a_floor,
       corrected="Q_t <= 110 (1 + (1/epsilon) ln(t + 1) (ln(t + 1) + ln(1/delta))), as the appendix has it.",
       scope=f"step 1 of {RUNS}; the control at 14 times up to 2^200 in 15 settings, with the constant 110",
       uses=("thm:randbin_utility/backlog_has_the_stated_order",))  # fmt: skip
def backlog_at_every_time(subject: Order) -> Finding:
    """Q_t = O((1/epsilon) ln t (ln t + ln(1/delta))) for every t: false at t = 1; with 1 + and ln(t + 1) it is true.

    Later it needs the 1 + as well: U is at least 2, so that the backlog reaches 3 however large epsilon is.
    """
    first = {step.backlog for _, step in every_round(KERNELS, 1) if step.t == 1}
    for t, setting in ((t, setting) for t in TIMES for setting in SETTINGS):
        most, order = worst_backlog(t, *setting), subject(t, *setting)
        if t == 1 and first != {most}:
            raise AssertionError("one event waits at t = 1")
        if not at_most(arb(most), 110 * order):
            detail = f"At t = {t} every run has {integer_text(most)} waiting, and the order is {order}."
            return found(False, detail, t=t, backlog=most, order=str(order))
    return found(True, f"One event waits at t = 1; all {len(TIMES) * len(SETTINGS)} settings.")


@claim(LABEL, row=112, method=Method.EXHAUSTIVE, scope=f"{RUNS}; every bin that leaves", subject=KERNELS, mutant=SLOW,
       uses=(f"{LABEL}/delay_is_bounded", "defn:neighbor_bin/bins_are_not_empty_and_not_too_large"))  # fmt: skip
def delay_in_time_of_arrival(subject: tuple[RandBin, ...]) -> Finding:
    """D(i) <= 4U + 2 E(i) - 1 for event i, for it leaves in bin k <= 1 + (i - 1)/U <= i.

    Each bin before holds U events at least, and E never falls, so that E(k - 1) + E(k) <= 2 E(k) <= 2 E(i).
    """

    def within(mechanism: RandBin, step: Round) -> bool:
        first = step.last.loads + 1  # the earliest event of the bin, which waits longest
        k, level = step.current.bin, mechanism.level
        return (k - 1) * level <= first - 1 and longest(step) <= 4 * level + 2 * step.current.error - 1

    leaving = ((mechanism, step) for mechanism, step in every_round(subject) if step.left is not None)
    return every("bins", leaving, within)
