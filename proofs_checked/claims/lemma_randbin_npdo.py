"""lemma:randbin_NPDO: what RandBin's simulation gives away is within f_load ⊗ f_sum; the steps of the proof."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget
from dpcert.audit.finding import Finding, Method
from dpcert.audit.games.npp import npp_game
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.noise.geometric import load_law
from dpcert.mechanisms.randbin.bound import bins_within, load_power, scheduler_power
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.simulation import State as Simulation
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS, HASTY, KERNELS, LEVELS, RUNS, Round, every_round
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.laws import laws
from dpcert.proofs_checked.cases.pair_runs import PAIRED, PAIRED_RUNS, Emission, Paired, emissions, every_emission
from dpcert.proofs_checked.cases.replayed import simulation_alone
from dpcert.proofs_checked.ledger import claim, found

LABEL = "lemma:randbin_NPDO"
STEPS = (
    "an_item_misses_the_bin_that_is_due",
    "only_bin_k_differs_in_length_by_one",
    "k_and_theta_are_settled_before_the_load",
    "the_paired_length_tells_no_more",
)


@claim(LABEL, row=49, method=Method.EXHAUSTIVE, scope=RUNS, subject=KERNELS, mutant=HASTY,
       uses=("thm:randbin_utility/the_queue_never_runs_dry", "lem:randbin_backlog/delay_is_bounded"))  # fmt: skip
def an_item_misses_the_bin_that_is_due(subject: tuple[RandBin, ...]) -> Finding:
    """The item of step tau is in no bin before i + 1, bin i due before it arrives, and leaves in step tau + U or later.

    Bin i takes items up to number A[i]; those that find it due came after bin i - 1 had left. The delay is in fact at
    least 2U.
    """

    def misses(mechanism: RandBin, step: Round) -> bool:
        return step.current.loads <= step.since and step.t - step.current.loads >= mechanism.level

    leaving = ((mechanism, step) for mechanism, step in every_round(subject) if step.left is not None)
    return every("bins", leaving, misses)


class Shrunk(RandBin):
    """A simulation that gives the longer stream one item more in bin J, not in bin K: loads are shifted too soon."""

    def simulate(
        self, branch: int, state: Simulation, pair: tuple[Any, Any], draw: Draw
    ) -> tuple[Release[bool, tuple[Any, Any]], Simulation]:
        """As if the bin in which the edited place leaves were bin K."""
        real, edited = state
        if edited is not None and edited.ahead is not None and edited.longer is not None and real[0] == 1:
            edited = edited._replace(ahead=None) if edited.ahead < real[1] else edited
        return super().simulate(branch, (real, edited), pair, draw)


EARLY: Paired = ((Shrunk(ALPHAS[0], 2, ToyScheduler()), 9),)


@claim(LABEL, row=52, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=PAIRED, mutant=EARLY,
       uses=("defn:randbin_npp/outputs_stay_bin_neighbours",))  # fmt: skip
def only_bin_k_differs_in_length_by_one(subject: Paired) -> Finding:
    """Both bins have one length, but for bin K, the next after that of the edited place: it has one more."""

    def by_one(mechanism: RandBin, step: Emission) -> bool:
        del mechanism
        here = step.past.affected > 0 and step.past.uneven == 0
        more = step.lengths[step.edit.longer] - step.lengths[1 - step.edit.longer]
        return more == (1 if here and step.past.drawn == step.past.affected else 0)

    return every("bins", every_emission(subject), by_one)


@claim(LABEL, row=52, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=PAIRED, mutant=EARLY,
       uses=(f"{LABEL}/an_item_misses_the_bin_that_is_due",
             "defn:randbin_npp/the_longer_stream_is_known_a_step_later"))  # fmt: skip
def k_and_theta_are_settled_before_the_load(subject: Paired) -> Finding:
    """The load of the bin whose lengths differ is drawn after the direction is known, when the bin before it leaves."""

    def settled(mechanism: RandBin, step: Emission) -> bool:
        del mechanism
        same = step.lengths[0] == step.lengths[1]
        return same or (step.past.drawn > step.edit.place and step.past.drawn == step.past.affected)

    return every("bins", every_emission(subject), settled)


@claim(LABEL, row=52, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=(1, 1), mutant=(0, 1),
       uses=(f"{LABEL}/only_bin_k_differs_in_length_by_one",))  # fmt: skip
def synthetic_lengths_are_one_off_at_most(subject: tuple[int, int]) -> Finding:
    """Real lengths fill [U..2U], and synthetic ones [U-1..2U+1], both ends included."""
    below, above = subject

    def fills(mechanism: RandBin, horizon: int) -> bool:
        steps, level = emissions(mechanism, horizon), mechanism.level
        real = {step.lengths[step.branch] for step in steps}
        synthetic = {step.lengths[1 - step.branch] for step in steps}
        return real == {*range(level, 2 * level + 1)} and synthetic == {*range(level - below, 2 * level + 1 + above)}

    return every("mechanisms", PAIRED, fills)


Lengths = Callable[[Emission], tuple[int, int]]


def real_ones(step: Emission) -> tuple[int, int]:
    """The length of the real bin for both streams."""
    return (step.lengths[step.branch],) * 2


@claim(LABEL, row=None, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=lambda step: step.lengths,
       mutant=real_ones, uses=("defn:randbin_npp/the_real_output_is_the_algorithms",
                               "alg:randbin/bins_leave_at_their_threshold"))  # fmt: skip
def inputs_lengths_and_sums_determine_the_transcript(subject: Lengths) -> Finding:
    """Inputs, paired lengths and the scheduler's sums make the whole transcript, by the FIFO rule.

    Each S[i] says when bin i leaves. The bins are then the next items of either stream, as many as the lengths say;
    those of the real stream alone do not do.
    """

    def first_in_first_out(mechanism: RandBin, step: Emission) -> bool:
        del mechanism
        items = [
            tuple(step.edit.item(stream, taken + n) for n in range(1, length + 1))
            for stream, (taken, length) in enumerate(zip(step.past.taken, subject(step), strict=True))
        ]
        return tuple(items) == step.held

    return every("bins", every_emission(PAIRED), first_in_first_out)


def _alongside(z: int, theta: int) -> tuple[int, int]:
    return z, z + theta


@claim(LABEL, row=54, method=Method.EXHAUSTIVE, subject=_alongside, mutant=lambda z, theta: (z // 2, z // 2 + theta),
       scope="loads with e^epsilon 2, 3/2, 3 and U 2, 4, 6; all laws on 4 values in fifths; theta -1 and 1",
       uses=("defn:power/data_processing", "eq:randbin_load_profile"))  # fmt: skip
def the_paired_length_tells_no_more(subject: Callable[[int, int], tuple[int, int]]) -> Finding:
    """(C, C + theta) against (C - theta, C) has exactly the curve of Z against Z - theta."""
    examples: list[Pmf[int]] = [*(load_law(alpha, level) for alpha in ALPHAS for level in LEVELS), *laws(4, 5)]

    def lossless(law: Pmf[int], theta: int) -> bool:
        branches = law.map(lambda z: subject(z, theta)), law.map(lambda z: subject(z - theta, theta))
        return PowerFunction.from_laws(*branches) == PowerFunction.from_laws(law, law.map(lambda z: z - theta))

    return every("laws", product(examples, (-1, 1)), lossless)


UNIFORM, SILENT, TRIANGULAR = ToyScheduler(), ToyScheduler(noise="none"), ToyScheduler(2, 2, "triangular")


@cache
def exact(scheduler: ToyScheduler, horizon: int) -> PowerFunction:
    """The curve of the simulation's game, e^epsilon = 2, U = 2."""
    game = npp_game(simulation_alone(RandBin(ALPHAS[0], 2, scheduler)), horizon)
    return solve(explore(game)).power


@cache
def parts(scheduler: ToyScheduler, horizon: int) -> tuple[PowerFunction, PowerFunction]:
    """(f_load, f_sum), the scheduler over as many loads as bins can leave."""
    rounds = bins_within(scheduler, 2, horizon)
    return load_power(load_law(ALPHAS[0], 2)), scheduler_power(scheduler, 2, rounds, Budget())


@claim(LABEL, row=53, method=Method.EXHAUSTIVE, subject=PowerFunction.tensor, mutant=lambda f_load, _: f_load,
       scope="e^epsilon 2, U 2; uniform or no noise, E 1; triangular, E 2; horizons 9 and 13: every adversary",
       uses=(*(f"{LABEL}/{step}" for step in STEPS), "defn:randbin_npp", "eq:randbin_load_profile",
             "eq:randbin_fresh_load", "fact:joint_convexity", "thm:DP-comp"))  # fmt: skip
def within_the_product(subject: Callable[[PowerFunction, PowerFunction], PowerFunction]) -> Finding:
    """The exact curve of RandBin's simulation is at most f_load ⊗ f_sum."""
    cases = product((UNIFORM, SILENT, TRIANGULAR), (9, 13))
    return every("games", cases, lambda scheduler, end: exact(scheduler, end) <= subject(*parts(scheduler, end)))


GOLDEN: dict[int, tuple[str, ...]] = {9: ("5/81",) * 3, 13: ("446/729", "389/729", "3337/6561")}
"""Horizon -> delta at e^epsilon 1, 2, 4."""


@claim(LABEL, row=53, method=Method.EXHAUSTIVE, scope="e^epsilon 2, U 2, E 1, uniform noise: all adversaries",
       subject=UNIFORM, mutant=SILENT, uses=(f"{LABEL}/within_the_product",))  # fmt: skip
def exact_deltas_of_the_toy(subject: ToyScheduler) -> Finding:
    """delta at e^epsilon 1, 2, 4: 5/81 three times within 9 steps; 446/729, 389/729, 3337/6561 within 13."""
    by_horizon = {horizon: [exact(subject, horizon).delta(e) for e in (1, 2, 4)] for horizon in GOLDEN}
    right = all(by_horizon[horizon] == [Fraction(text) for text in GOLDEN[horizon]] for horizon in GOLDEN)
    shown = "; ".join(f"within {horizon}: {', '.join(map(text, deltas))}" for horizon, deltas in by_horizon.items())
    return found(
        right, f"Noise {subject.noise}: {shown}.", deltas={str(h): [*map(text, d)] for h, d in by_horizon.items()}
    )


@claim(LABEL, row=53, method=Method.EXHAUSTIVE, scope="e^epsilon 2, U 2, E 1: all adversaries, every epsilon",
       subject=SILENT, mutant=UNIFORM, uses=(f"{LABEL}/within_the_product",))  # fmt: skip
def without_scheduler_noise_nothing_is_private(subject: ToyScheduler) -> Finding:
    """A scheduler without noise gives everything away from step 13 on, at any epsilon, and 1/9 within 9 steps."""
    before, after = (exact(subject, horizon).delta_at_infinity for horizon in (9, 13))
    earlier = exact(subject, 12).delta_at_infinity
    detail = f"The limit of delta is {text(before)} within 9 steps, {text(earlier)} within 12, {text(after)} within 13."
    return found(
        (before, after) == (Fraction(1, 9), Fraction(1)) and earlier < 1, detail, limits=[text(before), text(after)]
    )
