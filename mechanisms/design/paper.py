"""RandBin as the paper has it: half of epsilon and delta for the loads, half for the hybrid prefix sum."""

from dataclasses import dataclass
from fractions import Fraction

from dpcert.audit.games.fewer_states import explored_as
from dpcert.audit.verdicts.guarantee import by_theorem
from dpcert.mechanisms.design.designed import Designed
from dpcert.mechanisms.design.parts import TRUNCATION, Design, paper
from dpcert.mechanisms.design.promise import Promise
from dpcert.mechanisms.randbin.drawn_late import DrawnLate


@by_theorem
@explored_as(DrawnLate)
@dataclass(frozen=True)
class RandBinPaper(Designed):
    """RandBin with U(eps/2, delta/2) and the always-valid prefix sum: adaptively (epsilon, delta)-NPDP at any size.

    Args:
        exp_epsilon: e^epsilon, above 1 [default 16]; or
        epsilon: a decimal epsilon, of which e^epsilon is taken from below.
        delta: Above 0 and below 1.
        error_function: "explicit" (a tail bound in closed form), "convolution" (the exact tails), or E(1), E(2), ...
            themselves, as numbers with commas between.
        budget: How intervals share the scheduler's epsilon: uniform or sharp.
        horizon: Events that it takes, any number without.
        truncation: The share of the scheduler's delta that goes to the ends of its noise; the less, the wider its laws.
    Source: paper.tex, alg:randbin, cor:adap_randbin.
    """

    truncation: Fraction = TRUNCATION

    def designed_for(self, promise: Promise) -> Design:
        """The paper's parts, half of the promise for each."""
        return paper(promise, self.error_function, self.budget, self.truncation)
