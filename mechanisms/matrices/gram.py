"""R^T R of an encoder as whole numbers over a power of two, exact or off by a stated radius."""

from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import MANTISSA_BITS, WORD_BITS, Floats, Integers, scaled
from dpcert.mechanisms.matrices.rounding import products

MOST_GRAM_ROUNDS = 4_096
"""Rounds past which products of all pairs of columns are not worked out."""
EXACT_GRAM_ROUNDS, EXACT_GRAM_WORK = 256, 1 << 26
"""Rounds, and products of entries, up to which those of any floats are worked out exactly."""


@dataclass(frozen=True, eq=False)
class Gram:
    """Inner products of columns: |2^bits <r_i, r_j> - values_ij| <= radius; exact where the radius is 0.

    Args:
        values: Symmetric whole numbers: int64, or Python's own.
        bits: The power of two below them; may be negative.
        radius: How far any of them may be off.

    >>> Gram(np.array([[5, 2], [2, 1]]), 0, 0).is_nonnegative
    True
    """

    values: Integers
    bits: int
    radius: int = 0

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.values)

    @property
    def is_nonnegative(self) -> bool:
        """Whether no value is negative; a true product may be by the radius."""
        return bool((self.values >= 0).all())

    def is_ordered(self) -> bool:
        """Whether earlier pairs, and pairs nearer to each other, weigh at least as much, and none is negative.

        Then the earliest and densest pattern has, pair by pair, the largest products.
        """
        v = self.values
        upper = np.triu_indices(self.rounds - 1)
        return self.is_nonnegative and bool(
            (v[:-1, :-1][upper] >= v[1:, 1:][upper]).all() and (v[:-1, :-1][upper] >= v[:-1, 1:][upper]).all()
        )

    def fitted(self, participations: int) -> "Gram":
        """The same, with values small enough that sums over a pattern of so many fit a machine word.

        Those of a few rounds stay exact, as Python's integers.
        """
        room = WORD_BITS - 2 * participations.bit_length() - 2
        excess = int(abs(self.values).max()).bit_length() - room
        if excess <= 0:
            return Gram(self.values.astype(np.int64), self.bits, self.radius)
        if self.rounds <= EXACT_GRAM_ROUNDS:
            return Gram(self.values.astype(object), self.bits, self.radius)
        return Gram((self.values >> excess).astype(np.int64), self.bits - excess, (self.radius >> excess) + 2)


def check_size(rounds: int) -> None:
    """Raises: ArgumentError: products of all pairs of so many columns would be too many."""
    if rounds > MOST_GRAM_ROUNDS:
        raise expected(f"at most {MOST_GRAM_ROUNDS} rounds for participations of this matrix", rounds=rounds)


def gram_of(entries: Floats, participations: int) -> Gram:
    """Of a float64 matrix: exact where its entries are small whole numbers over a power of two, or its rounds few."""
    rows, rounds = entries.shape
    check_size(rounds)
    small = _of_small(entries)
    if small is not None:
        return small
    if rounds <= EXACT_GRAM_ROUNDS and rows * rounds * rounds <= EXACT_GRAM_WORK:
        whole, bits = scaled(entries)
        matrix = fmpz_mat(rows, rounds, whole)
        product = np.array([int(x) for x in (matrix.transpose() * matrix).entries()], dtype=object)
        return Gram(product.reshape(rounds, rounds), 2 * bits)
    return Gram(*products(entries, value_bits=WORD_BITS - 2 * participations.bit_length() - 2))


def _of_small(entries: Floats) -> Gram | None:
    """Exact products by floats, where no sum on the way leaves the whole numbers that floats hold, in any order."""
    room = (MANTISSA_BITS - len(entries).bit_length()) // 2
    shift = room - int(np.frexp(np.abs(entries).max())[1])
    whole = np.ldexp(entries, shift)
    if not ((whole == np.rint(whole)) & (np.ldexp(whole, -shift) == entries)).all():
        return None
    return Gram((whole.T @ whole).astype(np.int64), 2 * shift)
