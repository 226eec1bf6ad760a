"""thm:DP-comp on the paper's own pipeline: RandBin feeding a noisy sum of every bin."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.audit.games.npp import npp_game
from dpcert.audit.games.of_views import game_of
from dpcert.audit.relations.edits import EDIT
from dpcert.mechanisms.randbin.bin_sum import BinSum
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.proofs_checked.cases.curves import exact_power
from dpcert.proofs_checked.cases.replayed import FedBins, simulation_alone
from dpcert.proofs_checked.ledger import claim, found

LABEL = "thm:DP-comp"
ROUNDS = 9
SCOPE = "the toy RandBin (alpha 2, U 2, E 1, uniform) on bits, bin sums with noise 1, 2, 1: every adversary, 9 rounds"
Bound = Callable[[PowerFunction, PowerFunction], PowerFunction]


@cache
def preserved(rounds: int) -> PowerFunction:
    """f, the neighbour-preserving privacy of RandBin."""
    return exact_power(npp_game(simulation_alone(RandBinToy()), rounds))


@cache
def composed(rounds: int) -> PowerFunction:
    """The whole pipeline against adversaries who edit bits, see schedule and noisy sums, and adapt to both."""
    return exact_power(game_of(FedBins(RandBinToy(), BinSum()).view((0, 1)), EDIT, rounds))


def decided(bound: Bound) -> Finding:
    """Whether the pipeline keeps to a bound made of f and g, g the curve of one bin whose sum is 1 more."""
    g = BinSum().profile()
    reached, most = composed(ROUNDS), bound(preserved(ROUNDS), g)
    at, allowed = ([text(power.delta(Fraction(e))) for e in (1, 2, 4)] for power in (reached, most))
    detail = f"At e^eps = 1, 2, 4 and {ROUNDS} rounds delta is {', '.join(at)}, the bound {', '.join(allowed)}."
    return found(reached <= most, detail, delta=at, bound=allowed)


@claim(LABEL, row=30, method=Method.EXHAUSTIVE, scope=SCOPE, uses=("fact:multi_hop_DP/hops_compose",),
       subject=lambda f, g: f.tensor(g.then(g)), mutant=lambda f, _: f)  # fmt: skip
def randbin_feeding_a_sum_costs_two_hops(subject: Bound) -> Finding:
    """RandBin feeding a mechanism that is g-DP for one changed bin costs at most f ⊗ (g∘g)."""
    return decided(subject)


@claim(LABEL, row=30, method=Method.EXHAUSTIVE, scope=SCOPE,
       subject=lambda f, g: f.tensor(g.tensor(g)), mutant=lambda _, g: g)  # fmt: skip
def randbin_feeding_a_sum_costs_two_bins(subject: Bound) -> Finding:
    """The sharper bound by two bins with noise of their own, f ⊗ (g ⊗ g), holds as well."""
    return decided(subject)


SHIFTS = list(product((-1, 0, 1), repeat=2))


@claim(LABEL, row=30, method=Method.EXHAUSTIVE, subject=lambda g: g.then(g), mutant=lambda g: g,
       scope="two adjacent bins whose sums differ by at most 1 each, noise 1, 2, 1; every e^epsilon",
       uses=("fact:multi_hop_DP/hops_compose", "defn:neighbor_bin"))  # fmt: skip
def bin_neighbours_are_two_hops_and_not_one(subject: Callable[[PowerFunction], PowerFunction]) -> Finding:
    """A bin sum alone over bin neighbours: g ⊗ g is at most g∘g, and not at most g, so that two hops are needed."""
    law, g = BinSum().law, BinSum().profile()
    pairs = law.product(law)
    both = [(law.map(shift.__add__), law.map(other.__add__)) for shift, other in SHIFTS]
    moved = [PowerFunction.from_laws(pairs, one.product(two)) for one, two in both]
    reached = supremum(moved)
    values = [text(power.total_variation) for power in (reached, g, g.then(g))]
    detail = f"Total variation {values[0]}; that of g is {values[1]}, that of g∘g {values[2]}."
    return found(reached == g.tensor(g) and reached <= subject(g), detail, total_variation=values)
