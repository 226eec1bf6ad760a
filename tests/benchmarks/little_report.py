"""Bounds where next to nothing can be learnt: what they are, and the seconds that they take.

Usage: python tests/benchmarks/little_report.py ROUNDS EXP_EPSILON...
"""

import sys
import time
from fractions import Fraction

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.budget import Budget
from dpcert.audit.games.paired import PairedGame
from dpcert.audit.grids.refining import Refining
from dpcert.audit.grids.stages import stages
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


def main(rounds: int, *slopes: Fraction) -> None:
    """`two-round-repeated` with a leak of 1/100, one slope after another."""
    game = PairedGame(core_of(TwoRoundRepeated(Fraction(1, 100))), HAMMING, rounds)
    for e in slopes:
        start = time.process_time()
        found = Refining(stages(game, Budget()), (e,), (), Fraction(1, 10**6), Budget()).run().bracket
        lower, upper = found.lower.delta(e), found.upper.delta(e)
        print(f"| {rounds:,} | {up(e)} | {down(lower)} | {up(upper)} | {time.process_time() - start:.1f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(Fraction, sys.argv[2:]))
