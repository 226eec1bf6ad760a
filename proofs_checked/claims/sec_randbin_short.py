"""sec:randbin_short: RandBin's interface properties, and why bounded noise leaves a delta."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar, NamedTuple

import sympy

from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.audit.relations.adjacency import UNIT_HAMMING
from dpcert.mechanisms.noise.geometric import geometric_mass, truncated_geometric
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.randbin.toy_scheduler import ToyScheduler
from dpcert.proofs_checked.cases.bin_runs import ALPHAS, KERNELS, RUNS, AnyScheduler, Round, every_round, outcomes
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import adaptive
from dpcert.proofs_checked.cases.laws import laws
from dpcert.proofs_checked.cases.pair_runs import PAIRED, PAIRED_RUNS, Emission, Paired, every_emission
from dpcert.proofs_checked.cases.symbols import Expression, nonnegative, ratio, settled
from dpcert.proofs_checked.claims.defn_neighbor_bin import WideLoads
from dpcert.proofs_checked.claims.defn_randbin_npp import UNPAID
from dpcert.proofs_checked.ledger import claim, found

LABEL = "sec:randbin_short"


@claim(LABEL, row=58, method=Method.EXHAUSTIVE, scope=RUNS, subject=KERNELS,
       mutant=(WideLoads(ALPHAS[0], 2, ToyScheduler()),),
       uses=("def:truncated_geom/loads_fill_U_to_2U", "alg:randbin/bins_leave_at_their_threshold"))  # fmt: skip
def bins_hold_u_to_2u_events(subject: tuple[RandBin, ...]) -> Finding:
    """(P1) Whatever leaves has between U and 2U events."""

    def fits(mechanism: RandBin, step: Round) -> bool:
        return step.left is None or mechanism.level <= step.left[1] <= 2 * mechanism.level

    return every("steps", every_round(subject), fits)


@claim(LABEL, row=58, method=Method.EXHAUSTIVE, scope=PAIRED_RUNS, subject=PAIRED, mutant=UNPAID,
       uses=("defn:randbin_npp",))  # fmt: skip
def one_edit_touches_two_adjacent_bins(subject: Paired) -> Finding:
    """(P3) The coupled bin sequences leave at the same times and differ in at most two bins, which are adjacent."""

    def shielded(mechanism: RandBin, step: Emission) -> bool:
        del mechanism
        differ = [first != second for first, second in (*step.past.differing, step.held)]
        return not any(differ[2:])

    return every("bins", every_emission(subject), shielded)


Mass = Callable[[int], Fraction]
WINDOW = range(-40, 41)


def _bounded() -> list[Mass]:
    listed = [*laws(4, 4), *(truncated_geometric(alpha, level) for alpha in ALPHAS for level in (2, 4, 6))]
    return [law.probability for law in listed]


class AtAnEnd(NamedTuple):
    """(mass p of a value, e^epsilon of the noise) -> the mass of its neighbour outside; and laws of this kind."""

    outside: Callable[[Expression, Expression], Expression]
    laws: list[Mass]


@claim(LABEL, row=56, method=Method.SYMBOLIC, subject=AtAnEnd(lambda p, _: 0 * p, _bounded()),
       mutant=AtAnEnd(lambda p, alpha: p / alpha, [lambda k: geometric_mass(ALPHAS[0], k)]),
       scope="every bounded law, shift and epsilon; all laws on 0..3 in quarters and clipped geometric ones evaluated, "
             "the mutant seen on -40..40",
       uses=("defn:power", "sec:randbin/geometric_law_sums_to_1"))  # fmt: skip
def bounded_noise_masks_no_shift(subject: AtAnEnd) -> Finding:
    """Z against Z - theta has delta > 0 at every epsilon if Z is bounded: an end of its support has no counterpart.

    With mass p at the end that the shift moves outwards, p - e^epsilon 0 = p is a lower bound on delta, always.
    """
    p, alpha = sympy.Symbol("p", positive=True), ratio("alpha")
    surplus = p - ratio("a") * subject.outside(p, alpha)
    inequality = nonnegative(surplus) and not surplus.free_symbols - {p}

    def leaks(mass: Mass, theta: int) -> bool:
        return any(mass(k) > 0 and mass(k + theta) == 0 for k in WINDOW)

    evaluated = every("laws and shifts", product(subject.laws, (-1, 1)), leaks)
    return settled(inequality, "What lies at the end counts in full, at every epsilon.", evaluated)


@dataclass(frozen=True)
class Blind:
    """A scheduler that ignores the loads: S[i] = 3U/2 * i. Private, and not always valid."""

    level: int = 2
    initial: ClassVar[int] = 0

    def error(self, state: int) -> int:
        """What it claims to keep to."""
        return min(state, 1)

    def step(self, state: int, load: int, draw: Draw) -> tuple[Release[int, Any], int]:
        """State: 1 once there was a load."""
        del state, load, draw
        return Release(3 * self.level // 2), 1


@dataclass(frozen=True)
class OnLoads:
    """A scheduler as a mechanism on loads in [U..2U]."""

    scheduler: Any

    @property
    def alphabet(self) -> tuple[int, ...]:
        """[U..2U]."""
        return tuple(range(self.scheduler.level, 2 * self.scheduler.level + 1))

    @property
    def initial(self) -> Any:
        """The scheduler's."""
        return self.scheduler.initial

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[int, Any], Any]:
        """The scheduler's."""
        answer: tuple[Release[int, Any], Any] = self.scheduler.step(state, x, draw)
        return answer


def _sums(scheduler: Any, loads: tuple[int, ...]) -> set[int]:
    """Every S[T] that a load stream can lead to."""
    ends = {(scheduler.initial, 0)}
    for load in loads:
        ends = {
            (after, total + advance)
            for state, total in ends
            for advance, after in outcomes(_step(scheduler, state, load))
        }
    return {total for _, total in ends}


def _step(scheduler: Any, state: Any, load: int) -> Callable[[Draw], tuple[Any, Any]]:
    def step(draw: Draw) -> tuple[Any, Any]:
        release, after = scheduler.step(state, load, draw)
        return release.visible, after

    return step


VALID = (*(ToyScheduler(2, 1, noise) for noise in ("uniform", "none")), ToyScheduler(2, 2, "triangular"),
         ToyScheduler(4, 1), AnyScheduler(2, (1,)), AnyScheduler(2, (1, 2)))  # fmt: skip


@claim(LABEL, row=56, method=Method.EXHAUSTIVE, subject=VALID, mutant=(Blind(),),
       scope="toy schedulers with U 2 and 4 and any scheduler with E = 1 and E = 1, 2: streams of T loads, T U > 2 E",
       uses=("defn:power", "defn:power_mech"))  # fmt: skip
def an_always_valid_scheduler_has_a_delta(subject: tuple[Any, ...]) -> Finding:
    """Within E of the sum on every load stream, a scheduler is not purely private: delta > 0 at every epsilon.

    The argument: S[T] after T loads of U, and after T of 2U, lie in two ranges that do not meet once T U > 2E. T U unit
    steps lead from one stream to the other, so at one of them the set of possible sums changes.
    """
    example = ""
    for scheduler in subject:
        level, rounds = scheduler.level, 1
        while rounds * level <= 2 * (error := _error(scheduler, rounds)):
            rounds += 1
        streams = [
            (2 * level,) * (n // level) + (level + n % level,) * (n < rounds * level) for n in range(rounds * level + 1)
        ]
        streams = [(*stream, *(level,) * (rounds - len(stream))) for stream in streams]
        sets = [_sums(scheduler, stream) for stream in streams]
        apart = not sets[0] & sets[-1]
        changes = next((n for n in range(len(sets) - 1) if sets[n] != sets[n + 1]), None)
        delta = adaptive(OnLoads(scheduler), rounds, UNIT_HAMMING).delta_at_infinity
        if not apart or changes is None or delta == 0:
            detail = f"{scheduler}: the limit of delta is {text(delta)}."
            return found(False, detail, scheduler=str(scheduler), sums=sorted(sets[0]))
        pair = " and ".join(str(stream) for stream in streams[changes : changes + 2])
        reached = f"delta at least {text(delta)}"
        example = example or f"{scheduler}: E = {error}, T = {rounds}, sums change between loads {pair}; {reached}."
    return found(True, f"{example} Likewise for all {len(subject)}.")


def _error(scheduler: Any, loads: int) -> int:
    """E[loads]."""
    state = scheduler.initial
    for _ in range(loads):
        _, state = scheduler.step(state, scheduler.level, lambda law: law.support[0])
    error: int = scheduler.error(state)
    return error
