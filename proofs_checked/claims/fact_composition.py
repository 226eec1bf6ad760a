"""fact:composition: a second release whose law depends on the first; basic composition."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from dpcert.audit.algebra.power import PowerFunction, dp_power, supremum
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.laws import Channel, Experiment, channels, curve, jointly, named_experiments
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, ratio, settled, share
from dpcert.proofs_checked.claims.fig_power_function import four_atoms
from dpcert.proofs_checked.ledger import claim

Product = Callable[[PowerFunction, PowerFunction], PowerFunction]
DELTAS = [Fraction(n, 5) for n in range(6)]
RATIOS = [Fraction(1), Fraction(3, 2), Fraction(4)]
EVERY = "every e^epsilon >= 1 and delta in [0, 1], two of each"
USES = ("defn:tensor", "fig:power_function/four_atoms_attain_it")


@cache
def _above(*curves: PowerFunction) -> PowerFunction:
    """The supremum of curves that come again and again."""
    return supremum(curves)


@claim(
    "fact:composition", row=16, method=Method.EXHAUSTIVE, uses=("defn:tensor", "defn:power_sup/hull_is_the_supremum"),
    scope="every pair of laws on 2 outcomes in quarters up to their names, then every pair of channels of this kind",
    subject=PowerFunction.tensor, mutant=lambda f, g: supremum([f, g]),
)  # fmt: skip
def adaptive_composition(subject: Product) -> Finding:
    """The curve of an outcome and what depends on it is below f ⊗ g, with f of the first and g above every second."""

    bound = cache(subject)

    def holds(first: Experiment, q: Channel, r: Channel) -> bool:
        f, g = curve(*first), _above(*(curve(*pair) for pair in zip(q, r, strict=True)))
        return PowerFunction.from_laws(jointly(first[0], q), jointly(first[1], r)) <= bound(f, g)

    return every("compositions", product(named_experiments(2, 4), channels(2, 2, 4), channels(2, 2, 4)), holds)


@cache
def _delta_of_product() -> tuple[Any, Any, Any] | None:
    """(delta of the product at epsilon_1 + epsilon_2, delta_1, delta_2); None if an atom's sign is not settled."""
    a, b, d, e = ratio("a"), ratio("b"), share("d"), share("e")
    total = 0
    for (p, q), (r, s) in product(four_atoms(a, d), four_atoms(b, e)):
        surplus = p * r - a * b * q * s
        if nonnegative(surplus):
            total += surplus
        elif not nonnegative(-surplus):
            return None
    return total, d, e


@claim(
    "fact:composition", row=18, method=Method.SYMBOLIC, scope=EVERY, uses=USES,
    subject=lambda d, e: d + e - d * e, mutant=lambda d, e: d + e,
)  # fmt: skip
def exact_delta_of_two(subject: Callable[[Any, Any], Any]) -> Finding:
    """DP_{e1,d1} ⊗ DP_{e2,d2} has delta exactly d1 + d2 - d1 d2 at epsilon e1 + e2."""
    product_delta = _delta_of_product()
    identity = product_delta is not None and equal(product_delta[0], subject(*product_delta[1:]))
    examples = every(
        "parameters",
        product(RATIOS, RATIOS, DELTAS, DELTAS),
        lambda a, b, d, e: dp_power(a, d).tensor(dp_power(b, e)).delta(a * b) == subject(d, e),
    )
    return settled(identity, "The surplus of each of the 16 atoms has one sign.", examples)


@claim(
    "fact:composition", row=18, method=Method.SYMBOLIC, scope=EVERY,
    uses=(*USES, "fig:power_function/curve_below_means_both_inequalities"),
    subject=lambda d, e: d + e, mutant=lambda d, _: d,
)  # fmt: skip
def basic_composition(subject: Callable[[Any, Any], Any]) -> Finding:
    """DP_{e1,d1} ⊗ DP_{e2,d2} <= DP_{e1+e2, min(1, d1+d2)}, the step that ends the proof of cor:adap_randbin."""
    product_delta = _delta_of_product()
    inequality = product_delta is not None and nonnegative(subject(*product_delta[1:]) - product_delta[0])
    examples = every(
        "parameters",
        product(RATIOS, RATIOS, DELTAS, DELTAS),
        lambda a, b, d, e: dp_power(a, d).tensor(dp_power(b, e)) <= dp_power(a * b, min(Fraction(1), subject(d, e))),
    )
    return settled(inequality, "The exact delta is smaller by d1 d2.", examples)
