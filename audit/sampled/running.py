"""Runs of a black box, each from a seed of its own, in as many processes as are wanted: the same results from any."""

import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from dpcert.audit.budget import Budget
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.limits import within
from dpcert.audit.outside.fresh_process import POSSIBLE
from dpcert.audit.sampled.black_box import BlackBox, halted
from dpcert.audit.sampled.classes import OutputClasses
from dpcert.audit.sampled.policy import Policy

if TYPE_CHECKING:
    from numpy.random import Generator

RUNS_AT_A_TIME = 500
"""Runs between two looks at the limit, and of one piece of work for a process."""
_POLL = 1
"""Seconds between two looks at the limit while copies work."""
_work: Callable[["RunRange"], Any] | None = None


@frozen
class RunRange:
    """Some runs: from run `first` to below run `last` of a stage, a group of policies and a world."""

    stage: int
    group: int
    world: int
    first: int
    last: int


def pieces(stage: int, group: int, world: int, runs: int) -> Iterator[RunRange]:
    """All runs of a stage, a group and a world in pieces."""
    for first in range(0, runs, RUNS_AT_A_TIME):
        yield RunRange(stage, group, world, first, min(runs, first + RUNS_AT_A_TIME))


def generator_of(seed: int, piece: RunRange, run: int, use: int = 0) -> Callable[[], "Generator"]:
    """What gives the generator of a run, the same each time; `use` 1 is that of the adversary's own coins."""
    from numpy.random import PCG64, Generator, SeedSequence

    entropy = (seed, piece.stage, piece.group, piece.world, run, use)
    return lambda: Generator(PCG64(SeedSequence(entropy)))


def played(
    box: BlackBox, policy: Policy, classes: Sequence[OutputClasses], world: int, generator: Callable[[], "Generator"]
) -> tuple[list[Any], list[Any], list[int]]:
    """One run of a policy in a world.

    Returns: The inputs, the outputs as far as there are any, and the classes that were observed.
    """
    respond = box.begin(generator)
    inputs: list[Any] = []
    outputs: list[Any] = []
    class_numbers: list[int] = []
    at: int | bool = 0
    while not isinstance(at, bool):
        node = policy.nodes[at]
        inputs.append(node.pair[-world])
        if not (outputs and halted(outputs[-1])):
            outputs.append(respond(inputs[-1]))
        class_numbers.append(classes[node.round - 1].of(outputs[-1]))
        at = node.ways[class_numbers[-1]]
    return inputs, outputs, class_numbers


def done(work: Callable[[RunRange], Any], todo: Sequence[RunRange], jobs: int, budget: Budget) -> list[Any]:
    """The work on every piece, in their order.

    Args:
        work: What is done with a piece; its answer can be pickled.
        todo: The pieces.
        jobs: Processes at once.
        budget: Bounds on the work.
    Raises: Stopped: the work ended early. MechanismError: what the user's code raises.
    """
    if jobs == 1 or not POSSIBLE or len(todo) == 1:
        answers = []
        with within(budget.check):
            for piece in todo:
                budget.check()
                answers.append(work(piece))
        return answers
    global _work
    _work = work
    pool = ProcessPoolExecutor(min(jobs, len(todo)), get_context("fork"), _deaf)
    try:
        return _gathered([pool.submit(_answer, piece) for piece in todo], budget)
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.kill()
        raise
    finally:
        _work = None
        pool.shutdown(cancel_futures=True)


def _gathered(waiting: list[Future[tuple[MechanismError | None, bytes]]], budget: Budget) -> list[Any]:
    answers = []
    for result in waiting:
        while True:
            budget.check()
            with suppress(TimeoutError):
                error, answer = _result(result)
                break
        if error is not None:
            raise error
        answers.append(pickle.loads(answer))
    return answers


def _result(result: Future[tuple[MechanismError | None, bytes]]) -> tuple[MechanismError | None, bytes]:
    """What a copy found, within some time. Raises: TimeoutError: not yet. MechanismError: it is gone."""
    try:
        return result.result(_POLL)
    except BrokenProcessPool:
        raise MechanismError("Expected a sampler that answers but got the end of its process") from None


def _deaf() -> None:
    """Copies leave an interrupt to the process that made them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _answer(piece: RunRange) -> tuple[MechanismError | None, bytes]:
    """In a copy: an error of the user's, or what was found."""
    if _work is None:
        raise RuntimeError("a copy without work")
    try:
        answer = _work(piece)
    except MechanismError as error:
        told = MechanismError(str(error))
        told.placed = error.placed
        return told, b""
    try:
        return None, pickle.dumps(answer)
    except Exception:  # noqa: BLE001 - a user's output may refuse in any way
        return MechanismError("Expected outputs that can be handed between processes: leave --jobs at 1"), b""
