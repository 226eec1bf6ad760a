"""How much work an audit may do, what it says while it does it, and what becomes of a part that is cut short."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Self

from dpcert.audit.errors import INTERRUPTED, Interrupted, Stopped, expected

__all__ = ["INTERRUPTED", "Budget", "Interrupted", "Stopped", "best_so_far", "check_rounds", "seconds_left", "silent"]

GRACE = 1_200_000_000
"""Nanoseconds past `max_seconds` that it may take to put together what is known by then."""
MOST_ROUNDS_PLAYED = 10_000_000
"""Rounds past which no game is played: none of them would end."""


def check_rounds(rounds: int) -> None:
    """Refuses a game of more rounds than are ever played. Raises: ArgumentError."""
    if rounds > MOST_ROUNDS_PLAYED:
        raise expected(f"a game of at most {MOST_ROUNDS_PLAYED:,} rounds (MOST_ROUNDS_PLAYED)", horizon=rounds)


def silent(text: str) -> None:
    """Says nothing."""
    del text


@cache
def _grace(max_seconds: int) -> int:
    """Nanoseconds that so many seconds keep back from the work."""
    return max(GRACE, max_seconds * 15 * 10**7)


@cache
def _work(max_seconds: int) -> int:
    """Nanoseconds that so many seconds leave for the work."""
    return max_seconds * 10**9 + GRACE - _grace(max_seconds)


@dataclass(eq=False, repr=False)
class Budget:
    """Bounds on one audit, and where its progress goes.

    Args:
        max_positions: Positions explored at most; None for no bound.
        max_seconds: Seconds of wall time at most; None for no bound.
        progress: Takes one line of text at a time.
        positions: Positions explored so far.
        allowed: Nanoseconds that the work may take, where that is not all of `max_seconds`.
        shared: Whether the work in hand has a share of the time alone.
        whole: What this is time for a part of: an interrupt of the part is one of the whole as well.
    Source: none; ours.

    >>> budget = Budget(max_positions=2)
    >>> budget.explored(2)
    >>> budget.positions
    2
    """

    max_positions: int | None = None
    max_seconds: int | None = None
    progress: Callable[[str], None] = silent
    positions: int = 0
    allowed: int | None = None
    shared: bool = False
    whole: "Budget | None" = None
    _started: int = field(default_factory=time.monotonic_ns)
    _cut: list[int] = field(default_factory=list)
    """When an interrupt ends it, if there was one: the same for a copy with another bound."""

    def nanoseconds(self) -> int:
        """Wall time since the budget was made, in nanoseconds."""
        return time.monotonic_ns() - self._started

    @property
    def grace(self) -> int:
        """Nanoseconds to put together what is known: three twentieths of long bounds, kept back from the work."""
        return GRACE if self.max_seconds is None else _grace(self.max_seconds)

    @property
    def work(self) -> int | None:
        """Nanoseconds that the work may take; with the grace after it, no more than GRACE past `max_seconds`."""
        if self.allowed is not None or self.max_seconds is None:
            return self.allowed
        return _work(self.max_seconds)

    @property
    def interrupted(self) -> bool:
        """Whether there was an interrupt."""
        return bool(self._cut)

    @property
    def bounded(self) -> bool:
        """Whether anything bounds the work: somebody, or an interrupt."""
        return self.max_positions is not None or self.work is not None or self.interrupted

    def left(self) -> int | None:
        """Nanoseconds left for the work; None where it is not bounded."""
        return None if self.work is None else self.work - self.nanoseconds()

    @property
    def time_over(self) -> str:
        """What ended the work when the time did."""
        return INTERRUPTED if self._cut or self.max_seconds is None else f"{self.time_set} was reached"

    @property
    def time_set(self) -> str:
        """The time that the work has, as it was set."""
        return f"{'its share of ' if self.shared else ''}--max-seconds {self.max_seconds}"

    @contextmanager
    def share(self, parts: int) -> Iterator[None]:
        """Leaves to the work inside one of so many parts of the time that is left; other work has the rest.

        Where time is not bounded, nor is a share.

        Args:
            parts: How many; 1 for all that is left.
        """
        left = self.left()
        with self._leaving(None if left is None or parts == 1 else left // parts):
            yield

    def check(self) -> None:
        """Asks whether there is time left. Raises: Stopped: there is none."""
        work = self.work
        if work is None and not self._cut:
            return
        spent = self.nanoseconds()
        if self._cut and spent > self._cut[0]:
            raise Stopped(INTERRUPTED)
        if work is not None and spent > work:
            raise Stopped(self.time_over)

    def check_early(self) -> None:
        """Asks whether half of the time is left: the other half belongs to the work that follows.

        After an interrupt that work has all the time there is.

        Raises: Stopped: it is not, or there was an interrupt.
        """
        self._check_part(2, "half of")

    def check_late(self) -> None:
        """Asks whether a quarter of the time is left, for work without which what follows would decide nothing.

        Raises: Stopped: it is not, or there was an interrupt.
        """
        self._check_part(3, "three quarters of")

    def _check_part(self, quarters: int, said: str) -> None:
        self.check()
        if self._cut:
            raise Stopped(INTERRUPTED)
        work = self.work
        if work is not None and 4 * self.nanoseconds() > quarters * work:
            raise Stopped(f"{said} {self.time_over}")

    @contextmanager
    def keeping(self, parts: int) -> Iterator[None]:
        """Leaves to the work inside all but one of so many parts of the time that is left, for what follows.

        Args:
            parts: How many, at least 2.
        """
        left = self.left()
        with self._leaving(None if left is None or left <= 0 else left - left // parts):
            yield

    @contextmanager
    def _leaving(self, nanoseconds: int | None) -> Iterator[None]:
        """Leaves so much to the work inside; None for what it has anyway."""
        before = self.allowed, self.shared
        if nanoseconds is not None:
            self.allowed, self.shared = self.nanoseconds() + nanoseconds, True
        try:
            yield
        finally:
            self.allowed, self.shared = before

    def cut(self) -> None:
        """After an interrupt: all that is still to come may take a tenth of the time spent, and at least a second."""
        self._cut[:] = [self.nanoseconds() + max(10**9, self.nanoseconds() // 10)]
        if self.whole is not None:
            self.whole.cut()

    def explored(self, count: int = 1) -> None:
        """Counts positions.

        Args:
            count: How many more.
        Raises: Stopped: past either bound.
        """
        self.positions += count
        if self.max_positions is not None and self.positions > self.max_positions:
            raise Stopped(f"--max-positions {self.max_positions} was reached")
        self.check()


@dataclass(eq=False, repr=False)
class best_so_far:  # noqa: N801 - reads as a statement
    """A part of the work that keeps what it has where an interrupt or the end of a bound cuts it short.

    The one place where either is caught: what the block has left behind by then is its result, and what comes after it
    goes on with that. After an interrupt the budget is cut.

    Attributes:
        budget: What bounds the part.
        stopped: What ended it early, in words; empty where nothing did.
        interrupted: Whether that was an interrupt.

    >>> budget, squares = Budget(max_positions=2), []
    >>> with best_so_far(budget) as part:
    ...     for n in range(1, 10):
    ...         budget.explored()
    ...         squares.append(n * n)
    >>> squares, part.stopped
    ([1, 4], '--max-positions 2 was reached')
    """

    budget: Budget
    stopped: str = ""
    interrupted: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, (Stopped, KeyboardInterrupt)):
            return False
        self.interrupted = isinstance(error, KeyboardInterrupt)
        self.stopped = error.reason if isinstance(error, Stopped) else INTERRUPTED
        if self.interrupted:
            self.budget.cut()
        return True

    def pass_on(self) -> None:
        """Ends the work around the part as well, for the same reason; does nothing where it came to its own end."""
        if self.interrupted:
            raise Interrupted
        if self.stopped:
            raise Stopped(self.stopped)


def seconds_left(durations: list[int], levels: int) -> int | None:
    """Seconds that levels still to come may take, from the nanoseconds of those done; None while it is anyone's guess.

    The cost of a level is taken to grow like a power of its number, read off the newest level and the one half as far.
    """
    count = len(durations)
    if count < 8 or not durations[count // 2 - 1]:
        return None
    power = max(0, (durations[-1] // durations[count // 2 - 1]).bit_length() - 1)
    left: int = sum(durations[-1] * j**power // count**power for j in range(count + 1, levels + 1))
    return left // 10**9
