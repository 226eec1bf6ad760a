"""The noise of the Toeplitz prefix sum: rounded Gaussians, decoded in whole numbers."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from operator import mul
from typing import ClassVar

from flint import fmpz_poly

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.mechanisms.noise.rounded_gaussian import RoundedGaussian, rounded_gaussian
from dpcert.mechanisms.sums.toeplitz_encoder import encoder_column, nearest

ROUNDS_A_BLOCK = 256
"""Errors that are multiplied out one by one, before they are folded into sums for as many rounds ahead."""

State = tuple[int, tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int, ...]]
"""(sum of the errors e, full blocks of them from the first on, those since, newest first, and for each round of this
block the sum of r_k e_{t-k} over full blocks), in grid units. The last part follows from the second."""


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
    initial: ClassVar[State] = (0, (), (), (0,) * ROUNDS_A_BLOCK)

    @cached_property
    def law(self) -> Pmf[int]:
        """The law of z_t, the same every round."""
        return self.rounded.law

    @cached_property
    def rounded(self) -> RoundedGaussian:
        """That law, and how far it is from Gaussian."""
        return rounded_gaussian(self.sigma)

    @cached_property
    def _earlier(self) -> tuple[int, ...]:
        """r_1, r_2, ..."""
        return encoder_column(self.scale, self.rounds)[1:]

    def step(self, state: State, draw: Draw) -> tuple[int, State]:
        """Y_t - Q_t, t one more than in `state`. Raises: ArgumentError: a round after the last."""
        total, blocks, recent, ahead = state
        if len(blocks) * ROUNDS_A_BLOCK + len(recent) >= self.rounds:
            raise expected(f"at most {self.rounds} rounds", round=len(blocks) * ROUNDS_A_BLOCK + len(recent) + 1)
        drag = ahead[len(recent)] + sum(map(mul, self._earlier, recent))
        error = draw(self.law) - nearest(drag, self.scale)
        total, recent = total + error, (error, *recent)
        if len(recent) == ROUNDS_A_BLOCK:
            blocks, recent = (*blocks, recent[::-1]), ()
            ahead = self._folded(blocks)
        return nearest(total, self.scale), (total, blocks, recent, ahead)

    def _folded(self, blocks: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
        """What full blocks add to the sums of the next block: coefficients of the product of two polynomials."""
        done = len(blocks) * ROUNDS_A_BLOCK
        column = fmpz_poly([0, *self._earlier[: done + ROUNDS_A_BLOCK - 1]])
        product = column * fmpz_poly(list(chain.from_iterable(blocks)))
        return tuple(int(product[done + k]) for k in range(ROUNDS_A_BLOCK))
