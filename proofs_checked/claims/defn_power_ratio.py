"""defn:power: what of two laws decides their curve, and which distances of laws obey data processing."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.laws import Experiment, Law, channels, curve, experiments, through
from dpcert.proofs_checked.ledger import claim

QUARTERS = [Fraction(n, 4) for n in range(5)]
SCOPE = "every two laws on 3 outcomes in quarters"


def ratio_law(first: Law, second: Law) -> Any:
    """The law of Q/P under P."""
    masses: dict[Fraction, Fraction] = {}
    for y, p in first.items():
        ratio = second.probability(y) / p
        masses[ratio] = masses.get(ratio, Fraction(0)) + p
    return frozenset(masses.items())


def ratios(first: Law, second: Law) -> Any:
    """The values of Q/P alone."""
    return frozenset(value for value, _ in ratio_law(first, second))


Key = Callable[[Law, Law], Any]


@claim("thm:noise-ind-DP", row=68, method=Method.EXHAUSTIVE, scope=SCOPE, subject=ratio_law, mutant=ratios,
       uses=("defn:power",))  # fmt: skip
def the_law_of_the_ratio_decides_the_curve(subject: Key) -> Finding:
    """Proof: the law of the likelihood ratio under P tells Pow(P‖Q), and is told by it."""
    by_key: dict[Any, PowerFunction] = {}
    by_curve: dict[Any, Any] = {}

    def decided(first: Law, second: Law) -> bool:
        key, power = subject(first, second), curve(first, second)
        return by_key.setdefault(key, power) == power and by_curve.setdefault(power.vertices, key) == key

    return every("pairs of laws", experiments(3, 4), decided)


@claim("defn:power", row=8, method=Method.EXHAUSTIVE, scope=f"{SCOPE}; delta in quarters",
       subject=lambda variation, delta: variation <= delta, mutant=lambda value, delta: value < delta)  # fmt: skip
def without_epsilon_it_is_total_variation(subject: Callable[[Fraction, Fraction], bool]) -> Finding:
    """A pair is (0, delta)-private if and only if its total variation is at most delta."""

    def same(pair: Experiment, delta: Fraction) -> bool:
        variation = sum((abs(pair[0].probability(y) - pair[1].probability(y)) for y in range(3)), Fraction(0)) / 2
        private = all(curve(*order) <= dp_power(1, delta) for order in (pair, pair[::-1]))
        return private == subject(variation, delta)

    return every("pairs of laws and deltas", product(experiments(3, 4), QUARTERS), same)


@claim("defn:dpi", row=5, method=Method.EXHAUSTIVE, subject=1, mutant=2,
       scope="every two laws on 3 outcomes in quarters, every way to merge them into 2")  # fmt: skip
def merging_outcomes_lowers_the_1_norm(subject: int) -> Finding:
    """sum |P - Q|^p obeys data processing for p = 1, and for p = 2 it does not: merging outcomes may raise it."""

    def norm(first: Law, second: Law) -> Fraction:
        return sum((abs(first.probability(y) - second.probability(y)) ** subject for y in range(3)), Fraction(0))

    merging = list(channels(3, 2, 1))

    def lower(pair: Experiment, channel: Any) -> bool:
        return norm(*(through(law, channel) for law in pair)) <= norm(*pair)

    return every("pairs and channels", product(experiments(3, 4), merging), lower)
