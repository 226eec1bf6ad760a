"""Matrices of other libraries as encoders: arrays, Toeplitz coefficients, BLTs, and what writes itself out.

Known by what they offer, not by their classes: nothing is imported for it. Their numbers are read as the floats that
they are, float32 included.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.kernels.border import answering, has
from dpcert.mechanisms.matrices.arrays import as_floats
from dpcert.mechanisms.matrices.buffered import Buffers
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.reading import Form, of_array

KNOWN = (
    "an array, an object with buf_decay and output_scale (a BLT), one with materialize (a StreamingMatrix or a "
    "ColumnNormalizedBanded of jax-privacy), or an MfGaussian of opake"
)


def encoder_of(matrix: Any, name: str, form: Form | None = None, rounds: int | None = None) -> Encoder:
    """The encoder that an object of another library stands for.

    Args:
        matrix: An array (numpy's, jax's, torch's), a BLT, a StreamingMatrix or a ColumnNormalizedBanded.
        name: What an error calls it.
        form: Whether it is C, or C^-1, as a matrix that correlates noise is; C unless it is said, which it has to be
            of a StreamingMatrix: libraries use them for both.
        rounds: T, where the object leaves it open.
    Raises: ArgumentError: another object, or one that is no encoder of so many rounds.
        MechanismError: what its own code raises.
    """
    is_streaming = has(matrix, "multiply_next")
    if is_streaming and form is None:
        raise ArgumentError(f"Expected --form encoder or --form inverse, for {name} may be C or C^-1, but got neither")
    form = form or Form.ENCODER
    if has(matrix, "buf_decay") and has(matrix, "output_scale"):
        return _buffered(matrix, name, form, rounds)
    if has(matrix, "materialize"):
        with answering(f"{one_line(type(matrix).__name__, 60)}.materialize"):
            whole = matrix.materialize(_needed(rounds, name)) if is_streaming else matrix.materialize()
        return of_array(floats_of(whole, name), name, form)
    if has(matrix, "__array__"):
        return of_array(floats_of(matrix, name), name, form)
    raise ArgumentError(f"Expected {KNOWN} but got {name}: {one_line(type(matrix).__name__, 60)}")


def floats_of(made: Any, name: str) -> Floats:
    """The numbers of an array of another library, exactly. Raises: ArgumentError: it holds something else."""
    with answering(f"{one_line(type(made).__name__, 60)}.__array__"):
        array = np.asarray(made)
    return as_floats(array, name)


def _buffered(matrix: Any, name: str, form: Form, rounds: int | None) -> Encoder:
    """A BLT, its parameters read and nothing of it computed."""
    if form is Form.INVERSE:
        raise expected("a BLT of C, not of C^-1", form="inverse")
    decay, scale = (floats_of(getattr(matrix, key), f"{name}.{key}") for key in ("buf_decay", "output_scale"))
    if decay.ndim != 1 or scale.ndim != 1:
        raise expected("buffers in arrays of one dimension", **{name: f"shapes {decay.shape} and {scale.shape}"})
    return Buffers(fractions_of(decay), fractions_of(scale)).encoder(_needed(rounds, name))


def fractions_of(numbers: Floats) -> tuple[Fraction, ...]:
    """The same numbers as rationals."""
    return tuple(Fraction(x) for x in numbers.tolist())


def _needed(rounds: int | None, name: str) -> int:
    if rounds is None:
        raise ArgumentError(f"Expected --horizon T, which {name} leaves open, but got none")
    return rounds
