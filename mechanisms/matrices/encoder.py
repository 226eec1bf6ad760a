"""What every class of encoders R answers, and the class of any matrix of float64 that releases rows in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, Integers, finite, scaled
from dpcert.mechanisms.matrices.gram import Gram, gram_of
from dpcert.mechanisms.matrices.rounding import NormBounds, size_norms, squared_norms

MOST_ENTRIES = 1 << 27
"""Entries of a matrix: a gibibyte of float64."""


class Columns(NamedTuple):
    """Some columns over a power of two, row by row: |2^bits R_ti - values[c][t]| <= radius, exact where that is 0."""

    values: list[list[int]]
    bits: int
    radius: int


class Encoder(Protocol):
    """R, whose rows are released in rounds; columns are counted from 0, rounds in what is said from 1."""

    @property
    def rounds(self) -> int:
        """T, the number of columns."""

    @property
    def row_rounds(self) -> Sequence[int]:
        """For each row, the round (from 1) in which it is released."""

    @property
    def is_nonnegative(self) -> bool:
        """Whether it is known that no entry is negative."""

    def columns(self, at: Sequence[int]) -> Columns:
        """Some of its columns, exactly where they can be."""

    def squared_norms(self) -> NormBounds:
        """||R e_i||_2^2 of every column, enclosed."""

    def size_norms(self) -> NormBounds:
        """||R e_i||_1 of every column, enclosed."""

    def gram(self, participations: int) -> Gram:
        """R^T R, for patterns of so many participations. Raises: ArgumentError: too many rounds."""

    def is_earliest_worst(self, min_separation: int, *, as_one: bool = False) -> bool:
        """Whether the earliest and densest pattern is known to be the worst, without products of all columns.

        That is of R, or of the matrix of its columns' `values`, where it has a radius; `as_one` among patterns that
        differ by a shift alone.
        """


@dataclass(frozen=True, eq=False)
class DenseEncoder:
    """Any matrix of float64, which are exact numbers: what libraries export.

    Args:
        entries: Rows by rounds; every entry finite.
        row_rounds: For each row, the round (from 1) in which it is released; as many rows as rounds without it.
    Raises: ArgumentError: no matrix, an entry that is no finite number, or rows that do not fit the rounds.

    >>> DenseEncoder(np.array([[1.0, 0.0], [0.5, 1.0]])).rounds
    2
    """

    entries: Floats
    row_rounds: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.entries.ndim != 2:
            raise expected("a matrix of rows by rounds", encoder=f"an array of shape {self.entries.shape}")
        if self.entries.size > MOST_ENTRIES:
            raise expected(f"a matrix of at most {MOST_ENTRIES} entries", encoder=f"shape {self.entries.shape}")
        object.__setattr__(self, "entries", finite(self.entries, "encoder"))
        object.__setattr__(self, "row_rounds", _fitting(self.row_rounds, self.entries.shape))

    @property
    def rounds(self) -> int:
        """T."""
        return int(self.entries.shape[1])

    @cached_property
    def is_nonnegative(self) -> bool:
        """Whether no entry is negative."""
        return bool((self.entries >= 0).all())

    def columns(self, at: Sequence[int]) -> Columns:
        """As they are."""
        values, bits = scaled(self.entries[:, list(at)].T)
        rows = len(self.entries)
        return Columns([values[c * rows : (c + 1) * rows] for c in range(len(at))], bits, 0)

    def squared_norms(self) -> NormBounds:
        """By floats, rounded outward."""
        return squared_norms(self.entries)

    def size_norms(self) -> NormBounds:
        """By floats, rounded outward."""
        return size_norms(self.entries)

    def gram(self, participations: int) -> Gram:
        """As in `Encoder`."""
        return gram_of(self.entries, participations)

    def is_earliest_worst(self, min_separation: int, *, as_one: bool = False) -> bool:  # noqa: ARG002 - as of others
        """Not known without products of columns."""
        return False


def encoder_of_rows(rows: Sequence[Sequence[int]]) -> DenseEncoder:
    """A matrix of whole numbers, row by row. Raises: ArgumentError: rows of other lengths, or too large numbers."""
    if len({len(row) for row in rows}) != 1:
        raise expected("rows of one length", rows=len(rows))
    return DenseEncoder(np.array(rows, dtype=np.float64))


def _fitting(row_rounds: Sequence[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The rounds of rows. Raises: ArgumentError: they are not whole numbers from 1 to T, one a row."""
    rows, rounds = shape
    if not len(row_rounds):
        if rows != rounds:
            raise expected(f"as many rows as rounds, or the round of every row, of {rounds} rounds", rows=rows)
        return tuple(range(1, rounds + 1))
    if len(row_rounds) != rows:
        raise expected(f"a round for each of {rows} rows", row_rounds=f"{len(row_rounds)} rounds")
    for row, at in enumerate(row_rounds, 1):
        if isinstance(at, bool) or not isinstance(at, (int, np.integer)) or not 1 <= at <= rounds:
            raise expected(f"a round from 1 to {rounds} for row {row}", round=at)
    return tuple(int(at) for at in row_rounds)


def dense(encoder: Encoder) -> Integers:
    """The values of all columns as one array of Python's integers, rows by rounds: for small matrices.

    Raises: ArgumentError: too many rounds.
    """
    if len(encoder.row_rounds) * encoder.rounds > MOST_ENTRIES >> 4:
        raise expected("a matrix small enough to be written out", rows=len(encoder.row_rounds), rounds=encoder.rounds)
    values = encoder.columns(range(encoder.rounds)).values
    return np.array(values, dtype=object).T
