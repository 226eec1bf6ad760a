"""thm:main_pipeline_overview: the split of the budget, and the whole pipeline as an exact game beside its bound."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from dpcert.audit.algebra.power import PowerFunction, dp_power
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.learning.toy_step import ToyStep
from dpcert.mechanisms.matrices.participations import Once
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.symbols import equal, nonnegative, ratio, settled
from dpcert.proofs_checked.cases.toy_pipeline import buffering, played
from dpcert.proofs_checked.ledger import claim, found

LABEL = "thm:main_pipeline_overview"
RATIOS = tuple(Fraction(n, 2) for n in (2, 3, 4, 8))
DELTAS = (Fraction(0), Fraction(1, 100), Fraction(1, 10))
PARTS = (
    "thm:DP-comp",
    "fact:multi_hop_DP",
    "thm:cert",
    "def:truncated_geom/level_with_a_floor",
    "def:truncated_geom/loads_fill_U_to_2U",
    "lem:randbin_wrapper",
)
OneHop = Callable[[Any, Any], Any]


@claim(LABEL, row=98, method=Method.SYMBOLIC, subject=lambda a, delta: delta / (1 + a), uses=PARTS,
       mutant=lambda _, delta: delta / 2, scope="every budget; 144 evaluated exactly")  # fmt: skip
def shares_make_the_whole(subject: OneHop) -> Finding:
    """Two hops of (eps_a / 2, delta_a / (1 + e^(eps_a / 2))) beside (eps_b, delta_b) stay within both sums."""
    a, d = ratio("a"), sympy.Symbol("d", nonnegative=True)
    inequality = nonnegative(d - (1 + a) * subject(a, d)) and equal((1 + a) * (d / (1 + a)), d)

    def kept(half: Fraction, buffered: Fraction, delta_a: Fraction, delta_b: Fraction) -> bool:
        hop = dp_power(half, subject(half, delta_a))
        whole = dp_power(buffered, delta_b).tensor(hop.then(hop))
        return whole <= dp_power(buffered * half**2, delta_a + delta_b)

    return settled(inequality, "The second hop costs e^(eps_a / 2) times its delta.",
                   every("budgets", product(RATIOS, RATIOS, DELTAS, DELTAS), kept))  # fmt: skip


IN_TIME = RandBinToy(noise="none")
STEEP, SHALLOW = ToyStep(4, Fraction(2), 12), ToyStep(1, Fraction(3), 1)
Bound = Callable[[PowerFunction, ToyStep], PowerFunction]


def one_bin(share: Fraction) -> Bound:
    """f ⊗ g, g of one row that moves by a share of what an edit may move an update by."""
    return lambda f, step: f.tensor(step.profile(int(step.moved(IN_TIME.level) * share)))


def two_bins(f: PowerFunction, step: ToyStep) -> PowerFunction:
    """f ⊗ (g ⊗ g'), of two rows of the tree: the first bin's, and that of both bins together."""
    moved = step.moved(IN_TIME.level)
    return f.tensor(step.profile(moved).tensor(step.profile(2 * moved)))


def decided(bound: Bound, randbin: RandBinToy, step: ToyStep, rounds: int) -> Finding:
    """Whether the exact game keeps to the bound, with both deltas at a few e^epsilon."""
    reached, most = played(randbin, step, rounds), bound(buffering(randbin, rounds), step)
    at, allowed = ([text(power.delta(Fraction(e))) for e in (1, 4, 512)] for power in (reached, most))
    detail = f"At e^eps = 1, 4, 512 and {rounds} rounds delta is {', '.join(at)}, the bound {', '.join(allowed)}."
    return found(PowerFunction.identity() < reached <= most, detail, delta=at, bound=allowed)


TOY = "the toy RandBin (alpha 2, U 2, E 1) on bits, updates rounded to the grid, tree of sums"


@claim(LABEL, row=98, method=Method.EXHAUSTIVE, uses=(f"{LABEL}/shares_make_the_whole", *PARTS),
       scope=f"{TOY}, noise on -12..12 of ratio 2, none of the scheduler's: every adversary, 7 rounds, one bin",
       subject=one_bin(Fraction(1)), mutant=one_bin(Fraction(9, 10)))  # fmt: skip
def the_sensitivity_is_needed_in_full(subject: Bound) -> Finding:
    """The pipeline costs at most f ⊗ g at an edit's own sensitivity; with a tenth less it costs more than the bound."""
    return decided(subject, IN_TIME, STEEP, 7)


@claim(LABEL, row=98, method=Method.EXHAUSTIVE, uses=(f"{LABEL}/shares_make_the_whole", *PARTS),
       scope=f"{TOY}, noise on -1..1 of ratio 3, none of the scheduler's: every adversary, 9 rounds, two bins",
       subject=two_bins, mutant=lambda f, _: f)  # fmt: skip
def users_who_react_gain_no_more_than_the_parts(subject: Bound) -> Finding:
    """Over two bins, with users and gradients that look at the released model, it costs at most f ⊗ (g ⊗ g')."""
    return decided(subject, IN_TIME, SHALLOW, 9)


Horizon = Callable[[int], int]


@claim(LABEL, row=98, method=Method.EXHAUSTIVE, scope="the tree at one sigma, horizons 1 to 4096, and 16 times as many",
       uses=("prop:tree_zcdp_rdp/norm_of_released_nodes",), subject=lambda horizon: horizon,
       condition="the Gaussian sums have a public horizon", without=lambda horizon: 16 * horizon)  # fmt: skip
def gaussian_sums_keep_their_mu_within_a_horizon(subject: Horizon) -> Finding:
    """Noise that is made for T bins keeps its mu for as long a run; over more bins mu grows without bound."""

    def kept(horizon: int) -> bool:
        planned, run = (TreeSums(t, 1, 1).shift(Fraction(1), Once()) for t in (horizon, subject(horizon)))
        return run <= planned

    return every("horizons", ((2**k,) for k in range(13)), kept)
