"""`make bench`: the designs of RandBin for several promises, proven bounds beside live runs. Prints Markdown."""

import time
from fractions import Fraction

from dpcert.audit.algebra.rational import decimal
from dpcert.mechanisms.design.plan import Choice, Planned, choices
from dpcert.mechanisms.design.promise import Promise, promised
from dpcert.mechanisms.live.figures import live_figures

PROMISES = (("1", "1e-6"), ("0.5", "1e-9"), ("0.1", "1e-6"))
HORIZONS = (10**4, 10**6)
HALVES = (("0.5", "5e-7", 10**6), ("0.05", "5e-7", 10**6))
"""What a pipeline that gives RandBin half of (1, 1e-6) and of (0.1, 1e-6) leaves it."""


def main() -> None:
    """Prints the tables."""
    cases = [(epsilon, delta, horizon) for epsilon, delta in PROMISES for horizon in HORIZONS]
    for epsilon, delta, horizon in (*cases, *HALVES):
        print(f"### ε = {epsilon}, δ = {delta}, {horizon:,} events\n")
        print("| design | U | E | most waiting | delay | proven δ | waiting, live | mean delay, live | made in, s |")
        print("|---|---|---|---|---|---|---|---|---|")
        promise = promised(Fraction(delta), horizon, epsilon=Fraction(epsilon))
        for choice in choices(promise):
            print(f"| {choice.name} | {row(choice, promise)} |", flush=True)
        print()


def row(choice: Choice, promise: Promise) -> str:
    """Bounds, proof, a live run over the whole horizon, and the seconds to design it and to work its bounds out."""
    began = time.perf_counter()
    made = Planned(choice, choice.make(**choice.given), promise)
    waiting, delay = made.waiting, made.delay
    designed = time.perf_counter() - began
    live = live_figures(made.mechanism, made.events)
    assert live.waiting <= waiting
    error = made.mechanism.error_within(made.events)
    bounds = f"{made.mechanism.level} | {error:,} | {waiting:,} | {delay[0]:,} to {delay[1]:,}" if delay else "none"
    return f"{bounds} | {decimal(made.delta, 3)} | {live.waiting:,} | {round(live.mean_delay):,} | {designed:.2f}"


if __name__ == "__main__":
    main()
