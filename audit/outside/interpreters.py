"""Other interpreters: the target read once more in processes of their own, each with another secret of its hashes."""

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.outside.fresh_process import Lost

OTHERS = 4
"""Interpreters asked: two strings in a set stand in the same order in one of them as here with chance 1/2."""
_PLAYER = "dpcert.audit.steadiness.elsewhere"


@frozen
class Elsewhere:
    """What another interpreter answers: the inputs of the alphabet in exact words, and each run round by round."""

    alphabet: tuple[str, ...]
    runs: list[list[str]]


@dataclass(eq=False, repr=False)
class Interpreters:
    """Processes that read a target as the command line does, and play live runs of it.

    Args:
        target: The target, as it was named.
        parameters: Its parameters, as they were spelled.
        folders: Where it imports from, behind what every interpreter has.
    """

    target: str
    parameters: Mapping[str, str]
    folders: tuple[str, ...] = ()
    _processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self) -> bool:
        """Makes the processes, if any can be made; they read the target while this one goes on."""
        try:
            self._start()
        except OSError:
            self.close()
        return bool(self._processes)

    def _start(self) -> None:
        for seed in range(1, OTHERS + 1 if sys.executable else 1):
            self._processes.append(
                subprocess.Popen(
                    [sys.executable, "-P", "-m", _PLAYER],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONHASHSEED": str(seed)},
                    start_new_session=True,  # an interrupt is for this process, which ends them
                )
            )
            self._say(self._processes[-1], [self.target, dict(self.parameters), self.folders])

    def ask(self, runs: object, seconds: int) -> list[Elsewhere]:
        """What each process answers. Raises: Lost: no answer within the time, or none at all."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(OTHERS) as all_at_once:
            try:
                return list(all_at_once.map(lambda one: _answer(one, pickle.dumps(runs), seconds), self._processes))
            except BaseException:  # an interrupt as well: nobody waits for the others then
                for process in self._processes:
                    process.kill()
                raise

    def close(self) -> None:
        """Ends the processes."""
        for process in self._processes:
            with suppress(OSError):
                process.kill()
            with suppress(OSError, ValueError):
                process.communicate()
        self._processes.clear()

    @staticmethod
    def _say(process: "subprocess.Popen[bytes]", what: Any) -> None:
        if process.stdin is None:
            raise Lost("another interpreter cannot be spoken to")
        with suppress(OSError):  # it has ended: asking says so
            process.stdin.write(pickle.dumps(what))
            process.stdin.flush()


def _answer(process: "subprocess.Popen[bytes]", runs: bytes, seconds: int) -> Elsewhere:
    try:
        out, _ = process.communicate(runs, timeout=seconds)
        answer = pickle.loads(out)
    except (OSError, EOFError, ValueError, pickle.PickleError, subprocess.TimeoutExpired) as error:
        raise Lost(f"another interpreter gave no answer ({type(error).__name__})") from None
    if not isinstance(answer, Elsewhere):
        raise Lost(f"another interpreter could not read the target: {answer}")
    return answer
