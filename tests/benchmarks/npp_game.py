"""Timings of the neighbour-preserving game, every epsilon at once: of the toy RandBin (alpha 2, U 2, E 1, uniform), and
of the real one (e^eps 16, delta 4/5, U 2), for which 16 rounds are a small game."""

import argparse
import json
import resource
import time
from fractions import Fraction
from typing import Any

from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.games.paired import explore
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.randbin.toy import RandBinToy

GAMES: dict[str, Any] = {
    "toy": RandBinToy(),
    "real": RandBinPaper(delta=Fraction(4, 5), error_function="convolution", truncation=Fraction(1, 2)),
}


def main() -> None:
    """Prints one JSON line a horizon: seconds from the mechanism to the root's chain, sizes, and how positions grow."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--horizon", type=int, action="append", required=True)
    parser.add_argument("--of", choices=GAMES, default="toy")
    arguments = parser.parse_args()
    for horizon in arguments.horizon:
        started = time.perf_counter()
        explored = explore(npp_game(simulated(GAMES[arguments.of]), horizon))
        ready = time.perf_counter()
        solution = solve(explored)
        seconds = time.perf_counter() - started
        made = {
            "horizon": horizon,
            "seconds": round(seconds, 3),
            "exploring": round(ready - started, 3),
            "positions": solution.positions,
            "positions_of_the_last_rounds": [len(level.positions) for level in explored.levels[-4:]],
            "vertices": len(solution.root) + 1,
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        print(json.dumps(made), flush=True)


if __name__ == "__main__":
    main()
