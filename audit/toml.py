"""TOML that a user wrote: read within a bound, decimals as texts, no key that nothing reads, values of their kinds."""

import os
import select
import tomllib
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from dpcert.audit.errors import ArgumentError, one_line

Table = Mapping[str, Any]
PIPE_PATIENCE = 2_000
"""Milliseconds that a pipe is waited for each time it says nothing; one that nobody writes to is refused then."""


def parsed(path: str, what: str, most: int) -> dict[str, Any]:
    """The table that a file holds; numbers with a point are texts, so that they stay exact.

    Args:
        path: The file.
        what: What it has to be, in a word for errors.
        most: Bytes past which it is refused; no more are read.
    Raises: ArgumentError: nothing to read, too much of it, or no TOML.
    """
    description = f"{what}={one_line(path)}"
    try:
        content = _of_pipe(path, what, most + 1) if Path(path).is_fifo() else _of_file(path, most + 1)
        if len(content) > most:
            raise ArgumentError(f"Expected a {what} of at most {most} bytes but got {description}")
        return tomllib.loads(content.decode("utf-8"), parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"Expected TOML but got {description}: {one_line(str(error), 160)}") from None
    except RecursionError:
        raise ArgumentError(f"Expected TOML but got {description}, nested too deeply") from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ArgumentError(f"Expected a readable {what} but got {description} ({why})") from None
    except ValueError as error:  # no UTF-8, a name that no file can have, an integer of thousands of digits
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"Expected a readable {what} but got {description} ({one_line(str(error), 120)})") from None


def _of_file(path: str, count: int) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(count)


def _of_pipe(path: str, what: str, count: int) -> bytes:
    """At most so many bytes of a pipe, as far as somebody writes to it."""
    content = b""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        while len(content) < count:
            if not poll.poll(PIPE_PATIENCE):
                raise ArgumentError(
                    f"Expected a readable {what} but got {what}={one_line(path)} (a pipe to which nobody writes)"
                )
            part = pipe.read(count - len(content))
            if not part:
                break
            content += part
    return content


def check_keys(path: str, tables: Iterator[tuple[str, Any, Collection[str]]]) -> None:
    """Refuses a key that nothing reads.

    Args:
        path: The file, as errors name it.
        tables: Every table with its name, empty for the whole, and the keys that are read of it.
    Raises: ArgumentError: a key that nothing reads, with the nearest that is read.
    """
    for name, table, keys in tables:
        for key in table if isinstance(table, Mapping) else ():
            if key not in keys:
                close = get_close_matches(str(key), keys, n=1)
                hint = f"; did you mean {close[0]}?" if close else ""
                where = f"[{one_line(name, 100)}] of {one_line(path)}" if name else one_line(path)
                got = one_line(str(key), 60)
                raise ArgumentError(f"Expected a key of {where} ({', '.join(keys)}) but got {got}{hint}")


def check_schema(path: str, what: str, table: Table, schema: Any) -> None:
    """Refuses values of another kind than a JSON Schema says.

    Raises: ArgumentError: the worst of them, with where it stands.
    """
    import jsonschema  # here, for only what a user wrote needs it

    worst = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(table))
    if worst is not None:
        at = one_line(worst.json_path.removeprefix("$").removeprefix("."), 120) or "it"
        long = worst.validator == "maxLength"
        said = f"more than {worst.validator_value} characters" if long else one_line(worst.message, 160)
        raise ArgumentError(f"Expected a {what} but got {one_line(path)} with {at}: {said}")
