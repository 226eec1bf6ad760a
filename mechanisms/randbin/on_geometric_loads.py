"""RandBin on geometric loads: events leave a queue at times that give neither size nor content away."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.noise.geometric import above_one, even, load_law
from dpcert.mechanisms.randbin.algorithm import Binning
from dpcert.mechanisms.randbin.state import NOTHING, Bin, State
from dpcert.mechanisms.sums.scheduler import Scheduler

__all__ = ["NOTHING", "Bin", "RandBin", "State"]


@dataclass(frozen=True)
class RandBin(Binning):
    """Events leave in bins of 3U/2 + G events, G truncated geometric noise, when the scheduler says so.

    Args:
        exp_epsilon: alpha, the e^epsilon of a load, above 1.
        level: U, even; loads lie in [U..2U].
        scheduler: Says when bins leave.
    Source: paper.tex, alg:randbin.
    """

    exp_epsilon: Fraction
    level: int
    scheduler: Scheduler[Any]

    def __post_init__(self) -> None:
        above_one(self.exp_epsilon)
        even(self.level)

    @cached_property
    def loads(self) -> Pmf[int]:
        """The law of a load."""
        return load_law(self.exp_epsilon, self.level)
