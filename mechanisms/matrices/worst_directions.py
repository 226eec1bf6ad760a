"""The largest squared L2 norm of R x for streams of vectors, where no signs are right for all products of columns."""

from fractions import Fraction
from typing import NamedTuple

from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.limits import look
from dpcert.mechanisms.matrices.directions import Vector, directed
from dpcert.mechanisms.matrices.dyadic import Integers, over
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.gram import Gram
from dpcert.mechanisms.matrices.measured import squared
from dpcert.mechanisms.matrices.participations import Participation, Pattern, Separated
from dpcert.mechanisms.matrices.patterns import Heaviest, heavier
from dpcert.mechanisms.matrices.sensitivity import Argument, NormBracket

MOST_DIRECTED = 500
"""Patterns for which the worst directions are bounded one by one; with more, sizes of products are the bound."""


class _Best(NamedTuple):
    """What vectors attain on a pattern, and what they do not exceed on any pattern looked at so far."""

    lower: Fraction
    upper: Fraction
    pattern: Pattern
    vectors: tuple[Vector, ...]


def worst_directions(
    encoder: Encoder, gram: Gram, participation: Participation, sizes: Heaviest
) -> tuple[NormBracket, Argument]:
    """The norm between bounds, and why the upper one holds.

    Args:
        encoder: R.
        gram: R^T R, of mixed signs.
        participation: The patterns.
        sizes: The most that sizes of products sum to, with the pattern that attains it.
    """
    best = _on(gram.values, sizes.rounds)
    patterns = _promising(gram.values, participation, int(best.lower))
    most = participation.most(encoder.rounds)
    if patterns is None:
        return _found(encoder, gram, best, Fraction(sizes.upper), most), Argument.SIZES
    for pattern in patterns:
        look()
        best = _better(best, _on(gram.values, pattern))
    return _found(encoder, gram, best, best.upper, most), Argument.DIRECTIONS


def _on(values: Integers, pattern: Pattern) -> _Best:
    found = directed(values[list(pattern)][:, list(pattern)])
    return _Best(found.lower, found.upper, pattern, found.vectors)


def _better(one: _Best, other: _Best) -> _Best:
    kept = one if one.lower >= other.lower else other
    return _Best(kept.lower, max(one.upper, other.upper), kept.pattern, kept.vectors)


def _promising(values: Integers, participation: Participation, above: int) -> list[Pattern] | None:
    """Every pattern on which sizes of products sum to more; None if those are too many."""
    size = abs(values)
    if isinstance(participation, Separated):
        count, apart = participation.max_participations, participation.min_separation
        return heavier(size, count, apart, above=above, most=MOST_DIRECTED)
    patterns = [p for p in participation.patterns(len(values)) if int(size[list(p)][:, list(p)].sum()) > above]
    return patterns if len(patterns) <= MOST_DIRECTED else None


def _found(encoder: Encoder, gram: Gram, best: _Best, upper: Fraction, most: int) -> NormBracket:
    """As numbers: the lower end by signs where those do as well, else by vectors; past what products may be off by."""
    doubt = len(best.pattern) ** 2 * gram.radius
    lower = (best.lower - doubt) * over(1, gram.bits)
    first = best.vectors[0]
    turns = [sum((a * b for a, b in zip(first, v, strict=True)), Fraction(0)) for v in best.vectors]
    signs = tuple(1 if turn >= 0 else -1 for turn in turns)
    numbers = squared(encoder, best.pattern, signs).lower
    bound = (upper + most * most * gram.radius) * over(1, gram.bits)
    if numbers >= lower:
        return NormBracket(Ends(numbers, max(numbers, bound)), best.pattern, signs)
    return NormBracket(Ends(lower, max(lower, bound)), best.pattern, (), best.vectors)
