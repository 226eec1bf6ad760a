"""RandBin with the same parts as the paper's, cut as finely as the proofs allow."""

from dataclasses import dataclass
from fractions import Fraction

from dpcert.audit.verdicts.guarantee import by_theorem
from dpcert.mechanisms.design.designed import Designed, wanted
from dpcert.mechanisms.design.parts import sharp


@by_theorem
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

    exp_epsilon: Fraction | None = None
    delta: Fraction = Fraction(1, 2)
    error_function: str = "convolution"
    budget: str = "sharp"
    horizon: int | None = None
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        whole = wanted(self.exp_epsilon, self.epsilon)
        self._take(sharp(whole, self.delta, self.error_function, self.budget, self.horizon))
