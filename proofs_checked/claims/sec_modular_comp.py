"""sec:modular_comp: the remark on how to construct neighbour-preserving simulations."""

from fractions import Fraction
from itertools import product
from typing import NamedTuple

from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.ledger import claim, found

Masses = dict[str, Fraction]


class Sequences(NamedTuple):
    """The laws of two sequences of hidden outputs in two worlds, and which outcomes may stand beside each other.

    Attributes:
        whole0: Law of the sequences of length 2 in world 0.
        whole1: The same in world 1.
        neighbours: Pairs of sequences that are neighbours.
    """

    whole0: Masses
    whole1: Masses
    neighbours: frozenset[tuple[str, str]]


HALF = Fraction(1, 2)
FORCED = Sequences(
    {"x0": Fraction(3, 4), "x1": Fraction(1, 4)}, {"y": HALF, "z": HALF}, frozenset({("x0", "y"), ("x1", "z")})
)
FREE = FORCED._replace(neighbours=frozenset(product(("x0", "x1"), ("y", "z"))))


def total_variation(one: Masses, other: Masses) -> Fraction:
    """Half the distance of two laws on named atoms."""
    return sum((abs(one.get(k, Fraction(0)) - other.get(k, Fraction(0))) for k in {*one, *other}), Fraction(0)) / 2


def refined(subject: Sequences) -> Fraction:
    """The least total variation of pairs of neighbours whose own sides have the laws of the two worlds.

    World b has its own sequence right and a neighbour of it beside; atoms are pairs, and as much as can be is shared:
    the overlap is a largest flow, which on two outcomes a side is its value over all four cuts.
    """
    rows, columns = list(subject.whole0), list(subject.whole1)
    cuts = []
    for left in product((False, True), repeat=len(rows)):
        chosen = {r for r, taken in zip(rows, left, strict=True) if taken}
        reached = {c for r, c in subject.neighbours if r in chosen}
        cut = sum((subject.whole0[r] for r in rows if r not in chosen), Fraction(0))
        cuts.append(cut + sum((subject.whole1[c] for c in columns if c in reached), Fraction(0)))
    return 1 - min(cuts)


@claim("sec:modular_comp", row=29, method=Method.EXHAUSTIVE, subject=FORCED, mutant=FREE,
       scope="one pair of worlds: x, then 0 or 1 with 3/4 and 1/4, against y or z with 1/2 each")  # fmt: skip
def no_best_refinement_online(subject: Sequences) -> Finding:
    """A closest refinement of two sequences need not project to a closest refinement of their prefixes.

    After one round x stands beside y or z as one likes, at distance 0. With (x, 0) beside y alone and (x, 1) beside z,
    what stands beside x is settled before 0 or 1 is drawn, and projects to (3/4, 1/4) against (1/2, 1/2).
    """
    whole = refined(subject)
    prefix = Sequences({"x": Fraction(1)}, subject.whole1, frozenset({("x", "y"), ("x", "z")}))
    projected = {"y": subject.whole0["x0"], "z": subject.whole0["x1"]}
    best = total_variation(projected, subject.whole1) if len(subject.neighbours) == 2 else refined(prefix)
    detail = f"The only refinement is at {text(whole)}, its prefix at {text(best)}, the closest one at {{}}."
    return found(
        whole == best == Fraction(1, 4) and refined(prefix) == 0,
        detail.format(text(refined(prefix))),
        length_2=text(whole), length_1=text(refined(prefix)),
    )  # fmt: skip
