"""fact:triangle_power: power functions of two hops compose."""

from collections.abc import Callable
from functools import cache
from itertools import product

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.events import points
from dpcert.proofs_checked.cases.laws import Law, curve, curves, falling_laws, laws
from dpcert.proofs_checked.ledger import claim

Composition = Callable[[PowerFunction, PowerFunction], PowerFunction]


@claim(
    "fact:triangle_power", row=10, method=Method.EXHAUSTIVE, uses=("defn:power",),
    scope="every three laws on 3 outcomes in quarters, up to the outcomes' names; every event",
    subject=PowerFunction.then, mutant=lambda f, g: g.then(f),
)  # fmt: skip
def two_hops_compose(subject: Composition) -> Finding:
    """Z(S) <= g2(g1(X(S))) for every event S, where g1 = Pow(X‖Y) is applied first and g2 = Pow(Y‖Z) last."""

    points_of = cache(points)

    def holds(x: Law, y: Law, z: Law) -> bool:
        both = subject(curve(x, y), curve(y, z))
        return all(both(a) >= b for a, b in points_of(x, z))

    return every("triples", product(falling_laws(3, 4), laws(3, 4), laws(3, 4)), holds)


@claim(
    "fact:triangle_power", row=10, method=Method.EXHAUSTIVE, uses=("defn:power",),
    scope="every three curves of 2 outcomes in thirds",
    subject=PowerFunction.then, mutant=lambda f, g: f.then(g) if f.total_variation < g.total_variation else f,
)  # fmt: skip
def larger_bounds_compose_to_larger_ones(subject: Composition) -> Finding:
    """f <= g gives f then h <= g then h and h then f <= h then g, so bounds may stand in for the curves."""
    cases = ((f, g, h) for f, g, h in product(curves(2, 3), repeat=3) if f <= g)
    return every("triples", cases, lambda f, g, h: subject(f, h) <= subject(g, h) and subject(h, f) <= subject(h, g))
