"""L R against the workload M: the largest entry of the difference, exact or enclosed; and who looks ahead."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpz, fmpz_mat

from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.enclosure import Ends
from dpcert.audit.algebra.rational import text
from dpcert.audit.errors import ArgumentError, expected
from dpcert.audit.limits import look
from dpcert.mechanisms.matrices.dyadic import Floats, over, scaled
from dpcert.mechanisms.matrices.rounding import relative
from dpcert.mechanisms.matrices.workloads import Workload

EXACT_PRODUCT_WORK, EXACT_PRODUCT_ROUNDS = 1 << 27, 256
"""Products of entries, and rounds, up to which L R is compared with M exactly."""
MOST_PRODUCT_WORK = 1 << 38
"""Products of entries past which L R is not worked out."""
MOST_TOLD = 40
"""Characters of a fraction that an error shows beside its decimal."""
ROWS_AT_ONCE = 512
"""Rows of L R that are worked out at once, between two looks at the clock."""


@dataclass(frozen=True)
class ProductDifference:
    """The largest entry of |L R - M|: at least `size.lower`, which is at a row and a column, and at most `size.upper`.

    Args:
        row: Counted from 1.
        column: Counted from 1.
        size: Both bounds; one and the same where it is exact.
    """

    row: int
    column: int
    size: Ends


@dataclass(frozen=True)
class Noncausal:
    """An entry that is not 0 though its row is released before its column's round: all counted from 1."""

    row: int
    released: int
    column: int
    value: Fraction


def first_noncausal(entries: Floats, row_rounds: Sequence[int], column_rounds: Sequence[int] = ()) -> Noncausal | None:
    """The first entry, row by row, that looks at something later than its row's round; None in a causal matrix.

    Args:
        entries: An encoder, or a decoder.
        row_rounds: For each row, the round in which it is released.
        column_rounds: For each column, the round of what it is about: of a decoder, the encoder's `row_rounds`; of an
            encoder, whose columns are rounds, nothing.

    >>> first_noncausal(np.array([[1.0, 2.0], [1.0, 1.0]]), (1, 2)).column
    2
    """
    released = np.asarray(row_rounds)
    about = np.asarray(column_rounds) if len(column_rounds) else np.arange(1, entries.shape[1] + 1)
    for row, at in enumerate(released):
        ahead = np.flatnonzero((entries[row] != 0) & (about > at))
        if ahead.size:
            column = int(ahead[0])
            return Noncausal(row + 1, int(at), column + 1, Fraction(entries[row, column].item()))
    return None


def largest_difference(
    decoder: Floats, encoder: Floats, workload: Workload, *, doubt: float | None = None
) -> ProductDifference:
    """The largest entry of |L R - M|, exact for few rounds, else enclosed.

    Args:
        decoder: L, rounds by rows.
        encoder: R, rows by rounds.
        workload: M.
        doubt: Where entries of R are rounded: how far one may be off, past 2^-53 of its size. None where they are R.
    Raises: ArgumentError: shapes that do not fit, or too many products.

    >>> from dpcert.mechanisms.matrices.workloads import prefix_sums
    >>> largest_difference(np.eye(2), np.eye(2), prefix_sums(2))
    ProductDifference(row=2, column=1, size=Ends(lower=Fraction(1, 1), upper=Fraction(1, 1)))
    """
    rows, rounds = encoder.shape
    if decoder.shape != (rounds, rows) or workload.rounds != rounds:
        shapes = f"{decoder.shape} times {encoder.shape} for {workload.rounds} rounds"
        raise expected("a decoder and an encoder whose product is the workload's size", shapes=shapes)
    if doubt is None and rounds <= EXACT_PRODUCT_ROUNDS and rounds * rounds * rows <= EXACT_PRODUCT_WORK:
        return _exact(decoder, encoder, workload)
    if rounds * rounds * rows > MOST_PRODUCT_WORK:
        raise expected(f"a product L R of at most {MOST_PRODUCT_WORK} products of entries", rows=rows, rounds=rounds)
    return _enclosed(decoder, encoder, workload, doubt or 0.0)


def check_product(
    decoder: Floats, encoder: Floats, workload: Workload, tolerance: Fraction, *, doubt: float | None = None
) -> ProductDifference:
    """The same. Raises: ArgumentError: an entry differs by more than the tolerance; the one furthest off is named."""
    difference = largest_difference(decoder, encoder, workload, doubt=doubt)
    if difference.size.upper > tolerance:
        shown, told = up(difference.size.lower), text(difference.size.lower)
        exact = f" ({told})" if len(told) <= MOST_TOLD and Fraction(shown) != difference.size.lower else ""
        raise ArgumentError(
            f"Expected L R = M but got entries that differ by up to {shown}{exact}, in row {difference.row} and column "
            f"{difference.column}"
        )
    return difference


def _exact(decoder: Floats, encoder: Floats, workload: Workload) -> ProductDifference:
    """In whole numbers over one denominator."""
    rows, rounds = encoder.shape
    (left, left_bits), (right, right_bits), (entries, below) = scaled(decoder), scaled(encoder), workload.whole()
    bits = max(0, left_bits + right_bits)
    product = fmpz_mat(rounds, rows, left) * fmpz_mat(rows, rounds, right)
    product *= fmpz(below << bits - left_bits - right_bits)
    target = fmpz_mat(rounds, rounds, [x << bits for row in entries for x in row])
    sizes = [abs(int(x)) for x in (product - target).entries()]
    most = max(sizes)
    row, column = divmod(sizes.index(most), rounds)
    size = over(most, bits) / below
    return ProductDifference(row + 1, column + 1, Ends(size, size))


def _enclosed(decoder: Floats, encoder: Floats, workload: Workload, doubt: float) -> ProductDifference:
    """By floats, with the bound on their rounding that `rounding` tells of, some rows at a time."""
    target, off = workload_floats(workload)
    differences = [
        _of_rows(start, decoder[start : start + ROWS_AT_ONCE], encoder, (target, off), doubt)
        for start in _watched(range(0, len(decoder), ROWS_AT_ONCE))
    ]
    best, upper = max(differences, key=lambda one: one.size.lower), max(one.size.upper for one in differences)
    lower = best.size.lower if doubt else _entry(decoder, encoder, workload, best.row - 1, best.column - 1)
    return ProductDifference(best.row, best.column, Ends(lower, max(lower, upper)))


def _entry(decoder: Floats, encoder: Floats, workload: Workload, row: int, column: int) -> Fraction:
    """|L R - M| at one place, exactly."""
    left, right = scaled(decoder[row]), scaled(np.ascontiguousarray(encoder[:, column]))
    told = sum(a * b for a, b in zip(left.values, right.values, strict=True))
    return abs(over(told, left.bits + right.bits) - workload.column(column)[row])


def _of_rows(
    start: int, decoder: Floats, encoder: Floats, workload: tuple[Floats, Floats], doubt: float
) -> ProductDifference:
    """Of some rows of L and M, the first of which is row `start`; columns of L that are 0 in all of them are left out.

    `relative` leaves room for entries of R that are off by 2^-53 of their size.
    """
    target, off = (part[start : start + len(decoder)] for part in workload)
    used = int(np.flatnonzero(decoder.any(axis=0)).max(initial=0)) + 1
    left, right = decoder[:, :used], encoder[:used]
    with np.errstate(all="ignore"):  # what overflows is no number, and is refused
        error = (np.abs(left) @ np.abs(right) + np.abs(target)) * relative(len(encoder)) + off + 2.0**-960
        error += np.abs(left).sum(axis=1, keepdims=True) * (2 * doubt)
        sizes = np.abs(left @ right - target)
    if not np.isfinite(error).all():
        raise expected("factors whose product is within the range of floats", largest=float(np.abs(encoder).max()))
    row, column = divmod(int(np.argmax(sizes - error)), target.shape[1])
    lower = max(Fraction(0), Fraction(sizes[row, column].item()) - Fraction(error[row, column].item()))
    upper = Fraction(float(np.nextafter((sizes + error).max() * (1 + 2.0**-40), np.inf)))
    return ProductDifference(start + row + 1, column + 1, Ends(lower, upper))


def _watched(starts: Iterable[int]) -> Iterator[int]:
    for start in starts:
        look()
        yield start


def workload_floats(workload: Workload) -> tuple[Floats, Floats]:
    """M in floats, and how far each entry may be off: powers and sums of at most T terms, differences of those."""
    rounds = workload.rounds
    rates = np.array([float(x) for x in workload.rates])
    powers = np.concatenate(([1.0], np.cumprod(np.full(rounds - 1, float(workload.momentum)))))
    matrix, sizes = np.zeros((rounds, rounds)), np.zeros((rounds, rounds))
    for i in range(rounds):
        terms = rates[i:] * powers[: rounds - i]
        matrix[i:, i], sizes[i:, i] = np.cumsum(terms), np.cumsum(np.abs(terms))
        if workload.window is not None and workload.window < rounds - i:
            matrix[i + workload.window :, i] -= np.cumsum(terms)[: rounds - i - workload.window]
    return matrix, sizes * (4 * relative(rounds)) + 2.0**-960 * (sizes > 0)
