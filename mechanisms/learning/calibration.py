"""The noise of continual DP-SGD for a promise, three ways: as the paper splits it, sharply, and all of it Gaussian."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from flint import arb

from dpcert.audit.algebra.enclosure import ball, enclosed, exponential
from dpcert.audit.errors import expected
from dpcert.mechanisms.accounting.crossing import crossing
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.renyi_bounds import paper_epsilon
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.aggregators.core import VectorCore
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.design.certified import Certified
from dpcert.mechanisms.design.gaussian_design import gaussian
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.design.promise import promised
from dpcert.mechanisms.design.sharp import RandBinSharp
from dpcert.mechanisms.grid_noise.sampling import SampledGaussian, added_delta, sampled_gaussian
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.matrices.participations import AdjacentBins, Once, Participation
from dpcert.mechanisms.noise.gaussian_profile import profile
from dpcert.mechanisms.noise.geometric import exp_epsilon_below
from dpcert.mechanisms.randbin.bound import load_power

RESERVED = Fraction(1, 1 << 40)
"""The share of delta that noise of finitely many seeds may take."""
NEAREST = Fraction(1, 1 << 12)
"""How near the noise is to the least that keeps the promise, relatively."""

MakeCore = Callable[[int, int, int], VectorCore]
"""A factorisation of so many rounds, components, and size of a component."""


@dataclass(frozen=True)
class Wish:
    """What a pipeline is to keep, and how the budget is split.

    Args:
        epsilon: In nats, above 0.
        delta: Above 0 and below 1.
        events: T, the most events.
        split: The share of epsilon that goes to buffering; delta is halved.
    Raises: ArgumentError: a parameter outside its domain, or a split that leaves nothing.
    Source: paper.tex, thm:main_pipeline_overview; claims 98 and 104.
    """

    epsilon: Fraction
    delta: Fraction
    events: int
    split: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        if self.epsilon <= 0 or not 0 < self.delta < 1:
            raise expected("an epsilon above 0 and a delta between 0 and 1", epsilon=self.epsilon, delta=self.delta)
        if not 0 < self.split < 1:
            raise expected("a split above 0 and below 1, which leaves something to both,", split=self.split)
        if self.events < 1:
            raise expected("a horizon of at least 1 event", events=self.events)

    @property
    def buffering(self) -> tuple[Fraction, Fraction]:
        """(epsilon_b, delta_b)."""
        return self.split * self.epsilon, self.delta / 2

    @property
    def downstream(self) -> tuple[Fraction, Fraction]:
        """(epsilon_a, delta_a), less what is reserved for finite seeds."""
        return (1 - self.split) * self.epsilon, self.delta / 2 - RESERVED * self.delta

    @property
    def one_hop(self) -> tuple[Fraction, Fraction]:
        """(epsilon_a / 2, delta_a / (1 + e^(epsilon_a / 2))), of which two hops cost the downstream's whole.

        Source: paper.tex, sec:compose.
        """
        epsilon, delta = self.downstream
        return epsilon / 2, delta / (1 + exponential(epsilon / 2).finite().upper)


@dataclass(frozen=True)
class CalibrationStep:
    """One step of the account: the claims it rests on, the paper's label of its theorem, what it says, its number."""

    claims: str
    theorem: str
    says: str
    value: Fraction


@dataclass(frozen=True)
class Calibration:
    """A pipeline's parts, and the account of why they keep the promise.

    Attributes:
        name: paper, sharp or gaussian.
        wish: What is kept.
        randbin: The buffering.
        core: The private sums.
        sigma: Of the noise, in units of the core's rows.
        bits: Fractional bits of the updates.
        proven: At least delta at epsilon, of the released trajectory, finite seeds counted; 1 where they are not.
        steps: Why.
        change: What an edit moves an update by at most, in units of 2^-bits.
        participation: In which bins together.
    """

    name: str
    wish: Wish
    randbin: Certified
    core: VectorCore
    sigma: Fraction
    bits: int
    proven: Fraction
    steps: tuple[CalibrationStep, ...]
    change: Fraction
    participation: Participation

    @property
    def mu(self) -> Fraction:
        """At least mu of the ideal sums: of one hop for *paper*, of both adjacent bins jointly for the others."""
        return self.core.shift(self.change, self.participation) / self.sigma

    @property
    def noise(self) -> SampledGaussian:
        """What is drawn."""
        return sampled_gaussian(self.sigma)

    @property
    def noise_per_coordinate(self) -> Fraction:
        """The standard deviation of the noise of a row, in units of the model."""
        return self.sigma / (1 << self.bits + self.core.row_bits)


def paper_calibration(
    wish: Wish, updates: Updates, make_core: MakeCore = TreeSums, *, closed: bool = True
) -> Calibration:
    """Half of the budget a hop, any two bins' difference 2 G eta, and zCDP converted.

    Args:
        wish: What is to be kept.
        updates: What is summed.
        make_core: The private sums.
        closed: Whether the law of the noise is made and its finite seeds are counted, which takes a second; without it
            nothing is proven.
    Raises: ArgumentError: a promise that no parts keep.
    Source: paper.tex, thm:main_pipeline_overview, alg:dp_sgd_edit.
    """
    epsilon, delta = wish.buffering
    randbin = RandBinPaper(epsilon=epsilon, delta=delta, horizon=wish.events)
    one, one_delta = wish.one_hop
    mu = _converted(one, one_delta)
    steps = (
        CalibrationStep("30, 53", "cor:adap_randbin", "RandBin, at its share of epsilon", delta),
        CalibrationStep(
            "99",
            "alg:dp_sgd_edit",
            "two updates of any two bins differ by 2 G eta at most, in units",
            updates.any_change,
        ),
        CalibrationStep(
            "88, 93, 94", "lem:factor_privacy_constants", "one hop of the private sums, zCDP converted: mu", mu
        ),
        CalibrationStep(
            "11, 98", "fact:multi_hop_DP, thm:main_pipeline_overview", "two hops, by group privacy", wish.downstream[1]
        ),
    )
    made = _parts("paper", wish, randbin, updates, make_core, (updates.any_change, Once(), mu))
    return _closed(made, delta + wish.downstream[1], steps) if closed else replace(made, steps=steps)


def sharp_calibration(
    wish: Wish, updates: Updates, make_core: MakeCore = TreeSums, *, closed: bool = True
) -> Calibration:
    """RandBin's sharp design, an edit's own difference in both bins jointly, and f_load ⊗ f_sum ⊗ f_mu as one curve.

    Args:
        wish, updates, make_core, closed: As of `paper_calibration`.
    Raises: ArgumentError: a promise that no parts keep.
    """
    epsilon, delta = wish.buffering
    randbin = RandBinSharp(epsilon=epsilon, delta=delta, horizon=wish.events)
    power = randbin.certificate.power

    def total(mu: Fraction) -> Fraction:
        return GaussianProduct(GaussianShift.of_mu(mu), power).delta_at(wish.epsilon).finite().upper

    return _joint("sharp", wish, randbin, updates, make_core, total, closed)


def gaussian_calibration(
    wish: Wish, updates: Updates, make_core: MakeCore = TreeSums, *, closed: bool = True
) -> Calibration:
    """RandBin on Gaussian noise, whose scheduler's mu and the sums' mu add in squares beside the load.

    Args:
        wish, updates, make_core, closed: As of `paper_calibration`.
    Raises: ArgumentError: a promise that no parts keep.
    """
    epsilon, delta = wish.buffering
    randbin = gaussian(promised(delta, wish.events, epsilon=epsilon), counted=closed)
    exp_epsilon, _ = exp_epsilon_below(wish.epsilon)
    load, beside = load_power(randbin.loads), randbin.clipping
    if closed:
        beside = sum(randbin.costs(exp_epsilon)[1:], Fraction(0))

    def total(mu: Fraction) -> Fraction:
        both = randbin.mu_squared + mu * mu
        return profile(load, both, exp_epsilon).finite().upper + beside

    return _joint("gaussian", wish, randbin, updates, make_core, total, closed)


def _joint(
    name: str,
    wish: Wish,
    randbin: Certified,
    updates: Updates,
    make_core: MakeCore,
    total: Callable[[Fraction], Fraction],
    closed: bool,
) -> Calibration:
    """With the largest mu found by which the whole is within delta."""
    allowed = wish.delta * (1 - RESERVED)
    found = crossing(lambda x: 1 if not x or total(1 / x) > allowed else -1, NEAREST)
    if found.upper is None:
        raise expected("a promise that some noise keeps", epsilon=wish.epsilon, delta=wish.delta)
    mu, change = 1 / found.upper, updates.edit_change(randbin.level)
    whole = total(mu)
    steps = (
        CalibrationStep(
            "99", "lem:randbin_wrapper", "what an edit moves the update of either of its two bins by, in units", change
        ),
        CalibrationStep("96, 97", "thm:cert", "the private sums, of both adjacent bins jointly: mu", mu),
        CalibrationStep(
            "14, 30, 53",
            "thm:DP-comp, lemma:randbin_NPDO",
            "load, scheduler and sums as one curve: delta at epsilon",
            whole,
        ),
    )
    made = _parts(name, wish, randbin, updates, make_core, (change, AdjacentBins(), mu))
    made = replace(made, steps=steps)
    return _closed(made, whole, steps) if closed else made


def _parts(
    name: str,
    wish: Wish,
    randbin: Certified,
    updates: Updates,
    make_core: MakeCore,
    moved: tuple[Fraction, Participation, Fraction],
) -> Calibration:
    """With the least whole sigma, in units of rows, that makes what is moved no more than mu."""
    change, participation, mu = moved
    rounds = max(2, wish.events // randbin.level)
    core = make_core(rounds, updates.dimension, updates.largest)
    sigma = Fraction(ceil(core.shift(change, participation) / mu))
    return Calibration(name, wish, randbin, core, sigma, updates.bits, Fraction(1), (), change, participation)


def _closed(calibration: Calibration, delta: Fraction, steps: tuple[CalibrationStep, ...]) -> Calibration:
    """With what finitely many seeds add. Raises: ArgumentError: that is more than was reserved."""
    draws = calibration.core.rounds * calibration.core.dimension
    extra = added_delta(calibration.noise.distance, draws, calibration.wish.epsilon)
    if delta + extra > calibration.wish.delta:
        raise expected("a delta that finite seeds keep", delta=calibration.wish.delta)
    last = CalibrationStep("", "", "the noise of finitely many seeds, over all coordinates of all rounds", extra)
    return replace(calibration, proven=delta + extra, steps=(*steps, last))


def _converted(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest mu, about, whose rho = mu^2 / 2 is converted to at most epsilon: sqrt(rho) = sqrt(L + eps) - sqrt(L).

    Source: paper.tex, lem:factor_privacy_constants; claims 93.
    """

    def compute() -> arb:
        nats = -ball(delta).log()
        return ((nats + ball(epsilon)).sqrt() - nats.sqrt()) * arb(2).sqrt()

    mu = enclosed(compute).finite().lower
    while (spent := paper_epsilon(GaussianShift.of_mu(mu), delta).epsilon.upper) is None or spent > epsilon:
        mu *= 1 - NEAREST / 1024
    return mu
