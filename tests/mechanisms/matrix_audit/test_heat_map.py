"""The drawing of an encoder: its cells against numpy, what its rectangles cover, and its place on the page."""

import math
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from dpcert.audit.commands.cli import run
from dpcert.audit.render.shades import SHADES, shades_svg
from dpcert.mechanisms.matrices.encoder import DenseEncoder
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrix_audit import heat_map as drawing
from dpcert.mechanisms.matrix_audit.heat_map import DRAWN_CELLS, heat_map


def levels_of(entries: np.ndarray) -> list[list[int]]:
    """The same by numpy and fractions, block by block."""
    rows, rounds = entries.shape
    band, step = -(-rows // DRAWN_CELLS), -(-rounds // DRAWN_CELLS)
    sizes = np.abs(entries)[:, ::step]
    most = Fraction(float(sizes.max()))
    return [
        [
            math.ceil(SHADES * Fraction(float(sizes[first : first + band, c].max())) / most)
            for c in range(sizes.shape[1])
        ]
        for first in range(0, rows, band)
    ]


@pytest.mark.parametrize("rounds", [1, 2, 7, 47, 48, 49, 97, 200])
def test_a_cell_is_the_largest_size_in_its_block(rounds: int) -> None:
    random = np.random.default_rng(rounds)
    entries = np.tril(random.standard_normal((rounds, rounds))) * random.integers(0, 2, (rounds, rounds))
    entries[-1, 0] = -3.0
    made = heat_map(DenseEncoder(entries))
    assert made is not None
    assert made["shades"]["levels"] == levels_of(entries)


def test_what_is_painted_are_the_levels() -> None:
    made = heat_map(square_root(30))
    assert made is not None
    levels = made["shades"]["levels"]
    assert levels[0] == [SHADES] + [0] * 29
    root = ElementTree.fromstring(shades_svg(made["shades"], "s"))
    painted = [[0] * 30 for _ in range(30)]
    (cells,) = root.findall("g")
    for cell in cells:
        left, top, width, height = (float(cell.attrib[name]) for name in ("x", "y", "width", "height"))
        row, first, last = (round(n) for n in ((top - 6) / height, (left - 22) / 8, (left - 22 + width) / 8))
        for column in range(first, last):
            painted[row][column] = round(SHADES * float(cell.attrib["fill-opacity"]))
    assert painted == levels


def test_a_matrix_that_is_too_large_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MOST_SHADED", 16 * 16 - 1)
    assert heat_map(square_root(16)) is None


def test_the_page_has_the_drawing(tmp_path: Path) -> None:
    np.save(tmp_path / "r.npy", np.tril(np.ones((5, 5))))
    page = tmp_path / "page.html"
    command = ["matrix", str(tmp_path / "r.npy"), "--sigma", "3", "--clip", "1", "--html", str(page)]
    assert run(command) == 0
    html = page.read_text(encoding="utf-8")
    assert html.count('fill-opacity="1"') == 5  # a triangle of ones: a rectangle a row
    assert "row of R, first on top against round of an input" in html
