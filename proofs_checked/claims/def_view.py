"""def:view: what an adversary sees, its own randomness included."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

from dpcert.audit.algebra.mixture import mix
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BITS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import curves
from dpcert.proofs_checked.cases.plays import Adversary, adversaries, view_law
from dpcert.proofs_checked.ledger import claim

SHARES = Fraction(1, 3), Fraction(2, 3)


@claim("def:view", row=23, method=Method.EXHAUSTIVE, scope="the two-round mechanism; every two of its 40 adversaries",
       subject=lambda r, seen: (r, seen), mutant=lambda _, seen: seen, uses=("fact:joint_convexity",))  # fmt: skip
def a_seen_seed_mixes_the_curves(subject: Callable[[int, Any], Any]) -> Finding:
    """An adversary that draws which of two to be, and sees the draw, has the mixture of their curves."""
    core, most = TwoRound(), curves(TwoRound(), 2).adaptive
    view = cache(lambda adversary, world: view_law(core, adversary, world, 2))
    alone = cache(lambda adversary: PowerFunction.from_laws(view(adversary, 0), view(adversary, 1)))

    def mixed(one: Adversary, other: Adversary) -> bool:
        def law(world: int) -> Pmf[Any]:
            views = [view(adversary, world) for adversary in (one, other)]
            return Pmf((subject(r, seen), SHARES[r] * w) for r, v in enumerate(views) for seen, w in v.items())

        parts = zip(SHARES, (alone(one), alone(other)), strict=True)
        return PowerFunction.from_laws(law(0), law(1)) == mix(parts) <= most

    return every("pairs of adversaries", combinations(adversaries(core, 2, BITS), 2), mixed)
