"""Timings of certificates: how long one takes to write and to check beside the solving in the same run; its size."""

import argparse
import io
import json
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from statistics import median

from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.defaults import DEFAULT_EXP_EPSILONS
from dpcert.audit.examine import examination
from dpcert.audit.games.paired import Exploration
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated
from dpcert.verify_certificate import verify


def cpu_ns(work: Callable[[], object]) -> int:
    """Processor time of one run."""
    started = time.process_time_ns()
    work()
    return time.process_time_ns() - started


def main() -> None:
    """Prints one JSON line a gap: milliseconds of processor time, checking over solving, and megabytes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--horizon", type=int, default=41)
    parser.add_argument("--repeats", type=int, default=5, help="of solving and checking, in turn; medians are printed")
    arguments = parser.parse_args()
    scope = {"hops": 1, "challenge_round": None, "epsilons": (), "deltas": ()}
    found = examination(TwoRoundRepeated(), horizon=arguments.horizon, exp_epsilons=DEFAULT_EXP_EPSILONS, **scope)
    levels = found.facts.analysis.solution.levels
    for gap in (Fraction(0), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**4)):
        started = time.process_time_ns()
        text = certificate(found.facts, found.record.document, gap)
        writing = time.process_time_ns() - started
        turns = [
            (cpu_ns(lambda: solve(Exploration(levels))), cpu_ns(partial(verify, io.StringIO(text))))
            for _ in range(arguments.repeats)
        ]
        solving, checking = (median(times) for times in zip(*turns, strict=True))
        made = {
            "horizon": arguments.horizon,
            "gap": str(gap),
            "solving_ms": round(solving / 10**6),
            "writing_ms": writing // 10**6,
            "checking_ms": round(checking / 10**6),
            "checking_over_solving": round(checking / solving, 2),
            "megabytes": round(len(text) / 10**6, 2),
        }
        print(json.dumps(made), flush=True)


if __name__ == "__main__":
    main()
