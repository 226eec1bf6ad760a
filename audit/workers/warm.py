"""A warm process: it has read dpcert once, and carries out one order after the other until nobody holds its other end.

It has one thread and was begun anew, so that copies of it (`fork`) are sound whoever began it; and it ends, with all
that it began, when whoever asks it does, however that ends.
"""

import os
import pickle
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dpcert.audit.outside.fresh_process import POSSIBLE, Lost, read_message, write_message
from dpcert.audit.workers.order import FailedOrder, Order


@dataclass
class Warm:
    """The end of a warm process that asks."""

    _process: subprocess.Popen[bytes]

    @classmethod
    def started(cls) -> "Warm":
        """A new one."""
        command = [sys.executable, "-P", "-m", __name__]
        return cls(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, bufsize=0)
        )

    def answer(self, order: Order) -> Any:
        """What an order comes to. Raises: Lost: the process ended; whatever the order raises."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None  # both are pipes
        assert answers is not None
        try:
            write_message(requests.fileno(), pickle.dumps(order))
            said = pickle.loads(read_message(answers.fileno()))
        except (OSError, EOFError, ValueError):
            raise Lost("the warm process of a worker ended and gave no answer") from None
        if isinstance(said, FailedOrder):
            raise said.error
        return said

    def close(self) -> None:
        """Ends the process and all that it began."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL) if POSSIBLE else self._process.kill()
        self._process.wait()
        for end in (self._process.stdin, self._process.stdout):
            if end is not None:
                end.close()


def main() -> None:
    """Carries out orders from standard input, and answers on standard output; what else is printed goes to errors."""
    requests, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if POSSIBLE:
        _watch(requests, answers)
    while True:
        try:
            request = read_message(requests)
        except EOFError:
            return
        try:
            said: Any = pickle.loads(request).carried_out()
        except Exception as error:  # noqa: BLE001 - whoever asked hears it
            said = FailedOrder(error)
        write_message(answers, pickle.dumps(said))


def _watch(requests: int, answers: int) -> None:
    """A process beside this one that ends the whole group when nobody holds the other end of the requests."""
    if os.fork():
        return
    os.close(answers)  # or whoever asks would not hear that the other process ended
    waiting = select.poll()
    waiting.register(requests, 0)  # an end that nobody holds is always told
    waiting.poll()
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
