"""RandBin designed for a promise: the algorithm, its certificate, and what a report says of both."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget
from dpcert.audit.records.section import Section
from dpcert.mechanisms.design.certificate import Certificate
from dpcert.mechanisms.design.certified import Certified
from dpcert.mechanisms.design.parts import Design
from dpcert.mechanisms.design.promise import DEFAULT_DELTA, Promise, promised
from dpcert.mechanisms.design.reach import SOLVED_LOADS, within_reach
from dpcert.mechanisms.design.report import certified, designed, profile
from dpcert.mechanisms.noise.geometric import load_law
from dpcert.mechanisms.randbin.bound import scheduler_power
from dpcert.mechanisms.sums.stream_sum import StreamSum


@dataclass(frozen=True)
class Designed(Certified):
    """A RandBin whose parts are a design: a function of what it is asked to promise, worked out once it is made.

    An heir is a frozen dataclass: its fields are what a report shows and a lease is known by.

    Args:
        exp_epsilon: e^epsilon, above 1; or
        epsilon: a decimal epsilon, of which e^epsilon is taken from below.
        delta: Above 0 and below 1.
        error_function: By which E the scheduler is late at most.
        budget: How intervals share the scheduler's epsilon.
        horizon: Events that it takes, any number without.
    """

    exp_epsilon: Fraction | None = None
    delta: Fraction = DEFAULT_DELTA
    error_function: str = "explicit"
    budget: str = "uniform"
    horizon: int | None = None
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        # the one field that follows from others: an error function given as numbers ends, and so do the events
        object.__setattr__(self, "horizon", self.design.horizon)

    @abstractmethod
    def designed_for(self, promise: Promise) -> Design:
        """The parts that keep a promise. Raises: ArgumentError: there are none."""

    @cached_property
    def design(self) -> Design:
        """Its parts and the promise that they keep. Raises: ArgumentError: no parts keep it."""
        return self.designed_for(promised(self.delta, self.horizon, exp_epsilon=self.exp_epsilon, epsilon=self.epsilon))

    @cached_property
    def level(self) -> int:  # type: ignore[override]  # frozen: nobody writes it
        """U, even."""
        return self.design.level

    @cached_property
    def scheduler(self) -> StreamSum:  # type: ignore[override]  # frozen: nobody writes it
        """Says when bins leave."""
        return StreamSum(self.design.noise, self.design.error_function, self.level, 2 * self.level)

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
        return self.design.promise.exp_epsilon, self.design.promise.delta

    def delta_at(self, exp_epsilon: Fraction) -> Fraction:
        """At least delta at any e^epsilon, of the neighbour-preserving game: that of f_load tensor f_sum.

        Raises: MechanismError: it would not keep the promise.
        """
        kept, power = self.certificate.delta, self.certificate.power
        return kept if exp_epsilon == self.design.promise.exp_epsilon else power.delta(exp_epsilon)

    @property
    def small(self) -> bool:
        """Whether exact games are within reach."""
        return within_reach(self.level, len(self.design.noise.law(1)))

    def scheduler_curve(self, loads: int, budget: Budget) -> PowerFunction:
        """f_sum over so many loads: its game solved where it is small, by theorem elsewhere."""
        if self.small and loads <= SOLVED_LOADS:
            return scheduler_power(self.scheduler, self.level, loads, budget)
        return self.certificate.scheduler

    def sections(self, horizon: int, budget: Budget) -> list[Section]:
        """The parts, the certificate, and, where they are within reach, exact schedules and delays."""
        exact = super().sections(horizon, budget) if self.small else []
        return [*designed(self, self.design), certified(self.certificate), profile(self.certificate), *exact]
