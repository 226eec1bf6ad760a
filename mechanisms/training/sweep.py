"""Many runs: every setting, method and seed, in as many processes as are asked for."""

import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context

from dpcert.audit.algebra.decimals import up
from dpcert.audit.outside.fresh_process import POSSIBLE
from dpcert.audit.workers.workers import Workers
from dpcert.mechanisms.training.kept import Keeping
from dpcert.mechanisms.training.setting import SgdSetting
from dpcert.mechanisms.training.trained import NOTHING_KEPT, TrainedRun, parts, trained


@dataclass(frozen=True)
class Task:
    """One run to be made.

    Attributes:
        setting, method, seed: What runs.
        simulate: A seed of all randomness, where it is a simulation.
        keep: Where the run is kept.
    """

    setting: SgdSetting
    method: str
    seed: int
    simulate: int | None = None
    keep: Keeping = NOTHING_KEPT

    def run(self) -> TrainedRun:
        """Here and now."""
        return trained(self.setting, self.method, self.seed, simulate=self.simulate, keep=self.keep)

    def prepare(self) -> None:
        """Makes what all seeds share. Raises: ArgumentError: a promise that the method cannot keep."""
        parts(self.setting, self.method)

    @property
    def named(self) -> str:
        """For a line of progress."""
        wish = self.setting.wish
        return f"{self.method} at ε = {up(wish.epsilon)}, {wish.events:,} events, seed {self.seed}"


def tasks(
    settings: Sequence[SgdSetting],
    methods: Sequence[str],
    seeds: int,
    simulate: int | None,
    keep: Keeping = NOTHING_KEPT,
) -> list[Task]:
    """All of them, seed by seed: the first seed of everything comes first, and a stream is made once for its runs."""
    return [
        Task(setting, method, seed, simulate, keep)
        for seed in range(1, seeds + 1)
        for setting in settings
        for method in methods
    ]


def made(task: Task) -> TrainedRun:
    """One run, wherever this is called."""
    return task.run()


def runs(queue: Sequence[Task], workers: Workers, say: Callable[[str], None]) -> Iterator[TrainedRun]:
    """What becomes of each, as they come to their ends; where there is no fork, one after another.

    What the seeds of a setting share is made first, in this process, for all others.

    Args:
        queue: What is to be run.
        workers: Who makes the runs; processes of this machine are copies of this one.
        say: Told of each run.
    Raises: ArgumentError: a promise that cannot be kept; then nothing runs. No Dask, no scheduler, no worker, a worker
        that is not set up for this, or one run that was lost several times.
    """
    for task in queue:
        if task.seed == 1:
            say(f"Calibrating {task.named.rpartition(',')[0]}")
            task.prepare()
    if workers.scheduler is not None:
        found = workers.answers(made, queue, lambda task: f"a run ({task.named})")
        yield from _told((run for _, run in found), len(queue), say)
        return
    if workers.here or not POSSIBLE:
        for number, task in enumerate(queue, 1):
            say(f"Run {number} of {len(queue)}: {task.named}")
            yield task.run()
        return
    with get_context("fork").Pool(workers.jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        yield from _told(pool.imap_unordered(Task.run, queue), len(queue), say)


def _told(found: Iterator[TrainedRun], many: int, say: Callable[[str], None]) -> Iterator[TrainedRun]:
    say(f"Runs: 0 of {many}")
    for number, run in enumerate(found, 1):
        say(f"Runs: {number} of {many}")
        yield run
