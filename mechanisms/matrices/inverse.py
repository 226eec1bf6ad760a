"""Encoders given by the lower-triangular matrix C^-1 that correlates the noise: C enclosed, entry by entry."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb, arb_mat, ctx, fmpz_mat

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, Integers, finite, scaled
from dpcert.mechanisms.matrices.encoder import Columns
from dpcert.mechanisms.matrices.gram import Gram
from dpcert.mechanisms.matrices.rounding import NormBounds
from dpcert.mechanisms.matrices.toeplitz import COEFFICIENT_BITS, MOST_PRECISION, in_units, is_settled

MOST_INVERSE_ROUNDS = 256
"""Rounds of an encoder given by a whole inverse matrix."""
RADIUS = 2
"""Units of 2^-COEFFICIENT_BITS that an entry of such an encoder is off by at most."""


@dataclass(frozen=True, eq=False)
class InverseEncoder:
    """C, lower-triangular, as whole numbers over 2^COEFFICIENT_BITS, each off by at most RADIUS; 0 above the diagonal.

    Args:
        values: Rows by rounds, of Python's integers.
    """

    values: Integers

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.values)

    @property
    def row_rounds(self) -> Sequence[int]:
        """A row a round."""
        return range(1, self.rounds + 1)

    @cached_property
    def is_nonnegative(self) -> bool:
        """Whether it is known that no entry is negative."""
        return all(c >= RADIUS for t, row in enumerate(self.values.tolist()) for c in row[: t + 1])

    def columns(self, at: Sequence[int]) -> Columns:
        """As they are."""
        return Columns([self.values[:, i].tolist() for i in at], COEFFICIENT_BITS, RADIUS)

    def squared_norms(self) -> NormBounds:
        """From the ends of every entry."""
        return self._norms(2)

    def size_norms(self) -> NormBounds:
        """From the ends of every entry."""
        return self._norms(1)

    def _norms(self, power: int) -> NormBounds:
        columns = [self.values[i:, i].tolist() for i in range(self.rounds)]
        lower = [sum(max(0, abs(c) - RADIUS) ** power for c in column) for column in columns]
        upper = [sum((abs(c) + RADIUS) ** power for c in column) for column in columns]
        return NormBounds(lower, upper, power * COEFFICIENT_BITS)

    def gram(self, participations: int) -> Gram:  # noqa: ARG002 - as of the others
        """Of the values, with how far that of the true entries may be."""
        rounds = self.rounds
        matrix = fmpz_mat(rounds, rounds, self.values.ravel().tolist())
        found = np.array([int(x) for x in (matrix.transpose() * matrix).entries()], dtype=object)
        most = max(abs(c) for c in self.values.ravel().tolist())
        return Gram(found.reshape(rounds, rounds), 2 * COEFFICIENT_BITS, rounds * RADIUS * (2 * most + RADIUS))

    def is_earliest_worst(self, min_separation: int, *, as_one: bool = False) -> bool:  # noqa: ARG002 - as of others
        """Not known without products of columns."""
        return False


def inverse_of(correlation: Floats) -> InverseEncoder:
    """The encoder C of the matrix C^-1 that correlates the noise, its float64 entries taken as exact.

    Args:
        correlation: C^-1, square and lower-triangular, with no 0 on its diagonal.
    Raises: ArgumentError: any other matrix, one too large, or one so ill-conditioned that no precision is enough.

    >>> found = inverse_of(np.array([[1.0, 0.0], [-0.5, 1.0]]))
    >>> found.values[1, 0] == 1 << COEFFICIENT_BITS - 1
    True
    """
    entries = _triangular(correlation)
    whole, bits = scaled(entries)
    before = ctx.prec
    try:
        ctx.prec = 2 * COEFFICIENT_BITS
        while ctx.prec <= MOST_PRECISION:
            found = _solved(whole, bits, len(entries))
            if found is not None:
                return InverseEncoder(np.tril(found))
            ctx.prec *= 2
    finally:
        ctx.prec = before
    raise expected(f"an inverse that {MOST_PRECISION} bits are enough for", inverse="an ill-conditioned matrix")


def _triangular(correlation: Floats) -> Floats:
    if correlation.ndim != 2 or correlation.shape[0] != correlation.shape[1]:
        raise expected("a square matrix, or the coefficients of an inverse", inverse=f"shape {correlation.shape}")
    if len(correlation) > MOST_INVERSE_ROUNDS:
        raise expected(f"at most {MOST_INVERSE_ROUNDS} rounds of an inverse", rounds=len(correlation))
    entries = finite(correlation, "inverse")
    above = np.argwhere(np.triu(entries, 1))
    if len(above):
        row, column = (int(i) + 1 for i in above[0])
        raise expected("a lower-triangular inverse", inverse=f"an entry in row {row}, column {column}")
    if not entries.diagonal().all():
        at = int(np.argwhere(entries.diagonal() == 0)[0][0]) + 1
        raise expected("an inverse with no 0 on its diagonal", inverse=f"0 in row {at}")
    return entries


def _solved(whole: Sequence[int], bits: int, rounds: int) -> Integers | None:
    """C at the precision that is set, as whole numbers; None where its entries are not known well enough."""
    unit = arb(2) ** -bits
    try:
        found = arb_mat(rounds, rounds, [c * unit for c in whole]).inv()
    except ZeroDivisionError:
        return None
    balls = found.entries()
    if not all(map(is_settled, balls)):
        return None
    return np.array(list(map(in_units, balls)), dtype=object).reshape(rounds, rounds)
