"""The noisy sum of each bin: the smallest mechanism that RandBin may feed."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release


@dataclass(frozen=True)
class BinSum:
    """Releases the sum of the numbers in a bin, plus noise that is new for every bin.

    Args:
        noise: Integer weights of the noise values -k, ..., k; an odd number of them.
    """

    noise: tuple[int, ...] = (1, 2, 1)
    initial: ClassVar[None] = None

    @cached_property
    def law(self) -> Pmf[int]:
        """The law of the noise."""
        half = len(self.noise) // 2
        return from_weights({k - half: w for k, w in enumerate(self.noise)})

    def step(self, state: None, x: tuple[int, ...], draw: Draw) -> tuple[Release[int, None], None]:
        """One bin."""
        return Release(sum(x) + draw(self.law)), state

    def profile(self, shift: int = 1) -> PowerFunction:
        """g, the power function of one bin whose sum is `shift` more, for bins of bits that one edit touches."""
        return PowerFunction.from_laws(self.law, self.law.map(lambda k: k + shift))
