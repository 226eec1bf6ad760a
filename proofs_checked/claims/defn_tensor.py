"""defn:tensor: the product of two power functions."""

from collections.abc import Callable
from itertools import product

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.laws import Experiment, Law, curve, curves, experiments, laws, named_experiments
from dpcert.proofs_checked.ledger import claim

Product = Callable[[PowerFunction, PowerFunction], PowerFunction]


def product_curve(one: Experiment, two: Experiment) -> PowerFunction:
    """Pow(P1 x Q1‖P2 x Q2), worked out on the product space."""
    return PowerFunction.from_laws(one[0].product(two[0]), one[1].product(two[1]))


@claim(
    "defn:tensor", row=14, method=Method.EXHAUSTIVE, uses=("defn:power",),
    scope="every two pairs of laws on 3 outcomes in thirds, up to the outcomes' names",
    subject=PowerFunction.tensor, mutant=PowerFunction.then,
)  # fmt: skip
def any_attaining_pair_will_do(subject: Product) -> Finding:
    """The product laws' power function depends on the two power functions alone, not on the laws that attain them."""
    cases = product(named_experiments(3, 3), repeat=2)
    return every("products", cases, lambda one, two: product_curve(one, two) == subject(curve(*one), curve(*two)))


@claim(
    "defn:tensor", row=14, method=Method.EXHAUSTIVE, uses=("defn:power",),
    scope="every three curves of 2 outcomes in quarters", subject=PowerFunction.tensor,
    mutant=lambda f, g: f.tensor(g) if f.total_variation < g.total_variation else f,
)  # fmt: skip
def larger_factors_give_a_larger_product(subject: Product) -> Finding:
    """f <= g gives f ⊗ h <= g ⊗ h, and f ⊗ h = h ⊗ f, so bounds may stand in for the curves."""
    cases = ((f, g, h) for f in curves(2, 4) for g in curves(2, 4) if f <= g for h in curves(2, 4))
    return every("triples", cases, lambda f, g, h: subject(f, h) <= subject(g, h) and subject(f, h) == subject(h, f))


@claim(
    "defn:tensor", row=17, method=Method.EXHAUSTIVE, uses=("defn:power",),
    scope="every law on 3 outcomes in thirds beside every pair of such laws",
    subject=lambda law: (law, law), mutant=lambda law: (law, law.map(lambda y: (y + 1) % 3)),
)  # fmt: skip
def identity_is_neutral(subject: Callable[[Law], Experiment]) -> Finding:
    """Id ⊗ f = f: what has the same law in both worlds adds nothing."""

    def holds(law: Law, pair: Experiment) -> bool:
        return product_curve(subject(law), pair) == PowerFunction.from_laws(*pair)

    return every("products", ((law, pair) for law in laws(3, 3) for pair in experiments(3, 3)), holds)
