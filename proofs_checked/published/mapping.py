"""Label -> kind -> file -> verdict -> transitive -> method, a row a claim, as a page and as text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcert.proofs_checked.discovery import files
from dpcert.proofs_checked.graph import transitive
from dpcert.proofs_checked.ledger import Claim, Standing
from dpcert.proofs_checked.proofs import proof_words

if TYPE_CHECKING:
    from jinja2 import Environment

KINDS = {
    "thm": "theorem", "th": "theorem", "lem": "lemma", "lemma": "lemma", "prop": "proposition", "cor": "corollary",
    "def": "definition", "defn": "definition", "fact": "fact", "rem": "remark", "assume": "assumption",
    "alg": "algorithm", "fig": "figure", "eq": "display", "sec": "section", "subsec": "section",
}  # fmt: skip
"""What stands before the colon of a label -> what it labels."""


@dataclass(frozen=True)
class MappedClaim:
    """One row of the mapping.

    Attributes:
        entry: The claim.
        file: Where its check stands, from the top of the project.
        direct: Its own standing.
        passed_on: The weakest standing among it and what it rests on.
    """

    entry: Claim
    file: str
    direct: Standing
    passed_on: Standing

    @property
    def kind(self) -> str:
        """What the label labels: a theorem, a section."""
        return KINDS[self.entry.label.partition(":")[0]]

    @property
    def method(self) -> str:
        """How it is decided, and what Coq has proved of it."""
        method = self.entry.method
        return ", ".join(filter(None, (method and method.value, proof_words(self.entry.theorems)))) or "cited"


def mapped(claims: Mapping[str, Claim], standings: Mapping[str, str]) -> list[MappedClaim]:
    """Every claim, those of one label together, labels in the order of their first rows.

    Args:
        claims: The ledger.
        standings: Id -> standing, as it is pinned; UNDECIDED without.
    Raises: LedgerError: claims that rest on themselves.
    """
    direct = {name: Standing(standings.get(name, "UNDECIDED")) for name in claims}
    below, where = transitive(direct, claims), files()
    labels = {entry.label: number for number, entry in reversed(list(enumerate(claims.values())))}
    ordered = sorted(claims.values(), key=lambda entry: labels[entry.label])
    return [MappedClaim(e, where.get(e.id, "-"), direct[e.id], below[e.id]) for e in ordered]


def as_text(rows: list[MappedClaim]) -> str:
    """A line a claim, its cells two spaces apart at least."""
    cells = [(row.entry.id, row.kind, row.file, row.direct.value, row.passed_on.value, row.method) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in cells
    )


def as_page(rows: list[MappedClaim]) -> str:
    """The mapping as a page of its own."""
    counts = {standing: sum(row.direct is standing for row in rows) for standing in Standing}
    groups: dict[str, list[MappedClaim]] = {}
    for row in rows:
        groups.setdefault(row.entry.label, []).append(row)
    page = _environment().get_template("mapping.html.j2")
    return page.render(groups=groups, counts={s: n for s, n in counts.items() if n}, total=len(rows)) + "\n"


def _environment() -> "Environment":
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loaders = [PackageLoader("dpcert.proofs_checked"), PackageLoader("dpcert.audit.render")]
    return Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
