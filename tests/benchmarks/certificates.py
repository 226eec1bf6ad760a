"""Timings of certificates: how long one takes to write and to check beside the solving in the same run; its size."""

import argparse
import io
import json
import time
from fractions import Fraction

from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.defaults import DEFAULT_EXP_EPSILONS
from dpcert.audit.examine import examination
from dpcert.audit.games.paired import Explored
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated
from dpcert.verify_certificate import verify


def main() -> None:
    """Prints one JSON line a gap: milliseconds of processor time, checking over solving, and megabytes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--horizon", type=int, default=41)
    horizon = parser.parse_args().horizon
    scope = {"hops": 1, "challenge_round": None, "epsilons": (), "deltas": ()}
    found = examination(TwoRoundRepeated(), horizon=horizon, exp_epsilons=DEFAULT_EXP_EPSILONS, **scope)
    started = time.process_time_ns()
    solve(Explored(found.audited.found.solution.levels))
    solving = time.process_time_ns() - started
    for gap in (Fraction(0), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**4)):
        started = time.process_time_ns()
        text = certificate(found.audited, found.record.document, gap)
        writing, started = time.process_time_ns() - started, time.process_time_ns()
        verify(io.StringIO(text))
        checking = time.process_time_ns() - started
        made = {
            "horizon": horizon,
            "gap": str(gap),
            "solving_ms": solving // 10**6,
            "writing_ms": writing // 10**6,
            "checking_ms": checking // 10**6,
            "checking_over_solving": round(checking / solving, 2),
            "megabytes": round(len(text) / 10**6, 2),
        }
        print(json.dumps(made), flush=True)


if __name__ == "__main__":
    main()
