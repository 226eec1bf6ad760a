"""Work in shares that others carry out: how large, whether it is worth it, and what becomes of those that are left."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcert.audit.scripted.others import CodeOpening, Others, ShareAsked, ShareDone
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.written import Tokens, written

WORTH_SHARING = 2_500_000_000
"""Nanoseconds of CPU time that the rest of some runs would take, as estimated, from which on others make them."""
SHARE = 500_000_000
"""Nanoseconds of CPU time that one share of them takes, about."""
SHARES_EACH = 4
"""Shares for each of those at work, at least, so that they end together."""
FIRST_RUN_HERE = 16
"""States, ways or questions that this process sees to itself, at least, before it says how long the rest would take."""

CHANGED = "a run changes what its code can reach"
"""Why runs are not shared where one may be met by another."""


@dataclass
class Sharer:
    """Has others do what is left of some work, as long as all is as it should be.

    Attributes:
        others: Who they are.
        opening: What says which code it is, made when it is first asked for. Raises: Unknown: there is nothing.
    """

    others: Others
    opening: Callable[[], CodeOpening]
    _opening: CodeOpening | None = field(default=None, init=False)

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
        return 0 if spent * left < WORTH_SHARING * done else max(1, self._size(done, left, spent))

    def _size(self, done: int, left: int, spent: int) -> int:
        return min(SHARE * done // spent, left // (SHARES_EACH * self.others.workers()))

    def done(
        self, parts: Sequence[Any], asked: Callable[[Any], ShareAsked], read: Callable[[Any, ShareDone], Any]
    ) -> Iterator[tuple[Any, Any]]:
        """Each part with what came of it; with None from the first on that was left to this process.

        Args:
            parts: What is given out, each a share.
            asked: What a part becomes for that. Raises: Unknown: it cannot be given out.
            read: What came of it, from what others said. Raises: Unknown: it cannot be read.
        """
        answers: Sequence[ShareDone] = ()
        try:
            answers = self.others.done([asked(part) for part in parts])
        except Unknown as why:
            self._dismiss(str(why))
        for number, part in enumerate(parts):
            yield part, None if self.others.dismissed else self._read(read, part, answers[number])

    def _read(self, read: Callable[[Any, ShareDone], Any], part: Any, done: ShareDone) -> Any:
        try:
            if done.left:
                raise Unknown(done.left)
            return read(part, done)
        except Unknown as why:
            self._dismiss(str(why))
            return None

    def _dismiss(self, why: str) -> None:
        self.others.dismiss(why)

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
