"""Encoders known up to a radius as floats: those given by an inverse of many rounds, with a proof of how far off."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, finite, scaled
from dpcert.mechanisms.matrices.encoder import Columns
from dpcert.mechanisms.matrices.gram import Gram, gram_of
from dpcert.mechanisms.matrices.rounding import NormBounds, relative, size_norms, squared_norms

MOST_ROUNDED_ROUNDS = 4_096
"""Rounds of an encoder given by a whole inverse matrix."""


@dataclass(frozen=True, eq=False)
class RoundedEncoder:
    """C, lower-triangular, every entry on or below the diagonal off by at most `doubt`; 0 above it.

    Args:
        entries: Rows by rounds, finite.
        doubt: A float of at least 0.
        correlation: C^-1 as it was given, exactly.
    """

    entries: Floats
    doubt: float
    correlation: Floats

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.entries)

    @property
    def row_rounds(self) -> Sequence[int]:
        """A row a round."""
        return range(1, self.rounds + 1)

    @cached_property
    def is_nonnegative(self) -> bool:
        """Whether it is known that no entry is negative."""
        return bool((self.entries[np.tril_indices(self.rounds)] >= self.doubt).all())

    def columns(self, at: Sequence[int]) -> Columns:
        """As they are."""
        values, bits = scaled(self.entries[:, list(at)].T)
        radius, rows = _units(self.doubt, bits), self.rounds
        return Columns([values[c * rows : (c + 1) * rows] for c in range(len(at))], bits, radius)

    def squared_norms(self) -> NormBounds:
        """By floats, rounded outward: |c|^2 differs from |v|^2 by at most 2 doubt |v|_1 + T doubt^2."""
        found, sizes = squared_norms(self.entries), size_norms(self.entries)
        doubt = Fraction(self.doubt)
        more = [2 * doubt * _over(s, sizes.bits) + self.rounds * doubt**2 for s in sizes.upper]
        return _widened(found, more)

    def size_norms(self) -> NormBounds:
        """By floats, rounded outward."""
        return _widened(size_norms(self.entries), [self.rounds * Fraction(self.doubt)] * self.rounds)

    def gram(self, participations: int) -> Gram:
        """Of the entries, with how far that of the true ones may be."""
        found = gram_of(self.entries, participations)
        sizes, doubt = size_norms(self.entries), Fraction(self.doubt)
        most = 2 * doubt * _over(max(sizes.upper), sizes.bits) + self.rounds * doubt**2
        return Gram(found.values, found.bits, found.radius + _units(most, found.bits))

    def is_earliest_worst(self, min_separation: int, *, as_one: bool = False) -> bool:  # noqa: ARG002 - as of others
        """Not known without products of columns."""
        return False


def rounded_inverse(entries: Floats) -> RoundedEncoder:
    """The encoder of a lower-triangular C^-1 with no 0 on its diagonal, worked out in floats and proven.

    With X near C and E = 1 - C^-1 X of norm e < 1, where the norm is the largest sum of sizes in a column,
    C - X = X E (1 - E)^-1, whose entries are at most max |X| e / (1 - e).

    Args:
        entries: C^-1.
    Raises: ArgumentError: too many rounds, or a matrix so ill-conditioned that floats prove nothing.

    >>> rounded_inverse(np.array([[1.0, 0.0], [-0.5, 1.0]])).entries.tolist()
    [[1.0, 0.0], [0.5, 1.0]]
    """
    from scipy.linalg import LinAlgError, solve_triangular  # slow to import

    rounds = len(entries)
    if rounds > MOST_ROUNDED_ROUNDS:
        raise expected(f"at most {MOST_ROUNDED_ROUNDS} rounds of an inverse", rounds=rounds)
    try:
        with np.errstate(all="ignore"):  # what overflows is no number, and is refused
            inverse = np.tril(solve_triangular(entries, np.eye(rounds), lower=True, check_finite=False))
            off = np.abs(entries @ inverse - np.eye(rounds))
            off += (np.abs(entries) @ np.abs(inverse) + 1) * relative(rounds) + 2.0**-960
            norm = float(off.sum(axis=0).max() * (1 + rounds * 2.0**-51))
            most = float(np.abs(inverse).max())
    except LinAlgError:
        norm, most = np.inf, np.inf
    if not norm < 0.5 or not np.isfinite(most):
        raise expected("an inverse that floats are enough for", inverse="an ill-conditioned matrix")
    bound = Fraction(most) * Fraction(norm) / (1 - Fraction(norm))
    return RoundedEncoder(finite(inverse, "inverse"), float(np.nextafter(float(bound), np.inf)), entries)


def _over(value: int, bits: int) -> Fraction:
    return Fraction(value) / Fraction(2) ** bits


def _units(value: float | Fraction, bits: int) -> int:
    """value 2^bits, rounded up."""
    return -int(-Fraction(value) * Fraction(2) ** bits // 1)


def _widened(bounds: NormBounds, more: Sequence[Fraction]) -> NormBounds:
    """Both ends moved outward by so much, column by column."""
    units = [_units(x, bounds.bits) for x in more]
    lower = [max(0, a - u) for a, u in zip(bounds.lower, units, strict=True)]
    return NormBounds(lower, [b + u for b, u in zip(bounds.upper, units, strict=True)], bounds.bits)
