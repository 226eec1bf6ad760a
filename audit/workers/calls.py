"""Calls of one function that somebody else carries out, and their answers as they come in.

Who carries out which call, and how many there are, shows in no answer.
"""

import queue
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.workers.order import Order, order
from dpcert.audit.workers.reply import Reply

WORKER_POLL = 200
"""Milliseconds between two looks at whether the work has to end."""
CALLS_AHEAD = 2
"""Calls given out at once for each thread of the workers, so that none of them waits for the next."""


class Crew(Protocol):
    """Those who carry out calls."""

    def threads(self) -> int:
        """How many calls are carried out at once. Raises: ArgumentError: none, and for long."""
        ...

    def submit(self, number: int, asked: Order) -> Any:
        """The future of a call that is given out."""
        ...

    def reply(self, number: int, future: Any) -> Reply:
        """What a call came to that came to its end. Raises: whatever the function raises."""
        ...


@dataclass
class Calls:
    """Calls to be spread over a crew.

    Attributes:
        function: A function of a module that the crew has.
        crew: Who carries them out; it ends with the work.
        over: Why no more calls are to be begun, in one line; empty while they are.
        broken_off: Whether those at work are given up too.
        ahead: Calls given out at once for each thread of the crew.
    """

    function: Callable[[Any], Any]
    crew: Callable[[], AbstractContextManager[Crew]]
    over: Callable[[], str] = str
    broken_off: Callable[[], bool] = bool
    ahead: int = CALLS_AHEAD
    _running: dict[Any, int] = field(default_factory=dict)
    _ended: "queue.SimpleQueue[Any]" = field(default_factory=queue.SimpleQueue)

    def replies(
        self, arguments: Iterable[Any], pack: Callable[[Any], Any] | None = None
    ) -> Generator[Reply, None, None]:
        """The reply to each argument, as they come in.

        Args:
            arguments: What the function is called with, one a call; taken when there is somebody for it.
            pack: What an argument becomes at the moment that it is given out.
        Raises: ArgumentError: there is no such crew, or it is not set up for this. Whatever the function raises.
        """
        waiting, more = enumerate(arguments), True
        with self.crew() as crew:
            while True:
                if reason := self.over():
                    yield from (Reply(number, lost=reason, begun=False) for number, _ in waiting)
                more = more and self._give_out(crew, waiting, pack or (lambda argument: argument))
                if not (more or self._running):
                    return
                with suppress(queue.Empty):
                    future = self._ended.get(timeout=WORKER_POLL / 1_000)
                    yield crew.reply(self._running.pop(future), future)
                if self.broken_off():
                    yield from (Reply(number, lost=self.over()) for number in self._running.values())
                    return

    def _give_out(self, crew: Crew, waiting: Iterator[tuple[int, Any]], pack: Callable[[Any], Any]) -> bool:
        """As many calls as the crew takes; whether there may be more."""
        free = self.ahead * crew.threads() - len(self._running)
        for number, argument in islice(waiting, max(0, free)):
            future = crew.submit(number, order(self.function, pack(argument)))
            self._running[future] = number
            future.add_done_callback(self._ended.put)
            free -= 1
        return free <= 0


def in_order(replies: Iterable[Reply]) -> Iterator[Reply]:
    """Replies by their numbers, each as soon as all before it are there; after an interrupt, those there are.

    >>> [reply.number for reply in in_order([Reply(1), Reply(0), Reply(2)])]
    [0, 1, 2]
    """
    early = dict[int, Reply]()
    following = 0
    with best_so_far(Budget()) as part:
        for reply in replies:
            early[reply.number] = reply
            while following in early:
                yield early.pop(following)
                following += 1
    yield from (early[number] for number in sorted(early))
    part.pass_on()
