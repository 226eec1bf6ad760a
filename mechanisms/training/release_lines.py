"""Released models as JSON lines in a file, each of them once: all that may be seen of a run."""

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from dpcert.audit.commands.output import reason
from dpcert.audit.errors import ArgumentError, OutputError, one_line
from dpcert.mechanisms.learning.pipeline import ReleasedModel
from dpcert.mechanisms.live.bin_lines import last_lines, writable
from dpcert.mechanisms.live.durable import name_kept


def release_line(out: ReleasedModel) -> bytes:
    """A release as it is written; its round is null where a run that died released it and did not write it.

    >>> import numpy as np
    >>> release_line(ReleasedModel(1, np.array([0.5]), 7))
    b'{"release": 1, "round": 7, "model": [0.5]}\\n'
    """
    written = {"release": out.number, "round": out.round or None, "model": out.model.tolist()}
    return json.dumps(written).encode() + b"\n"


@dataclass
class ReleaseLines:
    """Where releases go.

    Attributes:
        stream: An unbuffered file.
        last: The number of the release written last; 0 before the first.
    """

    stream: FileIO
    last: int = 0

    @classmethod
    def behind(cls, path: str, stack: ExitStack, *, releases: int, pending: int) -> "ReleaseLines":
        """A new file where nothing was released; else behind the last whole line of the one that the run began.

        Args:
            releases: Models released so far.
            pending: How many of them, the last ones, may not have been written.
        Raises: ArgumentError: a file that lacks releases or holds something else. It stays as it is.
        """
        if not releases:
            lines = cls(writable(path, "w", stack))
            name_kept(Path(path).absolute())
            return lines
        whole, rest = last_lines(path) if os.path.isfile(path) else (b"", b"")
        number, first = _number(whole), releases - pending
        if not first <= number <= releases:
            least = f"the releases of this run, {first} or more of {releases}"
            raise ArgumentError(f"Expected a file with {least}, but got releases={one_line(path)}, which has {number}")
        stream = writable(path, "a", stack)
        stream.truncate(stream.seek(0, os.SEEK_END) - len(rest))
        return cls(stream, number)

    def write(self, made: Sequence[ReleasedModel]) -> None:
        """Writes the releases that are not there yet, onto the disk. Raises: OutputError: they cannot be written."""
        new = [out for out in made if out.number > self.last]
        left = memoryview(b"".join(map(release_line, new)))
        try:
            while left:
                left = left[self.stream.write(left) :]
            os.fsync(self.stream.fileno())
        except OSError as error:
            raise OutputError(f"Expected a file that takes releases but got {reason(error)}") from None
        if new:
            self.last = new[-1].number


def _number(last_line: bytes) -> int:
    """The number of the release that a line holds; 0 for no line, -1 for another line."""
    if not last_line:
        return 0
    try:
        number = json.loads(last_line)["release"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return -1
    return number if type(number) is int and number > 0 else -1
