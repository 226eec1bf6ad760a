"""sec:setting, "Extension to Multiple Edits": k hops of (epsilon, delta)-DP."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from typing import Any

from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.dp_lines import at, below, lines, then
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, ratio, settled, share
from dpcert.proofs_checked.ledger import claim

RATIOS = [Fraction(n, 8) for n in (8, 9, 16, 40)]
TWELFTHS = [Fraction(n, 12) for n in range(13)]
HOPS = (1, 2, 3, 4)
POINTS = "values of e^epsilon, delta and k"
STEP = (
    "Induction on k: s is the sum so far, the next one is 1 + e^epsilon s, and e^{k epsilon} = 1 + s (e^epsilon - 1)."
)
USES = ("fact:triangle_power", "fig:power_function/three_pieces")


@cache
def hops(exp_epsilon: Fraction, delta: Fraction, k: int) -> PowerFunction:
    """DP_{epsilon,delta} composed k times."""
    one = dp_power(exp_epsilon, delta)
    return one if k == 1 else hops(exp_epsilon, delta, k - 1).then(one)


def partial_sum(exp_epsilon: Fraction, terms: int) -> Fraction:
    """1 + e^epsilon + ... with so many terms."""
    return sum((exp_epsilon**j for j in range(terms)), Fraction(0))


def power_of(a: Any, s: Any) -> Any:
    """e^{k epsilon} from the sum of the k powers below it."""
    return 1 + s * (a - 1)


def kept(a: Any, s: Any) -> bool:
    """Whether that is right for k = 1, where the sum is 1, and stays right from k to k + 1."""
    return equal(power_of(a, 1), a) and equal(power_of(a, 1 + a * s), a * power_of(a, s))


@claim(
    "sec:setting", row=12, method=Method.SYMBOLIC, scope="every e^epsilon >= 1, every delta that is allowed, k >= 1",
    uses=USES,
    subject=lambda s: 1 / s, condition="delta times the sum is at most 1", without=lambda _: 1,
    instead=("sec:setting/k_hops_capped",),
)  # fmt: skip
def k_hops_as_printed(subject: Callable[[Any], Any]) -> Finding:
    """k hops of DP_{epsilon,delta} stay below DP_{k epsilon, delta s_k}, s_k = sum_{j<k} e^{j epsilon}."""
    a, s, t = ratio("a"), ratio("s"), share("t")
    b, d = power_of(a, s), t * subject(1 + a * s)
    allowed = nonnegative(1 - t * subject(s) * s)
    induction = allowed and kept(a, s) and below(then(lines(b, d * s), lines(a, d)), lines(a * b, d * (1 + a * s)))

    def holds(exp_epsilon: Fraction, delta: Fraction, k: int) -> bool:
        total = partial_sum(exp_epsilon, k)
        return delta * total <= 1 and hops(exp_epsilon, delta, k) <= dp_power(exp_epsilon**k, delta * total)

    cases = ((a, t * subject(partial_sum(a, k)), k) for a in RATIOS for t in TWELFTHS for k in HOPS)
    return settled(induction, STEP, every(POINTS, cases, holds))


@claim(
    "sec:setting", row=12, method=Method.SYMBOLIC, scope="every e^epsilon >= 1, delta in [0, 1], k >= 1", uses=USES,
    subject=lambda a, s: 1 + a * s, mutant=lambda _, s: 1 + s,
)  # fmt: skip
def k_hops_capped(subject: Callable[[Any, Any], Any]) -> Finding:
    """k hops of DP_{epsilon,delta} stay below DP_{k epsilon, min(1, delta s_k)}, with s_{k+1} = 1 + e^epsilon s_k."""
    a, s, d = ratio("a"), ratio("s"), share("d")
    b = power_of(a, s)
    induction = kept(a, s) and below(then(lines(b, d * s), lines(a, d)), lines(a * b, d * subject(a, s)))

    def holds(exp_epsilon: Fraction, delta: Fraction, k: int) -> bool:
        a, d = exp_epsilon, delta
        total = reduce(lambda s, _: subject(a, s), range(k - 1), Fraction(1))
        return hops(a, d, k) <= dp_power(a**k, min(Fraction(1), d * total))

    return settled(induction, STEP, every(POINTS, product(RATIOS, TWELFTHS, HOPS), holds))


Criterion = Callable[[Fraction, Fraction, int], bool]
GRID = "e^epsilon 1, 9/8, 2 and 5; delta in twelfths and where the criterion turns; k from 2 to 4"


def last_hop_starts_before_the_knee(a: Fraction, d: Fraction, k: int) -> bool:
    """delta s_{k-1} <= (1 - delta) / (1 + e^epsilon)."""
    return d * partial_sum(a, k - 1) <= (1 - d) / (1 + a)


def uncapped_bound_is_met(a: Fraction, d: Fraction, k: int) -> bool:
    """The knee matters only where the slopes on its sides differ; for epsilon = 0, up to delta 1."""
    return k * d <= 1 if a == 1 else last_hop_starts_before_the_knee(a, d, k)


def capped_bound_is_met(a: Fraction, d: Fraction, k: int) -> bool:
    """As before, or the last hop starts on the flat piece."""
    return a == 1 or last_hop_starts_before_the_knee(a, d, k) or hops(a, d, k - 1)(0) >= 1 - d


def _grid() -> list[tuple[Fraction, Fraction, int]]:
    turns = {(a, k): 1 / (1 + (1 + a) * partial_sum(a, k - 1)) for a in RATIOS for k in HOPS[1:]}
    return [(a, d, k) for (a, k), turn in turns.items() for d in (*TWELFTHS, turn, turn * Fraction(1001, 1000))]


@claim(
    "sec:setting", row=12, method=Method.SYMBOLIC, scope="every e^epsilon > 1 and delta in [0, 1]",
    uses=("fig:power_function/three_pieces",),
    subject=lambda a, d: (1 - d) / (1 + a), mutant=lambda _, d: 1 - d,
)  # fmt: skip
def first_piece_ends_at_the_knee(subject: Callable[[Any, Any], Any]) -> Finding:
    """A hop leads from y to delta + e^epsilon y if and only if y <= (1 - delta) / (1 + e^epsilon)."""
    a, d, z = ratio("a"), share("d"), ratio("z") - 1
    first, second, _ = lines(a, d)
    lead = at(first, subject(a, d) + z) - at(second, subject(a, d) + z)

    def holds(exp_epsilon: Fraction, delta: Fraction, y: Fraction) -> bool:
        on_it = dp_power(exp_epsilon, delta)(y) == delta + exp_epsilon * y
        return on_it is bool(y <= subject(exp_epsilon, delta))

    examples = every("points", product(RATIOS[1:], TWELFTHS, TWELFTHS), holds)
    said = "Past the knee the second line is lower, before it the first."
    return settled(equal(lead, z * (a - 1 / a)), said, examples)


def _past_the_knee_is_less() -> bool:
    """What the proofs below rest on, for every e^epsilon >= 1, delta, sum of powers and point.

    From y = delta s + b x a hop on the first line leads to delta (1 + e^epsilon s) + e^epsilon b x. Past the knee, by
    z, it leads z (e^epsilon - e^-epsilon) lower. No hop leads down.
    """
    a, s, d, y, x = ratio("a"), ratio("s"), share("d"), share("y"), share("x")
    z, b = ratio("z") - 1, power_of(a, s)
    first, second, last = lines(a, d)
    knee = (1 - d) / (1 + a)
    return (
        equal(at(first, d * s + b * x), d * (1 + a * s) + a * b * x)
        and equal(at(first, knee + z) - at(second, knee + z), z * (a - 1 / a))
        and all(nonnegative(at(line, y) - y) for line in (first, second, last))
        and all(equal(at(line, y), y + d) for line in lines(1, d)[:2])
    )


WHERE = f"every e^epsilon >= 1, delta and k; evaluated for {GRID}"


@claim(
    "sec:setting", row=12, method=Method.SYMBOLIC, scope=WHERE,
    uses=("sec:setting/k_hops_capped", "sec:setting/first_piece_ends_at_the_knee"),
    subject=uncapped_bound_is_met, mutant=last_hop_starts_before_the_knee,
)  # fmt: skip
def where_the_sum_is_attained(subject: Criterion) -> Finding:
    """delta(k epsilon) = delta s_k iff delta s_{k-1} <= (1-delta)/(1+e^epsilon); for epsilon = 0, iff k delta <= 1.

    If so, k hops lead from 0 to delta s_k along first lines. If not, and epsilon > 0, k - 1 hops lead from every x to a
    point past the knee, since hops never lead down, and there the last one falls short of delta s_k + e^{k epsilon} x.
    For epsilon = 0 a hop adds delta up to 1.
    """

    def holds(exp_epsilon: Fraction, delta: Fraction, k: int) -> bool:
        attained = hops(exp_epsilon, delta, k).delta(exp_epsilon**k)
        return (attained == delta * partial_sum(exp_epsilon, k)) == subject(exp_epsilon, delta, k)

    without_epsilon = all(subject(Fraction(1), d, k) is (k * d <= 1) for d in TWELFTHS for k in HOPS[1:])
    proved = _past_the_knee_is_less() and without_epsilon
    return settled(proved, "A hop past the knee leads lower than the first line.", every(POINTS, _grid(), holds))


@claim(
    "sec:setting", row=12, method=Method.SYMBOLIC, scope=WHERE,
    uses=("sec:setting/k_hops_capped", "sec:setting/where_the_sum_is_attained"),
    subject=capped_bound_is_met, mutant=uncapped_bound_is_met,
)  # fmt: skip
def where_the_cap_is_attained(subject: Criterion) -> Finding:
    """The capped bound is also met at epsilon = 0, and where k - 1 hops lead from 0 to 1 - delta or more.

    From there the last hop leads to 1. From below it, past the knee, k hops lead from 0 to less than 1, and from x > 0
    to less than 1 + e^{k epsilon} x.
    """

    def holds(exp_epsilon: Fraction, delta: Fraction, k: int) -> bool:
        attained, bound = hops(exp_epsilon, delta, k).delta(exp_epsilon**k), delta * partial_sum(exp_epsilon, k)
        return (attained == min(Fraction(1), bound)) == subject(exp_epsilon, delta, k)

    d, z = share("d"), share("z")
    _, second, flat = lines(ratio("a"), d)
    below_the_end = at(second, (1 - d) * (1 - z))  # a point short of 1 - delta
    short = equal(at(second, 1 - d), 1) and nonnegative(1 - below_the_end) and equal(at(flat, z), 1)
    flat_counts = subject(Fraction(5), Fraction(1, 2), 2)
    proved = short and _past_the_knee_is_less() and flat_counts
    return settled(proved, "The second line is 1 at 1 - delta, and less before.", every(POINTS, _grid(), holds))
