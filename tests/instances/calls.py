"""Functions that other processes are asked to call: some end the process that calls them, or what asked it to."""

import os
import signal
from pathlib import Path


def square(number: int) -> int:
    """The square."""
    return number * number


def refused(number: int) -> int:
    """Raises for 3."""
    if number == 3:
        raise ValueError(f"no {number}")
    return number


def killed_once(at: tuple[str, int]) -> int:
    """The square of a number; the first process that is asked for that of 3 ends."""
    folder, number = at
    if number == 3 and not (Path(folder) / "killed").exists():
        (Path(folder) / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def worker_killed_once(at: tuple[str, int]) -> int:
    """The same, but what ends is the process that asked the first one."""
    folder, number = at
    if number == 3 and not (Path(folder) / "killed").exists():
        (Path(folder) / "killed").touch()
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
    return number * number


def always_killed(number: int) -> int:
    """The number, but for 3, at which every process ends."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def process(_number: int) -> int:
    """The process that is asked."""
    return os.getpid()
