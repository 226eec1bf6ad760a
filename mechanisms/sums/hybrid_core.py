"""The hybrid mechanism's noisy interval sums, and the running sum that is read off them."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.budget import Budget
from dpcert.audit.errors import expected
from dpcert.audit.records.section import Section, section, shown
from dpcert.audit.render.cells import Cell, stated
from dpcert.mechanisms.noise.bounded_geometric import unit_shift
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_schedule import HybridSchedule, cover
from dpcert.mechanisms.sums.hybrid_spent import spent_in_segment

MOST_TRUNCATION_BITS = 4_096
"""Binary digits of the denominator of a truncation: laws are written out with ends as thin as it."""


@dataclass(frozen=True)
class HybridCore:
    """Z_t = sum of the inputs over I_t + eta_t; publishes Y_t, the sum of the Z of the intervals that make up [1..t].

    Its schedule and its noise are those of HybridNoise, which runs live: Y_t - Q_t is that process. A shift of both
    worlds' sums shifts both laws alike, so the size of the difference of the sums decides a round's curve. Intervals
    that hold one item together spend at most exp_epsilon and truncation, if the streams differ by 1 in one round.

    Args:
        exp_epsilon: e^epsilon, above 1.
        budget: How the rounds share it: uniform or sharp.
        truncation: The most that the ends of the noise laws have, over the rounds that hold one item together.
        alphabet: Whole numbers.
    Source: paper.tex, thm:dp_unbounded_prefix_sum; claims 75, 78 to 80.
    """

    exp_epsilon: Fraction = Fraction(16)
    budget: str = "uniform"
    truncation: Fraction = Fraction(1, 4)
    alphabet: tuple[int, ...] = (0, 1)
    null: ClassVar[int] = 0

    def __post_init__(self) -> None:
        _ = self.noise  # raises where a parameter does not fit
        if self.truncation.denominator.bit_length() > MOST_TRUNCATION_BITS:
            wanted = f"a truncation whose denominator is at most 2^{MOST_TRUNCATION_BITS}"
            raise expected(wanted, truncation=self.truncation)

    @cached_property
    def noise(self) -> HybridNoise:
        """eta_t for every round t."""
        return HybridNoise(self.exp_epsilon, self.budget, self.truncation)

    @cached_property
    def schedule(self) -> HybridSchedule:
        """I_t for every round t."""
        return self.noise.schedule

    def weights(self, t: int) -> tuple[int, ...]:
        """1 on I_t."""
        first, last = self.schedule.interval(t)
        return (0,) * (first - 1) + (1,) * (last - first + 1)

    def noise_law(self, t: int) -> Pmf[int]:
        """The law of eta_t."""
        return self.noise.law(t)

    def publish(self, core: tuple[int, ...]) -> int:
        """Y_t, the estimate of the sum of the first t = len(core) inputs."""
        return sum(core[r - 1] for r in cover(len(core)))

    def sections(self, horizon: int, budget: Budget) -> list[Section]:
        """What a report adds: what the intervals of each segment spend, and what that comes to for one item."""
        del budget
        rows = []
        for k in range(horizon.bit_length()):
            first, last = 1 << k, min(horizon, (2 << k) - 1)
            cost = spent_in_segment(self.noise, k, last - first + 1)
            highest = max(range(first, last + 1), key=self.schedule.height)
            alpha = self.noise.exp_epsilon_at(highest)
            ends = unit_shift(self.noise_law(highest))[1]
            rows.append((k, f"{integer_text(first)} to {integer_text(last)}", shown(alpha), shown(ends), shown(cost)))
        words = "One item spends at most "
        words += f"{stated('e^ε', Cell(shown(self.exp_epsilon)))}; per-interval e^ε are rationals from below."
        columns = ("segment", "rounds", "e^ε of its longest interval", "δ of that noise's ends", "e^ε spent by an item")
        return [section("Budget", words, columns, rows, brief=True)]
