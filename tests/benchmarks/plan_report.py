"""`make bench`: designs of RandBin for several promises, beside live runs; and plans of learning. Prints Markdown."""

import time
from fractions import Fraction
from itertools import product

from dpcert.audit.algebra.decimals import up
from dpcert.mechanisms.design.plan import Choice, DesignPlan, choices
from dpcert.mechanisms.design.promise import Promise, promised
from dpcert.mechanisms.learning.objective import named_objective
from dpcert.mechanisms.learning.per_user import UserEvents
from dpcert.mechanisms.learning.plan import SgdQuestion, sgd_planned
from dpcert.mechanisms.learning.updates import Updates
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
    print("### Continual DP-SGD, δ = 1e-6, the tree\n")
    print("| ε | events | calibration | U | noise a coordinate | most waiting | all three made in, s |")
    print("|---|---|---|---|---|---|---|")
    for epsilon, events in product((1, 2, 8), (10**4, 10**5, 10**6)):
        learning(epsilon, events)


def learning(epsilon: int, events: int) -> None:
    """The three calibrations of one promise, and the seconds that all of them took."""
    began = time.perf_counter()
    updates = Updates(1, Fraction(1), Fraction(1))
    wanted = Fraction(epsilon), Fraction(1, 10**6), events, Fraction(1, 2)
    plan = sgd_planned(SgdQuestion(*wanted, updates, "tree", "plain", UserEvents(1), named_objective("noise")))
    seconds = f"{time.perf_counter() - began:.1f}"
    for one in plan.made:
        numbers = f"{one.calibration.randbin.level} | {up(one.noise, 4)} | {one.waiting:,}"
        print(f"| {epsilon} | {events:,} | {one.name} | {numbers} | {seconds} |", flush=True)


def row(choice: Choice, promise: Promise) -> str:
    """Bounds, proof, a live run over the whole horizon, and the seconds to design it and to work its bounds out."""
    began = time.perf_counter()
    made = DesignPlan(choice, choice.make(**choice.given), promise)
    waiting, delay = made.waiting, made.delay
    designed = time.perf_counter() - began
    live = live_figures(made.mechanism, made.events)
    assert live.waiting <= waiting
    error = made.mechanism.error_within(made.events)
    bounds = f"{made.mechanism.level} | {error:,} | {waiting:,} | {delay[0]:,} to {delay[1]:,}" if delay else "none"
    return f"{bounds} | {up(made.delta, 3)} | {live.waiting:,} | {round(live.mean_delay):,} | {designed:.2f}"


if __name__ == "__main__":
    main()
