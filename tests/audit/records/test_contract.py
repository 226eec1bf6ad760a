"""Each document's type says what its JSON Schema says: the same keys, the same ones required, part by part."""

import json
from collections.abc import Iterator
from importlib.resources import files
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from dpcert import examine
from dpcert.audit.records.beside import said, with_page
from dpcert.audit.records.command_case import CommandCaseDocument
from dpcert.audit.records.contract import IntervalDocument, RecordDocument
from dpcert.audit.records.record import Record
from dpcert.audit.records.section import Figure, Section
from dpcert.mechanisms.accounting.document import GaussianDocument
from dpcert.mechanisms.design.plan import PlanDocument
from dpcert.mechanisms.foreign.event_report import EventDocument
from dpcert.mechanisms.learning.plan_document import SgdPlanDocument
from dpcert.mechanisms.matrix_audit.document import MatrixDocument
from dpcert.mechanisms.probe.document import ProbeDocument
from dpcert.mechanisms.training.document import SgdDocument
from dpcert.mechanisms.two_round import TwoRound

LOOSER = {
    (RecordDocument, "headline"): "records of before it was written are read as well",
    (RecordDocument, "game_digest"): "the same",
    (Section, "title"): "a mechanism may add sections of its own form",
    (Section, "text"): "the same",
    (Section, "columns"): "the same",
    (Section, "rows"): "the same",
    (Section, "brief"): "the same",
    (Figure, "legend"): "of pages that are no record's",
}
"""Where the schema takes more, or other, than what we write: type, key and why."""
JSON_TYPES: dict[object, str] = {str: "string", int: "integer", bool: "boolean", dict: "object", list: "array"}


def schema(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(files("dpcert.audit.records").joinpath(f"schemas/{name}.json").read_text("utf-8"))
    return read


def resolved(node: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """What a node says, and what those that it refers to say."""
    if "$ref" not in node:
        return node
    return resolved(whole["$defs"][node["$ref"].rpartition("/")[2]], whole)


def options(node: dict[str, Any], whole: dict[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of a node, `null` left out."""
    node = resolved(node, whole)
    if "oneOf" in node:
        return [one for each in node["oneOf"] for one in options(each, whole)]
    return [] if node.get("type") == "null" else [node]


def disagreements(kind: Any, node: dict[str, Any], whole: dict[str, Any], where: str = "$") -> Iterator[str]:
    """Where a type and a node of a schema say different things."""
    alternatives = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    kinds = [one for one in alternatives if one is not NoneType]
    found = options(node, whole)
    if len(kinds) > 1:  # told apart by their keys
        found.sort(key=lambda one: sorted(one["properties"]))
        kinds.sort(key=lambda one: sorted(one.__annotations__))
    if len(kinds) != len(found):
        yield f"{where}: {len(kinds)} types, {len(found)} in the schema"
        return
    for one, other in zip(kinds, found, strict=True):
        yield from one_disagreement(one, other, whole, where)


def one_disagreement(kind: Any, node: dict[str, Any], whole: dict[str, Any], where: str) -> Iterator[str]:
    """The same, of a type without alternatives."""
    if is_typeddict(kind):
        yield from of_keys(kind, node, whole, where)
    elif get_origin(kind) is list:
        yield from disagreements(get_args(kind)[0], node.get("items", {}), whole, f"{where}[]")
    elif get_origin(kind) is not Literal and kind is not Any:
        said = node.get("type", "string" if "enum" in node or "const" in node else None)
        said = next(one for one in said if one != "null") if isinstance(said, list) else said
        wanted = JSON_TYPES[get_origin(kind) or kind]
        if said != wanted:
            yield f"{where}: {wanted} by type, {said} by schema"


def of_keys(kind: Any, node: dict[str, Any], whole: dict[str, Any], where: str) -> Iterator[str]:
    """The same, of a type with keys; an object whose keys a schema leaves open is not looked into."""
    if "properties" not in node:
        return
    hints, known = get_type_hints(kind), node["properties"]
    loose = {key for of, key in LOOSER if of is kind}
    for key in sorted((hints.keys() ^ known.keys()) - loose):
        yield f"{where}: {key} in one alone"
    required = set(kind.__required_keys__)
    for key in sorted((required ^ set(node.get("required", ()))) - loose):
        yield f"{where}: {key} required by one alone"
    for key in hints.keys() & known.keys():
        yield from disagreements(hints[key], known[key], whole, f"{where}.{key}")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (RecordDocument, "audit-1"),
        (PlanDocument, "plan-1"),
        (SgdPlanDocument, "plan-sgd-1"),
        (SgdDocument, "sgd-run-1"),
        (GaussianDocument, "gaussian-1"),
        (MatrixDocument, "matrix-1"),
        (EventDocument, "event-1"),
        (CommandCaseDocument, "case-1"),
        (ProbeDocument, "probe-1"),
    ],
)  # fmt: skip
def test_types_and_schema_agree(kind: Any, name: str) -> None:
    whole = schema(name)
    assert list(disagreements(kind, whole, whole)) == []


def test_what_the_schema_takes_beyond_the_types_is_still_so() -> None:
    """An exception that is none any more is taken out of the list."""
    whole = schema("audit-1")
    section = whole["properties"]["sections"]["items"]
    assert {key for of, key in LOOSER if of is Section}.isdisjoint(section["properties"])
    assert "legend" not in section["properties"]["figure"]["properties"]
    assert "headline" not in whole["required"]


def test_keys_are_written_in_the_order_of_the_type() -> None:
    made, keys = examine(TwoRound()), list(RecordDocument.__annotations__)
    assert list(made.document) == [key for key in keys if key not in ("context", "page", "sampled")]
    whole = Record(with_page(made.in_context({}).in_context({}).document, said("a title", None)))
    assert list(whole.document) == list(whole.in_context({}).document) == [key for key in keys if key != "sampled"]


class More(IntervalDocument):
    """An interval with a key too many."""

    middle: str


class Fewer(TypedDict):
    """One end."""

    lower: str


class Optional(TypedDict):
    """An end that may be missing."""

    lower: str
    upper: NotRequired[str]


class Numbers(TypedDict):
    """Ends that are no texts."""

    lower: str
    upper: int


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (IntervalDocument, []),
        (More, ["$: middle in one alone", "$: middle required by one alone"]),
        (Fewer, ["$: upper in one alone", "$: upper required by one alone"]),
        (Optional, ["$: upper required by one alone"]),
        (Numbers, ["$.upper: integer by type, string by schema"]),
    ],
)
def test_a_type_that_drifts_is_found(kind: Any, said: list[str]) -> None:
    whole = schema("audit-1")
    assert list(disagreements(kind, whole["$defs"]["ends"], whole)) == said
