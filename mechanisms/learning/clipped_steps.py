"""Steps of gradients that were divided by an adaptive clip, times that clip: post-processing of released sums."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpcert.audit.algebra.rational import integer_text, text
from dpcert.mechanisms.aggregators.core import Arrays
from dpcert.mechanisms.learning.optimisers import Optimiser
from dpcert.mechanisms.learning.updates import UPDATE_BITS
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.adaptive_clip import OF_GRADIENT, AdaptiveClip

CLIP_PACE = Fraction(1, 16)
"""What of its step log(C) moves by: a whole one is far more than a bin needs, and has as much noise as any weight."""


@dataclass(frozen=True)
class ClippedSteps:
    """An optimiser for all weights but the last, whose steps are C times as long; the last, log(C / start), is a share
    of a sum.

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
        return f"ClippedSteps({self.optimiser.name}; {self.clip.name}; {text(CLIP_PACE)}; {integer_text(self.bits)})"

    @property
    def vectors(self) -> int:
        """Those of the optimiser."""
        return self.optimiser.vectors

    def move(self, movement: Floats, memory: Arrays, step: Floats, t: int) -> None:
        """As the class says."""
        clip = self.clip.at(-float(np.ldexp(movement[-1], -self.bits)))
        self.optimiser.move(movement[:-1], tuple(one[:-1] for one in memory), step[:-1] * (clip / OF_GRADIENT), t)
        movement[-1] += step[-1] * float(CLIP_PACE)
