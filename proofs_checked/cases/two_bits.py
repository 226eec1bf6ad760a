"""Two-round cores on bits with symbols for probabilities: the total variation against every adversary."""

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BITS
from dpcert.proofs_checked.cases.plays import Adversary, adversaries, blind, streams
from dpcert.proofs_checked.cases.symbols import Expression, nonnegative

First = tuple[Expression, Expression]
Second = tuple[tuple[Expression, Expression], ...]


def symbolic_plays(first: First, second: Second) -> tuple[list[Expression | None], list[Expression | None]]:
    """Total variation against every pair of fixed streams, and against every deterministic adversary.

    None where the sign of a difference of masses is not seen to be the same for all values of the symbols.
    """
    blinds = [blind(pairs) for pairs in streams(TwoRound(), 2)]
    every = list(adversaries(TwoRound(), 2, BITS))
    return [_total_variation(first, second, a) for a in blinds], [_total_variation(first, second, a) for a in every]


def largest(values: Iterable[Expression | None]) -> Expression | None:
    """The one that is at least every other for all values of the symbols; None if none is seen to be."""
    listed: list[Any] = list(dict.fromkeys(values))
    if None in listed:
        return None
    return next((top for top in listed if all(nonnegative(top - value) for value in listed)), None)


def _total_variation(first: First, second: Second, adversary: Adversary) -> Expression | None:
    """Sum over transcripts of max(0, P_0 - P_1)."""
    total: Expression = 0
    for y1, y2 in product(BITS, repeat=2):
        pairs = adversary(()), adversary((y1,))
        if pairs[0] is None or pairs[1] is None:
            raise ValueError("an adversary of two rounds that does not halt")
        masses = [_bit(first[b], y1) * _bit(second[b][q], y2) for b, q in zip(pairs[0], pairs[1], strict=True)]
        difference = masses[0] - masses[1]
        if _nonnegative(difference):
            total += difference
        elif not _nonnegative(-difference):
            return None
    return total


_nonnegative = cache(nonnegative)
"""Adversaries have few differences of masses between them."""


def _bit(chance: Expression, y: int) -> Expression:
    return chance if y else 1 - chance
