"""sec:compose: two hops by group privacy, beside what two adjacent bins cost together."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product

from dpcert.audit.algebra.enclosure import Enclosure, Ends
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.accounting.group import group_epsilon
from dpcert.mechanisms.accounting.product import GaussianProduct
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.matrices.participations import AdjacentBins, Once
from dpcert.mechanisms.noise.integer_laws import two_sided_geometric
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.ledger import claim

LABEL = "sec:compose"
NOISE: Pmf[int] = two_sided_geometric(Fraction(2), first=-4, last=4)
ROUNDS = (2, 3, 4)
CHANGES = (-1, 0, 1)


def nodes(t: int) -> tuple[int, int]:
    """The node of round t, from its first to its last round."""
    return t - (t & -t) + 1, t


def released(rounds: int, changes: dict[int, int]) -> PowerFunction:
    """The exact curve of all released nodes where inputs change by so much, each node with noise of its own."""
    whole = PowerFunction.identity()
    for first, last in map(nodes, range(1, rounds + 1)):
        shift = sum(by for t, by in changes.items() if first <= t <= last)
        if shift:
            whole = whole.tensor(_of_shift(shift))
    return whole


@cache
def _of_shift(shift: int) -> PowerFunction:
    return PowerFunction.from_laws(NOISE, NOISE.map(lambda k: k + shift))


def edits() -> Iterator[tuple[int, dict[int, int]]]:
    """Changes of two adjacent bins, of sizes and signs of all kinds."""
    for rounds in ROUNDS:
        for k in range(1, rounds):
            yield from ((rounds, {k: a, k + 1: b}) for a, b in product(CHANGES, repeat=2) if a and b)


Hops = Callable[[list[PowerFunction]], PowerFunction]


@claim(LABEL, row=98, method=Method.EXHAUSTIVE, uses=("fact:multi_hop_DP", "lem:randbin_wrapper"),
       scope="trees of 2, 3 and 4 rounds, noise on -4..4 of ratio 2; two adjacent bins that change by -1 or 1 each",
       subject=lambda hops: hops[0].then(hops[1]), mutant=lambda hops: hops[0])  # fmt: skip
def adjacent_bins_cost_less_than_two_hops(subject: Hops) -> Finding:
    """The exact curve of both changes together lies below that of one hop after the other, and is not equal to it."""

    def below(rounds: int, changes: dict[int, int]) -> bool:
        joint, bound = released(rounds, changes), subject([released(rounds, {t: by}) for t, by in changes.items()])
        return joint <= bound and joint != bound

    return every("changes", edits(), below)


DELTA = Fraction(1, 10**6)
HORIZONS = (2, 80, 8_064)
Account = Callable[[GaussianShift, GaussianShift], Enclosure]
"""epsilon at DELTA for an edit: of one hop, and of both bins jointly."""


@claim(LABEL, row=97, method=Method.ENCLOSED, uses=("sec:prefixsum_factor/two_hops_cost_less_than_the_group_bound",),
       scope="the tree of 2, 80 and 8,064 rounds at sigma 8, delta 10^-6",
       subject=lambda hop, _: GaussianProduct(hop.hops(2)).epsilon_for(DELTA),
       mutant=lambda _, both: GaussianProduct(both).epsilon_for(DELTA))  # fmt: skip
def adjacent_bins_of_a_tree_cost_less_than_f_2mu(subject: Account) -> Finding:
    """Both bins jointly are f of mu^2 = 4L + 1 over sigma^2, below f_{2 mu} of one hop, and that below (2 eps, ...)."""

    def below(rounds: int) -> bool:
        core = TreeSums(rounds, 1, 1)
        hop, both = (_shift(core, kind) for kind in (Once(), AdjacentBins()))
        group = group_epsilon(hop, 2, DELTA).epsilon.finite()
        jointly, bound = GaussianProduct(both).epsilon_for(DELTA).finite(), subject(hop, both).finite()
        return jointly.upper < bound.lower and bound.upper < group.lower

    return every("trees", ((t,) for t in HORIZONS), below)


def _shift(core: TreeSums, kind: Once | AdjacentBins) -> GaussianShift:
    square = core.shift(Fraction(1), kind) ** 2
    return GaussianShift.of_noise(Ends(square, square), Fraction(8))
