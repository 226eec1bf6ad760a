"""The noise of the hybrid prefix sum: a bounded geometric law a round, and the error of the sums made of it."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import expected
from dpcert.audit.kernels.draws import Draw
from dpcert.mechanisms.noise.bounded_geometric import bounded_geometric, power_below
from dpcert.mechanisms.noise.geometric import above_one
from dpcert.mechanisms.sums.hybrid_schedule import UNITS, HybridSchedule

State = tuple[int, int, tuple[int, ...]]
"""(t, error of the roots of earlier segments, noises of the cover of o from its highest interval down)."""


@dataclass(frozen=True)
class HybridNoise:
    """eta_t of round t, and Y_t - Q_t, the sum of the noises in the cover of [1..t]; O(log t) numbers are kept.

    Args:
        exp_epsilon: e^epsilon for all rounds that hold one item together, above 1.
        budget: How it is shared: uniform or sharp.
        truncation: The most that the ends of the noise laws may have, over all rounds that hold one item together: of
            segment k, which holds an item in at most k + 1 rounds, each takes 1 / (k + 1) of it.
    """

    exp_epsilon: Fraction
    budget: str = "uniform"
    truncation: Fraction = Fraction(1, 2**100)
    _laws: dict[tuple[int, int], Pmf[int]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _alphas: dict[int, Fraction] = field(default_factory=dict, init=False, repr=False, compare=False)
    initial: ClassVar[State] = (0, 0, ())

    def __post_init__(self) -> None:
        above_one(self.exp_epsilon)
        if not 0 < self.truncation < 1:
            raise expected("a truncation above 0 and below 1", truncation=self.truncation)
        _ = self.schedule  # raises where there is no such budget

    @cached_property
    def schedule(self) -> HybridSchedule:
        """Which interval each round counts."""
        return HybridSchedule(self.budget)

    def exp_epsilon_at(self, t: int) -> Fraction:
        """alpha_t, the e^eps of round t's noise: rational, at most what its share of epsilon allows."""
        units = self.schedule.units(t)
        if units not in self._alphas:
            self._alphas[units] = power_below(self.exp_epsilon, Fraction(units, UNITS))
        return self._alphas[units]

    def law(self, t: int) -> Pmf[int]:
        """The law of eta_t. Few rounds have one of their own: they share by units and segment."""
        kind = self.schedule.units(t), t.bit_length()
        law = self._laws.get(kind)
        if law is None:
            law = bounded_geometric(self.exp_epsilon_at(t), self.truncation / t.bit_length())
            self._laws[kind] = law
        return law

    def step(self, state: State, draw: Draw) -> tuple[int, State]:
        """Y_t - Q_t, t one more than in `state`."""
        t, roots, cover = state[0] + 1, state[1], state[2]
        k, o = self.schedule.place(t)
        kept = cover[: o.bit_count() - 1]
        cover = (*kept, draw(self.law(t)))
        error = roots + sum(cover)
        return error, (t, error, ()) if o == 1 << k else (t, roots, cover)
