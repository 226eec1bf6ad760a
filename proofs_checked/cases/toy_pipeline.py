"""The pipeline at toy size, as exact games: RandBin, and behind it an update a bin and a tree of sums."""

from functools import cache

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.examine import game_of
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.kernels.feeding import feeding
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.learning.toy_step import ToyStep
from dpcert.mechanisms.randbin.toy import RandBinToy


@cache
def played(randbin: RandBinToy, second: ToyStep, rounds: int) -> PowerFunction:
    """The whole against adversaries who edit bits, see times and rows, and react to both. Exact."""
    view = view_of(feeding(randbin, second, (0, 1)))
    return analyse(game_of(view, EDIT, rounds), Budget()).adaptive.lower


@cache
def buffering(randbin: RandBinToy, rounds: int) -> PowerFunction:
    """The neighbour-preserving privacy of RandBin alone. Exact."""
    return analyse(npp_game(simulated(randbin), rounds), Budget()).adaptive.lower
