"""Steps of gradients that were divided by an adaptive clip, times that clip: post-processing of released sums."""

from dataclasses import dataclass

import numpy as np

from dpcert.audit.algebra.rational import integer_text
from dpcert.mechanisms.aggregators.core import Arrays
from dpcert.mechanisms.learning.optimisers import Optimiser
from dpcert.mechanisms.learning.updates import UPDATE_BITS
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.adaptive_clip import OF_GRADIENT, AdaptiveClip


@dataclass(frozen=True)
class ClippedSteps:
    """An optimiser for all weights but the last, whose steps are C times as long; the last, log(C / start), is a sum.

    C is that of the model before the step, which gradients were taken at.

    Args:
        optimiser: Of the model's own weights.
        clip: Whose C.
        bits: Fractional bits of updates.
    """

    optimiser: Optimiser
    clip: AdaptiveClip
    bits: int = UPDATE_BITS

    @property
    def name(self) -> str:
        """With all parameters."""
        return f"ClippedSteps({self.optimiser.name}; {self.clip.name}; {integer_text(self.bits)})"

    @property
    def vectors(self) -> int:
        """Those of the optimiser."""
        return self.optimiser.vectors

    def move(self, moved: Floats, memory: Arrays, step: Floats, t: int) -> None:
        """As the class says."""
        clip = self.clip.at(-float(np.ldexp(moved[-1], -self.bits)))
        self.optimiser.move(moved[:-1], tuple(one[:-1] for one in memory), step[:-1] * (clip / OF_GRADIENT), t)
        moved[-1] += step[-1]
