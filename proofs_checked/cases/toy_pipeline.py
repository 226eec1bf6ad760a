"""The pipeline at toy size, as exact games: RandBin, and behind it an update a bin and a tree of sums."""

from functools import cache

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.kernels.feeding import feeding
from dpcert.audit.relations.edits import EDIT
from dpcert.mechanisms.learning.toy_step import ToyStep
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.proofs_checked.cases.curves import adaptive, exact_power


@cache
def played(randbin: RandBinToy, second: ToyStep, rounds: int) -> PowerFunction:
    """The whole against adversaries who edit bits, see times and rows, and react to both. Exact."""
    return adaptive(feeding(randbin, second, (0, 1)), rounds, EDIT)


@cache
def buffering(randbin: RandBinToy, rounds: int) -> PowerFunction:
    """The neighbour-preserving privacy of RandBin alone. Exact."""
    return exact_power(npp_game(simulated(randbin), rounds))
