"""subsec:ind_decomp_counterexample: fresh randomness alone does not carry a fixed-stream guarantee to feedback."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.gap import equal_from
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BITS, STABLE_TWO_ROUND
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.curves import curves
from dpcert.proofs_checked.cases.plays import Adversary, Pair, blind, literal_adaptive, literal_fixed, played, view_law
from dpcert.proofs_checked.cases.stability import one_round_curves
from dpcert.proofs_checked.cases.symbols import Expression, equal, settled, share
from dpcert.proofs_checked.cases.two_bits import largest, symbolic_plays
from dpcert.proofs_checked.ledger import claim, found

LABEL = "subsec:ind_decomp_counterexample"
EVERY = "the two-round mechanism: every pair of streams, every adversary"
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def _gap(mechanism: TwoRound, fixed_stream: Fraction, adaptive: Fraction) -> Finding:
    powers = curves(mechanism, 2)
    literal = literal_fixed(mechanism, 2), literal_adaptive(mechanism, 2, BITS)
    values = [power.total_variation for power in powers]
    listed = [text(v) for v in values]
    detail = f"Total variation {listed[0]} for fixed streams, {listed[1]} over all 40 deterministic adversaries."
    return found(powers == literal and values == [fixed_stream, adaptive], detail, values=listed)


@claim(LABEL, row=73, method=Method.EXHAUSTIVE, scope=EVERY, subject=TwoRound(), mutant=STABLE_TWO_ROUND,
       uses=("defn:indep_decomp", "def:paired_sim", "defn:power_mech"),
       theorems=("TwoRound.adaptive_tv", "TwoRound.adaptive_attained", "TwoRound.fixed_tv",
                 "TwoRound.fixed_attained"))  # fmt: skip
def fresh_randomness_is_not_enough(subject: TwoRound) -> Finding:
    """Fixed-stream delta 9/100 at epsilon 0 grows to 991/10000 under feedback, the most that any adversary attains."""
    return _gap(subject, Fraction(9, 100), Fraction(991, 10000))


@claim(LABEL, row=73, method=Method.EXHAUSTIVE, scope="the four pairs of Hamming neighbours of two rounds",
       subject=TwoRound(), mutant=STABLE_TWO_ROUND, uses=("defn:power",))  # fmt: skip
def table_of_fixed_pairs(subject: TwoRound) -> Finding:
    """Of the four fixed pairs of neighbours, two have total variation 0.09 and two 0.08."""
    table: dict[tuple[Pair, ...], str] = {((0, 1), (0, 0)): "0.09", ((0, 1), (1, 1)): "0.08",
                                          ((0, 0), (0, 1)): "0.08", ((1, 1), (0, 1)): "0.09"}  # fmt: skip
    cases = [(pairs, Fraction(entry)) for pairs, entry in table.items()]
    return every("fixed pairs", cases, lambda pairs, entry: played(subject, blind(pairs), 2).total_variation == entry)


def _challenge_then(second: Callable[[int], int]) -> Adversary:
    """Challenges in round 1, then submits a common input that depends on the first release."""
    return lambda seen: (second(seen[0]),) * 2 if seen else (0, 1)


@claim(LABEL, row=73, method=Method.EXHAUSTIVE, scope="the four transcripts", uses=("def:view",),
       subject=_challenge_then(lambda y: y), mutant=_challenge_then(lambda y: 1 - y),
       theorems=("TwoRound.follow_laws",))  # fmt: skip
def table_of_the_adversary(subject: Adversary) -> Finding:
    """Sending the first release back gives the printed laws; S = {(0,1), (1,0)} has 0.6336 against 0.5345."""
    table = {(0, 0): ("0.2304", "0.2835"), (0, 1): ("0.0896", "0.0665"),
             (1, 0): ("0.5440", "0.4680"), (1, 1): ("0.1360", "0.1820")}  # fmt: skip
    laws = [view_law(TwoRound(), subject, world, 2) for world in (0, 1)]
    printed = all(laws[b].probability(y) == Fraction(entry[b]) for y, entry in table.items() for b in (0, 1))
    event = [law.probability((0, 1)) + law.probability((1, 0)) for law in laws]
    difference = PowerFunction.from_laws(*laws).total_variation
    detail = f"The event has {text(event[0])} against {text(event[1])}; the total variation is {text(difference)}."
    holds = printed and event == [Fraction("0.6336"), Fraction("0.5345")] and difference == Fraction("0.0991")
    return found(holds, detail, event=[text(p) for p in event])


@claim(LABEL, row=73, method=Method.EXHAUSTIVE, scope="every e^epsilon of at least 1", uses=("defn:power_mech",),
       subject=Fraction(265, 252), mutant=Fraction(266, 252))  # fmt: skip
def the_gap_ends_at(subject: Fraction) -> Finding:
    """Adaptive adversaries gain delta exactly for 1 <= e^epsilon < 265/252.

    Both profiles are linear between ratios of masses and constant past the last, so a gap that is positive at the left
    end of a piece and not negative at its right end is positive inside.
    """
    fixed_stream, adaptive = curves(TwoRound(), 2)
    symmetric = fixed_stream == fixed_stream.reversed() and adaptive == adaptive.reversed()
    bends = {a / b for f in (fixed_stream, adaptive) for a, b in f.segments if a >= b} | {Fraction(1), subject}
    ends = [*sorted(bends), max(bends) + 1]
    gaps = {e: adaptive.delta(e) - fixed_stream.delta(e) for e in ends}
    before = all(gaps[e] > 0 for e in ends if e < subject)
    after = all(gaps[e] == 0 for e in ends if e >= subject)
    holds = symmetric and before and after and equal_from(adaptive, fixed_stream) == subject
    return found(holds, f"Gaps at the bends: {', '.join(f'{text(e)}: {text(gap)}' for e, gap in gaps.items())}.")


@claim(LABEL, row=73, method=Method.EXHAUSTIVE, scope=EVERY, subject=TwoRound(), mutant=STABLE_TWO_ROUND,
       uses=("defn:quant_decomp/tree_nodes_are_decomposable",))  # fmt: skip
def it_is_not_quantitatively_decomposable(subject: TwoRound) -> Finding:
    """Two common inputs give one discrepancy two one-round curves, so no invariant pair can decide them."""
    by_input = {one.after: one.curve for one in one_round_curves(subject, 2) if one[:3] == (1, (0, 1), 2)}
    values = [f"{text(curve.hockey_stick(1, '0-1'))} at q = {q}" for (q,), curve in by_input.items()]
    return found(by_input[0,] != by_input[1,], f"Round 2, b = 0 against 1: total variation {' and '.join(values)}.")


@claim(LABEL, row=74, method=Method.EXHAUSTIVE, scope=EVERY, uses=("defn:power_mech",),
       subject=TwoRound((THIRD, 2 * THIRD), ((HALF, Fraction(1)), (Fraction(1), HALF))),
       mutant=TwoRound((THIRD, 2 * THIRD), ((HALF, HALF), (Fraction(1), Fraction(1)))))  # fmt: skip
def two_thirds_against_one_half(subject: TwoRound) -> Finding:
    """With p = (1/3, 2/3) and r = [[1/2, 1], [1, 1/2]], delta 1/2 at epsilon 0 grows to 2/3 under feedback."""
    return _gap(subject, HALF, Fraction(2, 3))


@claim(LABEL, row=74, method=Method.SYMBOLIC, scope="every eta in [0, 1], every adversary of two rounds on bits",
       subject=lambda eta: eta / (2 * (2 - eta)), mutant=lambda eta: eta / 3, uses=("defn:power_mech",))  # fmt: skip
def a_family_of_gaps(subject: Callable[[Any], Any]) -> Finding:
    """p = 1/2 -+ x, r = [[1-eta, 1], [1, 1-eta]], x = eta/(2(2-eta)): eta grows by the factor 1 + (1-eta)/(2-eta)."""

    def family(eta: Any) -> tuple[tuple[Any, Any], tuple[tuple[Any, Any], ...]]:
        x = subject(eta)
        return (HALF - x, HALF + x), ((1 - eta, Fraction(1)), (Fraction(1), 1 - eta))

    eta: Expression = share("eta")
    right = (eta, eta * (1 + (1 - eta) / (2 - eta)))
    reached = (largest(plays) for plays in symbolic_plays(*family(eta)))
    identities = all(value is not None and equal(value, due) for value, due in zip(reached, right, strict=True))
    at = [(Fraction(n, 10), curves(TwoRound(*family(Fraction(n, 10))), 2)) for n in range(1, 10)]
    examples = every("values of eta solved", at, lambda e, c: (c.fixed.total_variation, c.adaptive.total_variation)
                     == (e, e * (1 + (1 - e) / (2 - e))))  # fmt: skip
    return settled(
        identities, "One fixed pair and one adversary are the largest for every eta, with these values.", examples
    )
