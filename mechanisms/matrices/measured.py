"""||R x||_2^2 and ||R x||_1 at given participations and signs, exactly where the columns are exact."""

from collections.abc import Sequence

from dpcert.audit.algebra.enclosure import Ends
from dpcert.mechanisms.matrices.dyadic import over
from dpcert.mechanisms.matrices.encoder import Encoder

FEW_ROWS = 1 << 20
"""Entries of columns, times choices of signs, up to which all signs are tried."""


def squared(encoder: Encoder, pattern: Sequence[int], signs: Sequence[int]) -> Ends:
    """||sum_j s_j R e_{i_j}||_2^2, between bounds.

    >>> from dpcert.mechanisms.matrices.tree import TreeEncoder
    >>> squared(TreeEncoder(4), (0, 1), (1, 1)).upper
    Fraction(10, 1)
    """
    sums, bits, doubt = _sums(encoder, pattern, signs)
    lower = sum(max(0, abs(x) - doubt) ** 2 for x in sums) if doubt else sum(x * x for x in sums)
    upper = sum((abs(x) + doubt) ** 2 for x in sums) if doubt else lower
    return Ends(over(lower, 2 * bits), over(upper, 2 * bits))


def size(encoder: Encoder, pattern: Sequence[int], signs: Sequence[int]) -> Ends:
    """||sum_j s_j R e_{i_j}||_1, between bounds."""
    sums, bits, doubt = _sums(encoder, pattern, signs)
    lower = sum(max(0, abs(x) - doubt) for x in sums)
    return Ends(over(lower, bits), over(sum(abs(x) + doubt for x in sums), bits))


def _sums(encoder: Encoder, pattern: Sequence[int], signs: Sequence[int]) -> tuple[list[int], int, int]:
    columns = encoder.columns(pattern)
    total = columns.values[0] if signs[0] > 0 else [-x for x in columns.values[0]]
    for values, sign in zip(columns.values[1:], signs[1:], strict=True):
        total = [a + sign * b for a, b in zip(total, values, strict=True)]
    return total, columns.bits, len(pattern) * columns.radius


def largest_signs(encoder: Encoder, pattern: Sequence[int]) -> tuple[int, ...]:
    """Signs with a large L1 norm: the best of all for short patterns, else chosen one after the other."""
    columns = encoder.columns(pattern).values
    beam: list[tuple[tuple[int, ...], list[int]]] = [((1,), columns[0])]
    for values in columns[1:]:
        both = [
            ((*signs, sign), [a + sign * b for a, b in zip(total, values, strict=True)])
            for signs, total in beam
            for sign in (1, -1)
        ]
        both.sort(key=lambda one: -sum(map(abs, one[1])))
        beam = both[: max(1, FEW_ROWS // len(values) // len(columns))]
    return beam[0][0]
