"""Calls of one function, carried out by the workers of a Dask scheduler, and their answers as they come in.

Which worker carries out which call, and how many there are, shows in no answer. A call whose worker is lost is given to
another one.
"""

import logging
import queue
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError as Cancelled
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.outside.fresh_process import Lost
from dpcert.audit.workers.order import Refused, order
from dpcert.audit.workers.remote import answered, closed
from dpcert.audit.workers.reply import LOST_RETRIES, Reply

WORKER_POLL = 200
"""Milliseconds between two looks at whether the work has to end."""
WORKER_PATIENCE = 30
"""Seconds for which a scheduler, or its first worker, is waited for."""
CALLS_AHEAD = 2
"""Calls given out at once for each thread of the workers, so that none of them waits for the next."""

SCHEMES = ("", "tcp", "tls", "ws", "wss")
"""What an address may begin with."""


@dataclass
class WorkerCalls:
    """Calls to be spread over workers.

    Attributes:
        function: A function of a module that workers have.
        address: Of the scheduler.
        over: Why no more calls are to be begun, in one line; empty while they are.
        broken_off: Whether those at work are given up too.
        ahead: Calls given out at once for each thread of the workers.
    """

    function: Callable[[Any], Any]
    address: str
    over: Callable[[], str] = str
    broken_off: Callable[[], bool] = bool
    ahead: int = CALLS_AHEAD
    _waiting: deque[tuple[int, Any]] = field(default_factory=deque)
    _running: dict[Any, int] = field(default_factory=dict)
    _ended: "queue.SimpleQueue[Any]" = field(default_factory=queue.SimpleQueue)
    _idle_since: int = 0

    def replies(self, arguments: Sequence[Any], pack: Callable[[Any], Any] | None = None) -> Iterator[Reply]:
        """The reply to each argument, as they come in.

        Args:
            arguments: What the function is called with, one a call.
            pack: What an argument becomes at the moment that it is given out.
        Raises: ArgumentError: no Dask, no scheduler, no worker, or a worker that is not set up for this.
        """
        self._waiting.extend(enumerate(arguments))
        self._idle_since = time.monotonic_ns()
        with _client(self.address) as (client, session):
            while self._waiting or self._running:
                if reason := self.over():
                    yield from self._dropped(reason)
                self._give_out(client, session, pack or (lambda argument: argument))
                with suppress(queue.Empty):
                    yield self._reply(self._ended.get(timeout=WORKER_POLL / 1_000))
                if self.broken_off():
                    yield from (Reply(number, lost=self.over()) for number in self._running.values())
                    return

    def _dropped(self, reason: str) -> Iterator[Reply]:
        """Those that were not given out."""
        yield from (Reply(number, lost=reason, begun=False) for number, _ in self._waiting)
        self._waiting.clear()

    def _give_out(self, client: Any, session: str, pack: Callable[[Any], Any]) -> None:
        """As many calls as the workers there are take. Raises: ArgumentError: there are none for long."""
        threads = sum(client.nthreads().values())
        now = time.monotonic_ns()
        if threads:
            self._idle_since = now
        elif now - self._idle_since > WORKER_PATIENCE * 10**9:
            raise ArgumentError(f"Expected a worker of the scheduler {one_line(self.address)} but got none")
        while self._waiting and len(self._running) < self.ahead * threads:
            number, argument = self._waiting.popleft()
            asked = order(self.function, pack(argument))
            future = client.submit(answered, session, asked, key=f"dpcert-{session}-{number}", retries=LOST_RETRIES)
            self._running[future] = number
            future.add_done_callback(self._ended.put)

    def _reply(self, future: Any) -> Reply:
        """What a call that came to its end came to. Raises: ArgumentError: a worker that is not set up; its own."""
        from distributed import KilledWorker

        number = self._running.pop(future)
        try:
            return Reply(number, future.result())
        except (Lost, KilledWorker):
            return Reply(number, lost=f"its worker was lost {LOST_RETRIES + 1} times")
        except Cancelled:
            raise ArgumentError(f"Expected the scheduler {one_line(self.address)} to stay but it went away") from None
        except Refused as error:
            raise ArgumentError(str(error)) from None
        except ModuleNotFoundError as error:
            missing = one_line(error.name or str(error))
            raise ArgumentError(f"Expected dpcert on every worker but got one without {missing}") from None


@contextmanager
def _client(address: str) -> Iterator[tuple[Any, str]]:
    """A client of a scheduler and the name of its session, whose processes end with it."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise ArgumentError(
            f"Expected the extra dpcert[distributed] (pip install 'dpcert[distributed]') for"
            f" scheduler={one_line(address)} but got no package distributed"
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is lost is said by us, once
    _reached(address)
    client: Any = None
    try:
        client = Client(address, timeout=WORKER_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise _no_scheduler(address, one_line(str(error)) or type(error).__name__) from None
    session = uuid4().hex
    try:
        yield client, session
    finally:
        with suppress(Exception):  # a worker that is gone has none of our processes
            client.run(closed, session, on_error="ignore")
        client.close()


def _reached(address: str) -> None:
    """Raises: ArgumentError: nothing listens at the address of a scheduler."""
    scheme, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if scheme not in SCHEMES or not host or not port.isascii() or not port.isdigit():
        raise _no_scheduler(address, f"not {', '.join(SCHEMES[1:])} or nothing, then HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), WORKER_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise _no_scheduler(address, getattr(error, "strerror", None) or "nothing listens there") from None


def _no_scheduler(address: str, why: str) -> ArgumentError:
    return ArgumentError(f"Expected a Dask scheduler but got scheduler={one_line(address)} ({why})")
