"""fact:exact_sim: two interactive mechanisms as one, run on two seed laws that are as close as they are."""

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.curves import adaptive
from dpcert.proofs_checked.cases.responses import (
    FIRST,
    PAIRS,
    SECOND,
    Coupling,
    Pair,
    SeedValue,
    apart,
    independent,
    second_pairs,
    seeds,
)
from dpcert.proofs_checked.ledger import cite, claim, found

LABEL = "fact:exact_sim"


def _answered(listed: list[SeedValue], b: int, first: Pair, second: Pair) -> Pmf[Pair]:
    """The law of (y_1, y_2) when world b draws a seed and looks its answers up."""
    at = second_pairs(first).index(second)
    return Pmf(((s.answers[first][0], s.answers[first][1 + at]), s.mass[b]) for s in listed)


@claim(LABEL, row=20, method=Method.EXHAUSTIVE, scope="the two-round mechanism: every legal sequence of pairs",
       subject=apart, mutant=independent, uses=("defn:power_mech/backward_induction_is_the_supremum",))  # fmt: skip
def one_seed_answers_the_two_round_game(subject: Coupling) -> Finding:
    """Two seed laws whose curve is the adaptive one, at every slope at once, answer every adversary exactly.

    The second answers must be coupled: independent ones would tell more than any adversary learns.
    """
    power = adaptive(TwoRound(), 2)
    listed = seeds(power, subject)
    if listed is None:
        return found(False, "The joint law of all answers to some first pair has a curve above the adaptive one.")
    close = PowerFunction.from_segments(seed.mass for seed in listed) == power
    sequences = [(b, first, second) for b in (0, 1) for first in PAIRS for second in second_pairs(first)]
    exact = all(
        _answered(listed, b, first, second) == FIRST[first[b]].product(SECOND[first[b]][second[b]])
        for b, first, second in sequences
    )
    detail = f"{len(listed)} seeds, each a table of answers; {len(sequences)} laws of views are the mechanism's."
    return found(close and exact, detail)


for_every_mechanism = cite(
    LABEL,
    "for_every_mechanism",
    "Two mechanisms with curve at most f are one transition function on seed laws with curve at most f.",
    row=20,
    source="Vadhan and Zhang, STOC 2023, Theorem 1.5, for finite spaces and bounded termination",
    uses=(f"{LABEL}/one_seed_answers_the_two_round_game",),
)
