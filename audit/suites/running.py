"""All cases of a suite, each in a process of its own: what one does to its process is nothing to the others.

Processes are copies of this one (`fork`), in which everything is read already, what is installed as well; where there
is no fork, cases run here, one after another.
"""

import ctypes
import gc
import os
import pickle
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from dpcert.audit.entries import broken, built_in
from dpcert.audit.limits import interrupt
from dpcert.audit.outside.engine import engine
from dpcert.audit.outside.fresh_process import POSSIBLE
from dpcert.audit.records.digest import provenance
from dpcert.audit.steadiness.watched import read_public_names
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.deciding import decided, since
from dpcert.audit.suites.outcome import CaseOutcome

POLL = 200
"""Milliseconds between two looks at whether the work has to end."""
OVERDUE = 60
"""Seconds past its bound after which the process of a case is ended."""
INTERRUPTED = "interrupted before it began"
_DEATH_OF_PARENT = 1  # PR_SET_PDEATHSIG


@dataclass
class _Running:
    """A case in its process."""

    case: Case
    process: Any
    since: int = field(default_factory=time.monotonic_ns)

    @property
    def overdue(self) -> bool:
        """Whether it should have ended long ago."""
        bound = self.case.max_seconds
        return bound is not None and since(self.since) > (bound + bound // 10 + OVERDUE) * 1_000


def outcomes(
    cases: Sequence[Case], jobs: int, seconds: int | None = None, interrupted: Callable[[], bool] = bool
) -> Iterator[CaseOutcome]:
    """What becomes of each case, as they come to their ends.

    Args:
        cases: What is to be run.
        jobs: Processes at once.
        seconds: Of all of them; a case that begins has what is left at most, and those after it are not run.
        interrupted: Whether no more cases are to be begun; those at work then end with what they know.
    """
    ends = None if seconds is None else time.monotonic_ns() + seconds * 10**9
    waiting = deque(cases)
    running: dict[Connection, _Running] = {}
    told = False
    with _warm(cases), _none_left(running):
        while waiting or running:
            reason = INTERRUPTED if interrupted() else over(ends, seconds)
            if reason:
                yield from (CaseOutcome(case, error=reason, run=False) for case in waiting)
                waiting.clear()
            if reason == INTERRUPTED and not told:
                told = True
                for work in running.values():
                    _signal(work.process, signal.SIGUSR1)
            while waiting and len(running) < jobs:
                case = bounded(waiting.popleft(), ends)
                if not POSSIBLE:
                    yield decided(case)
                    break
                running.update([_started(case)])
            for end in wait(list(running), POLL / 1_000):
                yield _received(end, running.pop(end))  # type: ignore[arg-type,call-overload]  # one of the keys
            for end in [end for end, work in running.items() if work.overdue]:
                yield _ended(running.pop(end))


@contextmanager
def _warm(cases: Sequence[Case]) -> Iterator[None]:
    """Reads once what every copy would read for itself, and lets copies share these pages: no collection touches them.

    What is installed and where this runs took three quarters of a small case's time; where results are kept, the digest
    of dpcert's own files a third. Where a case is somebody's code, all that it may ask of dpcert was four fifths.
    """
    built_in()
    broken()
    provenance(0)
    if any(":" in case.place for case in cases):
        read_public_names()
    if any(case.cache for case in cases):
        import dpcert.audit.suites.results  # noqa: F401 - what every copy would read

        engine()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _none_left(running: dict[Connection, _Running]) -> Iterator[None]:
    """However the block ends, no process of it goes on."""
    try:
        yield
    finally:
        for work in running.values():
            work.process.kill()


def over(ends: int | None, seconds: int | None) -> str:
    """Why no more cases are begun, where the time is over."""
    return (
        f"the {seconds} seconds of the suite were over before it began" if ends and ends < time.monotonic_ns() else ""
    )


def bounded(case: Case, ends: int | None) -> Case:
    """The case with no more time than is left."""
    if ends is None:
        return case
    left = max(1, (ends - time.monotonic_ns()) // 10**9)
    return replace(case, max_seconds=left if case.max_seconds is None else min(case.max_seconds, left))


def _started(case: Case) -> tuple[Connection, _Running]:
    """The case at work in a copy of this process."""
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    sys.stdout.flush()
    process = context.Process(target=_work, args=(case, theirs))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # an interrupt waits until the copy can take it
    process.start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
    theirs.close()
    return ours, _Running(case, process)


def _work(case: Case, answers: Connection) -> None:
    """In the copy: the case decided, and sent; an interrupt comes from the process that made it, as SIGUSR1."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DEATH_OF_PARENT, signal.SIGKILL)
    with suppress(OSError):
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    signal.signal(signal.SIGUSR1, lambda *_: interrupt())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
    made = decided(case)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    with suppress(OSError):  # nobody is there any more
        answers.send_bytes(pickle.dumps(replace(made, case=None)))  # type: ignore[arg-type]  # they have it


def _received(end: Connection, work: _Running) -> CaseOutcome:
    """What a process sent, or that it ended without a word."""
    milliseconds = since(work.since)
    try:
        outcome: CaseOutcome = replace(pickle.loads(end.recv_bytes()), case=work.case)
    except (EOFError, OSError):
        work.process.join()
        return CaseOutcome(work.case, error=_gone(work.process.exitcode), status=3, milliseconds=milliseconds)
    finally:
        end.close()
    work.process.join(POLL / 1_000)
    if work.process.exitcode is None:  # the user's code left something that does not end
        work.process.kill()
        work.process.join()
    return outcome


def _ended(work: _Running) -> CaseOutcome:
    """A process that is long past its bound is ended."""
    work.process.kill()
    work.process.join()
    milliseconds = since(work.since)
    line = f"its process was ended {OVERDUE} seconds past --max-seconds {work.case.max_seconds}"
    return CaseOutcome(work.case, error=line, status=3, milliseconds=milliseconds)


def _gone(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"its process ended by {signal.Signals(-code).name} and gave no answer"
    return f"its process ended with exit status {code} and gave no answer"


def _signal(process: Any, number: int) -> None:
    with suppress(OSError, ValueError):
        os.kill(process.pid, number)
