"""What a process of many threads does with an order: it hands it to a warm process, and hands back the answer.

A Dask worker has many threads, of which no sound copy can be made; and what an order does to its process must not be
done to a worker. So each has warm processes beside it, as many as it works on at once.
"""

import threading
from typing import Any

from dpcert.audit.outside.fresh_process import Lost
from dpcert.audit.workers.order import Order
from dpcert.audit.workers.warm import Warm

_LOCK = threading.Lock()
_IDLE: dict[str, list[Warm]] = {}
_ALL: dict[str, list[Warm]] = {}
_OVER: set[str] = set()


def answered(session: str, order: Order) -> Any:
    """What an order comes to, in a warm process that serves one session.

    Raises: Lost: the process ended; Refused: this is no place for it; whatever the order raises.
    """
    warm = _taken(session)
    try:
        said = warm.answer(order)
    except BaseException:
        _dropped(session, warm)
        raise
    with _LOCK:
        _IDLE.setdefault(session, []).append(warm)
    return said


def closed(session: str) -> None:
    """Ends all warm processes of a session, those at work as well; it gets no new ones."""
    with _LOCK:
        _OVER.add(session)
        _IDLE.pop(session, None)
        ending = _ALL.pop(session, [])
    for warm in ending:
        warm.close()


def _taken(session: str) -> Warm:
    with _LOCK:
        if session in _OVER:
            raise Lost("the session is over")
        idle = _IDLE.get(session)
        if idle:
            return idle.pop()
        warm = Warm.started()
        _ALL.setdefault(session, []).append(warm)
        return warm


def _dropped(session: str, warm: Warm) -> None:
    with _LOCK:
        if warm in _ALL.get(session, []):
            _ALL[session].remove(warm)
    warm.close()
