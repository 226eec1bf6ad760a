"""fact:exact_sim: two interactive mechanisms as one, run on two seed laws that are as close as they are."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.counting import every
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
from dpcert.proofs_checked.ledger import cited, claim, found

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
    seed_values = seeds(power, subject)
    if seed_values is None:
        return found(False, "The joint law of all answers to some first pair has a curve above the adaptive one.")
    close = PowerFunction.from_segments(seed.mass for seed in seed_values) == power
    sequences = [(b, first, second) for b in (0, 1) for first in PAIRS for second in second_pairs(first)]
    exact = all(
        _answered(seed_values, b, first, second) == FIRST[first[b]].product(SECOND[first[b]][second[b]])
        for b, first, second in sequences
    )
    detail = f"{len(seed_values)} seeds, each a table of answers; {len(sequences)} laws of views are the mechanism's."
    return found(close and exact, detail)


def _answer(power: PowerFunction, chances: tuple[Fraction, Fraction]) -> list[Fraction] | None:
    """Per seed, a segment of the curve, the chance to answer 1: in world b it is chances[b] in all; None if none is.

    The best test at this level, mixed with the one that does not look; the answer 0 instead where 1 is rarer there.
    """
    level, due = chances
    if due < level:
        other = _answer(power, (1 - level, 1 - due))
        return None if other is None else [1 - chance for chance in other]
    if power(level) < due:
        return None
    share = Fraction(0) if power(level) == level else (due - level) / (power(level) - level)
    best, room = list[Fraction](), level
    for mass, _ in power.segments:
        best.append(Fraction(1) if mass <= room else room / mass)
        room -= mass * best[-1]
    return [share * chance + (1 - share) * level for chance in best]


QUARTERS = [Fraction(n, 4) for n in range(5)]


@cited(LABEL, "Vadhan and Zhang, STOC 2023, Theorem 1.5, for finite spaces and bounded termination", row=20,
       scope="one round, a bit from a bit, chances in quarters: seeds of the game's curve answer every two inputs",
       subject=PowerFunction.reversed, mutant=lambda power: power,
       uses=(f"{LABEL}/one_seed_answers_the_two_round_game",))  # fmt: skip
def for_every_mechanism(subject: Callable[[PowerFunction], PowerFunction]) -> Finding:
    """Two mechanisms with curve at most f are one transition function on seed laws with curve at most f."""

    def answered(first: Fraction, second: Fraction) -> bool:
        one = PowerFunction.from_laws(*(bernoulli(chance) for chance in (first, second)))
        power = supremum([one, subject(one)])
        pairs = [(a, b) for a in (first, second) for b in (first, second)]
        return all(_made(power, pair) == pair for pair in pairs)

    return every("mechanisms", product(QUARTERS, repeat=2), answered)


def _made(power: PowerFunction, chances: tuple[Fraction, Fraction]) -> tuple[Fraction, ...] | None:
    """What the answers of the seeds come to in either world."""
    answer = _answer(power, chances)
    if answer is None or not all(0 <= chance <= 1 for chance in answer):
        return None
    shares = list(zip(power.segments, answer, strict=True))
    return tuple(sum((masses[b] * chance for masses, chance in shares), Fraction(0)) for b in (0, 1))
