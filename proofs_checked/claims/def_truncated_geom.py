"""def:truncated_geom: the geometric law clipped to [-U/2, U/2], and the loads made from it."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from dpcert.audit.finding import Finding, Method
from dpcert.audit.pmf import Pmf
from dpcert.mechanisms.noise import geometric_mass, geometric_tail, load_law, truncated_geometric
from dpcert.proofs_checked.ledger import claim
from dpcert.proofs_checked.notes.bin_runs import ALPHAS
from dpcert.proofs_checked.notes.cases import every

LABEL = "def:truncated_geom"
Law = Callable[[Fraction, int], Pmf[int]]


def cut_off(base: Fraction, level: int) -> Pmf[int]:
    """The geometric law given that it lies in [-U/2, U/2]: the tails go to all values, not to the ends."""
    inside = {k: geometric_mass(base, k) for k in range(-(level // 2), level // 2 + 1)}
    return Pmf({k: w / sum(inside.values()) for k, w in inside.items()})


@claim(LABEL, row=39, method=Method.EXHAUSTIVE, scope="e^epsilon 2, 3/2, 3 and U 2, 4, 6, 8, 10",
       subject=truncated_geometric, mutant=cut_off, uses=("sec:randbin/geometric_law_sums_to_1",))  # fmt: skip
def ends_hold_the_tails(subject: Law) -> Finding:
    """G has support [-U/2..U/2]: the geometric masses inside, and half of P(|Geom| >= U/2) on either end."""

    def clipped(base: Fraction, level: int) -> bool:
        half, law = level // 2, subject(base, level)
        inside = all(law.probability(k) == geometric_mass(base, k) for k in range(1 - half, half))
        ends = all(law.probability(end) == geometric_tail(base, half) / 2 for end in (-half, half))
        return inside and ends and sorted(law.support) == [*range(-half, half + 1)]

    return every("laws", product(ALPHAS, range(2, 11, 2)), clipped)


@claim(LABEL, row=39, method=Method.EXHAUSTIVE, scope="e^epsilon 2, 3/2, 3 and U 2, 4, 6, 8, 10", subject=load_law,
       mutant=lambda base, level: truncated_geometric(base, 2 * level).map(lambda k: 3 * level // 2 + k),
       uses=(f"{LABEL}/ends_hold_the_tails",))  # fmt: skip
def loads_fill_U_to_2U(subject: Law) -> Finding:  # noqa: N802 - U is the level's name
    """3U/2 + G has support [U..2U], U the level that G is clipped at."""
    cases = product(ALPHAS, range(2, 11, 2))
    return every("laws", cases, lambda base, u: sorted(subject(base, u).support) == [*range(u, 2 * u + 1)])
