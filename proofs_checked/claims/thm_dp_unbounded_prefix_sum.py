"""thm:dp_unbounded_prefix_sum: the hybrid's schedule, what an item pays, and that its error is its noises alone."""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import sympy

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.sums.hybrid_schedule import UNITS, HybridSchedule
from dpcert.proofs_checked.cases.chosen_inputs import Chooser, Estimate, choosers, errors
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.geometric import Height, is_convex, shifted_atoms, surplus_of
from dpcert.proofs_checked.cases.hybrid import Share, cover, holding, interval, segment, sharp_share, uniform_share
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, settled
from dpcert.proofs_checked.ledger import claim, found

LABEL = "thm:dp_unbounded_prefix_sum"
ROUNDS = range(1, 256)


class WithoutRoots(HybridSchedule):
    """A cover of the newest segment alone."""

    def cover(self, t: int) -> tuple[int, ...]:
        """Without the roots of the segments before it."""
        return tuple(end for end in super().cover(t) if end >= 2 ** segment(t))


@claim(LABEL, row=75, method=Method.EXHAUSTIVE, scope="the first 255 rounds", subject=HybridSchedule(),
       mutant=WithoutRoots())  # fmt: skip
def one_interval_a_round_makes_every_prefix(subject: HybridSchedule) -> Finding:
    """I_t = [t - lowbit(o) + 1 .. t], and [1..t] is made of intervals of rounds so far: k roots, and the cover of o."""

    def tiles(t: int) -> bool:
        listed = [subject.interval(end) for end in subject.cover(t)]
        ends = [0, *(last for _, last in listed)]
        adjoining = all(first == before + 1 for (first, _), before in zip(listed, ends, strict=False))
        return subject.interval(t) == interval(t) and adjoining and ends[-1] == t and subject.cover(t) == cover(t)

    return every("rounds", ((t,) for t in ROUNDS), tiles)


def spent(share: Share, item: int, horizon: int) -> Fraction:
    """What the rounds that hold an item spend together, of epsilon."""
    return sum((share(t) for t in holding(item, horizon)), Fraction(0))


@claim(LABEL, row=75, method=Method.SYMBOLIC, scope="every item and round; those of the first 255 evaluated",
       subject=lambda k: Fraction(1) / (k + 1), mutant=lambda k: Fraction(2) / (2 * k + 1),
       uses=(f"{LABEL}/one_interval_a_round_makes_every_prefix",))  # fmt: skip
def every_item_pays_at_most_epsilon(subject: Callable[[Any], Any]) -> Finding:
    """With epsilon / (k + 1) a round of segment k an item pays at most epsilon in all; a segment's first pays all.

    A round's offset in its segment is w (2m + 1) <= 2^k, w a power of 2, and its interval [2wm + 1 .. 2wm + w]: those
    of one w are disjoint, and there are k + 1 values of w.
    """
    k, w, m, more = sympy.symbols("k w m s", nonnegative=True)
    inequalities = nonnegative(2 * w * (m + 1 + more) - (2 * w * m + w)) and nonnegative(1 - (k + 1) * subject(k))

    def pays(item: int) -> bool:
        paid = spent(lambda t: Fraction(subject(segment(t))), item, ROUNDS[-1])
        return paid <= 1 and (paid == 1 or item != 2 ** segment(item))

    evaluated = every("items", ((item,) for item in ROUNDS), pays)
    return settled(inequalities, "An item is in at most one interval of each of k + 1 lengths.", evaluated)


@claim(LABEL, row=75, method=Method.EXHAUSTIVE, scope="every item of the first 255 rounds", subject=sharp_share,
       mutant=lambda t: sharp_share(t) * Fraction(9, 8),
       uses=(f"{LABEL}/one_interval_a_round_makes_every_prefix",))  # fmt: skip
def a_sharper_budget_pays_no_more(subject: Share) -> Finding:
    """A left child of a subtree of height j with b left may spend b / j, a right one keeps b: never less than before.

    HybridSchedule's whole multiples of epsilon/840 keep to it as well.
    """
    units = HybridSchedule("sharp").units

    def pays(item: int) -> bool:
        whole = sum(units(t) for t in holding(item, ROUNDS[-1]))
        return spent(subject, item, ROUNDS[-1]) <= 1 and whole <= UNITS

    more = [t for t in ROUNDS if subject(t) > uniform_share(t)]
    less = [t for t in ROUNDS if subject(t) < uniform_share(t)]
    answer = every("items", ((item,) for item in ROUNDS), pays)
    if less or not more:
        return found(False, "It is no sharper.", less=less[:3])
    return answer


PURE = Fraction(2) ** 12
"""e^epsilon with whole powers for the shares 1, 1/2, 1/3 and 1/4."""


@claim(LABEL, row=75, method=Method.EXHAUSTIVE, subject=uniform_share,
       scope="e^epsilon = 4096, 15 rounds: each item moved by 1, unbounded noise",
       mutant=lambda t: Fraction(1, max(1, segment(t))),
       uses=(f"{LABEL}/every_item_pays_at_most_epsilon", f"{LABEL}/curves_rise_with_the_shift"))  # fmt: skip
def fixed_streams_are_purely_private(subject: Share) -> Finding:
    """The product of the one-round curves of the rounds that hold an item has ratios of at most e^epsilon."""

    def within(item: int) -> bool:
        rounds = [dp_power(_power(subject(t))) for t in holding(item, 15)]
        whole = reduce(PowerFunction.tensor, rounds)
        return whole.largest_ratio is not None and whole.largest_ratio <= PURE

    return every("items", ((item,) for item in range(1, 16)), within)


def _power(share: Fraction) -> Fraction:
    """4096^share."""
    exponent = 12 * share
    if exponent.denominator != 1:
        raise ValueError("a share that gives no whole power")
    return Fraction(2) ** int(exponent)


def hybrid_estimate(z: tuple[int, ...]) -> int:
    """The sum of Z over the cover of t."""
    return sum(z[end - 1] for end in cover(len(z)))


NOISES = list(product((-1, 1), repeat=3))


@claim(LABEL, row=77, method=Method.EXHAUSTIVE, subject=hybrid_estimate, mutant=lambda z: max(0, hybrid_estimate(z)),
       scope="three rounds, noise -1 or 1: every adversary that chooses bits after the estimates so far",
       uses=(f"{LABEL}/one_interval_a_round_makes_every_prefix",))  # fmt: skip
def the_error_is_the_noises_alone(subject: Estimate) -> Finding:
    """Y_t - Q_t is the sum of the noises over the cover of t, whatever adversary chooses the inputs."""

    def alone(adversary: Chooser) -> bool:
        return all(
            errors(subject, adversary, noise) == tuple(hybrid_estimate(noise[:t]) for t in (1, 2, 3))
            for noise in NOISES
        )

    return every("adversaries", ((a,) for a in choosers(subject, NOISES)), alone)


SHIFTS = range(5)


@claim(LABEL, row=78, method=Method.SYMBOLIC, subject=abs, mutant=lambda m: abs(abs(m) - 1),
       scope="unbounded geometric noise: every alpha above 1, epsilon and shift; up to 4 at alpha 2, 10 evaluated",
       uses=("sec:randbin/geometric_law_sums_to_1",))  # fmt: skip
def curves_rise_with_the_shift(subject: Height) -> Finding:
    """Pow(eta‖eta + s) depends on |s| alone and rises with it, as it does for all symmetric log-concave noise.

    P(eta = m) / P(eta = m - s) never rises with m, so that delta_s(A) = max_m F(m) - A F(m - s), F the distribution
    function; F(m - s - 1) <= F(m - s), and so delta_s(A) never falls as s grows.
    """

    def delta(shift: int, base: Fraction, j: int) -> Fraction:
        value: Fraction = surplus_of(shifted_atoms(subject, shift, base), base, j)
        return value

    def rises(shift: int, base: Fraction) -> bool:
        kinks = range(-shift - 2, shift + 3)
        mirrored = all(delta(shift, base, j) == delta(-shift, base, j) for j in kinks)
        return mirrored and all(delta(shift, base, j) <= delta(shift + 1, base, j) for j in kinks)

    evaluated = every("shifts at alpha 2 and 10", product(SHIFTS[:-1], (Fraction(2), Fraction(10))), rises)
    return settled(is_convex(subject), "The noise is symmetric and log-concave.", evaluated)


def unit(alpha: Any) -> Any:
    """P(eta = 0)."""
    return (alpha - 1) / (alpha + 1)


@claim(LABEL, row=78, method=Method.SYMBOLIC, subject=1, mutant=2, uses=("sec:randbin/geometric_law_sums_to_1",),
       scope="unbounded geometric noise: every alpha above 1; 3/2, 2 and 10 evaluated")  # fmt: skip
def one_more_costs_exactly_ln_alpha(subject: int) -> Finding:
    """Pow(eta‖eta + 1) = DP_{ln alpha, 0}: P(eta <= 0) = alpha / (alpha + 1), and every ratio is alpha or 1 / alpha."""
    a = 1 + sympy.Symbol("a", positive=True)

    def merged(base: Any) -> dict[int, Any]:
        found: dict[int, Any] = {}
        for e, mass in shifted_atoms(abs, subject, base):
            found[e] = found.get(e, 0) + unit(base) * mass
        return found

    def as_stated(base: Fraction) -> bool:
        atoms = merged(base).items()
        laws = Pmf(dict(atoms)), Pmf({e: mass / base**e for e, mass in atoms})
        return PowerFunction.from_laws(*laws) == dp_power(base)

    masses = merged(a)
    proved = set(masses) == {1, -1} and equal(masses[1], a / (a + 1)) and equal(masses[-1], 1 / (a + 1))
    evaluated = every("values of alpha", ((Fraction(n, 2),) for n in (3, 4, 20)), as_stated)
    return settled(proved, "Two ratios, of masses alpha / (alpha + 1) and 1 / (alpha + 1).", evaluated)
