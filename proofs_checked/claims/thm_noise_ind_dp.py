"""thm:noise-ind-DP: quantitatively decomposable mechanisms lose nothing under feedback; the steps of the proof."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, ChallengeAt
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.certificates import Clash, IndexSets, Monoid, around, monotone, round_powers
from dpcert.proofs_checked.cases.cores import (
    BITS,
    AfterACoin,
    IndexedSums,
    Later,
    OwnQuestions,
    SameBitAgain,
    indexed_sums,
)
from dpcert.proofs_checked.cases.counting import every, shown
from dpcert.proofs_checked.cases.curves import curves
from dpcert.proofs_checked.cases.laws import channels, experiments, jointly
from dpcert.proofs_checked.cases.plays import Adversary, adversaries, literal_fixed, played, view_law
from dpcert.proofs_checked.cases.stability import one_round_curves
from dpcert.proofs_checked.ledger import claim, found

LABEL = "thm:noise-ind-DP"
STEPS = (
    "one_round_leaves_nothing_to_adapt_to",
    "every_conditional_curve_is_h",
    "equal_factors_multiply",
    "case_1_is_below_the_product",
    "the_shifted_mechanism_decomposes",
    "a_common_first_round_adds_nothing",
)
MONOID = "defn:inv_pair/the_aggregate_is_well_defined"
CERTIFICATE = "defn:quant_decomp/tree_nodes_are_decomposable"
INDEXED = [*indexed_sums(3, [(2, 1, 1)]), *indexed_sums(2, [(0, 1, 1), (1, 0, 0)])]
SUMS = IndexedSums(((1,), (1, 2), (1, 3)), (3, 1))


@claim(LABEL, row=65, method=Method.EXHAUSTIVE, subject=INDEXED,
       scope="noisy sums over Z_3, every choice of index sets: three rounds, noise 2, 1, 1; two rounds, two others",
       mutant=[TwoRound()], uses=(*(f"{LABEL}/{step}" for step in STEPS), CERTIFICATE, "def:paired_sim", "defn:do",
                                  "defn:power_mech", "fact:joint_convexity"),
       theorems=("Decomposable.scalar_adaptive_safety",))  # fmt: skip
def adaptive_safety(subject: Sequence[Any]) -> Finding:
    """A quantitatively decomposable mechanism has one curve for fixed streams and for adaptive adversaries."""

    def decomposable_and_lifts(core: Any) -> bool:
        if not curves(core, core.horizon).lift:
            return False
        powers = round_powers(core, core.index_sets, around(len(core.noise)))
        return not isinstance(powers, Clash) and monotone(powers)

    return every("mechanisms", [(core,) for core in subject], decomposable_and_lifts)


@claim(LABEL, row=68, method=Method.EXHAUSTIVE, scope="every pair of inputs, every epsilon",
       subject=1, mutant=2, uses=("defn:power_mech",))  # fmt: skip
def one_round_leaves_nothing_to_adapt_to(subject: int) -> Finding:
    """Base case: over a horizon of one round, fixed streams and adaptive adversaries have one curve."""
    both = curves(TwoRound(), subject)
    fixed, adaptive = (power.total_variation for power in both)
    return found(both.lift, f"Total variation {text(fixed)} and {text(adaptive)} over {subject} round(s).")


def _h(core: Any, horizon: int, challenge: Any) -> list[PowerFunction]:
    """h_1, h_2, ...: the one-round curves of a challenge in round 1, in the first context that there is."""
    listed = [one for one in one_round_curves(core, horizon) if one.i == 1 and one.challenge == challenge]
    return [next(one.curve for one in listed if one.round == t) for t in range(1, horizon + 1)]


@claim(LABEL, row=68, method=Method.EXHAUSTIVE, scope="noisy sums of bits: every adversary that challenges in round 1",
       subject=SUMS, mutant=TwoRound(), uses=(MONOID, "defn:indep_decomp"))  # fmt: skip
def every_conditional_curve_is_h(subject: Any) -> Finding:
    """Case 1: given what was seen before, the curve of round t is h_t, whatever was seen and submitted."""
    horizon = subject.horizon

    def conditionals(adversary: Adversary) -> bool:
        h = _h(subject, horizon, adversary(()))
        laws = [view_law(subject, adversary, world, horizon) for world in (0, 1)]
        before = {y[:t] for y in laws[0].support for t in range(horizon)}
        return all(_given(laws, seen) == h[len(seen)] for seen in before)

    listed = adversaries(subject, horizon, BITS, ChallengeAt(HAMMING, 1))
    return every("adversaries", ((adversary,) for adversary in listed), conditionals)


def _given(laws: list[Pmf[Any]], prefix: tuple[int, ...]) -> PowerFunction:
    """The curve of the next release given those before it."""
    parts = []
    for law in laws:
        here = [(y[len(prefix)], w) for y, w in law.items() if y[: len(prefix)] == prefix]
        parts.append(Pmf([(y, w / sum(w for _, w in here)) for y, w in here]))
    return PowerFunction.from_laws(*parts)


@claim(LABEL, row=68, method=Method.EXHAUSTIVE, uses=("defn:tensor", "fact:composition/adaptive_composition"),
       scope="laws on two outcomes in thirds, none impossible at first, then such laws of one curve",
       subject=lambda f, g: f == g, mutant=lambda f, g: f.total_variation == g.total_variation)  # fmt: skip
def equal_factors_multiply(subject: Callable[[PowerFunction, PowerFunction], bool]) -> Finding:
    """Case 1: if every conditional curve is h, the curve of both releases is exactly the product with h."""
    cases = []
    for second in ((q, r) for q in channels(2, 2, 3) for r in channels(2, 2, 3)):
        one, other = (PowerFunction.from_laws(q, r) for q, r in zip(*second, strict=True))
        if subject(one, other):
            cases += [(first, second, one) for first in experiments(2, 3) if all(len(law) == 2 for law in first)]

    def exact(first: Any, second: Any, h: PowerFunction) -> bool:
        whole = PowerFunction.from_laws(*(jointly(law, channel) for law, channel in zip(first, second, strict=True)))
        return whole == PowerFunction.from_laws(*first).tensor(h)

    return every("pairs of experiments", cases, exact)


def _challenge_and_go_on(seen: tuple[int, ...]) -> tuple[int, int] | None:
    return (0, 0) if seen else (0, 1)


def _challenge_and_stop_at_zero(seen: tuple[int, ...]) -> tuple[int, int] | None:
    return None if seen == (0,) else _challenge_and_go_on(seen)


@claim(LABEL, row=67, method=Method.EXHAUSTIVE, scope="randomised response at 3/4 on x_1, twice; one adversary",
       subject=_challenge_and_stop_at_zero, control=_challenge_and_go_on,
       corrected="At most the product, also for an adversary that halts, which is all that the proof needs.",
       instead=(f"{LABEL}/case_1_is_below_the_product",),
       uses=("def:paired_sim", "defn:tensor"))  # fmt: skip
def case_1_is_exactly_the_product(subject: Adversary) -> Finding:
    """Every adversary's curve is exactly the product of the h_t: false if it halts after y_1 = 0; below it is true.

    The padded round shows nothing on that branch, so its conditional curve is the identity there and h_2 elsewhere.
    Strict for this order of the challenge only: with the other one the hull is the product again.
    """
    core = SameBitAgain()
    curve = played(core, subject, 2)
    whole = reduce(PowerFunction.tensor, _h(core, 2, (0, 1)))
    at = Fraction(7, 16)
    hull = supremum([curve, curve.reversed()])
    again = "the product" if hull == whole == whole.reversed() else "not the product"
    powers = f"its power is {text(curve(at))}, the product's {text(whole(at))}"
    detail = f"At type-I error {text(at)} {powers}. Over both orders: {again}."
    return found(
        curve == whole, detail, curve=[shown(v) for v in curve.vertices], product=[shown(v) for v in whole.vertices]
    )


@claim(LABEL, row=67, method=Method.EXHAUSTIVE, subject=SUMS, mutant=TwoRound(),
       scope="noisy sums of bits over three rounds: every adversary that challenges in round 1, halting or not",
       uses=("defn:tensor", "fact:composition/adaptive_composition", f"{LABEL}/{STEPS[1]}"))  # fmt: skip
def case_1_is_below_the_product(subject: Any) -> Finding:
    """Every adversary's curve is at most the product of the h_t, also if it halts; this is all that case 1 needs."""
    products = {c: reduce(PowerFunction.tensor, _h(subject, subject.horizon, c)) for c in ((0, 1), (1, 0))}
    listed = adversaries(subject, subject.horizon, BITS, ChallengeAt(HAMMING, 1), halting=True)
    cases = ((adversary,) for adversary in listed if adversary(()) is not None)
    return every("adversaries", cases, lambda a: played(subject, a, subject.horizon) <= products[a(())])


class Shift(NamedTuple):
    """A mechanism over Z_3 and its index sets."""

    core: Any
    index_sets: IndexSets


@claim(LABEL, row=68, method=Method.EXHAUSTIVE, scope="every first input, every two streams of the two rounds after it",
       subject=Shift(IndexedSums(((1,), (1, 2), (1, 3)), (2, 1, 1)), ((1,), (1, 2), (1, 3))),
       mutant=Shift(TwoRound(), ((1,), (1, 2))), uses=(MONOID, "defn:indep_decomp"))  # fmt: skip
def the_shifted_mechanism_decomposes(subject: Shift) -> Finding:
    """Case 2: with the first input fixed, the rest is decomposable under the index sets moved down by one."""
    index_sets = tuple(tuple(i - 1 for i in index_set if i > 1) for index_set in subject.index_sets[1:])
    aggregate: Monoid = around(len(subject.core.alphabet))
    rests = [(c, Later(subject.core, c)) for c in subject.core.alphabet]
    return every(
        "common first inputs", rests, lambda _, rest: not isinstance(round_powers(rest, index_sets, aggregate), Clash)
    )


@claim(LABEL, row=68, method=Method.EXHAUSTIVE, subject=SUMS,
       scope="noisy sums of bits, three rounds, the first pair common: every adversary up to which world is 0",
       mutant=AfterACoin(TwoRound()),
       uses=("defn:power_sup/hull_is_the_supremum", "fact:composition/adaptive_composition"))  # fmt: skip
def a_common_first_round_adds_nothing(subject: Any) -> Finding:
    """Case 2: if the first pair is common, the whole view stays below the hull over fixed streams of the rest."""
    rests = {c: literal_fixed(Later(subject, c), 2) for c in BITS}
    plans = (a for a in adversaries(subject, 3, BITS) if _first_challenge(a) == (0, 1))
    common = ((a, first[0]) for a in plans if (first := a(())) in ((0, 0), (1, 1)))
    return every("adversaries", common, lambda adversary, c: played(subject, adversary, 3) <= rests[c])


EARLY = ((), (0,), (1,), *product(BITS, repeat=2))


def _first_challenge(adversary: Adversary) -> tuple[int, int]:
    """The first pair of two inputs that it submits after one of these transcripts, (0, 1) if it has none."""
    submitted = (adversary(seen) for seen in EARLY)
    return next((pair for pair in submitted if pair is not None and pair[0] != pair[1]), (0, 1))


@dataclass(frozen=True)
class OneOfTwoQuestions:
    """Two bits asked by one of two questions: equal inputs, or those of one question; in as many rounds as `rounds`."""

    rounds: int
    name: str = "one of two questions"
    initial: int = 0

    def legal(self, state: int, round_: int, alphabet: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], int]]:
        """The pairs (x, x') of a question; the state counts the rounds that differ."""
        del round_
        for a, b in product(alphabet, repeat=2):
            if a // 2 == b // 2 and state + (a != b) <= self.rounds:
                yield (a, b), state + (a != b)


ERASURE, NOISY = (Fraction(1, 3), Fraction(0)), (Fraction(3, 4), Fraction(1, 4))
TWO_QUESTIONS = OwnQuestions((ERASURE, NOISY))
WITHIN = (OneOfTwoQuestions(1), UNIT_HAMMING, ChallengeAt(HAMMING, 1), ChallengeAt(HAMMING, 2))


@claim(LABEL, row=110, method=Method.EXHAUSTIVE, subject=WITHIN,
       condition="the relation is prefix-closed and lies within Hamming neighbours", without=(OneOfTwoQuestions(2),),
       scope="randomised response, then an erasure or randomised response of one's choice; four relations, two rounds",
       uses=(f"{LABEL}/adaptive_safety",))  # fmt: skip
def other_relations_lift_as_well(subject: Sequence[Any]) -> Finding:
    """The theorem, stated for Hamming neighbours, serves unit-Hamming ones and |xi| <= Delta: the proof is the same."""
    for relation in subject:
        both = curves(TWO_QUESTIONS, 2, relation)
        if not both.lift:
            deltas = [text(power.delta(2)) for power in both]
            said = f"At e^epsilon 2 fixed streams reach {deltas[0]} and adaptive adversaries {deltas[1]}."
            return found(False, f"Over {relation.name}: {said}", relation=relation.name, exp_epsilon="2", deltas=deltas)
    return found(bool(subject), f"All {len(subject)} relations.")


@claim("fact:composition", row=116, method=Method.EXHAUSTIVE, subject=(ERASURE, NOISY), mutant=(NOISY, NOISY),
       scope="a bit asked twice, then again by the question of one's choice; e^epsilon 2, every adversary")  # fmt: skip
def no_filter_adds_up_curves(subject: tuple[tuple[Fraction, Fraction], ...]) -> Finding:
    """A filter that admits each fixed choice of curves by their product is invalid: 4/9 adaptively, 1/3 fixed (ours).

    Source: the open question on natural f-DP filters (arXiv 2602.06756).
    """
    both = curves(OwnQuestions(subject), 2, OneOfTwoQuestions(2))
    values = [text(power.delta(2)) for power in both]
    return found(
        values == ["1/3", "4/9"], f"At e^epsilon 2, fixed {values[0]} and adaptive {values[1]}.", deltas=values
    )
