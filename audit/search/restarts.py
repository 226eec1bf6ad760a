"""The restarts of a search, here or by others: the same hilltops in the same order whoever climbs."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import takewhile

import numpy as np

from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.errors import Stopped
from dpcert.audit.frozen import frozen
from dpcert.audit.search.climb import Landscape, Shape, Top
from dpcert.audit.workers.calls import in_order
from dpcert.audit.workers.workers import THIS_PROCESS, Workers


@frozen
class Restart:
    """One climb to be made.

    Attributes:
        shape: The size of its tables.
        exp_epsilon, least_delta: The slope, and the fixed-stream delta that counts.
        seed: Of the search.
        number: Of the restart, from 0: each has a random generator of its own.
        max_seconds: Of the search.
        allowed: Nanoseconds that are left of them.
    """

    shape: Shape
    exp_epsilon: Fraction
    least_delta: Fraction
    seed: int
    number: int
    max_seconds: int | None = None
    allowed: int | None = None


@frozen
class Climb:
    """What became of one.

    Attributes:
        top: Its hilltop; None where no random table could serve as a start.
        part: Whether it was cut short; the top is how far it came then.
    """

    top: Top | None
    part: best_so_far


def climb(restart: Restart, budget: Budget) -> Climb:
    """One restart; the same for the same one, but for what the time cuts off. Raises: Stopped: it did not begin."""
    budget.check()
    chance = np.random.default_rng(np.random.SeedSequence(restart.seed, spawn_key=(restart.number,)))
    landscape, least = Landscape(restart.shape, float(restart.exp_epsilon)), float(restart.least_delta)
    table = landscape.start(chance, least)
    with best_so_far(budget) as part:
        for higher in () if table is None else landscape.climb(table, least, budget):
            table = higher
    return Climb(None if table is None else landscape.top(table), part)


def climb_for_another(restart: Restart) -> tuple[Top | None, str]:
    """(hilltop, what cut the climb short) of a restart that another process asks for."""
    made = climb(restart, Budget(max_seconds=restart.max_seconds, allowed=restart.allowed))
    return made.top, made.part.stopped


def tops(first: Restart, many: int, budget: Budget, workers: Workers = THIS_PROCESS) -> Iterator[Top | None]:
    """One hilltop a restart, None where no random table could serve as a start, in the order of their numbers.

    Where a climb is cut short, it is how far it came; then the time is over.

    Args:
        first: The first restart.
        many: Restarts.
        budget: Bounds the work.
        workers: Who climbs.
    Raises: Stopped: the time is over, or a restart was lost. KeyboardInterrupt: there was one.
    """
    if not workers.here:
        yield from _by_others(first, many, budget, workers)
        return
    for number in range(many):
        made = climb(replace(first, number=number), budget)
        yield made.top
        made.part.pass_on()


def _by_others(first: Restart, many: int, budget: Budget, workers: Workers) -> Iterator[Top | None]:
    def given_out(number: int) -> Restart:
        return replace(first, number=number, max_seconds=budget.max_seconds, allowed=budget.left())

    stops: list[str] = []
    count = 0
    in_time = takewhile(lambda _: not _over(budget), range(many))
    for reply in in_order(workers.calls(climb_for_another, ahead=1).replies(in_time, given_out)):
        count += 1
        top, reason = reply.answer or (None, f"a restart was lost: {reply.lost}")
        stops += [reason] if reason else []
        if not reply.lost:
            yield top
    stops += [budget.time_over] if count < many else []
    if stops:
        raise Stopped(stops[0])


def _over(budget: Budget) -> str:
    with best_so_far(budget) as part:
        budget.check()
    return part.stopped
