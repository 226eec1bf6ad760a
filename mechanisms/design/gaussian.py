"""RandBin on Gaussian noise: bell-shaped loads, and a Toeplitz prefix sum as its scheduler, for a public horizon."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.errors import expected
from dpcert.audit.games.fewer_states import explored_as
from dpcert.audit.records.section import Section
from dpcert.audit.verdicts.guarantee import by_theorem
from dpcert.mechanisms.design.certified import Certified
from dpcert.mechanisms.design.gaussian_costs import Costs
from dpcert.mechanisms.design.gaussian_report import parts, why
from dpcert.mechanisms.design.reach import within_reach
from dpcert.mechanisms.design.report import waiting
from dpcert.mechanisms.noise.gaussian_curve import gaussian_power
from dpcert.mechanisms.noise.gaussian_profile import profile
from dpcert.mechanisms.noise.geometric import even
from dpcert.mechanisms.randbin.bell_load import bell_load
from dpcert.mechanisms.randbin.bound import load_power
from dpcert.mechanisms.randbin.drawn_late import DrawnLate
from dpcert.mechanisms.sums.error_function import Steps
from dpcert.mechanisms.sums.stream_sum import StreamSum
from dpcert.mechanisms.sums.toeplitz_encoder import mu_squared
from dpcert.mechanisms.sums.toeplitz_error import overrun
from dpcert.mechanisms.sums.toeplitz_noise import ToeplitzNoise


@by_theorem
@explored_as(DrawnLate)
@dataclass(frozen=True)
class RandBinGaussian(Certified):
    """Events leave in bins of bell-shaped size at times that a Toeplitz prefix sum with rounded Gaussian noise gives.

    Args:
        level: U, even; loads lie in [U..2U].
        slope, curvature, taper: The shape of the loads' law, as `bell_load` has it.
        sigma: The deviation of the scheduler's noise, in grid units, `scale` of them to an event.
        error: E[i] for every i of at least 1, in events.
        horizon: Events that it takes.
        scale: c, grid units in one event.
    Source: paper.tex, alg:randbin and sec:prefixsum_factor; the combination is beyond the paper.
    """

    level: int
    slope: Fraction
    curvature: Fraction
    taper: Fraction
    sigma: Fraction
    error: int
    horizon: int
    scale: int = 512

    def __post_init__(self) -> None:
        even(self.level)
        if self.error < 1:
            raise expected("an error of at least 1", error=self.error)
        if self.horizon < 1:
            raise expected("a horizon of at least 1 event", horizon=self.horizon)

    @cached_property
    def noise(self) -> ToeplitzNoise:
        """The scheduler's noise."""
        return ToeplitzNoise(self.sigma, self.rounds, self.scale)

    @cached_property
    def scheduler(self) -> StreamSum:  # type: ignore[override]  # frozen: nobody writes it
        """Says when bins leave."""
        steps = Steps((1,), (self.error,), self.rounds)
        return StreamSum(self.noise, steps, self.level, 2 * self.level)

    @property
    def rounds(self) -> int:
        """n, the loads that are drawn within the horizon: bin i leaves in round (i + 2) U + E or later, and then the
        next load is drawn."""
        return max(1, (self.horizon - self.error) // self.level - 1)

    @cached_property
    def loads(self) -> Pmf[int]:
        """The law of a load."""
        return bell_load(self.level, self.slope, self.curvature, self.taper)

    @property
    def backlog(self) -> int:
        """4U + 2E - 1, the most events that ever wait. Source: claims 46."""
        return 4 * self.level + 2 * self.error - 1

    @property
    def mu_squared(self) -> Fraction:
        """mu^2 of the scheduler's core releases together."""
        return mu_squared(self.scale, self.sigma, self.rounds)

    def costs(self, exp_epsilon: Fraction) -> Costs:
        """delta at e^epsilon by its parts, of the neighbour-preserving game: f_load tensor f_sum, each part rounded up.

        Args:
            exp_epsilon: e^epsilon, positive.
        Source: paper.tex, lemma:randbin_NPDO; claims 14 and 96 for the core, 82 for clipping.
        """
        noise = profile(load_power(self.loads), self.mu_squared, exp_epsilon).finite().upper
        return Costs(noise, self.clipping, (1 + exp_epsilon) * self._finite)

    def delta_at(self, exp_epsilon: Fraction) -> Fraction:
        """At least delta at e^epsilon, positive, of streams that differ in one event more or less."""
        return min(Fraction(1), sum(self.costs(exp_epsilon), Fraction(0)))

    @property
    def clipping(self) -> Fraction:
        """At least P(the scheduler's raw error ever reaches E)."""
        return overrun(self.scale, self.sigma, self.rounds, self.error)

    @property
    def _finite(self) -> Fraction:
        """n tau."""
        return self.rounds * self.noise.rounded.distance

    def scheduler_curve(self, loads: int, budget: Budget) -> PowerFunction:
        """At least f_sum, by theorem, over any number of loads up to all of them."""
        del loads, budget
        return gaussian_power(self.mu_squared, self.clipping, self._finite)

    @property
    def small(self) -> bool:
        """Whether exact schedules are within reach."""
        return within_reach(self.level, len(self.noise.law))

    def sections(self, horizon: int, budget: Budget) -> list[Section]:
        """The parts, the waiting that they allow, why it is private; exact schedules where they are within reach."""
        exact = super().sections(horizon, budget) if self.small else []
        return [parts(self), waiting(self), *why(self), *exact]
