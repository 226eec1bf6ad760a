"""Clipped prefix sums with geometric noise on all integers, as the paper has them: a finite kernel all the same."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.noise.geometric import above_one, truncated_geometric
from dpcert.mechanisms.noise.lazy_geometric import LazyGeometric
from dpcert.mechanisms.sums.error_function import ErrorFunction, Steps
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import BUDGETS, HybridSchedule
from dpcert.mechanisms.sums.stream_sum import clip

State = tuple[int, int, LazyGeometric]
"""(t, release - Q_t, the noise of the roots of earlier segments and those of the cover of o that are used again)."""

MOST_CLIP = 1_000
"""The widest clip of prefix sums, and of noise: laws are written out on all that it leaves."""


@dataclass(frozen=True)
class IdealStreamSum:
    """clip(Y_t, Q_t - E(t), Q_t + E(t)), Y_t the hybrid prefix sum with Geom noise; releases by how much it rises.

    Without `projected`, and for streams that differ by 1 in one round, it is as private on all whole numbers as on
    {0, 1}: an input moves the rise by itself and no state, so what both streams share shows nothing, and a pair
    (x, x + 1) shows what (0, 1) shows.

    Args:
        exp_epsilon: e^epsilon: of every round's noise, or with a budget of all rounds that hold one item together.
        error: E: one whole number for all rounds, or an error function.
        budget: each (every round's noise is Geom(e^epsilon)); uniform or sharp: as HybridNoise shares it.
        cut: The noise is clipped to [-cut..cut]; with 0 it is not.
        low, high: a and b, the least and the largest input.
        projected: Whether rises are clipped to [low..high], as the consistent release has it.
    Source: paper.tex, th:prefix_sum (its clipping alone); claims 83, 84.
    """

    exp_epsilon: Fraction = Fraction(2)
    error: ErrorFunction | int = 4
    budget: str = "each"
    cut: int = 0
    low: int = 0
    high: int = 1
    projected: bool = False
    initial: ClassVar[State] = (0, 0, LazyGeometric((0,)))

    def __post_init__(self) -> None:
        above_one(self.exp_epsilon)
        if self.budget not in ("each", *BUDGETS):
            raise expected(f"a budget (each, {', '.join(BUDGETS)})", budget=self.budget)
        if self.low > self.high or self.cut < 0:
            raise expected(
                "an interval [low..high] and a cut of at least 0", low=self.low, high=self.high, cut=self.cut
            )
        if max(self.cut, self.error if isinstance(self.error, int) else 0) > MOST_CLIP:
            raise expected(f"an error and a cut of at most {MOST_CLIP}", error=self.error, cut=self.cut)
        if isinstance(self.error, bool) or not (isinstance(self.error, int) or callable(self.error)):
            raise expected("a whole number or an error function", error=self.error)
        _ = self.error_function  # raises where it is negative

    @property
    def alphabet(self) -> tuple[int, ...]:
        """[low..high]."""
        return tuple(range(self.low, self.high + 1))

    @property
    def horizon(self) -> int | None:
        """The last round that E knows."""
        return self.error_function.horizon

    @cached_property
    def error_function(self) -> ErrorFunction:
        """E."""
        return Steps((1,), (self.error,)) if isinstance(self.error, int) else self.error

    def exp_epsilon_at(self, t: int) -> Fraction:
        """alpha_t, the e^eps of the noise of round t alone."""
        if self.budget == "each":
            return self.exp_epsilon
        return HybridNoise(self.exp_epsilon, self.budget).exp_epsilon_at(t)

    def step(self, state: State, x: int, draw: Draw) -> tuple[Release[int, None], State]:
        """One input more."""
        t, off = state[0] + 1, state[1]
        most = self.error_function(t)
        noises = self._with_noise_of(t, state[2], draw)
        error, noises = noises.clipped((1,) * len(noises.constants), -most, most, draw)
        rise = error + x - off
        if self.projected:
            rise = clip(rise, self.low, self.high)
        return Release(rise), (t, off + rise - x, _used_again(t, noises))

    def _with_noise_of(self, t: int, noises: LazyGeometric, draw: Draw) -> LazyGeometric:
        alpha = self.exp_epsilon_at(t)
        if not self.cut:
            return noises.with_noise(alpha)
        return noises.with_constant(draw(truncated_geometric(alpha, 2 * self.cut)))


def _used_again(t: int, noises: LazyGeometric) -> LazyGeometric:
    """What later rounds add up: the roots of whole segments as one number, and the cover of o as far as o + 1 shares
    it."""
    forms = len(noises.constants)
    k, o = HybridSchedule().place(t)
    if o == 1 << k:
        return noises.combined([(1,) * forms])
    return noises.combined([[int(i == j) for j in range(forms)] for i in range((o + 1).bit_count())])
