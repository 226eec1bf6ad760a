"""The evidence behind Checklist 1 and the requirements, in blocks that fold; equal witnesses are one block."""

from collections.abc import Iterator, Mapping
from json import dumps
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.render.cells import Table, plain
from dpcert.audit.render.rounds import LetteredCurve, vertices
from dpcert.audit.render.witnesses import shown
from dpcert.audit.render.words import Document, verdict_of


@frozen
class Block:
    """One piece of evidence: a heading, tables, power functions to draw, and a few lines for a terminal."""

    title: str
    tables: tuple[Table, ...]
    curves: tuple[LetteredCurve, ...] = ()
    caption: str = ""
    brief: tuple[str, ...] = ()

    @property
    def vertices(self) -> list[Table]:
        """The exact vertices of what is drawn."""
        return [vertices(curve) for curve in self.curves]


TWO_CURVES = "The power functions of that round's release alone, A and B."


def refuted(document: Document) -> list[Block]:
    """The witness of every condition and rung that is REFUTED, each witness once, with all that it refutes."""
    return [_block(names, witness) for names, witness in _grouped(_of_checklist(document))]


def claims(document: Document) -> list[Block]:
    """The witness of every requirement that is not met, those apart that the checklist shows."""
    seen = {_key(witness) for _, witness in _of_checklist(document)}
    asked = ((plain(one.get("requirement", "requirement")), one) for one in document["requirements"])
    found = ((name, one["witness"]) for name, one in asked if _shows(one) and _key(one["witness"]) not in seen)
    return [_block(names, witness) for names, witness in _grouped(found)]


def certified(document: Document) -> list[Block]:
    """The strongest certificate that holds and that the record spells out."""
    conditions = [
        (plain(rung["rung"]), rung["witness"])
        for one in document["checklist"]
        for rung in _rungs(one)
        if verdict_of(rung) == "HOLDS" and {"index_sets", "round_power"} <= set(rung.get("witness") or ())
    ]
    from dpcert.audit.render.certificate import certificate

    for names, witness in _grouped(conditions)[:1]:
        evidence = certificate(witness)
        caption = "Every distinct g_t, by letter; the dotted diagonal leaks nothing."
        if evidence.left_out:
            caption += f" {evidence.left_out} more are left out here; the JSON record has them."
        return [Block(f"Certificate {_joined(names)}: {evidence.what}", (evidence.table,), evidence.curves, caption)]
    return []


def brief(document: Document) -> Iterator[str]:
    """A few lines for each witness that the sentences of the checklist do not spell out."""
    for block in (*claims(document), *refuted(document)):
        if block.brief:
            yield f"Evidence against {block.title}"
            yield from (f"  {line}" for line in block.brief)


def _block(names: list[str], witness: Mapping[str, Any]) -> Block:
    made = shown(witness)
    title = f"{_joined(names)}: {made.what}"
    return Block(title, made.tables, made.curves, TWO_CURVES if made.curves else "", made.brief)


def _of_checklist(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for one in document["checklist"]:
        if _shows(one):
            yield plain(one["item"]).replace("_", " ").lower(), one["witness"]
        for rung in _rungs(one):
            if _shows(rung):
                yield plain(rung.get("rung", "rung")), rung["witness"]


def _rungs(condition: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [rung for rung in condition.get("rungs", ()) if isinstance(rung, Mapping)]


def _shows(finding: Mapping[str, Any]) -> bool:
    return verdict_of(finding) == "REFUTED" and bool(finding.get("witness"))


def _grouped(found: Any) -> list[tuple[list[str], Mapping[str, Any]]]:
    """Equal witnesses together, in the order in which they come first."""
    made: dict[str, tuple[list[str], Mapping[str, Any]]] = {}
    for name, witness in found:
        made.setdefault(_key(witness), ([], witness))[0].append(name)
    return list(made.values())


def _key(witness: Mapping[str, Any]) -> str:
    return dumps(witness, sort_keys=True)


def _joined(names: list[str]) -> str:
    """`SCALAR, VECTOR and CONTEXT_STABLE`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
