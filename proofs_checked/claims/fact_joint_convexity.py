"""fact:joint_convexity: mixtures of pairs that share a bound."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.laws import Experiment, experiments
from dpcert.proofs_checked.ledger import claim

Draw = Callable[[Fraction], tuple[Fraction, Fraction]]
"""From the weight of the first pair in world 0, the weights in both worlds."""
SCOPE = "every two pairs of laws on 3 outcomes in thirds, up to the names of the outcomes, mixed by quarters"


def same(weight: Fraction) -> tuple[Fraction, Fraction]:
    """One law L in both worlds."""
    return weight, weight


def turned(weight: Fraction) -> tuple[Fraction, Fraction]:
    """The draw itself depends on the world."""
    return weight, 1 - weight


def _cases() -> Iterator[tuple[Experiment, Experiment, Fraction]]:
    pairs = experiments(3, 3)
    named = [one for one in pairs if _columns(one) == sorted(_columns(one))]
    return ((one, two, Fraction(n, 4)) for one in named for two in pairs for n in (1, 2))


def _columns(pair: Experiment) -> list[tuple[Fraction, Fraction]]:
    """The chances of each outcome: in another order they are the same pair under other names."""
    return [(pair[0].probability(y), pair[1].probability(y)) for y in range(3)]


@cache
def _above(one: Experiment, two: Experiment) -> PowerFunction:
    """The least f above both curves."""
    return supremum(PowerFunction.from_laws(*pair) for pair in (one, two))


@claim(
    "fact:joint_convexity", row=15, method=Method.EXHAUSTIVE, scope=SCOPE,
    uses=("defn:power", "defn:power_sup/hull_is_the_supremum"), subject=same, mutant=turned,
)  # fmt: skip
def mixing_stays_below_a_common_bound(subject: Draw) -> Finding:
    """Pow(P(L)‖Q(L)) is below each f above all Pow(P(l)‖Q(l)); L is drawn alike in both worlds, and hidden."""

    def holds(one: Experiment, two: Experiment, weight: Fraction) -> bool:
        mixed = [Pmf.mix([(w, p), (1 - w, q)]) for w, p, q in zip(subject(weight), one, two, strict=True)]
        return PowerFunction.from_laws(*mixed) <= _above(one, two)

    return every("mixtures", _cases(), holds)


@claim(
    "fact:joint_convexity", row=15, method=Method.EXHAUSTIVE, scope=SCOPE,
    uses=("fact:composition/adaptive_composition", "defn:tensor/identity_is_neutral"), subject=same, mutant=turned,
)  # fmt: skip
def fixing_a_visible_draw(subject: Draw) -> Finding:
    """The bound also holds where the draw is seen, as an adversary's seed is: not by mixing, but as Id ⊗ f."""

    def holds(one: Experiment, two: Experiment, weight: Fraction) -> bool:
        views = [
            Pmf([((which, y), share * v) for which, share, law in ((0, w, p), (1, 1 - w, q)) for y, v in law.items()])
            for w, p, q in zip(subject(weight), one, two, strict=True)
        ]
        return PowerFunction.from_laws(*views) <= _above(one, two)

    return every("mixtures", _cases(), holds)
