"""Certificates of games that were enclosed: seconds to audit, to write and to check, and how long they are.

python tests/benchmarks/loose_report.py
"""

import io
import json
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from enclosed_report import WEAK, Counter

from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.examine import examination
from dpcert.verify_certificate import verify

GAMES: list[tuple[str, Any, int, Fraction]] = [
    ("two-round-repeated, leak 1/100", WEAK, 100, Fraction(1, 10**6)),
    ("the same, longer", WEAK, 300, Fraction(1, 10**5)),
    ("counter of 33 states", Counter(), 20, Fraction(1, 10**4)),
    ("the same, longer", Counter(), 60, Fraction(1, 10**4)),
]
SCOPE: dict[str, Any] = {"exp_epsilons": (1,), "hops": 1, "challenge_round": None, "epsilons": (), "deltas": ()}


def seconds(work: Callable[[], Any]) -> tuple[Any, float]:
    """What some work comes to, and the CPU seconds that it takes."""
    started = time.process_time()
    made = work()
    return made, time.process_time() - started


def main() -> None:
    """Prints a row a game."""
    print("| game | T | gap | audited, s | written, s | MB | checked, s | bound above what is reached |")
    print("|---|---|---|---|---|---|---|---|")
    for name, mechanism, rounds, gap in GAMES:
        found, audited = seconds(
            lambda: examination(mechanism, horizon=rounds, tier="enclosed", gap=gap, **SCOPE)  # noqa: B023
        )
        proof, written = seconds(lambda: certificate(found.facts, found.record.document, gap))  # noqa: B023
        _, checked = seconds(lambda: verify(io.StringIO(proof)))  # noqa: B023
        claims = [line for line in map(json.loads, proof.splitlines()) if "claim" in line]
        above = max(Fraction(claim["upper"]) for claim in claims) - found.facts.analysis.adaptive.lower.delta(1)
        times = f"{audited:.1f} | {written:.1f} | {len(proof) / 10**6:.2f} | {checked:.1f}"
        print(f"| {name} | {rounds} | {float(gap):.0e} | {times} | {float(above):.1e} |", flush=True)


if __name__ == "__main__":
    main()
