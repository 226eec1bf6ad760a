"""The cases of a suite on the workers of a Dask scheduler, each in a process of its own there."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from dpcert.audit.suites.case import Case
from dpcert.audit.suites.outcome import CaseOutcome
from dpcert.audit.suites.running import INTERRUPTED, bounded, outcomes, over
from dpcert.audit.workers.workers import Workers

BROKEN_OFF = "interrupted while a worker was at it"


def alone(case: Case) -> CaseOutcome:
    """What becomes of one case in a copy of this process."""
    return next(outcomes([case], 1))


def spread(
    cases: Sequence[Case], address: str, seconds: int | None = None, interrupted: Callable[[], bool] = bool
) -> Iterator[CaseOutcome]:
    """What becomes of each case, as they come to their ends; the same whichever worker decides it.

    Args:
        cases: What is to be run.
        address: Of the scheduler.
        seconds: Of all of them; a case that is given out has what is left at most, and those after it are not run.
        interrupted: Whether no more cases are to be begun; those at work are given up.
    Raises: ArgumentError: no Dask, no scheduler, no worker, or a worker that is not set up for this.
    """
    ends = None if seconds is None else time.monotonic_ns() + seconds * 10**9
    work = Workers(scheduler=address).calls(
        alone, over=lambda: INTERRUPTED if interrupted() else over(ends, seconds), broken_off=interrupted
    )
    if ends is not None:
        work.ahead = 1  # else a case would wait for its worker while its seconds go by
    for reply in work.replies(cases, lambda case: bounded(case, ends)):
        case = cases[reply.number]
        if reply.answer is not None:
            yield replace(reply.answer, case=case)
        elif not reply.begun:
            yield CaseOutcome(case, error=reply.lost, run=False)
        else:
            yield CaseOutcome(case, error=BROKEN_OFF if interrupted() else reply.lost, status=3)
