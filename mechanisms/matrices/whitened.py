"""The encoder of R x + w whose rows have independent noise of any variances, brought to one deviation for all rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm
from typing import NamedTuple

import numpy as np
from flint import fmpz_mat

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.encoder import Columns
from dpcert.mechanisms.matrices.gram import Gram, check_size
from dpcert.mechanisms.matrices.rounding import NormBounds

WHITENED_BITS = 128
"""Fractional bits, past the size of the largest entry, of entries that are irrational or not over a power of two."""
MOST_DEVIATION_BITS = 512
"""Bits of a common deviation that is chosen so that entries are exact."""


@dataclass(frozen=True, eq=False)
class WhitenedEncoder:
    """Rows a_t / sqrt(v_t): R x + z with z of deviation 1, as private as a_t x + noise of variance v_t in every row.

    Args:
        rows: a_t, rows by rounds.
        variances: v_t, above 0.
        row_rounds: For each row, the round (from 1) in which it is released.
    Raises: ArgumentError: no row, or a variance that is not above 0.

    >>> WhitenedEncoder(((Fraction(3),),), (Fraction(9, 4),), (1,)).columns([0])
    Columns(values=[[2]], bits=0, radius=0)
    """

    rows: tuple[tuple[Fraction, ...], ...]
    variances: tuple[Fraction, ...]
    row_rounds: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.rows or any(v <= 0 for v in self.variances):
            raise expected("at least one row, with noise in every one", rows=len(self.rows))

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.rows[0])

    @cached_property
    def is_nonnegative(self) -> bool:
        """Whether no entry is negative."""
        return all(entry >= 0 for row in self.rows for entry in row)

    def columns(self, at: Sequence[int]) -> Columns:
        """Exactly where all entries are over powers of two, else each rounded down by less than one unit."""
        kept = self._kept
        return Columns([list(kept.values[i]) for i in at], kept.bits, kept.radius)

    def squared_norms(self) -> NormBounds:
        """Sums of squares of entries."""
        kept = self._kept
        lower = [sum(max(0, abs(x) - kept.radius) ** 2 for x in column) for column in kept.values]
        upper = [sum((abs(x) + kept.radius) ** 2 for x in column) for column in kept.values]
        return NormBounds(lower, upper, 2 * kept.bits)

    def size_norms(self) -> NormBounds:
        """Sums of the sizes of entries."""
        kept, rows = self._kept, len(self.rows)
        sums = [sum(map(abs, column)) for column in kept.values]
        doubt = kept.radius * rows
        return NormBounds([max(0, s - doubt) for s in sums], [s + doubt for s in sums], kept.bits)

    def gram(self, participations: int) -> Gram:  # noqa: ARG002 - as of the others
        """R^T R of those columns. Raises: ArgumentError: too many rounds."""
        check_size(self.rounds)
        columns, rows = self._kept, len(self.rows)
        matrix = fmpz_mat(self.rounds, rows, [x for column in columns.values for x in column])
        found = np.array([int(x) for x in (matrix * matrix.transpose()).entries()], dtype=object)
        doubt = columns.radius * (2 * max(sum(map(abs, column)) for column in columns.values) + rows * columns.radius)
        return Gram(found.reshape(self.rounds, self.rounds), 2 * columns.bits, doubt)

    def is_earliest_worst(self, min_separation: int, *, as_one: bool = False) -> bool:  # noqa: ARG002 - as of others
        """Not known without products of columns."""
        return False

    @cached_property
    def _kept(self) -> Columns:
        """All columns."""
        roots = [_root(v) for v in self.variances]
        if None not in roots:
            exact = [[entry / root for entry in row] for row, root in zip(self.rows, roots, strict=True) if root]
            bits = _bits([entry for row in exact for entry in row])
            if bits is not None:
                return Columns([[_floor(row[i], bits) for row in exact] for i in range(self.rounds)], bits, 0)
        squares = [[e * e / v for e in row] for row, v in zip(self.rows, self.variances, strict=True)]
        bits = WHITENED_BITS - _size(max(map(max, squares))) // 2
        sizes = [[isqrt(_floor(square, 2 * bits)) for square in row] for row in squares]
        rows = [
            [size if entry >= 0 else -size for size, entry in zip(row, entries, strict=True)]
            for row, entries in zip(sizes, self.rows, strict=True)
        ]
        return Columns([list(column) for column in zip(*rows, strict=True)], bits, 2)


class LevelEncoder(NamedTuple):
    """The encoder of R x + z with z of one deviation."""

    encoder: WhitenedEncoder
    deviation: Fraction


def levelled(
    rows: Sequence[Sequence[Fraction]], variances: Sequence[Fraction], row_rounds: Sequence[int]
) -> LevelEncoder:
    """Rows with noise of their own variances as an encoder and one deviation, both exact where roots are rational.

    >>> levelled([[Fraction(1)], [Fraction(3)]], [Fraction(1, 9), Fraction(1, 9)], (1, 1)).deviation
    Fraction(1, 3)
    """
    deviation = _common(set(variances))
    scaled = tuple(v / deviation**2 for v in variances)
    return LevelEncoder(WhitenedEncoder(tuple(map(tuple, rows)), scaled, tuple(row_rounds)), deviation)


def _common(variances: set[Fraction]) -> Fraction:
    """A deviation by which all others divide without odd remainders; 1 where there is none."""
    roots = [root for root in map(_root, variances) if root is not None]
    if len(roots) < len(variances):
        return Fraction(1)
    if len(roots) == 1:
        return roots[0]
    whole = lcm(*(root.numerator for root in roots))
    return Fraction(whole) if whole.bit_length() <= MOST_DEVIATION_BITS else Fraction(1)


def _root(square: Fraction) -> Fraction | None:
    """The square root, where it is rational."""
    found = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return found if found * found == square else None


def _bits(numbers: Sequence[Fraction]) -> int | None:
    """The power of two below all of them; None where there is none, or none of a useful size."""
    below = 1
    for x in numbers:
        if x.denominator & (x.denominator - 1):
            return None
        below = max(below, x.denominator)
    return below.bit_length() - 1


def _floor(value: Fraction, bits: int) -> int:
    """value 2^bits, rounded down."""
    return (
        (value.numerator << bits) // value.denominator if bits >= 0 else value.numerator // (value.denominator << -bits)
    )


def _size(value: Fraction) -> int:
    """The exponent of a power of two above a number of at least 0."""
    return value.numerator.bit_length() - value.denominator.bit_length() + 1 if value else 0
