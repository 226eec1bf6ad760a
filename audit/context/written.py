"""A context as it is written: TOML with no key that nothing reads, its delta exact."""

import datetime
import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from fractions import Fraction
from functools import cache
from importlib.resources import files
from os import PathLike, fspath
from typing import Any, cast

from dpcert.audit.algebra.rational import text, written
from dpcert.audit.context.document import ContextDocument
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.toml import Table, check_keys, check_schema, parsed

MOST_CONTEXT_BYTES = 100_000
"""Bytes of a context file past which it is refused."""


@cache
def schema() -> Any:
    """The JSON Schema of a context."""
    return json.loads(files("dpcert.audit.context").joinpath("schemas/context-1.json").read_text(encoding="utf-8"))


def context(source: str | PathLike[str] | Mapping[str, Any]) -> ContextDocument:
    """What is declared, in a TOML file or as the table that one would hold.

    Raises: ArgumentError: nothing to read, no TOML, a key that nothing reads, or a value of another kind.

    >>> context({"delta": "1e-8", "trust_model": "central"})
    {'delta': '1/100000000', 'trust_model': 'central'}
    """
    if isinstance(source, Mapping):
        return checked(source, "the given context")
    if not isinstance(source, str | PathLike):
        raise expected("a context as a file or a table", context=source)
    path = fspath(source)
    return checked(parsed(path, "context", MOST_CONTEXT_BYTES), path)


def checked(table: Table, name: str) -> ContextDocument:
    """The table as a document, held against the schema; `name` is what errors call it.

    Raises: ArgumentError: a key that nothing reads, or a value of another kind.
    """
    check_keys(name, _tables(table))
    plain = _plain(table)
    check_schema(name, "context", plain, schema())
    if "delta" in plain:
        delta = written(str(plain["delta"]), "delta")
        if not 0 <= delta <= 1:
            raise ArgumentError(f"{expected('a delta in [0, 1]', delta=delta)} (in {one_line(name)})")
        plain["delta"] = text(delta)
    return cast(ContextDocument, plain)


def _tables(table: Table) -> Iterator[tuple[str, Any, list[str]]]:
    """Every table of a context with its name and the keys that are read of it."""
    properties = schema()["properties"]
    yield "", table, list(properties)
    for name in ("unit", "registry"):
        yield name, table.get(name, {}), list(properties[name]["properties"])
    registry = table.get("registry", {})
    curators = registry.get("data_curators", []) if isinstance(registry, Mapping) else []
    kinds = list(properties["registry"]["properties"]["data_curators"]["items"]["properties"])
    for number, one in enumerate(curators if isinstance(curators, list) else (), 1):
        yield f"registry.data_curators {number}", one, kinds


def _plain(table: Table) -> dict[str, Any]:
    """A copy that nobody changes later, in which a day and an exact number are texts."""
    copy = deepcopy(dict(table))
    registry = copy.get("registry")
    if isinstance(registry, dict) and type(registry.get("publication_date")) is datetime.date:
        registry["publication_date"] = registry["publication_date"].isoformat()
    if isinstance(copy.get("delta"), Fraction):
        copy["delta"] = text(copy["delta"])
    return copy
