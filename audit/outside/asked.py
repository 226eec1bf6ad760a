"""Whose code is asked at the moment, and what it reads from outside: who asks, and how that is refused."""

import os
import sysconfig
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from dpcert.audit.errors import MechanismError, is_of_audit

_STANDARD = tuple({f"{at}{os.sep}" for at in (sysconfig.get_path("stdlib"), Path(os.__file__).resolve().parent)})


class _OpenMembers(threading.local):
    """The members of the user's that this thread is in, innermost last, and the first source that one of them read."""

    found: str | None = None

    def __init__(self) -> None:
        self.members: list[str] = []


ASKED = _OpenMembers()


@dataclass(eq=False, repr=False)
class _Watch:
    """Who watches at the moment, what stood where the watched functions stand now, and what only a profile can see."""

    watching: int = 0
    undo: list[Callable[[], None]] = field(default_factory=list)
    profiled: bool = False
    hooked: bool = False
    homes: tuple[str, ...] = ()
    files: int = 0


WATCH = _Watch()


def from_outside(source: str) -> MechanismError:
    return MechanismError(
        f"Expected {ASKED.members[-1]} to be a function of its inputs and draws: it used {source} (hidden "
        "randomness, or a changed state)"
    )


class AskedAgain(BaseException):
    """Ends code that has caught the refusal of a source and asks again, perhaps without an end."""


def refuse(source: str) -> None:
    if ASKED.found is not None:
        raise AskedAgain
    ASKED.found = source
    raise from_outside(source)


def asker(frame: FrameType | None, direct: bool, *, hashing: bool = False) -> str | None:
    """None where no line of the user's asks; else the library function through which it asks, empty if directly.

    `hashing`: a hash of the user's may ask as well.
    """
    through = ""
    while frame is not None:
        file = frame.f_code.co_filename
        if is_of_audit(file):
            return None
        if not _library(file):
            return None if hashing and frame.f_code.co_name == "__hash__" else through
        if direct or file.startswith("<frozen importlib"):  # a module that is loaded may look around
            return None
        module = frame.f_globals.get("__name__", "")
        through = f"{module}.{frame.f_code.co_name}"
        frame = frame.f_back
    return None


def _library(file: str) -> bool:
    """Whether a file belongs to Python or to an installed package, through which a user's code may ask."""
    if "site-packages" in file:
        return not file.startswith(WATCH.homes or "\0")
    return file.startswith(("<frozen", "<__array", *_STANDARD)) or file.endswith(".pyx")
