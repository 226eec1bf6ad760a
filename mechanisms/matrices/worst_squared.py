"""The largest squared L2 norm of R x over patterns of participations and changes of norm at most 1."""

from collections.abc import Iterator

from dpcert.audit.algebra.enclosure import Ends
from dpcert.mechanisms.matrices.dyadic import Integers, over
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.gram import Gram
from dpcert.mechanisms.matrices.longest import without_comparison
from dpcert.mechanisms.matrices.measured import squared
from dpcert.mechanisms.matrices.participations import Once, Participation, Pattern, Separated, earliest
from dpcert.mechanisms.matrices.patterns import Heaviest, heaviest
from dpcert.mechanisms.matrices.sensitivity import Argument, NormBracket, Stream
from dpcert.mechanisms.matrices.worst_directions import worst_directions

STEPS_A_PATTERN = 20_000_000
"""Work on the signs of one pattern, where all patterns are gone through."""


def worst_squared(
    encoder: Encoder, participation: Participation, stream: Stream, *, exact: bool
) -> tuple[NormBracket, Argument]:
    """The norm between bounds, what attains the lower one, and why the upper one holds."""
    found = without_comparison(encoder, participation, encoder.squared_norms, squared, exact=exact)
    if found is None:
        return _by_products(encoder, participation, stream)
    return found, Argument.ONE_COLUMN if isinstance(participation, Once) else Argument.EARLIEST


def _by_products(encoder: Encoder, participation: Participation, stream: Stream) -> tuple[NormBracket, Argument]:
    """By R^T R: sizes of products first, then signs where those may not be attained."""
    most = participation.most(encoder.rounds)
    gram = encoder.gram(most).fitted(most)
    if isinstance(participation, Separated) and gram.is_ordered():
        pattern = earliest(participation, encoder.rounds)
        weight = int(gram.values[list(pattern)][:, list(pattern)].sum())
        best = Heaviest(weight, weight, pattern, (1,) * len(pattern))
        return _bracket(encoder, gram, most, best, best.upper), Argument.EARLIEST
    best = _heaviest(abs(gram.values), participation, signed=False)
    if gram.is_nonnegative:
        return _bracket(encoder, gram, most, best, best.upper), Argument.NON_NEGATIVE
    signs = balanced_signs(gram.values, best.rounds)
    if signs is not None:
        best = Heaviest(best.lower, best.upper, best.rounds, signs)
        return _bracket(encoder, gram, most, best, best.upper), Argument.BALANCED
    if stream is Stream.VECTOR:
        return worst_directions(encoder, gram, participation, best)
    signed = _heaviest(gram.values, participation, signed=True)
    return _bracket(encoder, gram, most, signed, min(best.upper, signed.upper)), Argument.SIGNS


def _bracket(encoder: Encoder, gram: Gram, most: int, best: Heaviest, upper: int) -> NormBracket:
    """The lower end measured on the columns themselves, the upper one past what products may be off by."""
    lower = squared(encoder, best.rounds, best.signs)
    bound = over(upper + most * most * gram.radius, gram.bits)
    return NormBracket(Ends(lower.lower, max(bound, lower.lower)), best.rounds, best.signs)


def _heaviest(values: Integers, participation: Participation, *, signed: bool) -> Heaviest:
    """Over all patterns: by the search where they are many, else one after the other."""
    if isinstance(participation, Separated):
        return heaviest(values, participation.max_participations, participation.min_separation, signed=signed)
    found = list(_each(values, participation, signed))
    best = max(found, key=lambda one: one.lower)
    return Heaviest(best.lower, max(one.upper for one in found), best.rounds, best.signs)


def _each(values: Integers, participation: Participation, signed: bool) -> Iterator[Heaviest]:
    for pattern in participation.patterns(len(values)):
        part = values[list(pattern)][:, list(pattern)]
        most = int(abs(part).sum())
        signs = balanced_signs(values, pattern)
        if not signed or signs is not None:
            yield Heaviest(most, most, pattern, signs if signed and signs is not None else (1,) * len(pattern))
            continue
        one = heaviest(part, len(pattern), 1, signed=True, most_steps=STEPS_A_PATTERN)
        yield Heaviest(one.lower, min(one.upper, most), tuple(pattern[i] for i in one.rounds), one.signs)


def balanced_signs(values: Integers, pattern: Pattern) -> tuple[int, ...] | None:
    """Signs s with s_i s_j G_ij >= 0 for all pairs of a pattern; None where there are none.

    Where there are, numbers attain the sum of sizes, which no vectors exceed.

    >>> import numpy as np
    >>> balanced_signs(np.array([[1, -1, 0], [-1, 1, -1], [0, -1, 1]]), (0, 1, 2))
    (1, -1, 1)
    >>> balanced_signs(np.array([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]), (0, 1, 2)) is None
    True
    """
    part = values[list(pattern)][:, list(pattern)]
    signs = [0] * len(pattern)
    for start in range(len(pattern)):
        if signs[start]:
            continue
        signs[start] = 1
        open_ends = [start]
        while open_ends:
            i = open_ends.pop()
            for j in range(len(pattern)):
                if part[i, j] and j != i and not signs[j]:
                    signs[j] = signs[i] if part[i, j] > 0 else -signs[i]
                    open_ends.append(j)
    agree = all(part[i, j] * signs[i] * signs[j] >= 0 for i in range(len(pattern)) for j in range(i))
    return tuple(signs) if agree else None
