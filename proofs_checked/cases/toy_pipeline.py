"""The pipeline at toy size, as exact games: RandBin, and behind it an update a bin and a tree of sums."""

from functools import cache

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.games.npp import npp_game
from dpcert.audit.games.of_views import game_of
from dpcert.audit.relations.edits import EDIT
from dpcert.mechanisms.learning.toy_step import ToyStep
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.proofs_checked.cases.curves import exact_power
from dpcert.proofs_checked.cases.replayed import FedBins, simulation_alone


@cache
def played(randbin: RandBinToy, second: ToyStep, rounds: int) -> PowerFunction:
    """The whole against adversaries who edit bits, see times and rows, and react to both. Exact."""
    return exact_power(game_of(FedBins(randbin, second).view((0, 1)), EDIT, rounds))


@cache
def buffering(randbin: RandBinToy, rounds: int) -> PowerFunction:
    """The neighbour-preserving privacy of RandBin alone. Exact."""
    return exact_power(npp_game(simulation_alone(randbin), rounds))
