"""`make bench`: the prefix sum's error functions for every round up to 10^6, in seconds. Prints Markdown."""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from dpcert.mechanisms.noise.geometric import exp_epsilon_below
from dpcert.mechanisms.sums.hybrid_error import KINDS, error_function, final_error
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import BUDGETS

ROUNDS = 10**6
BETA = Fraction(1, 10**6)
R = TypeVar("R")


def timed(work: Callable[[], R]) -> tuple[R, float]:
    """What it gives, and the seconds it takes."""
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def main() -> None:
    """Prints the table."""
    print(f"## E of the hybrid prefix sum for all {ROUNDS:,} rounds, beta = 10^-6, rounding tight\n")
    print("| eps | budget | kind | horizon | E(1000) | E(10^6) | steps | its work, s | all calls, s | final, ms |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for epsilon in (Fraction(1), Fraction(1, 2)):
        for budget in BUDGETS:
            noise = HybridNoise(exp_epsilon_below(epsilon)[0], budget)
            for kind in KINDS:
                for horizon in (None, ROUNDS):
                    print(f"| {epsilon} | {budget} | {kind} | {horizon or 'none'} | {row(kind, noise, horizon)} |")


def row(kind: str, noise: HybridNoise, horizon: int | None) -> str:
    """E twice, its steps, and seconds: for its segments, for a call a round, and for E(horizon) alone."""
    error = error_function(kind, noise=noise, beta=BETA, rounding="tight", horizon=horizon)
    most, working = timed(lambda: error(ROUNDS))
    values, calling = timed(lambda: [error(t) for t in range(ROUNDS + 1)])
    figures = [f"{values[1000]:,}", f"{most:,}", str(len(set(values)) - 1), f"{working:.2f}", f"{calling:.2f}"]
    if horizon is None:
        return " | ".join([*figures, ""])
    last, alone = timed(lambda: final_error(kind, noise=noise, beta=BETA, rounding="tight", horizon=horizon))
    assert last == most
    return " | ".join([*figures, f"{1000 * alone:.1f}"])


if __name__ == "__main__":
    main()
