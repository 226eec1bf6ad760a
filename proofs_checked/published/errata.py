"""What does not hold as printed: statement, witness, who is affected, what holds instead, and its check."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dpcert.audit.finding import Verdict
from dpcert.proofs_checked.graph import resting
from dpcert.proofs_checked.ledger import NOTHING, Claim, ClaimOutcome, Standing
from dpcert.proofs_checked.verify import decide

if TYPE_CHECKING:
    import networkx as nx

PARTS = {
    Standing.REFUTED: "Refuted as printed",
    Standing.CONDITIONAL: "True under a condition",
    Standing.AMBIGUOUS: "Several readings that differ",
}
"""The parts of the errata, the worst first."""


def errata(
    claims: Mapping[str, Claim], standings: Mapping[str, str], run: Callable[[str], ClaimOutcome] = decide
) -> str:
    """The errata as Markdown; each witness is found anew by the check.

    Args:
        claims: The ledger.
        standings: Id -> standing, as it is pinned: what is refuted, conditional and ambiguous is listed.
        run: Decides a claim by its id.
    Raises: LedgerError: claims that rest on themselves.
    """
    graph = resting(claims)
    lines = ["# Errata", "", "Made by `dpcert claims mapping --write`; statements are paraphrased."]
    for standing, title in PARTS.items():
        names = [name for name in claims if standings.get(name) == standing.value]
        lines += ["", f"## {title}"]
        for name in names:
            lines += ["", *_entry(claims[name], run(name), graph)]
    return "\n".join(lines) + "\n"


def _entry(entry: Claim, outcome: ClaimOutcome, graph: "nx.DiGraph[str]") -> list[str]:
    import networkx as nx

    row = "" if entry.row is None else f" (row {entry.row})"
    affected = sorted(nx.ancestors(graph, entry.id))
    below = ", ".join(f"`{name}`" for name in affected) or "no other claim"
    return [
        f"### `{entry.id}`{row}",
        "",
        f"- **Says**: {_plain(entry.statement)}",
        f"- **Found** ({outcome.standing.value}): {_plain(outcome.finding.detail)}",
        *_witness(outcome.finding.witness),
        f"- **Affected**: {below}.",
        f"- **Instead**: {_plain(_instead(entry, outcome))}",
        *_decided_by(entry),
        f"- **Check**: `dpcert claims show {entry.id}`; scope: {_plain(entry.scope)}.",
    ]


def _witness(witness: Mapping[str, object]) -> list[str]:
    if not witness:
        return []
    text = json.dumps(witness, ensure_ascii=False, default=str)
    return [f"- **Witness**: `{text.replace('`', chr(39))}`"]


def _decided_by(entry: Claim) -> list[str]:
    """Where what is true instead is decided: the same check holds of it, and so do claims of their own."""
    same = entry.control is not NOTHING or entry.condition is not None
    ways = ["the same check, of what is said instead"] * same + [f"`{name}`" for name in entry.instead]
    return [f"- **Decided by**: {'; '.join(ways)}."] if ways else []


def _instead(entry: Claim, outcome: ClaimOutcome) -> str:
    """What holds."""
    if entry.corrected is not None:
        return entry.corrected
    if entry.condition is not None:
        return f"It holds if {entry.condition}."
    reads = {reading: f"{reading}: {Verdict.HOLDS.value}." in outcome.finding.detail for reading in entry.readings}
    true, false = ([reading for reading, holds in reads.items() if holds is word] for word in (True, False))
    return f"It holds read as: {'; '.join(true)}. Not read as: {'; '.join(false)}."


def _plain(words: str) -> str:
    """Words that Markdown takes as they are."""
    return "".join(f"\\{c}" if c in "*_<>[]`\\|" else c for c in words)
