"""Banded encoders whose columns have length 1, as float64: what column normalisation makes of a Toeplitz band."""

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.encoder import MOST_ENTRIES, DenseEncoder
from dpcert.mechanisms.matrices.toeplitz import ToeplitzEncoder


def column_normalised(encoder: ToeplitzEncoder) -> DenseEncoder:
    """The Toeplitz matrix with every column divided by its length, rounded to float64: what would run.

    Its columns are 1 up to rounding, which the sensitivity of the result is exact about.

    Args:
        encoder: A Toeplitz encoder, banded or not; no column of its may be 0.
    Raises: ArgumentError: its first coefficient is 0, or it is too large to be written out.

    >>> from fractions import Fraction
    >>> from dpcert.mechanisms.matrices.toeplitz import toeplitz
    >>> column_normalised(toeplitz([Fraction(3), Fraction(4)])).entries.tolist()
    [[0.6, 0.0], [0.8, 1.0]]
    """
    rounds = encoder.rounds
    if encoder.values[0] == 0:
        raise expected("a first coefficient other than 0", coefficients=0)
    if rounds * rounds > MOST_ENTRIES:
        raise expected(f"a matrix of at most {MOST_ENTRIES} entries", rounds=rounds)
    largest = max(map(abs, encoder.values))
    coefficients = np.array([c / largest for c in encoder.values])
    found = np.zeros((rounds, rounds))
    for i in range(rounds):
        found[i:, i] = coefficients[: rounds - i]
    return DenseEncoder(found / np.sqrt(np.square(found).sum(axis=0)))
