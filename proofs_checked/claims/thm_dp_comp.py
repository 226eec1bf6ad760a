"""thm:DP-comp: a neighbour-preserving stage that feeds a private one costs f ⊗ g; two adjacent changes are two hops."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import chain, product
from typing import Any, NamedTuple

from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.finding import Finding, Method
from dpcert.audit.games.npp import BranchInputs
from dpcert.audit.kernels.feeding import feeding
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BITS
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import adaptive
from dpcert.proofs_checked.cases.plays import Adversary, adversaries, view_law
from dpcert.proofs_checked.cases.stages import Adjacent, Augmented, Stage, SteppedCore
from dpcert.proofs_checked.ledger import claim

LABEL = "thm:DP-comp"
QUARTERS = tuple(Fraction(n, 4) for n in range(1, 4))
OUTPUTS = [(v, w) for v in BITS for w in BITS]
SEEN = [(a, b) for a in QUARTERS[:2] for b in QUARTERS[:2]]
FLIPPED = (Fraction(0), Fraction(1, 4))
ONE_STEP = [
    (Stage(((1,),), seen, flipped), SteppedCore(TwoRound((p, q))))
    for seen, flipped, p, q in product(SEEN, FLIPPED, QUARTERS, QUARTERS)
]
TWO_STEPS = [
    (Stage(((1,), last), SEEN[1], flipped), SteppedCore(TwoRound(SEEN[1], ((a, b), (c, d)))))
    for last, flipped in product(((2,), (1,), (1, 2)), FLIPPED)
    for a, b, c, d in product(QUARTERS[::2], repeat=4)
    if a <= b
]
FEW = TWO_STEPS[16::24]
SCOPE = (
    "all 72 one-step pipelines on bits of a grid of laws, and 72 two-step ones, whose second input to N is x_2, x_1 or "
    "both, with noise or without (cases/stages, thm_dp_comp): every adversary with feedback, every epsilon"
)
PLAYED = "three two-step pipelines: every deterministic adversary that challenges in round 1, or in round 2"
Bound = Callable[[PowerFunction, PowerFunction], PowerFunction]


class StageBounds(NamedTuple):
    """f of the first stage; g of the second for one change, and for changes in two adjacent rounds; the whole."""

    first: PowerFunction
    second: PowerFunction
    adjacent: PowerFunction
    whole: PowerFunction


@cache
def costs(stage: Stage, second: SteppedCore) -> StageBounds:
    """All exact, against adaptive adversaries who see v_t and w_t before they go on."""
    one, two = (adaptive(second, stage.horizon, relation) for relation in (HAMMING, Adjacent(2)))
    return StageBounds(stage.neighbour_preserving_power(), one, two, adaptive(fed(stage, second), stage.horizon))


@cache
def fed(stage: Stage, second: SteppedCore) -> Any:
    """M -> N."""
    return feeding(stage, second, BITS, slices=False)


def challengers(stage: Stage, second: SteppedCore) -> Iterator[Adversary]:
    """Every deterministic adversary that challenges in one round chosen beforehand."""
    rounds = range(1, stage.horizon + 1)
    mechanism = fed(stage, second)
    return chain.from_iterable(
        adversaries(mechanism, stage.horizon, OUTPUTS, ChallengeAt(HAMMING, round_)) for round_ in rounds
    )


@claim(LABEL, row=30, method=Method.EXHAUSTIVE, scope=SCOPE, subject=PowerFunction.tensor,
       mutant=lambda f, g: supremum([f, g]),
       uses=("defn:NPDO_mech", "defn:do", "defn:list_comp", "fact:exact_sim", "fact:composition/adaptive_composition",
             f"{LABEL}/the_augmented_view_is_the_view"),
       theorems=("ModularComposition.DP_comp",))  # fmt: skip
def composition_is_below_the_product(subject: Bound) -> Finding:
    """If M is f-NPDP and N is g-DP for what M's hidden outputs may differ in, M feeding N is f ⊗ g-DP."""

    def below(stage: Stage, second: SteppedCore) -> bool:
        cost = costs(stage, second)
        return cost.whole <= subject(cost.first, cost.second if stage.horizon == 1 else cost.adjacent)

    return every("pipelines", ONE_STEP + TWO_STEPS, below)


@claim(LABEL, row=30, method=Method.EXHAUSTIVE, scope="72 two-step pipelines on bits, all of a grid: every adversary",
       subject=lambda g: g.then(g), mutant=lambda g: g,
       uses=(f"{LABEL}/composition_is_below_the_product", "fact:multi_hop_DP/hops_compose"))  # fmt: skip
def two_adjacent_changes_cost_two_hops(subject: Callable[[PowerFunction], PowerFunction]) -> Finding:
    """If hidden outputs differ in two adjacent rounds, f ⊗ (g∘g) bounds the whole, g for one change; f ⊗ g need not."""

    def below(stage: Stage, second: SteppedCore) -> bool:
        cost = costs(stage, second)
        return cost.whole <= cost.first.tensor(subject(cost.second))

    return every("pipelines", TWO_STEPS, below)


@claim(LABEL, row=30, method=Method.EXHAUSTIVE, scope=PLAYED, subject=0, mutant=1, uses=("def:npp", "def:view"))
def the_augmented_view_is_the_view(subject: int) -> Finding:
    """Proof: what an adversary sees of the pipeline is what it sees if the simulation's output b feeds N."""

    def same(stage: Stage, second: SteppedCore, adversary: Adversary) -> bool:
        core = Augmented(stage, second, subject)

        def handed(seen: Any) -> tuple[BranchInputs, ...]:
            pair: Any = adversary(seen)
            return tuple(BranchInputs(b, pair) for b in BITS)

        return all(
            dict(view_law(fed(stage, second), adversary, b, 2).items()) == dict(view_law(core, handed, b, 2).items())
            for b in BITS
        )

    return every("plays", ((*pipeline, a) for pipeline in FEW for a in challengers(*pipeline)), same)
