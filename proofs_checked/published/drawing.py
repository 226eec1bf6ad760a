"""The graph of the ledger as SVG and as GraphML: what rests on what, with direct and transitive standings."""

import io
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from dpcert.proofs_checked.graph import resting
from dpcert.proofs_checked.ledger import Claim, Standing
from dpcert.proofs_checked.published.mapping import MappedClaim

if TYPE_CHECKING:
    import networkx as nx

COLOURS = {
    Standing.HOLDS: "#0b6b4f", Standing.CITED: "#5a6675", Standing.CONDITIONAL: "#3b4fb8",
    Standing.AMBIGUOUS: "#b5467f", Standing.UNDECIDED: "#7a5200", Standing.REFUTED: "#a8201a",
}  # fmt: skip
COLUMN, ROW, BOX, HEIGHT = 330, 18, 262, 14
"""Units of the drawing: from column to column, from row to row, and the size of a box."""
LETTERS = 42
"""Letters of a name that fit into a box; the whole id is its title."""
TOP = 46
"""Units: where the boxes begin, below the legend."""


def graph_of(rows: list[MappedClaim], claims: Mapping[str, Claim]) -> "nx.DiGraph[str]":
    """An edge from each claim to every claim that it uses directly; standings, method and file at the nodes."""
    graph = resting(claims)
    for row in rows:
        graph.nodes[row.entry.id].update(
            label=row.entry.label, kind=row.kind, row="" if row.entry.row is None else str(row.entry.row),
            verdict=row.direct.value, transitive=row.passed_on.value, method=row.method, file=row.file,
            says=row.entry.statement,
        )  # fmt: skip
    return graph


def as_graphml(rows: list[MappedClaim], claims: Mapping[str, Claim]) -> bytes:
    """The graph as GraphML."""
    import networkx as nx

    written = io.BytesIO()
    nx.write_graphml_xml(graph_of(rows, claims), written, prettyprint=True)
    return written.getvalue() + b"\n"


def as_svg(rows: list[MappedClaim], claims: Mapping[str, Claim]) -> str:
    """The graph as a picture: a claim stands right of all that it rests on.

    A box has the colour of the claim's own standing, and the edge of its box that of the transitive one.
    """
    graph = graph_of(rows, claims)
    columns = _columns(graph)
    at = {n: (12 + COLUMN * c, TOP + ROW * r) for c, names in enumerate(columns) for r, n in enumerate(names)}
    width, height = 12 + COLUMN * len(columns), TOP + ROW * max(map(len, columns)) + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="DejaVu Sans, sans-serif" font-size="9">',
        f"<title>What the {len(rows)} claims of the ledger rest on</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *_legend(),
        *(_edge(at[user], at[used]) for user, used in sorted(graph.edges)),
        *(_box(row, *at[row.entry.id]) for row in rows),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _columns(graph: "nx.DiGraph[str]") -> list[list[str]]:
    """Names by the longest way down to what rests on nothing, those of one column near what they rest on."""
    import networkx as nx

    columns = [sorted(names) for names in nx.topological_generations(graph.reverse())]
    place = {name: number for names in columns for number, name in enumerate(names)}
    for names in columns[1:]:
        names.sort(key=lambda name: (sum(place[used] for used in graph[name]) / len(graph[name]), name))
        place.update((name, number) for number, name in enumerate(names))
    return columns


def _legend() -> list[str]:
    words = [(standing, 12 + 110 * number) for number, standing in enumerate(COLOURS)]
    boxes = [
        f'<rect x="{x}" y="10" width="10" height="10" fill="{COLOURS[standing]}"/>'
        f'<text x="{x + 15}" y="19" fill="#1b2430">{standing.value}</text>'
        for standing, x in words
    ]
    said = "A box: the claim's own verdict; its frame: the weakest of all that it rests on, to its left."
    return [*boxes, f'<text x="12" y="36" fill="#1b2430">{said}</text>']


def _edge(user: tuple[int, int], used: tuple[int, int]) -> str:
    (x, y), (u, v) = (used[0] + BOX, used[1] + HEIGHT // 2), (user[0], user[1] + HEIGHT // 2)
    middle = (x + u) // 2
    return f'<path d="M{x} {y}C{middle} {y} {middle} {v} {u} {v}" fill="none" stroke="#a8b0ba" stroke-width="0.6"/>'


def _box(row: MappedClaim, x: int, y: int) -> str:
    number = "" if row.entry.row is None else f"{row.entry.row} "
    name = number + row.entry.name
    caption = name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
    verdicts = f"{row.direct.value}, transitive {row.passed_on.value}"
    return (
        f"<g><title>{escape(f'{row.entry.id}: {row.entry.statement} {verdicts}')}</title>"
        f'<rect x="{x}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="2" fill="{COLOURS[row.direct]}" '
        f'stroke="{COLOURS[row.passed_on]}" stroke-width="3"/>'
        f'<text x="{x + 5}" y="{y + 10}" fill="#ffffff">{escape(caption)}</text></g>'
    )
