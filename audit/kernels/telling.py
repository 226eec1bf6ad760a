"""What a user is told of an error, in one line, and the exit status that goes with it."""

import os
import traceback
from pathlib import Path

from dpcert.audit.errors import DpcertError, ReplayError, one_line
from dpcert.audit.finding import BAD_INPUT, EXIT_STATUS, Verdict
from dpcert.audit.kernels.border import described, frame_of, place_of

UNSTEADY = (
    "Expected a mechanism that answers alike when it is asked again (no hidden randomness, no changed state; "
    "with neither, this is a fault of dpcert) but got, in a replay"
)
UNDECIDED = EXIT_STATUS[Verdict.UNDECIDED]


def told(error: BaseException) -> tuple[str, int]:
    """The line and the exit status: whose fault it was, by the frames that it came through."""
    if isinstance(error, DpcertError):
        return str(error), BAD_INPUT
    if isinstance(error, ReplayError):
        return f"{UNSTEADY}: {one_line(str(error))}", BAD_INPUT
    frame = frame_of(error)
    if frame is not None:
        return f"{one_line(frame.name)} raised {described(error)}{place_of(error)}", BAD_INPUT
    if isinstance(error, MemoryError):
        return "Expected a scope that fits into the memory but got more than there is", UNDECIDED
    if isinstance(error, FileNotFoundError) and _folder_is_gone():
        return "Expected a working folder but got one that is there no more", BAD_INPUT
    return f"a fault of dpcert, not of yours: {_fault(error)}", UNDECIDED


def _folder_is_gone() -> bool:
    """Whether the folder that a process works in was deleted."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _fault(error: BaseException) -> str:
    """What happened and where, on one line, for a report to us."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return one_line(f"{described(error)} ({Path(frame.filename).name}:{frame.lineno})")
