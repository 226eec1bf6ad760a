"""The workers of a Dask scheduler, which carry out calls. A call whose worker is lost is given to another one."""

import logging
import socket
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError as Cancelled
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.outside.fresh_process import Lost
from dpcert.audit.workers.order import Order, Refused
from dpcert.audit.workers.remote import answered, closed
from dpcert.audit.workers.reply import LOST_RETRIES, Reply

WORKER_PATIENCE = 30
"""Seconds for which a scheduler, or its first worker, is waited for."""

SCHEMES = ("", "tcp", "tls", "ws", "wss")
"""What an address may begin with."""


@dataclass
class DaskCrew:
    """The workers of a scheduler.

    Attributes:
        address: Of the scheduler.
        client: Of Dask.
        session: The name under which a worker keeps its processes.
    """

    address: str
    client: Any
    session: str
    _idle_since: int = field(default_factory=time.monotonic_ns)

    def threads(self) -> int:
        """Of all workers there are. Raises: ArgumentError: there are none for long."""
        threads: int = sum(self.client.nthreads().values())
        now = time.monotonic_ns()
        if threads:
            self._idle_since = now
        elif now - self._idle_since > WORKER_PATIENCE * 10**9:
            raise ArgumentError(f"Expected a worker of the scheduler {one_line(self.address)} but got none")
        return threads

    def submit(self, number: int, asked: Order) -> Any:
        """The future of a call; a lost worker's is given to another."""
        key = f"dpcert-{self.session}-{number}"
        return self.client.submit(answered, self.session, asked, key=key, retries=LOST_RETRIES)

    def reply(self, number: int, future: Any) -> Reply:
        """What a call came to. Raises: ArgumentError: a worker that is not set up; whatever the function raises."""
        from distributed import KilledWorker

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
def dask_crew(address: str) -> Iterator[DaskCrew]:
    """The workers of a scheduler; the processes that they began for us end with the block.

    Args:
        address: Of the scheduler.
    Raises: ArgumentError: no Dask, or no scheduler.
    """
    reached(address)
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is lost is said by us, once
    client: Any = None
    try:
        client = Client(address, timeout=WORKER_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise _no_scheduler(address, one_line(str(error)) or type(error).__name__) from None
    session = uuid4().hex
    try:
        yield DaskCrew(address, client, session)
    finally:
        with suppress(Exception):  # a worker that is gone has none of our processes
            client.run(closed, session, on_error="ignore")
        client.close()


def reached(address: str) -> None:
    """Looks whether a scheduler listens.

    Args:
        address: Where.
    Raises: ArgumentError: nothing does, it is no address, or there is no Dask to speak to it.
    """
    if find_spec("distributed") is None:
        raise ArgumentError(
            f"Expected the extra dpcert[distributed] (pip install 'dpcert[distributed]') for"
            f" scheduler={one_line(address)} but got no package distributed"
        )
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
