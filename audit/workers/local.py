"""Processes of this machine that carry out calls: the same warm ones that a Dask worker has.

A call whose process is lost is given to a new one.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from dpcert.audit.frozen import frozen
from dpcert.audit.outside.fresh_process import Lost
from dpcert.audit.workers.order import Order
from dpcert.audit.workers.remote import answered, closed
from dpcert.audit.workers.reply import LOST_RETRIES, Reply


@frozen
class LocalCrew:
    """So many processes of this machine.

    Attributes:
        jobs: Processes at once.
        session: The name under which they are kept.
        pool: A thread for each, which waits for it.
    """

    jobs: int
    session: str
    pool: ThreadPoolExecutor

    def threads(self) -> int:
        """As many as there are processes."""
        return self.jobs

    def submit(self, number: int, asked: Order) -> "Future[Any]":
        """The future of a call, whatever its number."""
        del number
        return self.pool.submit(_answered, self.session, asked)

    def reply(self, number: int, future: "Future[Any]") -> Reply:
        """What a call came to. Raises: whatever the function raises."""
        try:
            return Reply(number, future.result())
        except Lost:
            return Reply(number, lost=f"its process was lost {LOST_RETRIES + 1} times")


@contextmanager
def local_crew(jobs: int) -> Iterator[LocalCrew]:
    """Processes of this machine, which end with the block.

    Args:
        jobs: Processes at once.
    """
    session = uuid4().hex
    with ThreadPoolExecutor(jobs) as threads:
        try:
            yield LocalCrew(jobs, session, threads)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            closed(session)


def _answered(session: str, asked: Order) -> Any:
    """What an order comes to. Raises: Lost: each process that was given it ended; whatever the order raises."""
    for _ in range(LOST_RETRIES):
        try:
            return answered(session, asked)
        except Lost:
            pass
    return answered(session, asked)
