"""Fresh processes: copies of this one from before the mechanism was asked anything, each for one run and no more.

A deployment begins with a process in which nothing has run yet. What only the first run of a process shows, and what a
run leaves behind anywhere in it, is seen by comparing such runs with what an audit was told.
"""

import gc
import os
import pickle
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dpcert.audit.errors import one_line
from dpcert.audit.outside.guards import original

POSSIBLE = hasattr(os, "fork") and sys.platform != "win32"
_LENGTH = struct.Struct("!Q")


class Lost(Exception):
    """A run that gave no answer: it took too long, or its process ended."""


@dataclass(eq=False, repr=False)
class Pristine:
    """A process kept as it was when this was made; `run` lets a copy of it do one thing.

    Args:
        play: What a copy does with a request; request and answer are plain values that can be pickled.
    """

    play: Callable[[Any], Any]
    _process: int = 0
    _requests: int = -1
    _answers: int = -1

    def start(self) -> None:
        """Makes the process. It ends with `close`, or when this process ends."""
        down, requests = os.pipe()
        answers, up = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._process = os.fork()
        if not self._process:
            with _never_back():
                os.setpgid(0, 0)
                os.close(requests)
                os.close(answers)
                _silence()
                gc.freeze()  # copies share these pages: a collection would touch all of them
                _serve(self.play, down, up)
        os.close(down)
        os.close(up)
        self._requests, self._answers = requests, answers

    def run(self, request: Any, seconds: int | None) -> Any:
        """What `play` answers in a copy of the process. Raises: Lost: no answer within the time, or none at all."""
        try:
            write_message(self._requests, pickle.dumps(request))
            return pickle.loads(
                read_message(self._answers, None if seconds is None else time.monotonic_ns() + seconds * 10**9)
            )
        except (OSError, EOFError, pickle.PickleError) as error:
            raise Lost(one_line(str(error)) or type(error).__name__) from None

    def close(self) -> None:
        """Ends the process, and any copy of it that still runs."""
        if self._process:
            for end in (self._requests, self._answers):
                with suppress(OSError):
                    os.close(end)
            with suppress(OSError):
                os.killpg(self._process, signal.SIGKILL)
            with suppress(OSError):
                os.waitpid(self._process, 0)
            self._process = 0


class _never_back:  # noqa: N801 - reads as a statement
    """The process inside ends where the block does, whatever happens."""

    def __enter__(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.setprofile(None)
        sys.settrace(None)

    def __exit__(self, *_: object) -> None:
        original(os._exit)(0)  # code that is asked may not end its process, we may


def _silence() -> None:
    """Nothing that a copy prints is seen."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for end in (0, 1, 2):
        os.dup2(nowhere, end)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the process ends


def _serve(play: Callable[[Any], Any], requests: int, answers: int) -> None:
    """Answers requests, each in a copy made for it, until there are no more."""
    while True:
        request = read_message(requests)
        child = os.fork()
        if not child:
            with _never_back():
                os.close(requests)
                write_message(answers, pickle.dumps(play(pickle.loads(request))))
        _, status = os.waitpid(child, 0)
        if status:
            write_message(answers, pickle.dumps(None))


def write_message(end: int, data: bytes) -> None:
    """Writes a message as one. Raises: OSError: nobody is there to read it."""
    whole = _LENGTH.pack(len(data)) + data
    while whole:
        whole = whole[os.write(end, whole) :]


def read_message(end: int, until: int | None = None) -> bytes:
    """The next message, waited for until a moment of the monotonic clock in nanoseconds.

    Raises: Lost: it did not come in time; EOFError: nobody is there to write it.
    """
    size = _LENGTH.unpack(_read_exactly(end, _LENGTH.size, until))[0]
    return _read_exactly(end, size, until)


def _read_exactly(end: int, size: int, until: int | None) -> bytes:
    parts = b""
    while len(parts) < size:
        if until is not None:
            waiting = select.poll()
            waiting.register(end, select.POLLIN)
            if not waiting.poll(max(0, until - time.monotonic_ns()) // 10**6):
                raise Lost("it took too long")
        part = os.read(end, size - len(parts))
        if not part:
            raise EOFError
        parts += part
    return parts
