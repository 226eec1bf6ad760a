"""Encoders of any class as float64 matrices, with how far an entry may be off: for products with a decoder."""

from typing import NamedTuple

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, over
from dpcert.mechanisms.matrices.encoder import MOST_ENTRIES, DenseEncoder, Encoder
from dpcert.mechanisms.matrices.inverse import InverseEncoder
from dpcert.mechanisms.matrices.rounded import RoundedEncoder
from dpcert.mechanisms.matrices.toeplitz import ToeplitzEncoder
from dpcert.mechanisms.matrices.tree import TreeEncoder


class WrittenOut(NamedTuple):
    """|R - entries| <= |entries| 2^-53 + doubt, entry by entry; R itself where the matrix is exact.

    Args:
        entries: Rows by rounds.
        doubt: A float of at least 0.
        is_exact: Whether the entries are those of R.
    """

    entries: Floats
    doubt: float
    is_exact: bool


def written_out(encoder: Encoder) -> WrittenOut:
    """R in float64. Raises: ArgumentError: it has more than MOST_ENTRIES entries.

    >>> from fractions import Fraction
    >>> from dpcert.mechanisms.matrices.toeplitz import toeplitz
    >>> written_out(toeplitz([Fraction(1), Fraction(1, 2)])).entries.tolist()
    [[1.0, 0.0], [0.5, 1.0]]
    """
    if isinstance(encoder, DenseEncoder):
        return WrittenOut(encoder.entries, 0.0, is_exact=True)
    if encoder.rounds * len(encoder.row_rounds) > MOST_ENTRIES:
        shape = f"{len(encoder.row_rounds)} rows of {encoder.rounds}"
        raise expected(f"an encoder of at most {MOST_ENTRIES} entries to multiply with", encoder=shape)
    if isinstance(encoder, ToeplitzEncoder):
        return _toeplitz(encoder)
    if isinstance(encoder, TreeEncoder):
        entries = np.zeros((len(encoder.row_rounds), encoder.rounds))
        for row, (first, last) in enumerate(encoder.nodes()):
            entries[row, first - 1 : last] = 1
        return WrittenOut(entries, 0.0, is_exact=True)
    if isinstance(encoder, InverseEncoder):
        return _inverse(encoder)
    if isinstance(encoder, RoundedEncoder):
        return WrittenOut(encoder.entries, encoder.doubt, is_exact=False)
    raise expected("an encoder of a class that is written out", encoder=type(encoder).__name__)


def _toeplitz(encoder: ToeplitzEncoder) -> WrittenOut:
    """Every coefficient rounded to the nearest float."""
    exact = [over(c, encoder.bits) for c in encoder.values]
    try:
        coefficients = np.array([float(c) for c in exact])
        doubt = float(over(encoder.radius, encoder.bits)) * 2 + 2.0**-1000
    except OverflowError:
        raise expected("coefficients within the range of float64", coefficients="a larger one") from None
    entries = np.zeros((encoder.rounds, encoder.rounds))
    for i in range(encoder.rounds):
        entries[i:, i] = coefficients[: encoder.rounds - i]
    same = not encoder.radius and all(a == b for a, b in zip(coefficients.tolist(), exact, strict=True))
    return WrittenOut(entries, 0.0 if same else doubt, is_exact=same)


def _inverse(encoder: InverseEncoder) -> WrittenOut:
    """Every entry rounded to the nearest float."""
    try:
        entries = np.array([[float(over(c, encoder.bits)) for c in row] for row in encoder.values.tolist()])
    except OverflowError:
        raise expected("entries within the range of float64", inverse="a larger one") from None
    return WrittenOut(entries, float(over(encoder.radius, encoder.bits)) * 2 + 2.0**-1000, is_exact=False)
