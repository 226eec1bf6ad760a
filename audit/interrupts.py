"""Ctrl-C: the first cuts the work short and keeps what is known, the second ends the process."""

import contextlib
import signal
from dataclasses import dataclass


class Ended(BaseException):
    """An interrupt that nothing on the way catches."""


@dataclass
class Interrupts:
    """Ctrl-C: the first cuts the work short, or does nothing once it is done; a second one ends the process."""

    count: int = 0
    working: bool = True

    def install(self) -> None:
        """Takes over from Python's own handler, and only from that."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            with contextlib.suppress(ValueError):  # another thread than the main one
                signal.signal(signal.SIGINT, self.handle)

    def handle(self, *_: object) -> None:
        """One more interrupt."""
        self.count += 1
        if self.count > 1:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            raise Ended
        if self.working:
            raise KeyboardInterrupt
