"""The encoder R drawn: how large its entries are, block by block."""

from collections.abc import Sequence

from dpcert.audit.algebra.decimals import up
from dpcert.audit.records.section import ShadedSection, section
from dpcert.audit.render.shades import SHADES
from dpcert.mechanisms.matrices.dyadic import over
from dpcert.mechanisms.matrices.encoder import Columns, Encoder

DRAWN_CELLS = 48
"""Cells a side of the drawn matrix: with more rows or columns, blocks of rows, and every so many of the columns."""
MOST_SHADED = 1 << 22
"""Entries that are looked at for the drawing, past which a matrix is not drawn."""
HEAT_MAP_TITLE = "The encoder"


def heat_map(encoder: Encoder) -> ShadedSection | None:
    """The drawing of R; None where there are more than MOST_SHADED entries to look at.

    A cell is the largest size of an entry in its block, in tenths of the largest of all, rounded up: without a shade,
    all that was looked at is 0, or rounds to it.
    """
    rows, rounds = len(encoder.row_rounds), encoder.rounds
    columns = list(range(0, rounds, -(-rounds // DRAWN_CELLS)))
    if rows * len(columns) > MOST_SHADED:
        return None
    band = -(-rows // DRAWN_CELLS)
    entries = encoder.columns(columns)
    sizes = _largest(entries, rows, band)
    most = max(map(max, sizes))
    levels = [[-(-SHADES * size // most) if most else 0 for size in row] for row in sizes]
    words = (
        f"A cell is the largest size of an entry in {_counted(band, 'row')}, of {_which(len(columns), rounds)}; the "
        "largest of all has the deepest shade, and what is 0, or rounds to it, has none."
    )
    largest = up(over(most + entries.radius, entries.bits)) if most else "0"
    made = section(HEAT_MAP_TITLE, words, ("what", "is"), [("largest size of an entry", f"at most {largest}")])
    return {**made, "shades": {"x": "round of an input", "y": "row of R, first on top", "levels": levels}}


def _largest(columns: Columns, rows: int, band: int) -> list[list[int]]:
    """By band of rows, the largest size in each column."""

    def of(column: Sequence[int], first: int) -> int:
        return max(abs(value) for value in column[first : first + band])

    return [[of(column, first) for column in columns.values] for first in range(0, rows, band)]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}s" if number > 1 else f"one {what}"


def _which(drawn: int, rounds: int) -> str:
    return "every column" if drawn == rounds else f"{drawn} of {rounds} columns, equally far apart"
