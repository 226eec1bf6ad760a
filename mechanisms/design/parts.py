"""What a RandBin that keeps a promise is made of: its level, its scheduler's noise, and the error it may have."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpcert.audit.errors import expected
from dpcert.mechanisms.design.promise import Promise
from dpcert.mechanisms.noise.bounded_geometric import power_below
from dpcert.mechanisms.noise.geometric import EXP_EPSILON_STEPS, above_one, level_for
from dpcert.mechanisms.sums.error_function import ErrorFunction
from dpcert.mechanisms.sums.given_error import affordable, read
from dpcert.mechanisms.sums.hybrid_error import error_function as hybrid_error
from dpcert.mechanisms.sums.hybrid_error import final_error_within
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise

TRUNCATION = Fraction(1, 2**20)
"""The usual share of the scheduler's delta that the ends of its noise laws get; the rest is for clipping."""
NEVER = 2**200
"""Stands for the backlog of a split that keeps no promise."""
MOST_LEVEL = 10_000
"""U past which no design is made: a law of U + 1 loads has exact masses of about 10 U digits each."""
MOST_EVENTS = 10**8
"""Horizon past which no design is made whose errors have to be worked out bin by bin: all of them are held at once, a
gigabyte for so many events."""
DELTA_SHARES = 12
"""Splits of delta that are tried."""


@dataclass(frozen=True)
class Design:
    """The parts of a RandBin, and the promise that they keep.

    Attributes:
        promise: What all of it together may cost, and the events that were asked for.
        load: alpha, the e^eps of a load.
        level: U, even.
        noise: The scheduler's noise; its own exp_epsilon is what the scheduler may cost.
        beta: The most probability with which the scheduler's raw error ever exceeds E - 1, over all rounds.
        error_function: E, by the number of the bin.
        bins: Bins that the error function knows, None for all there will ever be.
    """

    promise: Promise
    load: Fraction
    level: int
    noise: HybridNoise
    beta: Fraction
    error_function: ErrorFunction
    bins: int | None

    @property
    def horizon(self) -> int | None:
        """Events that it takes: as many as were promised, else those within which no load is drawn that the error
        function does not know; None for any number."""
        if self.promise.events is not None or self.bins is None:
            return self.promise.events
        return (self.bins + 2) * self.level - 1


def paper(
    promise: Promise, error_function: str = "explicit", budget: str = "uniform", truncation: Fraction = TRUNCATION
) -> Design:
    """U(eps/2, delta/2), and a scheduler of the other halves with E = ceil(B) + 2. Source: paper.tex, alg:randbin.

    e^(eps/2) is rational, at most the root of e^eps.

    Args:
        promise: What is to be kept.
        error_function: "explicit" (a tail bound in closed form), "convolution" (the exact tails), or E(1), E(2), ...
            themselves, as numbers with commas between.
        budget: How intervals share the scheduler's epsilon: uniform or sharp.
        truncation: The share of the scheduler's delta that goes to the ends of its noise; the less, the wider its laws.
    """
    if not 0 < truncation < 1:
        raise expected("a truncation above 0 and below 1", truncation=truncation)
    half, root = promise.delta / 2, power_below(promise.exp_epsilon, Fraction(1, 2))
    level = _workable(level_for(root, half))
    noise = HybridNoise(root, budget, half * truncation)
    beta = half - noise.truncation
    table, bins = read(error_function), loads_within(promise.events, level)
    if table is None:
        if error_function == "convolution":
            within_memory(promise.events)
        made = hybrid_error(error_function, noise=noise, beta=beta, rounding="paper", horizon=bins)
        return Design(promise, root, level, noise, beta, made, bins)
    bins = bins or table.horizon or 1
    return Design(promise, root, level, noise, affordable(noise, table, bins, beta), table, bins)


def within_memory(horizon: int | None) -> None:
    """Refuses more events than the errors of all bins can be held for."""
    if horizon is not None and horizon > MOST_EVENTS:
        raise expected(f"a horizon of at most {MOST_EVENTS} events (MOST_EVENTS)", horizon=horizon)


def _workable(level: int) -> int:
    """The level, refused where exact laws of loads would take minutes and gigabytes."""
    if level > MOST_LEVEL:
        most = f"{MOST_LEVEL} events (MOST_LEVEL; a larger epsilon or delta)"
        raise expected(f"a promise for which U is at most {most}", level=level)
    return level


def loads_within(events: int | None, level: int) -> int | None:
    """The most loads that are drawn within so many events, at least 1: bin i leaves in round (i + 2) U or later, and
    the next load is drawn then.

    >>> loads_within(None, 4), loads_within(8, 4), loads_within(12, 4), loads_within(100, 4)
    (None, 1, 2, 24)
    """
    return None if events is None else max(1, events // level - 1)


def load_delta(alpha: Fraction, level: int, scheduler: Fraction | None = None) -> Fraction:
    """The exact delta, at alpha, of a load and the same load shifted by 1, in either direction and order; with a
    scheduler of DP_{eps,0} beside it, that of both together at alpha times the scheduler's e^eps.

    The mass that one world has alone, e, counts in full. At the other end e stands against (alpha - 1) e, and counts as
    far as a pair with that ratio, and a scheduler's outcome of ratio s, 1 / s or both, exceed the whole. Source: claims
    40.

    >>> load_delta(Fraction(2), 4), load_delta(Fraction(3, 2), 2), load_delta(Fraction(3, 2), 2, Fraction(3))
    (Fraction(1, 6), Fraction(1, 2), Fraction(19, 40))
    """
    one = 1 - alpha * (alpha - 1)
    s = Fraction(1) if scheduler is None else scheduler
    counted = max(Fraction(0), one if scheduler is None else max(one * s / (1 + s), 1 - alpha * (alpha - 1) * s))
    return (1 + counted) / (above_one(alpha) + 1) / alpha ** (level // 2 - 1)


def sharp(promise: Promise, error_function: str = "convolution", budget: str = "sharp") -> Design:
    """The design with the least backlog bound 4U + 2E - 1 that is found by the exact delta of a load, E = floor(B) + 1,
    and any split of epsilon and delta between the load and the scheduler.

    The split is found by search and proven by what is computed of it: alpha times the scheduler's e^eps is at most
    e^eps, and the exact delta of both together, the ends of the noise, and clipping add up to delta. For any number of
    events, the bound for REFERENCE of them is made small.

    Args:
        promise: What is to be kept.
        error_function: "explicit" (a tail bound in closed form) or "convolution" (the exact tails).
        budget: How intervals share the scheduler's epsilon: uniform or sharp.
    """
    if read(error_function) is not None:
        what = "an error function that can be made to fit (explicit, convolution)"
        raise expected(what, error_function=error_function)
    within_memory(promise.events)
    return _sharp(promise, error_function, budget)


@lru_cache(maxsize=64)
def _sharp(promise: Promise, kind: str, budget: str) -> Design:
    """The best of the shares of epsilon that a golden-section-like search over multiples of 1/64 looks at."""
    best_at: dict[int, tuple[int, Fraction, int]] = {}

    def cost(share: int) -> int:
        if share not in best_at:
            load = power_below(promise.exp_epsilon, Fraction(share, 64))
            best = NEVER, load, 0
            for u in reversed(_levels(load, promise.delta)):  # of the largest ones there is less to be worked out
                waiting = _backlog(promise, load, u, kind, budget, best[0])
                best = best if waiting is None else min(best, (waiting, load, u))
            best_at[share] = best
        return best_at[share][0]

    low, high = _possible(promise.exp_epsilon)
    while high - low > 2:
        third = max(1, (high - low) // 3)
        left, right = low + third, high - third
        low, high = (low, right) if cost(left) <= cost(right) else (left, high)
    best = min(range(low, high + 1), key=cost)
    waiting, load, level = best_at[best]
    if waiting == NEVER:
        what = "a promise that a split of epsilon and delta keeps"
        raise expected(what, exp_epsilon=promise.exp_epsilon, delta=promise.delta)
    _workable(level)
    bins = loads_within(promise.events, level)
    noise, beta = _scheduler(promise, load, level, budget)
    made = hybrid_error(kind, noise=noise, beta=beta, rounding="tight", horizon=bins)
    return Design(promise, load, level, noise, beta, made, bins)


def _possible(exp_epsilon: Fraction) -> tuple[int, int]:
    """The least and the largest share in 64ths that leaves a rational above 1 for both."""
    if exp_epsilon < 1 + Fraction(256, EXP_EPSILON_STEPS):
        raise expected(f"an e^epsilon of at least 1 + 256/{EXP_EPSILON_STEPS}", exp_epsilon=exp_epsilon)
    return 8, 56


def _levels(load: Fraction, delta: Fraction) -> list[int]:
    """The least levels for which a load alone costs at most such a share of delta; one share is of about half of it."""
    return sorted({_least_level(load, delta * share / DELTA_SHARES) for share in range(1, DELTA_SHARES)})


def _least_level(load: Fraction, delta: Fraction) -> int:
    """The least even U whose exact load delta, at least the mass that one world has alone, may be within delta."""
    level = level_for(load, 2 * delta) if 2 * delta < 1 else 2
    while level > 2 and 1 / (load + 1) / load ** (level // 2 - 2) <= delta:
        level -= 2
    return level


def _scheduler(promise: Promise, load: Fraction, level: int, budget: str) -> tuple[HybridNoise, Fraction]:
    """What is left for the scheduler: its noise, and beta, which may be below 0."""
    mine = Fraction(promise.exp_epsilon / load * EXP_EPSILON_STEPS // 1, EXP_EPSILON_STEPS)
    left = promise.delta - load_delta(load, level, mine)
    truncation = max(left * TRUNCATION, Fraction(1, EXP_EPSILON_STEPS**10))
    return HybridNoise(mine, budget, truncation), left - truncation


def _backlog(promise: Promise, load: Fraction, level: int, kind: str, budget: str, most: int) -> int | None:
    """4U + 2E - 1 after all events; None where it is above `most`, or the load alone takes all of delta."""
    noise, beta = _scheduler(promise, load, level, budget)
    bins = loads_within(promise.planned, level)
    if beta <= 0 or bins is None:
        return None
    enough = (most + 1 - 4 * level) // 2
    error = final_error_within(enough, kind, noise=noise, beta=beta, rounding="tight", horizon=bins)
    return None if error is None else 4 * level + 2 * error - 1
