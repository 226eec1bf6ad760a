"""The noise of the Toeplitz prefix sum: rounded Gaussians, decoded in whole numbers."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import ClassVar

from dpcert.audit.draws import Draw
from dpcert.audit.errors import expected
from dpcert.audit.pmf import Pmf
from dpcert.mechanisms.rounded_gaussian import RoundedGaussian
from dpcert.mechanisms.toeplitz_encoder import encoder_column, nearest

State = tuple[int, tuple[int, ...]]
"""(sum of the errors, the errors e_t, ..., e_1 of the decoded inputs, newest first), in grid units."""


@dataclass(frozen=True)
class ToeplitzNoise:
    """Y_t - Q_t of the core Z = R x + z decoded: e_t = z_t - nearest(sum_{k>=1} r_k e_{t-k} / c), and sums of e over c.

    The decoder's X_t = Z_t - nearest(sum_{k>=1} r_k X_{t-k} / c) is c x_t + e_t, since R x is whole and rounding
    commutes with whole shifts: what it is off by is settled by the noise.

    Args:
        sigma: The standard deviation of z before rounding, in grid units.
        rounds: Rounds that it goes on for.
        scale: c, grid units in one unit of the inputs.
    Source: paper.tex, sec:prefixsum_factor.
    """

    sigma: Fraction
    rounds: int
    scale: int = 512
    initial: ClassVar[State] = (0, ())

    @cached_property
    def law(self) -> Pmf[int]:
        """The law of z_t, the same every round."""
        return RoundedGaussian(self.sigma).law

    @cached_property
    def _earlier(self) -> tuple[int, ...]:
        """r_1, r_2, ..."""
        return encoder_column(self.scale, self.rounds)[1:]

    def step(self, state: State, draw: Draw) -> tuple[int, State]:
        """Y_t - Q_t, t one more than in `state`. Raises: ArgumentError: a round after the last."""
        total, errors = state
        if len(errors) >= self.rounds:
            raise expected(f"at most {self.rounds} rounds", round=len(errors) + 1)
        error = draw(self.law) - nearest(sum(map(mul, self._earlier, errors)), self.scale)
        total += error
        return nearest(total, self.scale), (total, (error, *errors))
