"""fact:multi_hop_DP: k hops cost at most the one-hop curve composed k times."""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING
from dpcert.audit.relations.hops import Hops
from dpcert.mechanisms.shared_coin import SharedCoin
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BITS, AddedNoise, BiasByThePast, SameBitAgain, two_round_cores
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import adaptive, known_curves
from dpcert.proofs_checked.cases.hop_tuples import HopTuples
from dpcert.proofs_checked.cases.plays import Adversary, adversaries, view_law
from dpcert.proofs_checked.cases.seeds import one_seed
from dpcert.proofs_checked.ledger import claim

LABEL = "fact:multi_hop_DP"
GRID = (Fraction(1, 4), Fraction(1, 2), Fraction(1))
USES = ("defn:do", "defn:hop_sim", "fact:triangle_power")


def _composed(power: PowerFunction, hops: int) -> PowerFunction:
    return reduce(PowerFunction.then, [power] * hops)


@claim(LABEL, row=26, method=Method.EXHAUSTIVE, subject=_composed, mutant=lambda power, _: power,
       scope="2 hops, which over two rounds on bits is any number of them: all two-round cores with chances 1/4 or 1/2 "
       "and then 1/4, 1/2 or 1, 162 of 324 up to the names of a round's inputs; 64 with one seed bit; TwoRound. "
       "3 hops over three rounds: two cores",
       uses=(*USES, f"{LABEL}/neighbouring_worlds_are_one_hop_apart"),
       theorems=("MultiHop.multi_hop",))  # fmt: skip
def hops_compose(subject: Callable[[PowerFunction, int], PowerFunction]) -> Finding:
    """If M is adaptively f-DP, its k-hop game stays below f composed k times."""
    mechanisms = [*two_round_cores(GRID, GRID[:2]), *list(one_seed())[::16], TwoRound()]
    games = [*((m, 2, 2) for m in mechanisms), *((m, 3, 3) for m in (BiasByThePast(), SameBitAgain()))]

    def below(mechanism: Any, horizon: int, hops: int) -> bool:
        one = known_curves(mechanism, horizon).adaptive
        return adaptive(mechanism, horizon, Hops(HAMMING, hops)) <= subject(one, hops)

    return every("games", games, below)


@claim(LABEL, row=26, method=Method.EXHAUSTIVE, scope="the two-round mechanism: every adversary of the two-hop game",
       subject=((0, 1), (1, 2)), mutant=((0, 2),), uses=("def:view", "defn:hop_sim"))  # fmt: skip
def neighbouring_worlds_are_one_hop_apart(subject: tuple[tuple[int, int], ...]) -> Finding:
    """Proof: the views of one k-hop adversary in worlds i and i + 1 are within the one-hop curve."""
    core = TwoRound((Fraction(1, 4), Fraction(1, 2)), ((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 2), Fraction(1))))
    one = adaptive(core, 2)

    def within(adversary: Adversary) -> bool:
        laws = [view_law(core, adversary, world, 2) for world in range(3)]
        return all(PowerFunction.from_laws(laws[i], laws[j]) <= one for i, j in subject)

    return every("adversaries", ((a,) for a in adversaries(core, 2, BITS, HopTuples(HAMMING, 2))), within)


def _shifted(weights: tuple[int, ...]) -> AddedNoise:
    return AddedNoise(from_weights(dict(enumerate(weights))), (0, 1, 2, 3))


@claim(LABEL, row=26, method=Method.EXHAUSTIVE, scope="one round, inputs 0 to 3, moved by 1 a hop; 2 and 3 hops",
       subject=((1, 2, 1), (1, 4, 6, 4, 1), (1, 2, 4, 8, 4, 2, 1), (1, 3, 3, 1)), mutant=((1, 5, 1, 5, 1),),
       uses=(f"{LABEL}/hops_compose",))  # fmt: skip
def log_concave_shifts_attain_it(subject: tuple[tuple[int, ...], ...]) -> Finding:
    """For shifts of log-concave noise the bound is attained (beyond the paper); not so for noise with two peaks."""

    def attained(weights: tuple[int, ...], k: int) -> bool:
        one, far = (adaptive(_shifted(weights), 1, Hops(UNIT_HAMMING, hops)) for hops in (1, k))
        return one < far == _composed(one, k)

    return every("noises and hops", ((weights, k) for weights in subject for k in (2, 3)), attained)


@claim(LABEL, row=27, method=Method.EXHAUSTIVE, subject=lambda a, k: sum((a**j for j in range(k)), Fraction(0)),
       mutant=lambda _, k: k, uses=(f"{LABEL}/hops_compose", "sec:setting/k_hops_capped"),
       scope="noisy shifts, two-round cores, a shared coin; 2 and 3 hops; e^epsilon where delta bends",
       theorems=("MultiHop.multi_hop", "MultiHop.iter_affine"))  # fmt: skip
def group_privacy(subject: Callable[[Fraction, int], Fraction]) -> Finding:
    """delta of k hops at k epsilon is at most min(1, delta sum_{j<k} e^{j epsilon}), delta that of one hop."""
    shifts = [(_shifted(weights), 1, UNIT_HAMMING) for weights in ((1, 2, 4, 8, 4, 2, 1), (1, 2, 1))]
    games: list[tuple[Any, int, Any]] = [
        *shifts,
        *((m, 2, HAMMING) for m in (TwoRound(), SameBitAgain(), SharedCoin())),
    ]

    def paid(one: PowerFunction, far: PowerFunction, k: int) -> bool:
        bends = {max(a, b) / min(a, b) for a, b in one.segments if a and b} | {Fraction(1)}
        return all(far.delta(a**k) <= min(Fraction(1), one.delta(a) * subject(a, k)) for a in bends)

    cases = ((adaptive(m, t, r), adaptive(m, t, Hops(r, k)), k) for m, t, r in games for k in (2, 3))
    return every("games", cases, paid)
