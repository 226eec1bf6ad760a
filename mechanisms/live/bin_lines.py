"""Bins as JSON lines in a file or on standard output, each of them once."""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from dpcert.audit.commands.output import reason
from dpcert.audit.errors import ArgumentError, OutputError, one_line
from dpcert.mechanisms.live.durable import name_kept
from dpcert.mechanisms.live.session import Bin


def line(out: Bin) -> bytes:
    """A bin as it is written. A text that is no Unicode (half of a pair) is escaped, as it came."""
    document = {"bin": out.number, "round": out.round, "events": out.events}
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


@dataclass
class BinLines:
    """Where bins go.

    Attributes:
        stream: An unbuffered stream: what is written is on its way.
        durable: Whether writing waits for the disk.
        last: The number of the bin written last; 0 before the first.
    """

    stream: FileIO
    durable: bool = False
    last: int = 0

    @classmethod
    def on(cls, path: str, stack: ExitStack) -> "BinLines":
        """A new file, or standard output for `-`."""
        if path == "-":
            if sys.stdout is None:
                raise OutputError("Expected a standard output for the bins but got none")
            sys.stdout.flush()
            return cls(stack.enter_context(FileIO(sys.stdout.fileno(), "w", closefd=False)))
        return cls(writable(path, "w", stack))

    @classmethod
    def behind(cls, path: str, stack: ExitStack, *, bins: int, pending: Sequence[Bin]) -> "BinLines":
        """A file that an earlier run began, behind its last whole line; a new one where there is none.

        Args:
            bins: How many bins left so far.
            pending: Those of them that may not have arrived; a run that died may have written them, or a part.
        Raises: ArgumentError: a file that holds anything else. It stays as it is.
        """
        if path == "-" or not os.path.isfile(path):
            lines = cls.on(path, stack)
            if path != "-" and os.path.isfile(path):
                name_kept(Path(path).absolute())
                lines.durable = True
            return lines
        whole, rest = last_lines(path)
        number, first = _number(whole), bins - len(pending) + 1
        line_of = {out.number: line(out) for out in pending}
        fits = number == 0 or (first - 1 <= number <= bins and whole == line_of.get(number, whole))
        if not fits or not line_of.get(number + 1, b"").startswith(rest):
            last = one_line((rest or whole).decode("utf-8", "replace"), 60)
            raise ArgumentError(
                f"Expected the output of this run, with bins up to {first - 1} or more of {bins}, "
                f"but got output={one_line(path)}, which ends with {last}"
            )
        stream = writable(path, "a", stack)
        name_kept(Path(path).absolute())
        stream.truncate(stream.seek(0, os.SEEK_END) - len(rest))
        return cls(stream, durable=True, last=number)

    def write(self, bins: Sequence[Bin]) -> None:
        """Writes the bins that are not there yet. Raises: OutputError: they cannot be written, or nobody reads them."""
        new = [out for out in bins if out.number > self.last]
        left = memoryview(b"".join(map(line, new)))
        try:
            while left:
                left = left[self.stream.write(left) :]
            if self.durable:
                os.fsync(self.stream.fileno())
        except OSError as error:
            raise OutputError(f"Expected an output that takes the bins but got {reason(error)}") from None
        if new:
            self.last = new[-1].number


def writable(path: str, mode: str, stack: ExitStack) -> FileIO:
    """An unbuffered file. Raises: OutputError: it cannot be written."""
    try:
        return stack.enter_context(FileIO(path, mode))
    except (OSError, ValueError) as error:
        raise OutputError(f"Expected a writable file but got path={one_line(path)} ({reason(error)})") from None


def last_lines(path: str) -> tuple[bytes, bytes]:
    """The last line that ends, and what comes behind it."""
    whole = rest = b""
    with Path(path).open("rb") as lines:
        for read in lines:
            whole, rest = (read, b"") if read.endswith(b"\n") else (whole, read)
    return whole, rest


def _number(last_line: bytes) -> int:
    """The number of the bin that a line holds; 0 for no line, -1 for another line."""
    if not last_line:
        return 0
    try:
        document: Any = json.loads(last_line)
        number = document["bin"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return -1
    return number if type(number) is int and number > 0 else -1
