"""defn:power: power functions as a fractional knapsack, their order, and what channels do to them."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.audit.kernels.label import label
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.events import knapsack
from dpcert.proofs_checked.cases.laws import Channel, Law, channels, curves, experiments, named_experiments, through
from dpcert.proofs_checked.ledger import claim, found

Curve = Callable[[Fraction], Fraction]
Relation = Callable[[PowerFunction, PowerFunction], bool]
EIGHTHS = [Fraction(n, 8) for n in range(9)]
LAWS = "every pair of laws on 3 outcomes in quarters"
CURVES = "every curve of 2 outcomes in thirds or 3 in quarters"


def swapped(first: Law, second: Law) -> PowerFunction:
    """Weights and values in each other's place."""
    return PowerFunction.from_laws(second, first)


def nothing_is_free(first: Law, second: Law) -> Curve:
    """The curve with 0 at capacity 0, even where items weigh nothing."""
    return lambda alpha: PowerFunction.from_laws(first, second)(alpha) if alpha else Fraction(0)


def first_two_merged(first: Law, second: Law) -> PowerFunction:
    """The curve of an observer who cannot tell outcomes 0 and 1 apart."""
    return PowerFunction.from_laws(first.map(lambda y: max(y, 1)), second.map(lambda y: max(y, 1)))


@claim(
    "defn:power", row=2, method=Method.EXHAUSTIVE, scope=f"{LAWS}, at every eighth",
    subject=PowerFunction.from_laws, mutant=swapped,
)  # fmt: skip
def best_packing(subject: Callable[[Law, Law], Curve]) -> Finding:
    """Pow(P‖Q)(alpha) is the most Q-mass in a packing of P-mass alpha in which one item may be cut."""
    cases = ((p, q, alpha) for p, q in experiments(3, 4) for alpha in EIGHTHS)
    return every("packings", cases, lambda p, q, alpha: subject(p, q)(alpha) == knapsack(p, q, alpha))


@claim(
    "defn:power", row=2, method=Method.EXHAUSTIVE, scope=LAWS,
    subject=PowerFunction.from_laws, mutant=nothing_is_free,
)  # fmt: skip
def weightless_items_are_free(subject: Callable[[Law, Law], Curve]) -> Finding:
    """Pow(P‖Q)(0) = Q(P = 0): what world 0 never produces fits at capacity 0."""

    def holds(first: Law, second: Law) -> bool:
        free = sum((w for y, w in second.items() if first.probability(y) == 0), Fraction(0))
        return subject(first, second)(Fraction(0)) == free

    return every("pairs", experiments(3, 4), holds)


def at_corners_of_the_upper(f: PowerFunction, g: PowerFunction) -> bool:
    """f <= g where g has corners; f may have one above g in between."""
    return all(f(x) <= g(x) for x, _ in g.vertices)


@claim(
    "defn:power", row=3, method=Method.EXHAUSTIVE, scope=CURVES,
    subject=PowerFunction.__le__, mutant=at_corners_of_the_upper,
)  # fmt: skip
def order_is_settled_at_the_breakpoints(subject: Relation) -> Finding:
    """f <= g everywhere if and only if f <= g at every breakpoint of either."""

    def holds(f: PowerFunction, g: PowerFunction) -> bool:
        kinks = sorted({x for x, _ in (*f.vertices, *g.vertices)})
        middles = [(x + y) / 2 for x, y in pairwise(kinks)]
        return subject(f, g) == all(f(x) <= g(x) for x in (*kinks, *middles))

    return every("pairs of curves", product((*curves(2, 3), *curves(3, 4)), repeat=2), holds)


@claim(
    "defn:power", row=3, method=Method.EXHAUSTIVE, scope=CURVES,
    subject=PowerFunction.__le__, mutant=lambda f, g: f.total_variation <= g.total_variation,
)  # fmt: skip
def order_is_partial(subject: Relation) -> Finding:
    """The order of curves is reflexive, antisymmetric and transitive, and leaves some pairs apart."""
    family = list(dict.fromkeys((*curves(2, 3), *curves(3, 4))))
    above = [{j for j, g in enumerate(family) if subject(f, g)} for f in family]
    both = [(i, j) for i in range(len(family)) for j in above[i] if i != j and i in above[j]]
    if both or not all(i in above[i] and all(above[j] <= above[i] for j in above[i]) for i in range(len(family))):
        return found(False, "No partial order.", case=[label(family[i].vertices) for pair in both[:1] for i in pair])
    apart = sum(j not in above[i] and i not in above[j] for i, j in product(range(len(family)), repeat=2)) // 2
    return found(apart > 0, f"{len(family)} curves, {apart} pairs of them incomparable.")


@claim(
    "defn:power", row=4, method=Method.EXHAUSTIVE, scope=LAWS,
    subject=PowerFunction.from_laws, mutant=first_two_merged,
)  # fmt: skip
def identity_is_least(subject: Callable[[Law, Law], PowerFunction]) -> Finding:
    """Pow(P‖Q) >= Id, with equality for P = Q only."""
    identity = PowerFunction.identity()
    return every(
        "pairs", experiments(3, 4), lambda p, q: subject(p, q) >= identity and (subject(p, q) == identity) == (p == q)
    )


def selected(law: Law, channel: Channel) -> Law:
    """The law given that outcome 0 did not come; selecting is no channel."""
    left = 1 - law.probability(0)
    return Pmf({y: w / left for y, w in law.items() if y != 0}) if left else through(law, channel)


@claim(
    "defn:power", row=5, method=Method.EXHAUSTIVE, uses=("defn:dpi",), subject=through, mutant=selected,
    scope="every pair of laws on 3 outcomes in quarters up to their names, every channel to 3 outcomes in halves",
)  # fmt: skip
def data_processing(subject: Callable[[Law, Channel], Law]) -> Finding:
    """Pow(T(P)‖T(Q)) <= Pow(P‖Q) for every channel T."""
    cases = ((p, q, t) for p, q in named_experiments(3, 4) for t in channels(3, 3, 2))
    power, after = cache(PowerFunction.from_laws), cache(subject)
    return every("pairs with a channel", cases, lambda p, q, t: power(after(p, t), after(q, t)) <= power(p, q))


def least_missed(first: Law, second: Law, alpha: Fraction) -> Fraction:
    """The least type-II error at level alpha, by the dual: the best price of a unit of level."""
    outcomes = {*first.support, *second.support}
    prices = [second.probability(y) / first.probability(y) for y in first.support]
    return max(
        sum((min(second.probability(y), price * first.probability(y)) for y in outcomes), -price * alpha)
        for price in (Fraction(0), *prices)
    )


@claim(
    "defn:power", row=9, method=Method.EXHAUSTIVE, scope=f"{LAWS}, at every eighth",
    subject=PowerFunction.trade_off, mutant=lambda f, alpha: 1 - f.reversed()(alpha),
)  # fmt: skip
def trade_off_is_the_rest(subject: Callable[[PowerFunction, Fraction], Fraction]) -> Finding:
    """T(P‖Q) = 1 - Pow(P‖Q) is the least type-II error of a test of P against Q at level alpha."""
    cases = ((p, q, alpha) for p, q in experiments(3, 4) for alpha in EIGHTHS)
    power = PowerFunction.from_laws
    return every("tests", cases, lambda p, q, alpha: subject(power(p, q), alpha) == least_missed(p, q, alpha))
