"""The two-round mechanism as one draw of answers: what it would say to every pair that may still come."""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.channels import channel

Pair = tuple[int, int]
Answers = tuple[int, ...]
"""y_1, then y_2 for each second pair that may follow, in the order of `second_pairs`."""
Coupling = Callable[[Pmf[int], Pmf[int]], Pmf[Pair]]
FIRST = [bernoulli(p) for p in TwoRound.first]
SECOND = [[bernoulli(p) for p in row] for row in TwoRound.second]
PAIRS: tuple[Pair, ...] = ((0, 0), (0, 1), (1, 0), (1, 1))


def second_pairs(pair: Pair) -> tuple[Pair, ...]:
    """What may follow a first pair: a challenge uses up the one difference."""
    return ((0, 0), (1, 1)) if pair[0] != pair[1] else ((0, 0), (1, 1), (0, 1), (1, 0))


def apart(one: Pmf[int], other: Pmf[int]) -> Pmf[Pair]:
    """Two bits that are never 1 together."""
    a, b = one.probability(1), other.probability(1)
    return Pmf({(0, 0): 1 - a - b, (1, 0): a, (0, 1): b})


def independent(one: Pmf[int], other: Pmf[int]) -> Pmf[Pair]:
    """Two bits drawn apart from each other."""
    return one.product(other)


def answer_laws(pair: Pair, coupling: Coupling) -> tuple[Pmf[Answers], Pmf[Answers]]:
    """In both worlds, the law of all answers once the first pair is submitted."""
    if pair[0] != pair[1]:
        return _flat(*(FIRST[b].product(coupling(*SECOND[b])) for b in pair))
    one, other = SECOND[pair[0]]
    common = FIRST[pair[0]].product(one.product(other)).map(_joined)
    return _flat(*(common.product(coupling(*two)) for two in ((one, other), (other, one))))


def _joined(answers: tuple[Any, Pair]) -> Answers:
    """y_1 (or the answers so far) and two more."""
    before, more = answers
    return (*before, *more) if isinstance(before, tuple) else (before, *more)


def _flat(law0: Pmf[Any], law1: Pmf[Any]) -> tuple[Pmf[Answers], Pmf[Answers]]:
    return law0.map(_joined), law1.map(_joined)


class SeedValue(NamedTuple):
    """A seed: its mass in both worlds, and the answers it gives to every first pair."""

    mass: tuple[Fraction, Fraction]
    answers: dict[Pair, Answers]


def seeds(power: PowerFunction, coupling: Coupling) -> list[SeedValue] | None:
    """Seeds (N_0, N_1) of curve `power` from which all answers follow; None if a first pair tells more than `power`.

    A seed is an atom of `power` and a cell of [0, 1] that picks the answers, with one law in both worlds.
    """
    quantiles: dict[Pair, list[list[tuple[Fraction, Answers]]]] = {}
    for pair in PAIRS:
        law0, law1 = answer_laws(pair, coupling)
        weak = PowerFunction.from_laws(law0, law1)
        if not weak <= power:
            return None
        quantiles[pair] = [[] for _ in power.segments]
        for atom, (a, b) in zip(channel(power, weak), weak.segments, strict=True):
            alike = {y: w / a for y, w in law0.items() if law1.probability(y) * a == w * b}
            for i, share in atom.shares.items():
                quantiles[pair][i] += [(share * w, y) for y, w in alike.items()]
    seed_values = []
    for i, (a, b) in enumerate(power.segments):
        ends = {pair: list(accumulate(w for w, _ in quantiles[pair][i])) for pair in PAIRS}
        for low, high in pairwise(sorted({Fraction(0), *(end for listed in ends.values() for end in listed)})):
            at = {pair: sum(end <= low for end in ends[pair]) for pair in PAIRS}
            answers = {pair: quantiles[pair][i][n][1] for pair, n in at.items()}
            seed_values.append(SeedValue((a * (high - low), b * (high - low)), answers))
    return seed_values
