"""Tables in JSON files: every key once, every number finite, and no file too large."""

import json
from pathlib import Path
from typing import Any

from dpcert.audit.algebra.rational import parse
from dpcert.audit.errors import ArgumentError, expected, one_line

MOST_STRATEGY_BYTES = 100_000_000
"""Bytes of a description."""


def json_table(path: str) -> Any:
    """What a JSON file holds, every key once, numbers finite.

    Raises: ArgumentError: no such file, no JSON, or one too large.
    """
    try:
        if Path(path).stat().st_size > MOST_STRATEGY_BYTES:
            raise expected(f"a description of at most {MOST_STRATEGY_BYTES} bytes", file=one_line(path))
        return json.loads(
            Path(path).read_text(encoding="utf-8"), object_pairs_hook=_once, parse_constant=_refuse, parse_int=_whole
        )
    except ArgumentError:
        raise
    except OSError as error:
        raise ArgumentError(f"Expected a strategy in a file but got {one_line(path)}: {one_line(str(error))}") from None
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"Expected JSON but got {one_line(path)}: {one_line(str(error))}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ArgumentError("Expected every key once but got one twice")
    return table


def _refuse(text: str) -> object:
    raise expected("finite numbers", strategy=text)


def _whole(text: str) -> int:
    return int(parse(text, "strategy"))
