"""Why a designed RandBin is as private as promised, at any size: the curves by theorem, each step with its claim."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.errors import MechanismError
from dpcert.mechanisms.design.parts import Design
from dpcert.mechanisms.randbin.bound import load_power
from dpcert.mechanisms.sums.hybrid_profile import HybridProfile, clipped, hybrid_power


@dataclass(frozen=True)
class Step:
    """One step: the claims it rests on, what it says, and the number or curve that it leaves.

    `delta` is that of `at` = e^eps; both are exact.
    """

    claims: str
    says: str
    at: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Certificate:
    """f_load and f_sum of a design, by theorem, and both together. Source: paper.tex, lemma:randbin_NPDO.

    Args:
        design: What is certified; with as many bins as it knows, or for ever.
        loads: The law of its loads.
    """

    design: Design
    loads: Pmf[int]

    @cached_property
    def load(self) -> PowerFunction:
        """f_load, exactly."""
        return load_power(self.loads)

    @cached_property
    def _profile(self) -> HybridProfile:
        """What is known of the scheduler's core releases, unclipped."""
        noise, bins = self.design.noise, self.design.bins
        if bins is not None:
            return hybrid_power(noise, bins)
        return HybridProfile(dp_power(noise.exp_epsilon, noise.truncation), False, noise.exp_epsilon, noise.truncation)

    @property
    def core(self) -> PowerFunction:
        """The scheduler's core releases, unclipped."""
        return self._profile.power

    @property
    def exact(self) -> bool:
        """Whether that curve is attained; else it is an upper bound."""
        return self._profile.exact

    @cached_property
    def scheduler(self) -> PowerFunction:
        """f_sum, what is known of it once clipping is paid for."""
        return clipped(self.core, self.design.beta)

    @cached_property
    def power(self) -> PowerFunction:
        """f_load tensor f_sum."""
        return self.load.tensor(self.scheduler)

    @cached_property
    def delta(self) -> Fraction:
        """delta at the promised e^epsilon, exactly, of the curve that is proven.

        Raises: MechanismError: it is more than the design promises.
        """
        promise = self.design.promise
        delta = self.power.delta(promise.exp_epsilon)
        if delta > promise.delta:
            raise MechanismError(f"Expected a delta of at most {down(promise.delta)} but got {up(delta)}")
        return delta

    @property
    def steps(self) -> tuple[Step, ...]:
        """From the noise to the promise."""
        design, noise, both = self.design, self.design.noise, self.design.promise.exp_epsilon
        return (
            Step("40, 42", "a load and the same load shifted by 1", design.load, self.load.delta(design.load)),
            Step(
                "75, 78",
                "all core releases of the scheduler that hold one load, its noise cut off where it is",
                noise.exp_epsilon,
                self.core.delta(noise.exp_epsilon),
            ),
            Step(
                "65, 79",
                "the same against adaptive adversaries: the core is quantitatively decomposable",
                noise.exp_epsilon,
                self.core.delta(noise.exp_epsilon),
            ),
            Step(
                "76, 77", "raw sums that are ever further off than E - 1: a probability", noise.exp_epsilon, design.beta
            ),
            Step(
                "81, 82",
                "the scheduler, clipped and made consistent",
                noise.exp_epsilon,
                self.scheduler.delta(noise.exp_epsilon),
            ),
            Step("30, 53", "RandBin: the load and the scheduler together", both, self.delta),
            Step("18, 55", "what is promised", both, design.promise.delta),
        )
