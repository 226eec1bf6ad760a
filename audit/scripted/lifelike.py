"""Whether code treats the stand-in for what `random()` returns as it treats a float: each run made again, step by step.

Code that looks at the type of a draw, or hands it to a function in C that wants a float, takes another way on the
stand-in than on a float, mostly for every float alike. So every run is made again with floats from the cells of its
draws: it must take the same steps, instruction by instruction, raise the same exceptions and release the same.
"""

import fractions
import numbers
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from dpcert.audit.errors import DpcertError, MechanismError, is_of_audit
from dpcert.audit.identity import held
from dpcert.audit.kernels.border import shown_path
from dpcert.audit.kernels.label import label
from dpcert.audit.limits import look
from dpcert.audit.scripted.monotone import STEPS
from dpcert.audit.scripted.tape import Interval, Key, Points, Tape, not_a_function

AGAIN = 6
"""Runs that may differ in their steps, as they do while something is remembered for the first time."""
_NUMBERS = {fractions.__file__, numbers.__file__}
Run = Callable[[Tape, tuple[Any, ...]], tuple[Any, ...]]
Step = tuple[CodeType, int | str]


@dataclass
class Walk:
    """A run: every step, and what came of it."""

    steps: list[Step] = field(default_factory=list)
    outputs: Any = None


def lifelike(name: str, run: Run, tape: Tape, stream: tuple[Any, ...], number: int) -> None:
    """Makes a run with `tape`, and then with floats: from inside of the cells of its draws, or their ends by turns.

    Raises: MechanismError: the two take other steps, or release something else.
    """
    walks = [walked(run, tape, stream)]
    intervals = {key: (draw.low, draw.high) for key, draw in tape.made.items()}
    place = "inside" if number % 2 else "end"
    look()
    real = walked(run, _real(name, intervals, tape.numbers, place), stream)
    while not any(_alike(real, walk) for walk in walks):
        if len(walks) == AGAIN:
            _refuse(name, walks, real)
            return
        walks.append(walked(run, fixed(name, intervals), stream))
        real = walked(run, _real(name, intervals, tape.numbers, place), stream)


def _alike(one: Walk, other: Walk) -> bool:
    return one.steps == other.steps and one.outputs == other.outputs


def fixed(name: str, intervals: Mapping[Key, Interval], *, real: bool = False) -> Tape:
    """Draws of which this is known, and nothing more is to be asked."""

    def start(key: Key) -> Interval:
        if key not in intervals:
            raise MechanismError(not_a_function(name, f"draw {key[1] + 1} of round {key[0]} was not made before"))
        return intervals[key]

    def split(key: Key, ends: Points) -> Interval:
        del ends
        what = f"draw {key[1] + 1} of round {key[0]} asked for another law on replay"
        raise MechanismError(not_a_function(name, what))

    return Tape(name, start, split, real=real)


def _real(name: str, intervals: dict[Key, Interval], numbers: set[Key], place: str) -> Tape:
    """The same draws with a float for each number: one from inside what is known of it, or one of its ends."""
    narrow_intervals = dict(intervals)
    for at, key in enumerate(sorted(numbers)):
        low, high = intervals[key]
        first, last = -(-low * STEPS // 1), -(-high * STEPS // 1) - 1
        salt = hash((low, high)) + 7919 * at
        k = first + salt * 2654435761 % (last - first + 1) if place == "inside" else (first, last)[salt % 2]
        narrow_intervals[key] = Fraction(int(k), STEPS), Fraction(int(k) + 1, STEPS)
    return fixed(name, narrow_intervals, real=True)


def walked(run: Run, tape: Tape, stream: tuple[Any, ...]) -> Walk:
    """A run with every instruction that it executes outside of dpcert."""
    walk = Walk()

    def called(frame: FrameType, event: str, argument: Any) -> Any:
        del event, argument
        code, back = frame.f_code, frame.f_back
        if _ours(code.co_filename) or back is None or not (back.f_trace is stepped or back.f_code in ENTRIES):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return stepped

    def stepped(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            walk.steps.append((frame.f_code, frame.f_lasti))
        elif event == "exception":
            walk.steps.append((frame.f_code, argument[0].__name__))
        return stepped

    before = sys.gettrace()
    sys.settrace(called)
    try:
        walk.outputs = tuple(held(output, copying=True) for output in run(tape, stream))
    except DpcertError as error:
        walk.outputs = f"raised {error}"
        if not tape.real:
            raise
    finally:
        sys.settrace(before)
    return walk


ENTRIES: set[CodeType] = set()
"""The functions of ours that call the code."""


def _ours(file: str) -> bool:
    """Whether steps in a file are left out: ours, and those of numbers that are asked to compare themselves."""
    return is_of_audit(file) or file in _NUMBERS


def _refuse(name: str, walks: list[Walk], real: Walk) -> None:
    """Names the line where the ways part. Code that answers otherwise when it is asked again is found elsewhere."""
    if any(walk.outputs != walks[0].outputs for walk in walks):
        return
    common = max(_common(walk, real) for walk in walks)
    if common == len(real.steps):
        what = f"released {label(real.outputs)} and not {label(walks[0].outputs)}"
    else:
        what = "took other steps"
    error = MechanismError(
        f"Expected {name} to use what random() returns by its value alone but on a float it {what}: it looks at the "
        f"type, or hands it to a function in C{_place(real.steps[:common])}"
    )
    error.placed = True
    raise error


def _common(one: Walk, other: Walk) -> int:
    """How many steps two runs have in common before they part."""
    pairs = enumerate(zip(one.steps, other.steps, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one.steps), len(other.steps)))


def _place(steps: list[Step]) -> str:
    """` (file:line)` of the last step in a file that is no library's."""
    for code, at in reversed(steps):
        if isinstance(at, int) and not _of_library(code.co_filename):
            line = next((line for low, high, line in code.co_lines() if low <= at < high), None)
            return f" ({shown_path(code.co_filename)}:{line or code.co_firstlineno})"
    return ""


def _of_library(file: str) -> bool:
    return file.startswith(("<", str(Path(os.__file__).parent))) or "site-packages" in file
