"""A suite as it is written: TOML whose decimals stay exact, with no key that nothing reads."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.toml import Table, check_keys, check_schema, parsed

PYPROJECT = "pyproject.toml"
MOST_SUITE_BYTES = 10_000_000
"""Bytes of a suite file past which it is refused."""


@cache
def schema() -> Any:
    """The JSON Schema of a suite."""
    return json.loads(files("dpcert.audit.suites").joinpath("schemas/suite-1.json").read_text(encoding="utf-8"))


def read(path: str) -> Table:
    """The suite that a file holds, or the table `tool.dpcert` of a pyproject.toml.

    Raises: ArgumentError: nothing to read, no TOML, a key that nothing reads, or a value of another kind.
    """
    table: Any = parsed(path, "suite", MOST_SUITE_BYTES)
    if Path(path).name == PYPROJECT:
        table = table.get("tool", {}).get("dpcert") if isinstance(table.get("tool"), dict) else None
        if not isinstance(table, dict):
            raise ArgumentError(f"Expected a table [tool.dpcert] in {one_line(path)} but got none")
    found: Table = table
    check_keys(path, _tables(found))
    check_schema(path, "suite", found, schema())
    return found


def _tables(table: Table) -> Iterator[tuple[str, Any, list[str]]]:
    """Every table of a suite with its name and the keys that are read of it."""
    yield "", table, _known("")
    yield "defaults", table.get("defaults", {}), _known("keys")
    sections = table.get("audit", {})
    for name, section in sections.items() if isinstance(sections, dict) else ():
        yield f"audit.{name}", section, _known("section")
        cases = section.get("case", []) if isinstance(section, dict) else []
        for number, case in enumerate(cases if isinstance(cases, list) else (), 1):
            yield f"audit.{name}.case {number}", case, _known("entry")


def _known(kind: str) -> list[str]:
    """The keys that a kind of table has."""
    whole = schema()
    if not kind:
        return list(whole["properties"])
    own = whole["$defs"][kind]["properties"]
    return list(own if kind == "keys" else whole["$defs"]["keys"]["properties"] | own)
