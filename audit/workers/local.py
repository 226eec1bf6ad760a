"""Calls of one function, carried out by processes of this machine, and their answers as they come in.

The same warm processes that a Dask worker has; a call whose process is lost is given to a new one.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any
from uuid import uuid4

from dpcert.audit.outside.fresh_process import Lost
from dpcert.audit.workers.order import Order, order
from dpcert.audit.workers.remote import answered, closed
from dpcert.audit.workers.reply import LOST_RETRIES, Reply


def replies(function: Callable[[Any], Any], arguments: Sequence[Any], jobs: int) -> Iterator[Reply]:
    """The reply to each argument, as they come in.

    Args:
        function: Of a module, by its name.
        arguments: What it is called with, one a call.
        jobs: Processes at once.
    Raises: whatever the function raises.
    """
    session = uuid4().hex
    orders = [order(function, argument) for argument in arguments]
    with ThreadPoolExecutor(jobs) as threads:
        try:
            asked = [threads.submit(_reply, session, number, one) for number, one in enumerate(orders)]
            for future in as_completed(asked):
                yield future.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            closed(session)


def _reply(session: str, number: int, asked: Order) -> Reply:
    for _ in range(LOST_RETRIES + 1):
        try:
            return Reply(number, answered(session, asked))
        except Lost:
            pass
    return Reply(number, lost=f"its process was lost {LOST_RETRIES + 1} times")
