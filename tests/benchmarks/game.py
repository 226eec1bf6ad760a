"""One timing of the adaptive solver, alone in its process: the two-round mechanism repeated, challenge in round 1."""

import argparse
import json
import resource
import time
from fractions import Fraction

from dpcert.audit.algebra import envelope, hulls, lattice
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.audit.solving import adaptive as solve_module
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


def _no_keys() -> None:
    hulls.LONG = 10**18


def _no_codes() -> None:
    lattice.Lattice.usable = property(lambda _: False)  # type: ignore[assignment,method-assign]


def _no_mirror() -> None:
    solve_module.Solver._mirrored = lambda *_: None  # type: ignore[method-assign]


IMPORTED = envelope
"""It reads numpy, which a solver does once it meets a long chain: no part of solving, as Storm's start-up is none."""
WITHOUT = {"keys": _no_keys, "codes": _no_codes, "mirror": _no_mirror}
"""Plain integers; every near tie settled exactly; mirrored positions solved twice."""


def main() -> None:
    """Prints one JSON line: seconds from the mechanism to the root's chain, sizes, peak memory of the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--horizon", type=int, required=True)
    parser.add_argument("--leak", type=Fraction, default=Fraction(1))
    parser.add_argument("--any-round", action="store_true", help="the challenge may come in any round")
    parser.add_argument("--without", choices=WITHOUT, action="append", default=[], help="one device left out")
    arguments = parser.parse_args()
    for device in arguments.without:
        WITHOUT[device]()
    relation = HAMMING if arguments.any_round else ChallengeAt(HAMMING, 1)
    started = time.perf_counter()
    levels = explore(PairedGame(core_of(TwoRoundRepeated(arguments.leak)), relation, arguments.horizon))
    solution = solve(levels)
    seconds = time.perf_counter() - started

    print(
        json.dumps(
            {
                "horizon": arguments.horizon,
                "seconds": round(seconds, 4),
                "positions": solution.positions,
                "vertices": len(solution.root) + 1,
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                "total_variation": str(solution.power.total_variation),
            }
        )
    )


if __name__ == "__main__":
    main()
