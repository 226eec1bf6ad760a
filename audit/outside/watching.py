"""Randomness and state from outside: sources that a mechanism must not read, watched by name while its code runs.

What is rare, or put back, cannot be seen by repetition. So the sources themselves are watched: `random`, `secrets`,
`os.urandom`, `numpy.random`, `time`, `datetime`, `uuid`, process and thread numbers, the environment, `hash` of what
differs between processes, `id`, other processes and threads, and files that are written or stand for devices.
"""

import io
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from types import FrameType
from typing import Any

from dpcert.audit.outside.asked import ASKED, WATCH, AskedAgain, asker, from_outside, refuse
from dpcert.audit.outside.guards import inside_partial, installed, is_seeded, only_profiled, renamed, source_of
from dpcert.audit.outside.sources import CLOCKS, NOW, draws, is_read

LOOKED_FOR = "random, secrets, os.urandom, numpy.random, time, datetime, uuid, os.environ, hash, id and files"
"""The sources that are watched, in words."""
_LOCK = threading.RLock()


@contextmanager
def watched(member: str) -> Iterator[None]:
    """The user's code inside must not read a source from outside; if it does, that is its answer, caught or not.

    Raises: MechanismError: names the source.
    """
    if not WATCH.watching:
        yield
        return
    before = sys.getprofile()
    profiling = not ASKED.members and WATCH.profiled and (before is None or callable(before))  # cProfile is neither
    ASKED.members.append(member)
    if profiling:
        sys.setprofile(_profile)
    try:
        yield
        if ASKED.found is not None:  # it caught the refusal and went on
            raise from_outside(ASKED.found)
    except AskedAgain as again:
        raise from_outside(str(ASKED.found)).with_traceback(again.__traceback__) from None
    finally:
        if profiling:
            sys.setprofile(before)
        ASKED.members.pop()
        if not ASKED.members:
            ASKED.found = None


@contextmanager
def unasked() -> Iterator[None]:
    """Work of our own in the middle of a question, also in copies of the process: nobody is being asked inside."""
    members, found, profile = ASKED.members, ASKED.found, sys.getprofile()
    ASKED.members, ASKED.found = [], None
    if members:
        sys.setprofile(None)
    try:
        yield
    finally:
        ASKED.members, ASKED.found = members, found
        if members:
            sys.setprofile(profile)


@contextmanager
def watching(
    namespaces: Callable[[], tuple[list[tuple[dict[str, Any], str]], list[Any]]],
    *,
    profile: bool = False,
    home: str = "",
) -> Iterator[None]:
    """Watches the sources inside, also where the user's modules have them under names of their own.

    Args:
        namespaces: Gives (namespace, name) of every global that the user's code reads, and all other values that it
            can reach: a source held there is seen by a profile.
        profile: Whether a profile is needed anyhow.
        home: The folder of the user's code, where that is an installed package; all others are libraries.
    """
    with _LOCK:
        if not WATCH.watching:
            WATCH.undo = installed()
        WATCH.watching += 1
        names, values = namespaces()
        WATCH.homes += (home,) if home else ()
        WATCH.profiled = WATCH.profiled or profile or any(map(only_profiled, values))
        undo = [renamed(space, name) for space, name in names] + [inside_partial(value) for value in values]
    try:
        yield
    finally:
        with _LOCK:
            for back in undo:
                back()
            WATCH.watching -= 1
            if not WATCH.watching:
                WATCH.profiled, WATCH.homes = False, ()
                for back in reversed(WATCH.undo):
                    back()


def files_read() -> int:
    """How many ordinary files were opened so far while members of the user's were asked and watched."""
    return WATCH.files


def _profile(frame: FrameType, event: str, function: Any) -> None:
    """Sees what no guard can stand in front of: methods of built-in types, and functions held elsewhere."""
    if event != "c_call" or not ASKED.members:
        return
    name, holder = getattr(function, "__name__", ""), getattr(function, "__self__", None)
    known = source_of(function)
    clock = holder in (date, datetime) if isinstance(holder, type) else False
    source = ""
    if clock and name in NOW:
        source = f"datetime.{holder.__name__}.{name}"  # type: ignore[union-attr]
    elif isinstance(holder, io.IOBase) and name.startswith("read") and is_read(holder):
        source = f"{type(holder).__module__.lstrip('_')}.{type(holder).__name__}.{name}"
    elif holder is time and name in CLOCKS:
        source = f"time.{name}"
    elif known:
        source = known
    elif name == "urandom" and getattr(holder, "__name__", "") in ("posix", "nt"):
        source = "os.urandom"
    elif draws(holder) and not name.startswith("__") and not is_seeded(holder):
        source = f"{type(holder).__module__}.{type(holder).__name__}.{name}"
    if source:
        through = asker(frame, direct=clock or holder is time)  # as behind the guards: libraries may read clocks
        if through is not None:
            refuse(source)
