"""Processor seconds of the enclosed tier: beside the exact one where both come to an end, and on long games alone.

Run as `python tests/benchmarks/enclosed_report.py`; ratios are of one run, gaps are those of the records.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcert import bernoulli, examine
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

WEAK = TwoRoundRepeated(Fraction(1, 100))


@dataclass(frozen=True)
class Counter:
    """A count that is clipped at 32, and a bit that grows likelier with it."""

    alphabet: tuple[int, ...] = (0, 1)
    initial: int = 0

    def advance(self, state: int, x: int) -> int:
        return min(32, state + x)

    def law(self, state: int) -> Any:
        return bernoulli(Fraction(1, 4) + Fraction(state, 128))


def seconds(audit: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of an audit, and its record."""
    started = time.process_time()
    record = audit()
    return time.process_time() - started, record


def gap(record: Any) -> float:
    """The largest gap at the e^epsilon that were asked for."""
    return max(float(Fraction(d["upper"]) - Fraction(d["lower"])) for d in record["adaptive"]["delta"])


def main() -> None:
    """Prints both tables."""
    print("| two-round-repeated, T | exact, s | enclosed to 1e-6, s | enclosed / exact |")
    print("|---|---|---|---|")
    for rounds in (20, 30, 41):
        exact, _ = seconds(lambda: examine(TwoRoundRepeated(), horizon=rounds, tier="exact"))  # noqa: B023
        bounds, _ = seconds(lambda: examine(TwoRoundRepeated(), horizon=rounds, tier="enclosed"))  # noqa: B023
        print(f"| {rounds} | {exact:.2f} | {bounds:.2f} | {bounds / exact:.2f} |", flush=True)
    print("\n| game | T | gap asked | gap | s |\n|---|---|---|---|---|")
    for name, mechanism, rounds, asked in (
        ("two-round-repeated, leak 1/100", WEAK, 10_000, Fraction(1, 10**6)),
        ("two-round-repeated, leak 1/100", WEAK, 100_000, Fraction(1, 10**4)),
        ("counter of 33 states", Counter(), 1_000, Fraction(1, 10**5)),
    ):
        scope = {"horizon": rounds, "gap": asked, "tier": "enclosed", "exp_epsilons": (1,)}
        spent, record = seconds(lambda: examine(mechanism, **scope))  # noqa: B023
        print(f"| {name} | {rounds} | {float(asked):.0e} | {gap(record):.1e} | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    main()
