"""What runs inside a Dask worker: it hands an order to a warm process of its own, and hands back the answer.

A worker has many threads, of which no sound copy can be made; and what an order does to its process must not be done to
a worker. So each has warm processes beside it, as many as it works on at once.
"""

import threading
from typing import Any

from dpcert.audit.outside.fresh_process import POSSIBLE
from dpcert.audit.workers.order import Order
from dpcert.audit.workers.warm import Warm

_LOCK = threading.Lock()
_IDLE: dict[str, list[Warm]] = {}
_ALL: dict[str, list[Warm]] = {}


def answered(session: str, order: Order) -> Any:
    """What an order comes to, in a warm process that serves one session.

    Raises: Lost: the process ended; Refused: this is no place for it; whatever the order raises.
    """
    if not POSSIBLE:
        return order.carried_out()
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
    """Ends all warm processes of a session, those at work as well."""
    with _LOCK:
        _IDLE.pop(session, None)
        ending = _ALL.pop(session, [])
    for warm in ending:
        warm.close()


def _taken(session: str) -> Warm:
    with _LOCK:
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
