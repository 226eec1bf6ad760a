"""Streams of vectors: the one encoder that acts on every coordinate alike and apart, where there is one."""

from fractions import Fraction
from typing import NamedTuple

from dpcert.mechanisms.matrices.correlated import Residuals, Row


class Coordinate(NamedTuple):
    """What one coordinate of the inputs goes through.

    Args:
        rows: a_t, over the rounds.
        variances: v_t.
        rounds: The round of each.
    """

    rows: tuple[Row, ...]
    variances: Row
    rounds: tuple[int, ...]


def coordinate(remainder: Residuals, rounds: tuple[int, ...], dimension: int) -> Coordinate | None:
    """The rows of the first coordinate, if every other one has the same and no row holds two; else None.

    Args:
        remainder: Rows over rounds times coordinates, coordinates last.
        rounds: Of every release.
        dimension: Coordinates.
    """
    apart: list[list[tuple[Row, Fraction, int]]] = [[] for _ in range(dimension)]
    for row, variance, place in zip(remainder.rows, remainder.variances, remainder.places, strict=True):
        there = {i % dimension for i, entry in enumerate(row) if entry}
        if len(there) > 1:
            return None
        for k in there:
            apart[k].append((row[k::dimension], variance, rounds[place]))
    if any(other != apart[0] for other in apart) or not apart[0]:
        return None
    rows, variances, at = zip(*apart[0], strict=True)
    return Coordinate(rows, variances, at)
