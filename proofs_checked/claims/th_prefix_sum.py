"""th:prefix_sum: the raw core is adaptively safe, the projection keeps the error, and E is as stated."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any, ClassVar, NamedTuple

import sympy

from dpcert.audit.algebra.common_laws import from_weights, uniform
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.audit.relations.adjacency import UNIT_HAMMING
from dpcert.mechanisms.noise.geometric import truncated_geometric
from dpcert.mechanisms.sums.error_function import from_values
from dpcert.mechanisms.sums.hybrid_core import HybridCore
from dpcert.mechanisms.sums.stream_sum import StreamSum
from dpcert.proofs_checked.cases.bin_runs import outcomes
from dpcert.proofs_checked.cases.certificates import Clash, monotone, on_the_line, round_powers
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import adaptive, curves
from dpcert.proofs_checked.cases.geometric import Height, is_convex
from dpcert.proofs_checked.cases.hybrid import cover, interval
from dpcert.proofs_checked.cases.orders import at_most, ln, paper_error, polylog
from dpcert.proofs_checked.cases.symbols import Expression, nonnegative, settled
from dpcert.proofs_checked.ledger import claim, found

LABEL = "th:prefix_sum"
FACT = "thm:dp_unbounded_prefix_sum"
SETS = tuple(tuple(range(interval(t)[0], t + 1)) for t in range(1, 5))


@dataclass(frozen=True)
class HybridIntervalSums:
    """Z_t = sum of the inputs over I_t + eta_t, I_t of the hybrid, one noise law for all rounds."""

    noise: Pmf[int]
    alphabet: ClassVar[tuple[int, ...]] = (0, 1, 2)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        """The law of Z_t, t = len(prefix)."""
        exact = sum(prefix[interval(len(prefix))[0] - 1 :])
        return self.noise.map(lambda eta: exact + eta)


CUT = HybridIntervalSums(truncated_geometric(Fraction(2), 6))
SKEWED = HybridIntervalSums(from_weights({0: 2, 1: 1}))


@claim(LABEL, row=79, method=Method.EXHAUSTIVE, subject=(CUT, HybridCore()), mutant=(SKEWED,),
       scope="three rounds, clipped geometric noise on inputs 0 to 2, and HybridCore on bits: every two histories",
       uses=("defn:quant_decomp/tree_nodes_are_decomposable", "defn:inv_pair/the_aggregate_is_well_defined",
             f"{FACT}/curves_rise_with_the_shift"))  # fmt: skip
def noisy_counts_are_decomposable(subject: tuple[Any, ...]) -> Finding:
    """|u - u'| and + are an invariant pair, and |difference of the sums over I_t| decides each one-round curve."""

    def decided(core: Any) -> bool:
        powers = round_powers(core, SETS[:3], on_the_line(lambda u, v: abs(u - v)))
        return not isinstance(powers, Clash) and monotone(powers)

    invariant = all(abs((a + u + b) - (a + v + b)) == abs(u - v) for a, u, v, b in product(range(-2, 3), repeat=4))
    answer = every("cores", ((core,) for core in subject), decided)
    return answer if invariant else found(False, "The distance is not invariant.")


@claim(LABEL, row=79, method=Method.SYMBOLIC, subject=abs, mutant=lambda m: abs(abs(m) - 1),
       scope="unbounded geometric noise, every alpha and every two sums; sums in -2..2 at alpha 10 evaluated",
       uses=(f"{FACT}/curves_rise_with_the_shift",))  # fmt: skip
def unbounded_counts_are_decomposable(subject: Height) -> Finding:
    """As the text has it, with noise on all integers: |difference of the sums| decides each curve, and it rises."""

    @cache
    def curve(u: int, v: int) -> PowerFunction:
        return PowerFunction.from_laws(*(unbounded(subject, exact, Fraction(10)) for exact in (u, v)))

    def decided(u: int, v: int) -> bool:
        return curve(u, v) == curve(0, abs(u - v)) <= curve(0, abs(u - v) + 1)

    evaluated = every("pairs of sums", product(range(-2, 3), repeat=2), decided)
    return settled(is_convex(subject), "Laws of u + eta and v + eta are those of eta and v - u + eta.", evaluated)


def unbounded(height: Height, exact: int, alpha: Fraction) -> Pmf[int]:
    """exact + eta; what is 12 or more from 0 either way is one outcome, as both laws have one ratio there."""
    edge, series = 12, alpha / (alpha - 1)
    weights = {m: alpha ** -height(m - exact) * (series if abs(m) == edge else 1) for m in range(-edge, edge + 1)}
    return Pmf({m: w / sum(weights.values()) for m, w in weights.items()})


@dataclass(frozen=True)
class Raw:
    """Y_t, the sum of the noisy counts over the cover of t, is all that it releases."""

    counts: Any
    initial: ClassVar[tuple[Any, ...]] = ((), ())

    @property
    def alphabet(self) -> tuple[int, ...]:
        """That of the counts."""
        return tuple(self.counts.alphabet)

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[int, None], Any]:
        """State: the inputs and the counts so far."""
        inputs, z = (*state[0], x), state[1]
        z = (*z, draw(self.counts.law(inputs)))
        return Release(sum(z[end - 1] for end in cover(len(z)))), (inputs, z)


class Peeking(Raw):
    """A raw sum that is exact where the newest input is 1."""

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[int, None], Any]:
        """Y_t, or Q_t."""
        release, after = super().step(state, x, draw)
        return Release(sum(after[0])) if x == 1 else release, after


@dataclass(frozen=True)
class Bits(HybridIntervalSums):
    """The same on bits."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)


SMALL = Bits(from_weights({-1: 1, 0: 2, 1: 1}))


@claim(LABEL, row=79, method=Method.EXHAUSTIVE, subject=Raw(SMALL), mutant=Peeking(SMALL),
       scope="three rounds on bits, noise -1, 0, 1: every adversary, every epsilon",
       uses=(f"{LABEL}/noisy_counts_are_decomposable", "thm:noise-ind-DP/adaptive_safety",
             "defn:power/data_processing"))  # fmt: skip
def raw_sums_are_adaptively_safe(subject: Raw) -> Finding:
    """The core's adaptive curve is its fixed-stream curve, and the raw sums, made from its releases, stay below it."""
    core = curves(subject.counts, 3, UNIT_HAMMING)
    reached = adaptive(subject, 3, UNIT_HAMMING)
    variations = text(core.adaptive.total_variation), text(reached.total_variation)
    detail = f"Total variation {variations[0]} for the core, {variations[1]} for the raw sums."
    return found(core.lift and reached <= core.fixed, detail)


Extension = Callable[[Fraction], int]
"""theta >= 0 -> the shift whose curve g_t(theta) is."""
QUARTERS = [Fraction(n, 4) for n in range(17)]


@claim(LABEL, row=80, method=Method.EXHAUSTIVE, scope="geometric noise clipped to -6..6, theta in quarters up to 4",
       subject=lambda theta: theta // 1, mutant=lambda theta: int(theta) if theta.denominator == 1 else 0,
       uses=(f"{FACT}/curves_rise_with_the_shift",))  # fmt: skip
def the_floor_extends_the_curves(subject: Extension) -> Finding:
    """g(theta) = Pow(eta‖eta + floor(theta)) is nondecreasing on all theta >= 0, and what it was on whole theta."""
    eta = truncated_geometric(Fraction(2), 12)
    shifted_curves = [PowerFunction.from_laws(eta, eta.map(k.__add__)) for k in range(5)]

    def rises(low: Fraction, high: Fraction) -> bool:
        whole = low.denominator > 1 or subject(low) == low
        return whole and (low > high or shifted_curves[subject(low)] <= shifted_curves[subject(high)])

    return every("pairs theta, theta'", product(QUARTERS, QUARTERS), rises)


Norm = Callable[[Any, Any], list[Any]]
"""(|y - q|, dist(q, J)) -> the terms whose maximum bounds |clip(y, J) - q|."""


def _ordered(order: tuple[str, ...]) -> dict[str, Expression]:
    """y, q, l and u as sums of gaps of at least 0, in the given order."""
    gaps = [0, *sympy.symbols("g1 g2 g3", nonnegative=True)]
    return {name: sum(gaps[: i + 1]) for i, name in enumerate(order)}


def _within_the_maximum(norm: Norm, order: tuple[str, ...]) -> bool:
    value, place = _ordered(order), order.index

    def apart(one: str, other: str) -> Expression:
        return value[max(one, other, key=place)] - value[min(one, other, key=place)]

    clipped = "u" if place("y") > place("u") else "l" if place("y") < place("l") else "y"
    outside = apart("q", "u") if place("q") > place("u") else apart("q", "l") if place("q") < place("l") else 0
    return any(nonnegative(term - apart(clipped, "q")) for term in norm(apart("y", "q"), outside))


@claim(LABEL, row=85, method=Method.SYMBOLIC, subject=lambda off, dist: [off, dist], mutant=lambda off, _: [off],
       scope="every order of y, q and the ends of J; whole numbers in -3..3 evaluated")  # fmt: skip
def projection_inequality(subject: Norm) -> Finding:
    """|clip(y, J) - q| <= max(|y - q|, dist(q, J))."""
    orders = [order for order in permutations("yqlu") if order.index("l") < order.index("u")]
    inequality = all(_within_the_maximum(subject, order) for order in orders)

    def within(y: int, q: int, low: int, high: int) -> bool:
        dist = max(low - q, q - high, 0)
        return low > high or abs(min(max(y, low), high) - q) <= max(subject(abs(y - q), dist))

    evaluated = every("numbers", product(range(-3, 4), repeat=4), within)
    return settled(inequality, f"One of the two is at least as large in each of the {len(orders)} orders.", evaluated)


@claim(LABEL, row=85, method=Method.SYMBOLIC, subject=0, mutant=1,
       scope="all real numbers with a <= x_t <= b; whole ones in -2..2 evaluated")  # fmt: skip
def the_sum_is_as_near_the_interval_as_it_was(subject: int) -> Finding:
    """dist(Q_t, [S_{t-1} + a .. S_{t-1} + b]) <= |Q_{t-1} - S_{t-1}|: the step to |S_t - Q_t| <= E(t).

    So |S_t - Q_t| is at most the larger of what the raw sum is off, E(t) at most, and E(t-1).
    """
    off, below, above = sympy.symbols("d g1 g2", nonnegative=True)  # |Q - S| before, x - a and b - x
    outside = [sign * off - above + subject for sign in (1, -1)], [-sign * off - below + subject for sign in (1, -1)]
    inequality = all(nonnegative(off - term) for side in outside for term in side)

    def near(q: int, s: int, a: int, x: int, b: int) -> bool:
        low, high = s + a + subject, s + b - subject
        return not a <= x <= b or max(low - (q + x), q + x - high, 0) <= abs(q - s)

    evaluated = every("numbers", product(range(-2, 3), repeat=5), near)
    return settled(inequality, "On either side Q_t is no further out than Q_{t-1} was from S_{t-1}.", evaluated)


@dataclass(frozen=True)
class AnyError:
    """Raw errors drawn from -reach..reach in every round."""

    reach: int
    initial: ClassVar[tuple[()]] = ()

    def step(self, state: tuple[()], draw: Draw) -> tuple[int, tuple[()]]:
        """Any of them."""
        return draw(uniform(range(-self.reach, self.reach + 1))), state


class Loose(StreamSum):
    """A sum that is clipped to within E + 2 of the truth."""

    def step(self, state: Any, x: int, draw: Draw) -> tuple[Release[int, None], Any]:
        """The mechanism's step with another E."""
        wide = from_values([self.error_function(t) + 2 for t in range(1, 5)])
        return StreamSum(self.noise, wide, self.low, self.high).step(state, x, draw)


def _step(mechanism: StreamSum, state: Any, x: int) -> Callable[[Draw], Any]:
    return lambda draw: mechanism.step(state, x, draw)


ANY = (AnyError(5), from_values([1, 1, 2, 3]), -1, 2)


class Clipping(NamedTuple):
    """A mechanism, and by how much more than E it lets raw sums be off."""

    mechanism: StreamSum
    more: int


@claim(LABEL, row=85, method=Method.SYMBOLIC, subject=Clipping(StreamSum(*ANY), 0), mutant=Clipping(Loose(*ANY), 2),
       scope="every t, E that never falls, a <= b, inputs and raw errors, by induction; evaluated for E = 1, 1, 2, 3, "
             "inputs in -1..2, raw errors in -5..5, four rounds: every run",
       uses=(f"{LABEL}/projection_inequality", f"{LABEL}/the_sum_is_as_near_the_interval_as_it_was"))  # fmt: skip
def always_valid_and_consistent(subject: Clipping) -> Finding:
    """|S_t - Q_t| <= E(t) and S_t - S_{t-1} in [a..b], on every run.

    The clipped sum is off by E(t) at most, the interval is as far from Q_t as S_{t-1} was from Q_{t-1}, E(t-1) at most
    by induction, and so E(t); the projection is off by no more than the larger of the two.
    """
    off, room, growth, kept = sympy.symbols("off room growth kept", nonnegative=True)
    error = off + room + growth  # E(t) = E(t-1) + growth, and E(t-1) = |Q - S| before + room
    raw = error + subject.more - kept
    inequalities = nonnegative(error - off) and nonnegative(error - raw)
    mechanism = subject.mechanism
    states = {mechanism.initial}
    cases: list[tuple[int, int, int]] = []
    for t in range(1, 5):
        after = set()
        for state, x in product(states, range(-1, 3)):
            for release, new in outcomes(_step(mechanism, state, x)):
                after.add(new)
                cases.append((t, new[1], release.visible))
        states = after
    kept_to = every("steps", cases, lambda t, off, rise: abs(off) <= mechanism.error_function(t) and -1 <= rise <= 2)
    return settled(inequalities, "Both that the projection is between are off by E(t) at most.", kept_to)


TIMES = (1, 2, 3, 4, 7, 8, 15, 16, 255, 256, 2**40)
SETTINGS = [(Fraction(base), Fraction(1, d)) for base in ("11/10", "2", "1000000") for d in (2, 10**9)]


@claim(LABEL, row=86, method=Method.SYMBOLIC, subject=18, mutant=2, uses=(f"{FACT}/error_bound_has_the_stated_order",),
       scope="every t, epsilon and delta; 66 settings evaluated")  # fmt: skip
def error_function_is_as_stated(subject: int) -> Finding:
    """E(0) = 0, E is whole and never falls, and E(t) <= 3 + 18/epsilon ln(t + 1) (ln(t + 1) + ln(1/delta)).

    As B is nondecreasing and below that order, so are ceil(B) + 2 and B + 3.
    """
    step, d, x = sympy.symbols("L D x", nonnegative=True)
    order = 4 * x * step * (sympy.Rational(13, 3) * step + d)
    inequality = nonnegative(subject * x * step * (step + d) - order)

    def stated(t: int, base: Fraction, delta: Fraction) -> bool:
        before, now, after = (paper_error(s, ln(base), delta) for s in (t - 1, t, t + 1))
        return before <= now <= after and at_most(now, 3 + subject * polylog(t, ln(base), delta))

    zero = all(paper_error(0, ln(base), delta) == 0 for base, delta in SETTINGS)
    evaluated = every("settings", ((t, *setting) for t in TIMES for setting in SETTINGS), stated)
    return settled(inequality and zero, "B is at most 4/epsilon L (13/3 L + ln(1/delta)).", evaluated)
