"""RandBin with a scheduler small enough to be solved exactly."""

from dataclasses import dataclass, field
from fractions import Fraction

from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler


@dataclass(frozen=True)
class RandBinToy(RandBin):
    """RandBin on a bounded scheduler: its neighbour-preserving privacy is computed exactly.

    Args:
        exp_epsilon: alpha, the e^epsilon of a load, above 1.
        level: U, even; loads lie in [U..2U].
        error: E, the scheduler's error for every bin but bin 0, at least 1.
        noise: The scheduler's noise: uniform on -1..1, triangular on -2..2, or none.
    """

    exp_epsilon: Fraction = Fraction(2)
    level: int = 2
    error: int = 1
    noise: str = "uniform"
    scheduler: ToyScheduler = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scheduler", ToyScheduler(self.level, self.error, self.noise))
