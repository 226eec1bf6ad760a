"""cor:adap_randbin: a load shifted by one is within (epsilon_1, delta_1), and RandBin within (epsilon, delta)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import sympy

from dpcert.audit.algebra.common_laws import from_weights, point
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import ORDERS, PowerFunction, dp_power
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget
from dpcert.audit.finding import Finding, Method
from dpcert.audit.games.npp import npp_game
from dpcert.audit.games.paired import explore
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.noise.geometric import geometric_tail, level_for, load_law
from dpcert.mechanisms.randbin.bound import bins_within, load_power, scheduler_power
from dpcert.mechanisms.randbin.on_geometric_loads import RandBin
from dpcert.mechanisms.sums.error_function import Steps
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.stream_sum import StreamSum
from dpcert.proofs_checked.cases.bin_runs import ALPHAS, LEVELS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.replayed import simulation_alone
from dpcert.proofs_checked.cases.symbols import Expression, equal, nonnegative, settled, share
from dpcert.proofs_checked.ledger import claim, found

LABEL = "cor:adap_randbin"
LOADS = "def:truncated_geom/loads_fill_U_to_2U"
Exceptional = Callable[[Fraction, Fraction, Fraction], bool]
"""(mass in world 0, mass in world 1, e^epsilon_1) -> whether the atom is exceptional."""


def above(p: Fraction, q: Fraction, base: Fraction) -> bool:
    """The likelihood ratio of Z to Z - theta exceeds e^epsilon_1."""
    return p > base * q


def either_way(p: Fraction, q: Fraction, base: Fraction) -> bool:
    """It exceeds e^epsilon_1 or falls below e^-epsilon_1."""
    return p > base * q or q > base * p


def exceptional_mass(which: Exceptional, base: Fraction, level: int, theta: int) -> Fraction:
    """P(Z is an exceptional atom), against Z - theta."""
    law = load_law(base, level)
    atoms = ((w, law.probability(z + theta)) for z, w in law.items())
    return sum((p for p, q in atoms if which(p, q, base)), Fraction(0))


BASES = (*ALPHAS, Fraction(8, 5), Fraction(5, 3), Fraction(11, 10), Fraction(5))
CASES = list(product(BASES, LEVELS, (-1, 1)))


@claim(LABEL, row=41, method=Method.EXHAUSTIVE, uses=(LOADS, "alg:randbin/bins_leave_at_their_threshold"),
       scope="e^epsilon_1 3/2, 3, 2 and four others, U 2, 4, 6, theta -1 and 1",
       readings={"ratios of Z to Z - theta above e^epsilon_1": above,
                 "ratios too far from 1 either way": either_way})  # fmt: skip
def exceptional_atoms_weigh_no_more_than_the_tails(subject: Exceptional) -> Finding:
    """The atoms whose likelihood ratio is not within e^epsilon_1 weigh at most P(|Geom| >= U/2); one way suffices."""
    for base, level, theta in sorted(CASES, key=lambda case: (case[0] != Fraction(3, 2), -case[1], -case[2])):
        mass, tail = exceptional_mass(subject, base, level, theta), geometric_tail(base, level // 2)
        if mass > tail:
            fits = "the least U for this delta_1" if level_for(base, tail) == level else "not the least U"
            detail = f"e^epsilon_1 = {text(base)}, delta_1 = {text(tail)}, U = {level} ({fits}): mass {text(mass)}."
            return found(False, detail, exp_epsilon=text(base), delta=text(tail), level=level, mass=text(mass))
    return found(True, f"All {len(CASES)} cases.")


def _masses(base: Expression, end: Expression) -> tuple[Expression, Expression]:
    """(mass of an end of the support, of its inner neighbour), `end` = a^(1 - U/2)."""
    return end / (base + 1), (base - 1) / (base + 1) * end


@claim(LABEL, row=41, method=Method.SYMBOLIC, subject=1, mutant=2, uses=(LOADS,),
       scope="every e^epsilon_1 above 1 and every U; seven evaluated with U 2, 4, 6 and theta -1, 1")  # fmt: skip
def exceptional_masses(subject: int) -> Finding:
    """One way the exceptional atoms weigh the tail if a^2 < a + 1 and half of it if not; either way a^(1-U/2) if so.

    With a = e^epsilon_1: one end has no counterpart; the other one's ratio is 1/(a - 1), above a exactly below the
    golden ratio, where the end that is shifted away raises its neighbour's ratio a - 1 out of [1/a, a] as well.
    """
    a, w = 1 + sympy.Symbol("a", positive=True), sympy.Symbol("w", positive=True)
    v = sympy.Symbol("v", positive=True)
    end, neighbour = _masses(a, w)
    tail, inner = 2 * w / (a + 1), (a - 1) / (a + 1) * v  # inside, v = a^-|k|
    identities = (
        equal(end - a * neighbour, end * (1 + a - a**2))
        and equal(neighbour, inner.subs(v, w))
        and equal(inner - a * inner.subs(v, v / a), 0)
        and equal(end - a * neighbour, end * (1 - a * (a - 1)))
        and nonnegative(a * end - neighbour)
        and equal(2 * end * subject, tail)
        and equal((2 * end + neighbour) * subject, w)
    )

    def weighs(base: Fraction, level: int, theta: int) -> bool:
        scale, whole = base ** (1 - level // 2), geometric_tail(base, level // 2)
        golden = base * base < base + 1
        one, both = (exceptional_mass(which, base, level, theta) for which in (above, either_way))
        return (one * subject, both * subject) == ((whole, scale) if golden else (whole / 2, whole / 2))

    proof = "An end is exceptional beside its neighbour if and only if 1 > a (a - 1), and inside ratios are a or 1/a."
    return settled(identities, proof, every("cases", CASES, weighs))


@claim(LABEL, row=40, method=Method.SYMBOLIC, subject=1, mutant=0, uses=(LOADS,),
       scope="every e^epsilon_1 above 1 and every U; seven with U 2, 4, 6, both theta, both orders")  # fmt: skip
def exact_delta_of_a_load(subject: int) -> Finding:
    """delta(epsilon_1) of (Z, Z - theta) is a^(1-U/2)/(a+1) (1 + max(0, 1 + a - a^2)), at most P(|Geom| >= U/2).

    An end without a counterpart counts in full, the other end beside its neighbour where that is positive, nothing
    else; a = e^epsilon_1.
    """
    a, w = 1 + sympy.Symbol("a", positive=True), sympy.Symbol("w", positive=True)
    end, neighbour = _masses(a, w)
    both = end + subject * (end - a * neighbour)
    closed_form = (
        equal(both, w / (a + 1) * (1 + 1 + a - a**2))
        and nonnegative(a * end - neighbour)
        and nonnegative(2 * end - both)
    )

    def exact(base: Fraction, level: int, theta: int) -> bool:
        law, n = load_law(base, level), level // 2
        curve = PowerFunction.from_laws(law, law.map(lambda z: z - theta))
        value = base ** (1 - n) / (base + 1) * (1 + subject * max(Fraction(0), 1 + base - base**2))
        return all(curve.hockey_stick(base, order) == value <= geometric_tail(base, n) for order in ORDERS)

    proof = "An end against its neighbour adds a^(1-U/2)/(a+1) (1 + a - a^2); the neighbour against the end, nothing."
    return settled(closed_form, proof, every("cases", CASES, exact))


GIVEN = tuple(Fraction(1, d) for d in (3, 5, 10, 37, 1000))


@claim(LABEL, row=40, method=Method.SYMBOLIC, subject=2, mutant=1, uses=(f"{LABEL}/exact_delta_of_a_load",),
       scope="every e^epsilon_1 and delta_1; e^epsilon_1 2, 3, 5, 5/3, delta_1 1/3 to 1/1000 evaluated")  # fmt: skip
def half_the_tail_is_what_counts(subject: int) -> Finding:
    """From the golden ratio on, the least U whose load is within (epsilon_1, delta_1) is U(epsilon_1, 2 delta_1).

    That is often U - 2: for e^epsilon_1 up to 2 always, since P(|Geom| >= n - 1) = e^epsilon_1 P(|Geom| >= n).
    """
    a, w, d = 1 + sympy.Symbol("a", positive=True), sympy.Symbol("w", positive=True), share("d")
    tail = 2 * w / (a + 1)  # at U/2, w = a^(1 - U/2)
    up_to_two = 1 + share("s")
    identities = (
        equal(w / (a + 1) * subject, tail)
        and equal(tail.subs(w, a * w), a * tail)
        and nonnegative(2 * d - up_to_two * d)
    )

    def least(base: Fraction, delta: Fraction) -> bool:
        level = 2
        while not load_power(load_law(base, level)) <= dp_power(base, delta):
            level += 2
        shrinks = base > 2 or level <= max(2, level_for(base, delta) - 2)
        return level == level_for(base, subject * delta) and shrinks

    above_golden = [base for base in BASES if base * base >= base + 1]
    evaluated = every("pairs (e^epsilon_1, delta_1)", product(above_golden, GIVEN), least)
    return settled(identities, "A load's delta is half of its tail, and a tail is e^epsilon_1 of the next.", evaluated)


class Reading(NamedTuple):
    """U is that of (power epsilon/2, part delta)."""

    power: int
    part: Fraction

    def level(self, root: Fraction, delta: Fraction) -> int:
        """U, `root` being e^(epsilon/2)."""
        return level_for(root**self.power, self.part * delta)


@claim(LABEL, row=55, method=Method.SYMBOLIC,
       scope="every epsilon and delta; e^epsilon_1 = e^epsilon_2 = 3/2, 2, 3, delta 1/3 to 1/1000 evaluated",
       subject=Reading(1, Fraction(1, 2)), condition="U is that of (epsilon/2, delta/2)",
       without=Reading(2, Fraction(1)),
       uses=("lemma:randbin_NPDO", f"{LABEL}/exact_delta_of_a_load", "fact:composition/basic_composition",
             "alg:randbin/loads_fill_the_level_that_is_meant", "th:prefix_sum/clipped_releases_are_private",
             "th:prefix_sum/always_valid_and_consistent", "th:prefix_sum/the_projection_costs_nothing"))  # fmt: skip
def load_and_scheduler_stay_within_the_budget(subject: Reading) -> Finding:
    """Pow(Z‖Z - theta) ⊗ DP_{epsilon/2,delta/2}, the bound of the lemma, is at most DP_{epsilon,delta}.

    The load's delta is at most P(|Geom| >= U/2), which U keeps within its part of delta if its epsilon is the load's;
    composed with delta/2 of the scheduler it stays within delta.
    """
    d = share("d")
    inequality = subject.power == 1 and nonnegative(d - (subject.part * d + d / 2 - subject.part * d * d / 2))
    cases = list(product(ALPHAS, GIVEN))
    for root, delta in cases:
        level = subject.level(root, delta)
        whole = load_power(load_law(root, level)).tensor(dp_power(root, delta / 2))
        if not whole <= dp_power(root**2, delta):
            reached = whole.delta(root**2)
            promised = f"e^epsilon = {text(root**2)}, delta = {text(delta)}"
            detail = f"{promised}: with U = {text(Fraction(level))} the bound has delta {text(reached)}."
            witness = {"exp_epsilon": text(root**2), "delta": text(delta), "level": level, "bound": text(reached)}
            return settled(inequality, "", found(False, detail, **witness))
    return settled(inequality, "Both parts have delta/2 at most.", found(True, f"All {len(cases)} pairs."))


@dataclass(frozen=True)
class OneLaw(HybridNoise):
    """The hybrid's error with one noise law for every round."""

    eta: Pmf[int] = field(default_factory=lambda: from_weights({-1: 1, 0: 2, 1: 1}))

    def law(self, t: int) -> Pmf[int]:
        """That law."""
        del t
        return self.eta


def scheduled_by(noise: HybridNoise) -> RandBin:
    """RandBin with U = 2 and e^epsilon_1 = 2 on the mechanism of th:prefix_sum, E = 1, 2, 2, ..."""
    return RandBin(Fraction(2), 2, StreamSum(noise, Steps((1, 2), (1, 2)), 2, 4))


NOISY, SILENT = (scheduled_by(noise) for noise in (OneLaw(Fraction(2)), OneLaw(Fraction(2), eta=point(0))))
HORIZON = 12


@cache
def parts() -> tuple[Fraction, Fraction]:
    """delta_1 and delta_2, of a load and of the noisy scheduler over as many loads as bins can leave."""
    rounds = bins_within(NOISY.scheduler, 2, HORIZON)
    return load_power(NOISY.loads).delta(2), scheduler_power(NOISY.scheduler, 2, rounds, Budget()).delta(4)


@claim(LABEL, row=55, method=Method.EXHAUSTIVE, subject=NOISY, mutant=SILENT,
       scope="U 2, e^epsilon_1 2, e^epsilon_2 4, hybrid noise -1, 0, 1, E 1 and 2, 12 steps: every edit and adversary",
       uses=("lemma:randbin_NPDO", "defn:randbin_npp", "fact:composition/basic_composition"))  # fmt: skip
def randbin_on_a_clipped_sum_is_private(subject: RandBin) -> Finding:
    """RandBin's simulation is within (epsilon_1 + epsilon_2, delta_1 + delta_2 - delta_1 delta_2) of its two parts.

    Each delta is the exact one of its part at its epsilon, the scheduler's that of the noisy one. The statement has the
    sum of both, which is more.
    """
    load, scheduler = parts()
    power = solve(explore(npp_game(simulation_alone(subject), HORIZON))).power
    both = load + scheduler - load * scheduler
    detail = (
        f"At e^epsilon 8, delta {text(power.delta(8))}, within {text(both)}, of {text(load)} and {text(scheduler)}."
    )
    return found(power <= dp_power(8, both), detail, delta=text(power.delta(8)), budget=[text(load), text(scheduler)])
