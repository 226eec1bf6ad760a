"""The tables of numbers on a page: epsilon first, decimals before fractions, adaptive beside fixed stream."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpcert.audit.algebra.decimals import ROUNDED_UP, up
from dpcert.audit.algebra.enclosure import logarithm
from dpcert.audit.algebra.rational import parse
from dpcert.audit.render import tables
from dpcert.audit.render.cells import Cell, Table

FIGURE_SPACE = "\u2007"
"""As wide as a digit."""
_DECIMAL = re.compile(r"(?P<whole>(≈ )?\d+)(\.\d+)?")


def deltas(document: Mapping[str, Any]) -> Table:
    """delta at each epsilon asked for, and what feedback adds."""
    exact = tables.deltas(document)
    rows = tuple((_nats(e), e, *rest) for e, *rest in exact.rows)
    columns = ("ε", "e^ε", "δ", "δ", "gap")
    spans = (("", 2), ("adaptive", 1), ("fixed stream", 1), ("", 1))
    return Table("δ for a given ε", columns, rows, exact.note, spans=spans)


def epsilons(document: Mapping[str, Any]) -> Table:
    """epsilon for each delta asked for."""
    made = tables.epsilons(document)
    spans = (("", 1), ("adaptive", 2), ("fixed stream", 2))
    return replace(made, columns=("δ", "ε", "e^ε", "ε", "e^ε"), spans=spans)


def deltas_at_epsilons(document: Mapping[str, Any]) -> Table:
    """delta at each epsilon asked for in nats."""
    spans = (("", 1), ("adaptive", 1), ("fixed stream", 1))
    return replace(tables.deltas_at_epsilons(document), columns=("ε", "δ", "δ"), spans=spans)


def _nats(exp_epsilon: Cell) -> Cell:
    """ln of a rational that a cell shows, rounded up: more privacy than there is is never promised by rounding."""
    value = parse(exp_epsilon.full or exp_epsilon.text, "exp_epsilon")
    if value == 1:
        return Cell("0", number=True)
    return Cell(f"{ROUNDED_UP}{up(logarithm(value).finite().upper)}", number=True)


def aligned(table: Table) -> Table:
    """The decimals of each column below each other: figure spaces stand in for the digits that are missing."""
    columns = [_padded([row[i] for row in table.rows]) for i in range(len(table.columns))]
    return replace(table, rows=tuple(zip(*columns, strict=True)))


def _padded(cells: list[Cell]) -> list[Cell]:
    heads = [_head(cell) for cell in cells]
    return [
        replace(cell, pad=FIGURE_SPACE * (max(heads) - head)) if head else cell
        for cell, head in zip(cells, heads, strict=True)
    ]


def _head(cell: Cell) -> int:
    """The width of what stands before the point; 0 for what is no decimal."""
    found = _DECIMAL.fullmatch(cell.lead) if cell.number else None
    return 0 if found is None else len(found["whole"])
