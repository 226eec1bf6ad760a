"""The limit on the work in hand: looked at between steps of ours, and kept by a timer inside the user's code."""

import _weakrefset
import contextlib
import gc
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import FrameType
from typing import Any

from dpcert.audit.errors import Interrupted, Stopped, is_of_audit

Limit = Callable[[], None]
"""Raises Stopped once the work must end."""
_LIMIT: ContextVar[Limit | None] = ContextVar("limit", default=None)
OWN_VARIABLES: set[ContextVar[Any]] = {_LIMIT}
"""Context variables of ours, which the user's code does not change."""

TICK = 0.05
"""Seconds between two looks at a user's code that does not come back."""
PATIENCE = 200_000_000
"""Nanoseconds for which one question is let run: short ones end by themselves, and are looked at in between."""
FEW_ATOMS = 50_000
"""Atoms that are put in order at a stretch in no time worth looking at."""
ATOM = 3_000
"""Nanoseconds, about, to put one atom of a chain in its place."""
MOST_DEFERRED = 5
"""Ticks for which an interruption waits while the innermost frame is one of ours."""
MOST_FRAMES = 20
"""Frames looked through for one whose errors nobody hears."""


class Overdue(BaseException):
    """Ends a question to the user's code, and no part of our own work inside it; becomes Stopped at the border."""


@dataclass(eq=False, repr=False)
class _Question:
    """The question that the user's code is answering: its limit, since when, and what ended it, if anything did."""

    limit: Limit
    since: int
    over: Stopped | None = None
    deferred: int = 0


_asked: _Question | None = None
_BORDER = (__file__, contextlib.__file__, weakref.__file__, _weakrefset.__file__)
"""Files in which nothing is interrupted: what ends a question, and what runs in callbacks, where it would be lost."""


@contextmanager
def within(limit: Limit) -> Iterator[None]:
    """All work inside, however deep, keeps to the limit where it looks, also in the middle of the user's code.

    Raises: Stopped: the limit was met.
    """
    before = _LIMIT.set(limit)
    try:
        with _ticking():
            yield
    finally:
        _LIMIT.reset(before)


def limit_now() -> Limit | None:
    """The limit on the work in hand, if there is one."""
    return _LIMIT.get()


def look(atoms: int = 0) -> None:
    """Raises Stopped once the work in hand must end, or where so many atoms at a stretch would not end in time.

    What the limit is a method of may say in `left()` how many nanoseconds are left.
    """
    limit = _LIMIT.get()
    if limit is None:
        return
    limit()
    if atoms <= FEW_ATOMS:
        return
    bound: Any = getattr(limit, "__self__", None)
    if hasattr(bound, "left"):
        left = bound.left()
        if left is not None and atoms * ATOM > left:
            raise Stopped(bound.time_over)


@contextmanager
def asking() -> Iterator[None]:
    """The user's code inside ends with Stopped once the limit is met, even if it never comes back by itself.

    It has no business to catch that. What it caught and went on from ends all the same, and so it does after an
    interrupt of the command: an answer given after that is no answer.
    """
    global _asked
    limit = _LIMIT.get()
    if limit is None or _asked is not None:
        yield
        return
    limit()
    if threading.get_ident() != threading.main_thread().ident:  # no signal comes here
        yield
        return
    question = _Question(limit, time.monotonic_ns())
    try:
        _asked = question
        yield
    except Overdue:
        pass
    finally:
        _asked = None
    if question.over is not None:
        raise question.over


@contextmanager
def _ticking() -> Iterator[None]:
    """Runs the timer, where nobody else uses it: in the main thread, and on systems that have one."""
    free = (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    )
    if not free:
        yield
        return
    signal.signal(signal.SIGALRM, _tick)
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _is_swallowing(frame: FrameType | None) -> bool:
    """Whether what is raised there is heard by nobody: in a `__del__`, or where garbage is collected."""
    hooks = [getattr(hook, "__code__", None) for hook in gc.callbacks]
    for _ in range(MOST_FRAMES):
        if frame is None:
            return False
        if frame.f_code.co_name == "__del__" or any(frame.f_code is code for code in hooks):
            return True
        frame = frame.f_back
    return False


def _tick(number: int, frame: FrameType | None) -> None:
    """Ends a question that is overdue, never in the middle of the border itself."""
    del number
    question = _asked
    if question is None or frame is None or time.monotonic_ns() - question.since < PATIENCE:
        return
    file = frame.f_code.co_filename
    if file in _BORDER or _is_swallowing(frame):
        return
    if question.over is None:
        try:
            question.limit()
        except Stopped as over:
            question.over = over
    if question.over is None:
        return
    if is_of_audit(file) and question.deferred < MOST_DEFERRED:
        question.deferred += 1
        return
    raise Overdue


def interrupt() -> None:
    """Raises Interrupted, now and again where the user's code catches it and goes on."""
    interrupted = Interrupted()
    if _asked is not None:
        _asked.over = interrupted
    raise interrupted
