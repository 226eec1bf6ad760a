"""A suite as it is written: TOML whose decimals stay exact, with no key that nothing reads."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dpcert.audit.errors import ArgumentError, one_line

Table = Mapping[str, Any]
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
    table = _parsed(path)
    if Path(path).name == PYPROJECT:
        table = table.get("tool", {}).get("dpcert") if isinstance(table.get("tool"), dict) else None
        if not isinstance(table, dict):
            raise ArgumentError(f"Expected a table [tool.dpcert] in {one_line(path)} but got none")
    found: Table = table
    _check_keys(path, found)
    _check_schema(path, found)
    return found


def _parsed(path: str) -> Any:
    try:
        if Path(path).stat().st_size > MOST_SUITE_BYTES:
            raise ArgumentError(f"Expected a suite of at most {MOST_SUITE_BYTES} bytes but got suite={one_line(path)}")
        return tomllib.loads(Path(path).read_text(encoding="utf-8"), parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"Expected TOML but got suite={one_line(path)}: {one_line(str(error), 160)}") from None
    except RecursionError:
        raise ArgumentError(f"Expected TOML but got suite={one_line(path)}, nested too deeply") from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ArgumentError(f"Expected a readable suite but got suite={one_line(path)} ({why})") from None
    except ValueError as error:  # no UTF-8, a name that no file can have, an integer of thousands of digits
        if isinstance(error, ArgumentError):
            raise
        why = one_line(str(error), 120)
        raise ArgumentError(f"Expected a readable suite but got suite={one_line(path)} ({why})") from None


def _tables(table: Table) -> Iterator[tuple[str, Any, str]]:
    """Every table of a suite with its name and its kind in the schema."""
    yield "", table, ""
    yield "defaults", table.get("defaults", {}), "keys"
    sections = table.get("audit", {})
    for name, section in sections.items() if isinstance(sections, dict) else ():
        yield f"audit.{name}", section, "section"
        cases = section.get("case", []) if isinstance(section, dict) else []
        for number, case in enumerate(cases if isinstance(cases, list) else (), 1):
            yield f"audit.{name}.case {number}", case, "entry"


def _known(kind: str) -> list[str]:
    """The keys that a kind of table has."""
    whole = schema()
    if not kind:
        return list(whole["properties"])
    own = whole["$defs"][kind]["properties"]
    return list(own if kind == "keys" else whole["$defs"]["keys"]["properties"] | own)


def _check_keys(path: str, table: Table) -> None:
    """Raises: ArgumentError: a key that nothing reads, with the nearest that is read."""
    for name, one, kind in _tables(table):
        known = _known(kind)
        for key in one if isinstance(one, dict) else ():
            if key not in known:
                close = get_close_matches(key, known, n=1)
                hint = f"; did you mean {close[0]}?" if close else ""
                where = f"[{one_line(name, 100)}] of {one_line(path)}" if name else one_line(path)
                raise ArgumentError(f"Expected a key of {where} ({', '.join(known)}) but got {one_line(key, 60)}{hint}")


def _check_schema(path: str, table: Table) -> None:
    """Raises: ArgumentError: a value of another kind."""
    import jsonschema  # here, for only a suite needs it

    worst = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema()).iter_errors(table))
    if worst is not None:
        at = one_line(worst.json_path.removeprefix("$").removeprefix("."), 120) or "it"
        raise ArgumentError(f"Expected a suite but got {one_line(path)} with {at}: {one_line(worst.message, 160)}")
