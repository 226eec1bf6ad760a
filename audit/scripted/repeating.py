"""Loops that draw again: where a draw is asked for in the very state in which it was asked for before.

What a loop threw away is then gone, so that its law in the end is that of one turn, given that the turn ends it. The
state is all that the code after the draw can read: the locals that are still live, cells and globals, and whatever
hangs on them, with locals that run code as they end (`endings`); and nothing may wait on a stack of values, such as the
iterator of a `for`. Whatever cannot be compared is taken to differ, and the loop is then one like any other; so is one
whose code may look at frames, and thereby at locals that are not live. Functions of libraries are taken to remember
nothing.
"""

import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_OPTIMIZED, getattr_static
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

from dpcert.audit.errors import is_of_audit
from dpcert.audit.frozen import frozen
from dpcert.audit.scripted.endings import ends_in_silence
from dpcert.audit.scripted.looking import may_look, nested
from dpcert.audit.scripted.now import (
    Incomparable,
    Numbers,
    as_it_is,
    globals_now,
    globals_written,
    is_ours,
    settings_now,
    written_in,
)
from dpcert.audit.scripted.sites import Site, Source, site

KNOWN = sys.version_info[:2] == (3, 11)
"""Whether this Python's instructions are known here; loops are not recognised on any other."""
MOST_TURNS = 40
"""Draws in loops of one round after which no state is looked at any more: it has not come again, as in a count."""
SINGLE = {"randrange", "randint", "choice"}
"""Functions of `random` that draw once."""
DRAWS = {"random", "randrange", "randint", "choice", "getrandbits", "integers", "binomial"}
"""Calls of a generator that draw once, where they are not asked for many."""
_ASKING = (random.__file__, "/scripted/generators.py", "/scripted/generators_numpy.py")
"""Where the functions stand that code draws by: what they hold decides what a draw comes to."""
_MARK = "<marked>"
"""Where a frame holds what tells it from others, among the copies of its locals; no local has such a name."""
_HANDING_OUT = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
"""Flags of code whose frame waits in one place while who asks it for more goes on."""


@frozen(slots=True)
class _Arrival:
    """A draw: its number, the frames of the user's that wait for it, innermost first, and what the code can read.

    No frame is held: what stands in it would live longer than where nobody looks, and what ends with it end later.
    """

    number: int
    frames: tuple[int | None, ...]
    at: tuple[tuple[CodeType, int], ...]
    states: tuple[Any, ...]


@dataclass
class Loops:
    """The draws of the round so far that stand in loops; `entries` are the functions of ours that call the code."""

    entries: Iterable[CodeType]
    round: int = 0
    looked_at: int = 0
    arrivals: dict[Any, list[_Arrival]] = field(default_factory=dict)
    marked: int = 0

    def begun_anew(self, round_: int, number: int) -> int | None:
        """The number of the earlier draw at which the code was in the state in which it is now, if there is one."""
        if round_ != self.round:
            self.round, self.looked_at, self.arrivals = round_, 0, {}
        frame: FrameType | None = sys._getframe(1)
        frames = _waiting(frame, self.entries) if KNOWN and self.looked_at < MOST_TURNS else None
        if not frames or any(f.f_code.co_flags & _HANDING_OUT for f in frames):
            return None
        sites = [site(f.f_code, f.f_lasti) for f in frames]
        if not any(s.looping for s in sites):
            return None
        self.looked_at += 1
        states = _states(frames, sites)
        if states[0] is None:
            return None
        try:
            states = ((states[0], _asked_for(frame, frames[0]), settings_now()), *states[1:])
        except Incomparable:
            return None
        marks = tuple(map(self._mark, frames))
        now = _Arrival(number, marks, tuple((f.f_code, f.f_lasti) for f in frames), states)
        alike = self.arrivals.setdefault((now.at, states[0]), [])
        for before in alike:
            if _same(before, now):
                return before.number
        alike.append(now)
        return None

    def _mark(self, frame: FrameType) -> int | None:
        """What tells a frame from every other, which it holds itself; None for one whose locals may be looked at."""
        if not _unseen(frame.f_code):
            return None
        there = frame.f_locals
        mark = there.get(_MARK)
        if mark is None:
            mark = self.marked = self.marked + 1
        there.clear()
        there[_MARK] = mark
        return mark


def _unseen(code: CodeType) -> bool:
    """Whether the locals that a frame of this code shows are a copy of them that nobody else looks at."""
    return bool(code.co_flags & CO_OPTIMIZED) and not may_look(code)


def _locals(frame: FrameType) -> dict[str, Any]:
    """The locals of a frame, which does not go on to hold them beside itself."""
    if not _unseen(frame.f_code):
        return {}
    there = frame.f_locals
    mark = there.pop(_MARK, None)
    found = dict(there)
    there.clear()
    there[_MARK] = mark
    return found


def _states(frames: tuple[FrameType, ...], sites: list[Site]) -> tuple[Any, ...]:
    """All that each frame can read, innermost first; None where that cannot be told."""
    written: set[str] = set()
    states: list[Any] = []
    for frame, at, inner in zip(frames, sites, (None, *frames), strict=False):
        own = _locals(frame)
        states.append(_state(frame, own, at, written) if _direct(frame, own, at, inner) else None)
    looked = zip(frames, sites, states, strict=True)
    return tuple(None if _waits(f, s, written) else state for f, s, state in looked)


def _asked_for(frame: FrameType | None, innermost: FrameType) -> Any:
    """What a draw was asked for with: what functions of `random`, between it and the code, hold, and ours are given."""
    numbers = Numbers()
    held_there: list[Any] = []
    while frame is not None and frame is not innermost:
        code, own = frame.f_code, frame.f_locals
        if code.co_filename.endswith(_ASKING):
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            names = names if code.co_filename != random.__file__ else code.co_varnames
            held_there.append((code, *((name, _argument(own[name], numbers)) for name in names if name in own)))
        frame = frame.f_back
    return tuple(held_there)


def _argument(value: Any, numbers: Numbers) -> Any:
    """An argument by its value alone where that is a plain one: a list may have been made for the call."""
    if type(value) in (list, tuple):
        return type(value), *(_argument(item, numbers) for item in value)
    if isinstance(value, Iterator):
        raise Incomparable
    return as_it_is(value, numbers)


def _same(before: _Arrival, now: _Arrival) -> bool:
    """Whether two draws are asked for in one state; frames outside of the innermost common one did not move."""
    if before.at != now.at:
        return False
    common = next(
        (i for i, (a, b) in enumerate(zip(before.frames, now.frames, strict=True)) if a == b is not None), None
    )
    if common is None:
        return False
    pairs = zip(before.states[: common + 1], now.states[: common + 1], strict=True)
    return all(a is not None and a == b for a, b in pairs)


def _waiting(frame: FrameType | None, entries: Iterable[CodeType]) -> tuple[FrameType, ...] | None:
    """The frames between the draw and the call of the code, innermost first, without ours and those of `random`."""
    frames: list[FrameType] = []
    while frame is not None and frame.f_code not in entries:
        ours, drawing = _standing(frame.f_code)
        if not ours:
            if drawing and not frames:
                if frame.f_code.co_name not in SINGLE:
                    return None
            else:
                frames.append(frame)
        elif frames:
            return None
        frame = frame.f_back
    return tuple(frames) if frame is not None else None


@lru_cache(maxsize=4096)
def _standing(code: CodeType) -> tuple[bool, bool]:
    """Whether code is ours, and whether it stands in `random`."""
    file = code.co_filename
    return is_of_audit(file), file == random.__file__


def _direct(frame: FrameType, own: dict[str, Any], at: Site, inner: FrameType | None) -> bool:
    """Whether a frame's call is one of the generator's, or of the function of `inner`, with no C code in between."""
    try:
        callee = _found(frame, own, at.callee)
    except (AttributeError, KeyError, TypeError):
        return False
    if inner is not None:
        function = callee.__func__ if type(callee) is MethodType else callee
        return type(function) is FunctionType and function.__code__ is inner.f_code
    return type(callee) is MethodType and is_ours(type(callee.__self__)) and callee.__name__ in DRAWS


def _found(frame: FrameType, own: dict[str, Any], source: Source) -> Any:
    """What an expression of names and attributes stands for, without running any code of the user's."""
    if len(source) < 2:
        raise KeyError(*source)
    how, name, *of = source
    if how == "local":
        return own[name]
    if how == "global":
        return frame.f_globals[name]
    if how != "attribute":
        raise KeyError(how)
    holder = _found(frame, own, of[0])
    if is_ours(type(holder)):
        return getattr(holder, name)
    attribute = getattr_static(holder, name)
    return (
        MethodType(attribute, holder)
        if type(attribute) is FunctionType and name not in getattr(holder, "__dict__", {})
        else attribute
    )


def _state(frame: FrameType, own: dict[str, Any], at: Site, written: set[str]) -> Any:
    """All that the frame's code can read after its call, and what does something as it ends; None if that is unknown.

    Args:
        own: Its locals.
        written: Gets the globals that code which it can read writes to.
    """
    written.update(*map(globals_written, nested(frame.f_code)))
    if not at.bare or may_look(frame.f_code):
        return None
    numbers = Numbers()
    try:
        here = [(n, as_it_is(v, numbers)) for n, v in own.items() if n in at.live or not ends_in_silence(v)]
        return tuple(here), globals_now(frame.f_code, frame.f_globals, numbers)
    except (Incomparable, RecursionError):
        return None
    finally:
        written |= numbers.written


def _waits(frame: FrameType, at: Site, written: set[str]) -> bool:
    """Whether a global waits on the frame's stack that code which was met, or any of its module, writes to."""
    names = [name for name in at.waiting if name in frame.f_globals]
    return bool(names) and not written.union(written_in(frame.f_globals)).isdisjoint(names)
