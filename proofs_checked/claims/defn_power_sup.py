"""defn:power_sup: the least power function above a family."""

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from typing import Any

import sympy

from dpcert.audit.algebra.power import Point, PowerFunction, supremum
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.laws import curves
from dpcert.proofs_checked.ledger import claim, found

Family = Sequence[PowerFunction]
EIGHTHS = [Fraction(n, 8) for n in range(9)]


def corners_of(family: Family) -> set[Point]:
    """The corners of the family's graphs."""
    return {(x, f(x)) for f in family for x, _ in f.vertices}


def two_points(corners: Collection[Point], alpha: Fraction) -> Fraction:
    """The definition: the best chord between two corners of the family's graphs, read at alpha."""
    left, right = [c for c in corners if c[0] <= alpha], [c for c in corners if c[0] >= alpha]
    return max(
        y if x == u else y + (v - y) * (alpha - x) / (u - x) if x < u else Fraction(0)
        for x, y in left
        for u, v in right
        if x < u or x == alpha
    )


def pointwise_maximum(family: Family) -> list[Point]:
    """The corners of alpha -> max f(alpha); it need not be concave."""
    kinks = sorted({x for f in family for x, _ in f.vertices})
    places = set(kinks)
    for x, u in pairwise(kinks):
        for f in family:
            for g in family:
                before, after = f(x) - g(x), f(u) - g(u)
                if before * after < 0:
                    places.add(x + (u - x) * before / (before - after))
    return [(Fraction(0), Fraction(0)), *((x, max(f(x) for f in family)) for x in sorted(places))]


@claim(
    "defn:power_sup", row=13, method=Method.EXHAUSTIVE, uses=("defn:power",),
    scope="every one, two or three of the curves of 2 outcomes in quarters",
    subject=lambda family: supremum(family).vertices, mutant=pointwise_maximum,
)  # fmt: skip
def hull_is_the_supremum(subject: Callable[[Family], Sequence[Point]]) -> Finding:
    """Mixing two points of the graphs gives the least power function above a finite family: the concave hull."""

    def holds(*family: PowerFunction) -> bool:
        corners = subject(family)
        steps = [(u - x, v - y) for (x, y), (u, v) in pairwise(corners)]
        concave = all(s[1] * t[0] >= t[1] * s[0] for s, t in pairwise(steps))
        if not concave:
            return False
        hull = PowerFunction.from_vertices(corners)
        above = all(f <= hull for f in family)
        least = all(any(f(x) == y for f in family) for x, y in corners if x or y)
        graphs = corners_of(family)
        return above and least and all(hull(x) == two_points(graphs, x) for x in EIGHTHS)

    return every("families", combinations_with_replacement(curves(2, 4), 3), holds)


@claim(
    "defn:power_sup", row=13, method=Method.SYMBOLIC,
    scope="every family of curves that are 0 at 0, with slopes of at most N there, every N",
    subject=sympy.Symbol("N", positive=True, integer=True), condition="the family is finite", without=sympy.oo,
)  # fmt: skip
def formula_gives_a_power_function(subject: Any) -> Finding:
    """The formula's values are those of a power function: they reach the value at 0 without a jump.

    A finite family has a largest slope at 0, and an infinite one need not: min(1, n alpha) for every n.
    """
    alpha = sympy.Symbol("alpha", positive=True)
    highest = sympy.Min(1, subject * alpha)
    jump = highest.subs(alpha, 0)  # the value just right of 0: the least of continuous functions is continuous
    said = f"Each member is 0 at 0, so the formula is; just right of 0 it is {jump}."
    family = f"min(1, n alpha), n = 1, 2, ... up to {subject}"
    return found(bool(jump == 0), said, family=family, at_0="0", just_right_of_0=str(jump))
