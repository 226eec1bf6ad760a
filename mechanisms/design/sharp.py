"""RandBin with the same parts as the paper's, cut as finely as the proofs allow."""

from dataclasses import dataclass

from dpcert.audit.games.fewer_states import explored_as
from dpcert.audit.verdicts.guarantee import by_theorem
from dpcert.mechanisms.design.designed import Designed
from dpcert.mechanisms.design.parts import Design, sharp
from dpcert.mechanisms.design.promise import Promise
from dpcert.mechanisms.randbin.drawn_late import DrawnLate


@by_theorem
@explored_as(DrawnLate)
@dataclass(frozen=True)
class RandBinSharp(Designed):
    """RandBin with the least backlog bound found: exact load delta, E = floor(B) + 1, the best split of epsilon, delta.

    Args:
        exp_epsilon: e^epsilon, above 1 [default 16]; or
        epsilon: a decimal epsilon, of which e^epsilon is taken from below.
        delta: Above 0 and below 1.
        error_function: "explicit" (a tail bound in closed form) or "convolution" (the exact tails).
        budget: How intervals share the scheduler's epsilon: uniform or sharp.
        horizon: Events that it takes, any number without.
    Source: paper.tex, alg:randbin, cor:adap_randbin.
    """

    error_function: str = "convolution"
    budget: str = "sharp"

    def designed_for(self, promise: Promise) -> Design:
        """The same parts, of the least backlog bound that a search over their shares finds."""
        return sharp(promise, self.error_function, self.budget)
