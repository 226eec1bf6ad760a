"""Numbers on the page: decimals first and below each other, and no line that is too long, at any horizon."""

import re
from fractions import Fraction
from typing import Any

import pytest
from instances.random_core import random_core
from instances.rendered import Elements, document

from dpcert.audit.algebra.enclosure import logarithm
from dpcert.audit.algebra.rational import parse
from dpcert.audit.render import numbers
from dpcert.audit.render.cells import Cell, Table
from dpcert.audit.render.page import page
from dpcert.audit.render.text import summary
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

LONGEST_LINE = 400


def test_epsilon_comes_first_and_is_rounded_up(two_round: dict[str, Any]) -> None:
    made = numbers.deltas(two_round)
    assert made.columns[:2] == ("ε", "e^ε")
    assert sum(count for _, count in made.spans) == len(made.columns)
    for row in made.rows:
        exact = logarithm(parse(row[1].full or row[1].text, "e"))
        said = Fraction(row[0].text.removeprefix("≈ "))
        assert said >= exact.finite().upper - Fraction(1, 10**20)
        assert said - exact.finite().lower < Fraction(1, 10**5) * max(said, 1)


@pytest.mark.parametrize("seed", range(8))
def test_points_stand_below_each_other(seed: int) -> None:
    record = document(random_core(seed, 2, 3, 2), horizon=2)
    for table in (numbers.aligned(numbers.deltas(record)), ragged()):
        for column in zip(*table.rows, strict=True):
            decimals = [cell for cell in column if cell.number and re.fullmatch(r"(≈ )?\d+(\.\d+)?", cell.lead)]
            assert len({len(cell.pad + cell.lead.partition(".")[0]) for cell in decimals}) <= 1


def ragged() -> Table:
    cells = [("1/2", "0.5"), ("2021/25", "80.84"), ("100", ""), ("infinite", ""), ("1/3", "≈ 0.333333")]
    return numbers.aligned(Table("", ("δ",), tuple((Cell(text, aside, number=True),) for text, aside in cells)))


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("mechanism", "horizon"),
    [(RandomizedResponse(), 100), (BinaryTree(), 16), (TwoRoundRepeated(), 12)],
    ids=["randomized-response", "binary-tree", "two-round-repeated"],
)
def test_no_line_is_too_long(mechanism: object, horizon: int) -> None:
    record = document(mechanism, horizon=horizon)
    record["parameters"] |= {"table": ", ".join(map(str, range(500)))}
    record["scope"]["alphabet"] = [f"input {n}" for n in range(300)]
    assert max(map(len, summary(record).splitlines())) <= LONGEST_LINE
    html = re.sub(r"<(style|code)\b.*?</\1>", "", page(record), flags=re.DOTALL)
    assert max(len(line) for part in Elements(html).text for line in part.splitlines()) <= LONGEST_LINE
