"""Encoders given by the lower-triangular matrix C^-1 that correlates the noise: C enclosed, entry by entry."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx, fmpz_mat

from dpcert.audit.errors import expected
from dpcert.audit.limits import look
from dpcert.mechanisms.matrices.dyadic import Floats, Integers, finite, scaled
from dpcert.mechanisms.matrices.encoder import Columns
from dpcert.mechanisms.matrices.gram import Gram
from dpcert.mechanisms.matrices.rounded import RoundedEncoder, rounded_inverse
from dpcert.mechanisms.matrices.rounding import NormBounds
from dpcert.mechanisms.matrices.toeplitz import COEFFICIENT_BITS, MOST_PRECISION, in_units, is_settled

MOST_INVERSE_ROUNDS = 256
"""Rounds of an encoder given by a whole inverse matrix up to which its entries are known to 128 bits."""
EXACT_INVERSE_BITS = 1 << 11
"""Bits of an entry up to which an encoder is exact, where the diagonal of its inverse is of powers of two."""
RADIUS = 2
"""Units of 2^-COEFFICIENT_BITS that an entry of such an encoder is off by at most."""


@dataclass(frozen=True, eq=False)
class InverseEncoder:
    """C, lower-triangular, as whole numbers over 2^bits, each off by at most a radius; 0 above the diagonal.

    Args:
        values: Rows by rounds, of Python's integers.
        correlation: C^-1 as it was given, exactly.
        bits: The power of two below them.
        radius: How far any of them may be off; exact where it is 0.
    """

    values: Integers
    correlation: Floats
    bits: int = COEFFICIENT_BITS
    radius: int = RADIUS

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
        return all(c >= self.radius for t, row in enumerate(self.values.tolist()) for c in row[: t + 1])

    def columns(self, at: Sequence[int]) -> Columns:
        """As they are."""
        return Columns([self.values[:, i].tolist() for i in at], self.bits, self.radius)

    def squared_norms(self) -> NormBounds:
        """From the ends of every entry."""
        return self._norms(2)

    def size_norms(self) -> NormBounds:
        """From the ends of every entry."""
        return self._norms(1)

    def _norms(self, power: int) -> NormBounds:
        columns = [self.values[i:, i].tolist() for i in range(self.rounds)]
        lower = [sum(max(0, abs(c) - self.radius) ** power for c in column) for column in columns]
        upper = [sum((abs(c) + self.radius) ** power for c in column) for column in columns]
        return NormBounds(lower, upper, power * self.bits)

    def gram(self, participations: int) -> Gram:  # noqa: ARG002 - as of the others
        """Of the values, with how far that of the true entries may be."""
        rounds = self.rounds
        matrix = fmpz_mat(rounds, rounds, self.values.ravel().tolist())
        found = np.array([int(x) for x in (matrix.transpose() * matrix).entries()], dtype=object)
        most = max(abs(c) for c in self.values.ravel().tolist())
        return Gram(found.reshape(rounds, rounds), 2 * self.bits, rounds * self.radius * (2 * most + self.radius))

    def is_earliest_worst(self, min_separation: int, *, as_one: bool = False) -> bool:  # noqa: ARG002 - as of others
        """Not known without products of columns."""
        return False


def inverse_of(correlation: Floats) -> InverseEncoder | RoundedEncoder:
    """The encoder C of the matrix C^-1 that correlates the noise, its float64 entries taken as exact.

    Exact where it has few bits, by substitution; else enclosed to 128 bits, and by floats for many rounds.

    Args:
        correlation: C^-1, square and lower-triangular, with no 0 on its diagonal.
    Raises: ArgumentError: any other matrix, one too large, or one so ill-conditioned that no precision is enough.

    >>> found = inverse_of(np.array([[1.0, 0.0], [-0.5, 1.0]]))
    >>> found.values.tolist(), found.bits, found.radius
    ([[2, 0], [1, 2]], 1, 0)
    """
    entries = _triangular(correlation)
    if (exact := _substituted(entries)) is not None:
        return InverseEncoder(exact.values, entries, exact.bits, 0)
    if len(entries) > MOST_INVERSE_ROUNDS:
        return rounded_inverse(entries)
    whole, bits = scaled(entries)
    before = ctx.prec
    try:
        ctx.prec = 2 * COEFFICIENT_BITS
        while ctx.prec <= MOST_PRECISION:
            found = _solved(whole, bits, len(entries))
            if found is not None:
                return InverseEncoder(np.tril(found), entries)
            ctx.prec *= 2
    finally:
        ctx.prec = before
    raise expected(f"an inverse that {MOST_PRECISION} bits are enough for", inverse="an ill-conditioned matrix")


def _triangular(correlation: Floats) -> Floats:
    if correlation.ndim != 2 or correlation.shape[0] != correlation.shape[1]:
        raise expected("a square matrix, or the coefficients of an inverse", inverse=f"shape {correlation.shape}")
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


class _Exact(NamedTuple):
    """C in whole numbers over a power of two."""

    values: Integers
    bits: int


def _substituted(entries: Floats) -> _Exact | None:
    """C row by row, exactly; None where the diagonal is not of powers of two, or numbers grow too long.

    Over 2^bits, row t of C times a_tt is e_t less the earlier rows times a_t: each step asks for at most as many bits
    more as the entries of a row have.
    """
    if len(entries) > MOST_INVERSE_ROUNDS or (np.abs(np.frexp(entries.diagonal())[0]) != 0.5).any():
        return None
    rows, below = list[list[int]](), list[int]()
    for t, line in enumerate(entries):
        look()
        columns = [i for i in range(t) if line[i]]
        own, shift = scaled(line[: t + 1])
        if shift < 0:
            own, shift = [x << -shift for x in own], 0
        deep = max((below[i] for i in columns), default=0)
        if deep + shift > EXACT_INVERSE_BITS:
            return None
        row = [0] * (t + 1)
        row[t] = 1 << deep + shift
        for i in columns:
            factor = own[i] << deep - below[i]
            for j, x in enumerate(rows[i]):
                row[j] -= factor * x
        shortest = _shortest(row, deep + shift, own[t], shift)
        if shortest is None:
            return None
        rows.append(shortest[0])
        below.append(shortest[1])
    bits = max(below)
    values = np.zeros((len(rows), len(rows)), dtype=object)
    for t, row in enumerate(rows):
        values[t, : t + 1] = [x << bits - below[t] for x in row]
    return _Exact(values, bits)


def _shortest(row: list[int], bits: int, pivot: int, shift: int) -> tuple[list[int], int] | None:
    """row / 2^bits over pivot / 2^shift, a power of two or its negative, with as few bits below as it takes."""
    sign, below = (1 if pivot > 0 else -1), bits + abs(pivot).bit_length() - 1 - shift
    if below < 0:
        row, below = [x << -below for x in row], 0
    together = reduce(int.__or__, map(abs, row))
    if together.bit_length() > EXACT_INVERSE_BITS:
        return None
    spare = min((together & -together).bit_length() - 1, below)
    return [sign * x >> spare for x in row], below - spare
