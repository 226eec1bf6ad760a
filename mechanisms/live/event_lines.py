"""Events from lines of text or JSON, as they come: a run takes what is there, and waits for no more."""

import json
from collections import deque
from collections.abc import Iterator
from math import isfinite
from typing import Any, Protocol

from dpcert.audit.commands.output import reason
from dpcert.audit.errors import ArgumentError, expected, one_line

CHUNK_BYTES = 2**16
"""Bytes of events read at a time."""


class Source(Protocol):
    """A stream of bytes."""

    def read1(self, size: int, /) -> bytes:
        """What is there, up to `size` bytes; waits for one at least, and gives none at the end."""
        ...


def batches(source: Source, *, jsonl: bool, most: int) -> Iterator[list[Any]]:
    """Events, one a line (ended by a newline, or a return and a newline), at most `most` at a time.

    Raises: ArgumentError: a line that is no UTF-8 or no JSON value, or a last line that does not end; the events of the
    lines before it were given.
    """
    number, pieces, batch = 0, [b""], []
    while chunk := _read(source):
        pieces.append(chunk)
        if b"\n" not in chunk:
            continue
        *lines, rest = b"".join(pieces).split(b"\n")
        pieces = [rest]
        for line in lines:
            number += 1
            try:
                batch.append(_event(line.removesuffix(b"\r"), number, jsonl))
            except ArgumentError:
                if batch:
                    yield batch
                raise
            if len(batch) == most:
                yield batch
                batch = []
        if batch:
            yield batch
            batch = []
    if any(pieces):
        raise ArgumentError(
            f"Expected events that end with their line but got line={number + 1}, which ends in the middle; "
            "those before it were taken"
        )


def behind(blocks: Iterator[list[Any]], count: int, waiting: tuple[Any, ...], name: str) -> Iterator[list[Any]]:
    """The events behind the first `count`, of which the last have to be those that still wait.

    Raises: ArgumentError: there are fewer, or others.
    """
    rest, last = count, deque[Any](maxlen=len(waiting))
    for batch in blocks:
        old, new = batch[:rest], batch[rest:]
        last.extend(old)
        rest -= len(old)
        if old and not rest and tuple(last) != waiting:
            raise expected(f"the {count} events that the lease has taken", events=one_line(name), other_than=waiting[0])
        if new:
            yield new
    if rest:
        raise expected(f"the {count} events that the lease has taken", events=one_line(name), there=count - rest)


def _read(source: Source) -> bytes:
    try:
        return source.read1(CHUNK_BYTES)
    except OSError as error:
        raise ArgumentError(f"Expected events that can be read but got {reason(error)}") from None


def _event(line: bytes, number: int, jsonl: bool) -> Any:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise expected("events in UTF-8", line=number, bytes=line) from None
    if not jsonl:
        return text
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        raise expected("a JSON value on every line", line=number, text=text) from None


def _no_number(text: str) -> None:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number
