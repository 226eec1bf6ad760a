"""An encoder from a file: a matrix, Toeplitz coefficients of C or of C^-1, or the description of a strategy."""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from dpcert.audit.errors import expected, one_line
from dpcert.mechanisms.matrices.arrays import read_array
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.encoder import DenseEncoder, Encoder
from dpcert.mechanisms.matrices.inverse import inverse_of
from dpcert.mechanisms.matrices.strategies import Description, read_strategy
from dpcert.mechanisms.matrices.toeplitz import inverse_toeplitz, toeplitz


class Form(Enum):
    """What an array is.

    ENCODER: C, which multiplies the inputs, or its coefficients.
    INVERSE: C^-1, which correlates the noise, or its coefficients.
    """

    ENCODER = "encoder"
    INVERSE = "inverse"


def read_described(
    path: str, *, form: Form = Form.ENCODER, row_rounds: Sequence[int] = (), rounds: int | None = None
) -> Description:
    """The encoder in a file, and its workload where it names one: `.json` is a strategy, anything else an array.

    Args:
        path: The file.
        form: What an array is.
        row_rounds: The round (from 1) of every row of a matrix; as many rows as rounds without it.
        rounds: T, where a description leaves it open.
    Raises: ArgumentError: what the file holds is no encoder, or does not go with the other arguments.
    """
    if Path(path).suffix == ".json":
        if row_rounds or form is Form.INVERSE:
            raise expected("no rounds of rows and no inverse with a strategy", file=one_line(path))
        return read_strategy(path, rounds)
    return Description(of_array(read_array(path), one_line(path, 100), form, row_rounds), None)


def read_encoder(
    path: str, *, form: Form = Form.ENCODER, row_rounds: Sequence[int] = (), rounds: int | None = None
) -> Encoder:
    """The encoder alone: that of `read_described`."""
    return read_described(path, form=form, row_rounds=row_rounds, rounds=rounds).encoder


def of_array(array: Floats, name: str, form: Form, row_rounds: Sequence[int] = ()) -> Encoder:
    """The encoder that an array is: a matrix, or coefficients; of C, or of C^-1.

    Args:
        array: The numbers.
        name: What an error calls it.
        form: What it is.
        row_rounds: The round (from 1) of every row of a matrix of C.
    Raises: ArgumentError: an array of other dimensions, or no such matrix.
    """
    if array.ndim == 1 and not row_rounds:
        return inverse_toeplitz(array) if form is Form.INVERSE else toeplitz(array)
    if array.ndim != 2:
        raise expected("an array of two dimensions", **{name: f"an array of shape {array.shape}"})
    if form is Form.INVERSE:
        if row_rounds:
            raise expected("no rounds of rows with an inverse", **{name: f"{len(row_rounds)} of them"})
        return inverse_of(array)
    return DenseEncoder(array, tuple(row_rounds))
