"""Ctrl-C: the first cuts the work short and keeps what is known, the second ends the process."""

import contextlib
import gc
import os
import signal
from collections.abc import Callable, Iterator


class Ended(BaseException):
    """An interrupt that nothing on the way catches."""


INTERRUPTED = b"dpcert: interrupted; nothing was decided\n"


_END = os._exit
"""Before which no guard stands: an interrupt may come while code is asked."""


def quiet_start() -> None:
    """Until work begins, and while modules are still read, an interrupt ends the process in one line."""
    _take_over(_end)


def _end(*_: object) -> None:
    os.write(2, INTERRUPTED)
    _END(3)


def _take_over(handler: Callable[..., None]) -> None:
    """Handles interrupts in place of Python's own handler or of ours for the start, and of no other."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _end):
        with contextlib.suppress(ValueError):  # another thread than the main one
            signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """While a command still reads its modules, an interrupt ends the process in one line: there is nothing to keep.

    Other handlers than ours stay in place. Modules are no rubbish, so none is looked for among them.
    """
    with _without_collecting(), _ending_at_once():
        yield


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """Python's collector rests."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextlib.contextmanager
def _ending_at_once() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGINT)
    if not isinstance(getattr(handler, "__self__", None), Interrupts):
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


class Interrupts:
    """Ctrl-C: the first cuts the work short, or does nothing once it is done; a second one ends the process.

    Attributes:
        count: How many there were.
        working: Whether there is work to be cut short.
    """

    def __init__(self) -> None:
        self.count = 0
        self.working = True

    def install(self) -> None:
        """Takes over from Python's own handler, and only from that."""
        _take_over(self.handle)

    def handle(self, *_: object) -> None:
        """One more interrupt."""
        self.count += 1
        if self.count > 1:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            raise Ended
        if self.working:
            from dpcert.audit.limits import interrupt  # long read by now, and this module is read before all others

            interrupt()
