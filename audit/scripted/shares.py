"""Work in shares that others carry out: how large, whether it is worth it, and what becomes of it where one is left."""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from dpcert.audit.errors import ArgumentError
from dpcert.audit.scripted.forms import Forms, WholeForm
from dpcert.audit.scripted.others import CodeOpening, NoOthers, Others, ShareAsked, SharedInVain, ShareDone
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.untouched import CHANGED
from dpcert.audit.scripted.written import Tokens, read, read_tokens, written

Part = TypeVar("Part")
WORTH_SHARING = 2_500_000_000
"""Nanoseconds of CPU time that the rest of some runs would take, as estimated, from which on others make them."""
SHARE = 500_000_000
"""Nanoseconds of CPU time that one share of them takes, about."""
SHARES_EACH = 4
"""Shares for each of those at work, at least, so that they end together."""
FIRST_RUN_HERE = 16
"""States, ways or questions that this process sees to itself, at least, before it says how long the rest would take."""


class Sharer:
    """Has others do what is left of some work, as long as all is as it should be, here too.

    No run of this process may touch what the next one can read, any more than one of theirs: else it shows here alone,
    or there. So all of it is looked at after each.
    """

    def __init__(self, others: Others, whole: Callable[[Forms], WholeForm]) -> None:
        """Takes what there is before a run.

        Args:
            others: Who they are.
            whole: The form of all that the code can reach, found anew. Raises: Unknown: it has none.
        """
        self.others, self.forms = others, Forms()
        self._opening: CodeOpening | None = None
        self._why, self._used = "", False
        try:
            self.whole = whole(self.forms)
            self._untouched = self.whole.untouched()
        except Unknown as why:
            self._why = str(why)

    def opening(self) -> CodeOpening:
        """What says which code it is. Raises: Unknown: it is not to be told."""
        raise NotImplementedError

    def run(self) -> None:
        """Looks whether a run of this process left everything as it was.

        Raises: NoOthers: it did not, and what others did was used already.
        """
        if not (self._why or self.others.dismissed or self._untouched.holds()):
            self._why = CHANGED
            if self._used:
                self._dismiss(CHANGED)

    def begun(self) -> int:
        """When some work begins, in nanoseconds of CPU time."""
        return time.process_time_ns()

    def share(self, since: int, done: int, left: int) -> int:
        """How many of what is left make a share; 0 where it is not worth it, or not to be had.

        Args:
            since: When the work began.
            done: How much of it this process has done since.
            left: How much is left.
        """
        if self.others.dismissed or done < FIRST_RUN_HERE:
            return 0
        spent = max(1, time.process_time_ns() - since)
        if spent * left < WORTH_SHARING * done:
            return 0
        if self._why:
            self._dismiss(self._why)
            return 0
        return max(1, self._size(done, left, spent))

    def _size(self, done: int, left: int, spent: int) -> int:
        return min(SHARE * done // spent, left // (SHARES_EACH * self.others.workers()))

    def done(
        self, parts: Sequence[Any], asked: Callable[[Any], ShareAsked], read: Callable[[Any, ShareDone], Any]
    ) -> list[Any] | None:
        """What came of each part; None where all of them are left to this process.

        Args:
            parts: What is given out, each a share.
            asked: What a part becomes for that. Raises: Unknown: it cannot be given out.
            read: What came of it, from what others said. Raises: Unknown: it cannot be read.
        Raises: SharedInVain, NoOthers: others are dismissed, and what they did before was used already.
        """
        try:
            found = [
                self._read(read, part, done)
                for part, done in zip(parts, self.others.done([asked(part) for part in parts]), strict=True)
            ]
        except Unknown as why:
            self._dismiss(str(why))
            return None
        self._used = True
        return found

    @staticmethod
    def _read(read: Callable[[Any, ShareDone], Any], part: Any, done: ShareDone) -> Any:
        if done.left:
            raise Unknown(done.left)
        return read(part, done)

    def _dismiss(self, why: str) -> None:
        """Goes on without others, where nothing that they did was used yet.

        Raises: SharedInVain: all is to be done anew, which is as it was, for no run has touched it. NoOthers: one has,
            so that it would not be as it was.
        """
        self.others.dismiss(why)
        if self._used and why == CHANGED:
            raise NoOthers(
                ArgumentError(
                    f"Expected code whose runs leave nothing behind, where others run it, but {why}, and others had run"
                    " some: audit it in one process"
                )
            )
        if self._used:
            raise SharedInVain

    def asked(self, kind: str, body: Any, tokens: Tokens, runs: int = 0) -> ShareAsked:
        """What others are asked.

        Args:
            kind: What is to be done.
            body: With what: numbers, texts and tuples.
            tokens: The values that it speaks of.
            runs: How many runs were made before.
        Raises: Unknown: something that cannot be written.
        """
        if self._opening is None:
            self._opening = self.opening()
        return ShareAsked(self._opening, kind, runs, written(body), tokens.written())


def in_parts(listed: Sequence[Part], size: int) -> list[Sequence[Part]]:
    """What is left, a share at a time.

    Args:
        listed: All of it.
        size: Of a share.
    """
    return [listed[at : at + size] for at in range(0, len(listed), size)]


def check_opening(here: CodeOpening, asked: CodeOpening) -> None:
    """Looks whether two processes have the same code.

    Args:
        here: What this one has.
        asked: What the one has that asks; it may have met more since.
    Raises: Unknown: it is not the same.
    """
    if (here.horizon, here.spelled) != (asked.horizon, asked.spelled):
        raise Unknown("the target is another one there")
    if read(here.whole) != read(asked.whole):
        raise Unknown("what its code can reach is not the same there")
    if any(own != theirs[: len(own)] for own, theirs in zip(here.lasting, asked.lasting, strict=True)):
        raise Unknown("its code is another one there")
    if read(here.first) != read(asked.first) or read_tokens(here.released) != read_tokens(asked.released):
        raise Unknown("its first answers are not the same there")
