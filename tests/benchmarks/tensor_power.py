"""n-fold composition, exactly: our tensor power beside the bare recurrence for the weights of both worlds.

Alone in its process; prints one JSON line. The bare recurrence makes the same numbers in plain lists, no chain around
them; it is for laws of two outcomes, and left out for others.
"""

import argparse
import json
import time
from collections.abc import Callable
from fractions import Fraction
from math import gcd
from typing import Any

from dpcert import PowerFunction, from_weights
from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.enclosure import exponential


def bare(a: int, b: int, n: int) -> list[int]:
    """The weights a^i b^(n-i) n over i, each from the one before."""
    w = b**n
    weights = [w]
    for i in range(n):
        w = w * (n - i) * a // ((i + 1) * b)
        weights.append(w)
    return weights


def both_worlds(laws: list[list[int]], n: int) -> list[list[int]]:
    """The bare weights of both worlds."""
    return [bare(a // gcd(a, b), b // gcd(a, b), n) for a, b in laws]


def seconds(run: Callable[[], Any]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def deltas(power: PowerFunction, epsilons: list[Fraction], digits: int) -> list[list[str]]:
    """sup_S P(S) - e^epsilon Q(S) at each epsilon, as (lower, upper) around the irrational e^epsilon."""
    enclosed = [exponential(epsilon) for epsilon in epsilons]
    ends = [((down, e.upper), (up, e.lower)) for e in enclosed]
    return [[shown(power.hockey_stick(at), digits) for shown, at in one if at is not None] for one in ends]


def main() -> None:
    """Prints the seconds of every repeat, alternating, and delta at each epsilon."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--law0", type=int, nargs="+", default=[68, 32], help="whole-number weights, world 0")
    parser.add_argument("--law1", type=int, nargs="+", default=[65, 35], help="whole-number weights, world 1")
    parser.add_argument("--copies", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--epsilons", type=Fraction, nargs="*", default=[])
    parser.add_argument("--digits", type=int, default=12)
    arguments = parser.parse_args()
    laws = [arguments.law0, arguments.law1]
    single = PowerFunction.from_laws(*(from_weights(dict(enumerate(law))) for law in laws))
    ours, plain = [], []
    for _ in range(arguments.repeats):
        if all(len(law) == 2 for law in laws):
            plain.append(seconds(lambda: both_worlds(laws, arguments.copies)))
        ours.append(seconds(lambda: single.tensor_power(arguments.copies)))
    power = single.tensor_power(arguments.copies)
    started = time.perf_counter()
    values = deltas(power, arguments.epsilons, arguments.digits)
    print(
        json.dumps(
            {
                "copies": arguments.copies,
                "segments": len(power.chain),
                "seconds": ours,
                "bare_seconds": plain,
                "deltas": values,
                "deltas_seconds": time.perf_counter() - started,
            }
        )
    )


if __name__ == "__main__":
    main()
