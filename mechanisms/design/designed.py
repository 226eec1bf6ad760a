"""RandBin designed for a promised (epsilon, delta): the algorithm, its certificate, and what a report says of both."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.errors import expected
from dpcert.audit.records.section import Section
from dpcert.mechanisms.design.certificate import Certificate
from dpcert.mechanisms.design.certified import Certified
from dpcert.mechanisms.design.parts import Design
from dpcert.mechanisms.design.report import certified, designed, profile
from dpcert.mechanisms.noise.geometric import exp_epsilon_below, load_law
from dpcert.mechanisms.randbin.bound import scheduler_power
from dpcert.mechanisms.sums.stream_sum import StreamSum

DEFAULT = Fraction(16)
"""e^epsilon where neither it nor epsilon is given: little enough noise for exact games."""
SOLVED_LEVEL, SOLVED_LOADS, SOLVED_NOISE = 8, 2, 64
"""Up to this level, so many loads, and noise of so many values the scheduler's own game is solved."""


def wanted(exp_epsilon: Fraction | int | None, epsilon: Fraction | int | None) -> Fraction:
    """e^epsilon, given as itself or as a decimal epsilon, of which the rational below is taken."""
    if exp_epsilon is not None and epsilon is not None:
        raise expected("exp_epsilon or epsilon, not both,", exp_epsilon=exp_epsilon, epsilon=epsilon)
    if epsilon is not None:
        return exp_epsilon_below(Fraction(epsilon))[0]
    return DEFAULT if exp_epsilon is None else Fraction(exp_epsilon)


@dataclass(frozen=True)
class Designed(Certified):
    """A RandBin whose parts follow from what it is asked to promise.

    Attributes:
        design: Its parts and the promise.
    """

    design: Design = field(init=False, repr=False, compare=False)
    level: int = field(init=False, repr=False, compare=False)
    scheduler: StreamSum = field(init=False, repr=False, compare=False)

    def _take(self, design: Design) -> None:
        """Takes the parts of a design: what a frozen value does last while it is made."""
        low = design.level
        made: dict[str, Any] = {"design": design, "level": low}
        made["scheduler"] = StreamSum(design.noise, design.error_function, low, 2 * low)
        if self.horizon is None:
            made["horizon"] = design.horizon
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @cached_property
    def loads(self) -> Pmf[int]:
        """The law of a load."""
        return load_law(self.design.load, self.level)

    @cached_property
    def certificate(self) -> Certificate:
        """Why the promise holds, at any size."""
        return Certificate(self.design, self.loads)

    @property
    def guarantee(self) -> tuple[Fraction, Fraction]:
        """(e^epsilon, delta), what is promised."""
        return self.design.exp_epsilon, self.design.delta

    def delta_at(self, exp_epsilon: Fraction) -> Fraction:
        """At least delta at any e^epsilon, of the neighbour-preserving game: that of f_load tensor f_sum.

        Raises: MechanismError: it would not keep the promise.
        """
        kept, power = self.certificate.delta, self.certificate.power
        return kept if exp_epsilon == self.design.exp_epsilon else power.delta(exp_epsilon)

    @property
    def small(self) -> bool:
        """Whether exact games are within reach."""
        return self.level <= SOLVED_LEVEL and len(self.design.noise.law(1)) <= SOLVED_NOISE

    def scheduler_curve(self, loads: int, budget: Budget) -> PowerFunction:
        """f_sum over so many loads: its game solved where it is small, by theorem elsewhere."""
        if self.small and loads <= SOLVED_LOADS:
            return scheduler_power(self.scheduler, self.level, loads, budget)
        return self.certificate.scheduler

    def sections(self, horizon: int, budget: Budget) -> list[Section]:
        """The parts, the certificate, and, where they are within reach, exact schedules and delays."""
        exact = super().sections(horizon, budget) if self.small else []
        return [*designed(self, self.design), certified(self.certificate), profile(self.certificate), *exact]
