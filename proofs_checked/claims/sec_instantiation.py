"""sec:instantiation: delays of events that never left, the backlog, and what a split of the budget does to U."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

from flint import arb

from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.noise.geometric import level_for
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.orders import at_most, ln
from dpcert.proofs_checked.ledger import claim

LABEL = "sec:instantiation"
ROUNDS = 60
TOYS = (RandBinToy(), RandBinToy(level=4), RandBinToy(noise="triangular", error=2))
PLACES = ("least", "middle", "largest")
RUNS = f"runs of three toys over {ROUNDS} rounds, loads and noise each the least, middle or largest of their law"


class RunView(NamedTuple):
    """What a run of so many rounds shows.

    Attributes:
        toy: The mechanism.
        bins: (round, events) of every bin that left.
        backlogs: Q_t after each round.
    """

    toy: RandBinToy
    bins: tuple[tuple[int, tuple[int, ...]], ...]
    backlogs: tuple[int, ...]

    def __str__(self) -> str:
        last = max((events[-1] for _, events in self.bins if events), default=0)
        noise = f"U {self.toy.level}, E {self.toy.error}, {self.toy.noise} noise"
        return f"{noise}, {len(self.backlogs)} rounds: events after number {last} are still queued"


def runs() -> Iterator[RunView]:
    """Every run of RUNS, events numbered from 1."""
    for toy, load, noise in product(TOYS, PLACES, PLACES):

        def draw(law: Any, toy: RandBinToy = toy, load: str = load, noise: str = noise) -> Any:
            outcomes, place = sorted(law.support), load if law == toy.loads else noise
            return outcomes[{"least": 0, "middle": len(outcomes) // 2, "largest": -1}[place]]

        run, bins, backlogs = RandBinSession(toy, draw=draw), [], []
        for t in range(1, ROUNDS + 1):
            events = run.push(t)
            if events is not None:
                bins.append((t, tuple(events)))
            backlogs.append(run.backlog)
        yield RunView(toy, tuple(bins), tuple(backlogs))


def of_events_that_left(run: RunView) -> dict[int, int | None]:
    """D(i) of events whose bins left."""
    return {i: t - i for t, events in run.bins for i in events}


def of_all_events(run: RunView) -> dict[int, int | None]:
    """D(i) of every event of the run; None where the minimum is of no round at all."""
    return {**dict.fromkeys(range(1, ROUNDS + 1)), **of_events_that_left(run)}


@claim(LABEL, row=102, method=Method.EXHAUSTIVE, scope=RUNS, uses=("lem:randbin_backlog/delay_is_bounded",),
       readings={"of events whose bins left": of_events_that_left,
                 "of every event up to T_max": of_all_events})  # fmt: skip
def inclusion_delays_are_bounded(subject: Callable[[RunView], dict[int, int | None]]) -> Finding:
    """D(i) is at most 4U + 2E - 1: an event that is still queued at T_max has none, unless infinity is allowed."""

    def within(run: RunView) -> bool:
        most = 4 * run.toy.level + 2 * run.toy.error - 1
        return all(delay is not None and delay <= most for delay in subject(run).values())

    return every("runs", ((run,) for run in runs()), within)


def left_before(t: int, run: RunView) -> int:
    """Events in bins that left before round t."""
    return sum(len(events) for left, events in run.bins if left < t)


@claim(LABEL, row=103, method=Method.EXHAUSTIVE, scope=RUNS, subject=lambda t, run: left_before(t + 1, run),
       mutant=left_before)  # fmt: skip
def backlog_is_what_came_and_did_not_leave(subject: Callable[[int, RunView], int]) -> Finding:
    """Q_t = t - M_t, M_t the events in bins that left by round t, round t's own among them."""
    cases = ((t, run) for run in runs() for t in range(1, ROUNDS + 1))
    return every("rounds", cases, lambda t, run: run.backlogs[t - 1] == t - subject(t, run))


BASES = (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(8))
PARTS = (1, 2, 3, 5)
DELTAS = (Fraction(1, 2), Fraction(1, 1000), Fraction(1, 10**6))
SHARES = (Fraction(1), Fraction(1, 2), Fraction(1, 10**4))


@claim(LABEL, row=104, method=Method.EXHAUSTIVE, subject=1, mutant=0,
       uses=("def:truncated_geom/level_in_closed_form",),
       scope="c = 1, 1/2, 1/3, 1/5; e^(c epsilon) 11/10 to 8; delta 1/2 to 10^-6; s = 1, 1/2, 10^-4")  # fmt: skip
def a_split_changes_u_by_constants(subject: int) -> Finding:
    """U(c epsilon, s delta) <= U(epsilon, delta) / c + 2 + 2 ln(1/s) / (c epsilon)."""

    def within(base: Fraction, parts: int, delta: Fraction, share: Fraction) -> bool:
        whole = parts * level_for(base**parts, delta) + 2
        return at_most(arb(level_for(base, share * delta)), whole + 2 * subject * -ln(share) / ln(base))

    return every("splits", product(BASES, PARTS, DELTAS, SHARES), within)


CLIPPED = [(x, y) for x, y in product((Fraction(-1), Fraction(-3, 5), Fraction(0), Fraction(4, 5), Fraction(1)),
                                      repeat=2) if x * x + y * y <= 1]  # fmt: skip
"""Gradients of two components within G = 1."""


@claim(LABEL, row=None, method=Method.EXHAUSTIVE, subject=lambda size: size, mutant=lambda size: size - 1,
       scope="every bin of 2 to 4 out of 12 clipped gradients of two components; G = 1",
       uses=("sec:overview/every_clipped_gradient_is_a_vector_within_the_norm",))  # fmt: skip
def means_of_clipped_gradients_stay_within_the_norm(subject: Callable[[int], int]) -> Finding:
    """||g_k|| <= G for the mean of a bin's clipped gradients, attained; not for a sum over one event less."""

    def within(size: int) -> bool:
        bins = combinations_with_replacement(CLIPPED, size)
        sums = ((sum(x for x, _ in held), sum(y for _, y in held)) for held in bins)
        return max(x * x + y * y for x, y in sums) == subject(size) ** 2

    return every("sizes of bins", ((size,) for size in (2, 3, 4)), within)
