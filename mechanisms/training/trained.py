"""One run, measured: a calibration or a baseline, on a stream in the order of a seed."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np

from dpcert.audit.errors import expected, one_line
from dpcert.mechanisms.learning.calibration import Calibration
from dpcert.mechanisms.learning.pipeline import ContinualSgd, ReleasedModel
from dpcert.mechanisms.learning.recorded import RecordedRandomness
from dpcert.mechanisms.learning.updates import Gradients
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import Labels, Model
from dpcert.mechanisms.streams.labelled import LabelledEvents
from dpcert.mechanisms.streams.named import labelled
from dpcert.mechanisms.streams.participation import Users
from dpcert.mechanisms.training.baselines import BatchPlan, BatchSgd, hamming_batches, open_batches
from dpcert.mechanisms.training.kept import Keeping
from dpcert.mechanisms.training.measured import Measures
from dpcert.mechanisms.training.setting import CALIBRATIONS, SgdSetting, batch_size, calibrated

BASELINES = ("batches", "no-privacy")
"""Batches at fixed times under Hamming noise, and without any."""
EVENTS_AT_A_TIME = 10_000
"""Events that a run takes at once."""
EVENTS_A_SAVE = 1_000
"""The same of a run that is kept: they are one write to the disk."""
NOTHING_KEPT = Keeping()
Deliver = Callable[[list[ReleasedModel]], None]


class Running(Protocol):
    """A live run, of the pipeline or of a baseline."""

    @property
    def model(self) -> Floats:
        """The public model."""

    @property
    def rounds(self) -> int:
        """Events taken."""

    @property
    def released(self) -> int:
        """Models released."""

    def push(self, event: Any) -> ReleasedModel | None:
        """One event."""

    def push_all(self, events: Sequence[Any]) -> list[ReleasedModel]:
        """Many."""


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """One run.

    Attributes:
        setting, method, seed: What ran; the seed is of the data's order alone.
        level: U, or the size of batches.
        noise_per_coordinate: Of a row, in units of the model.
        proven: At least delta at the promised epsilon.
        measures: What came of it.
        deleted, inserted: Events that users with habits kept back, and sent once more.
        simulated: Whether noise was from a seed: then nothing is private.
        seconds: How long it took.
    """

    setting: SgdSetting
    method: str
    seed: int
    level: int
    noise_per_coordinate: Fraction
    proven: Fraction
    measures: Measures
    deleted: int
    inserted: int
    simulated: bool
    seconds: float


@dataclass(frozen=True)
class RowGradients:
    """Gradients of events that are numbers of rows."""

    learner: Model
    events: LabelledEvents

    def __call__(self, weights: Floats, rows: Sequence[int]) -> Floats:
        """One row an event."""
        at = np.array(rows)
        return self.learner.gradients(weights, self.events.x[at], self.events.y[at])


@dataclass(frozen=True)
class PlacedGradients:
    """Gradients of events of users with habits: behind its row, each has where the users were when it was taken."""

    of_rows: RowGradients

    def __call__(self, weights: Floats, events: Sequence[Sequence[int]]) -> Floats:
        """One row an event."""
        return self.of_rows(weights, [row for row, *_ in events])


def parts(setting: SgdSetting, method: str) -> Calibration | BatchPlan:
    """The calibration or the baseline.

    Raises: ArgumentError: no such method, or a promise that it cannot keep.
    """
    if method in CALIBRATIONS:
        return calibrated(method, setting.wish, setting.updates, setting.core)
    if method not in BASELINES:
        raise expected(f"{', '.join((*CALIBRATIONS, *BASELINES))}", method=one_line(method))
    size = batch_size(setting)
    return hamming_batches(setting, size) if method == "batches" else open_batches(setting, size)


def trained(
    setting: SgdSetting, method: str, seed: int, *, simulate: int | None = None, keep: Keeping = NOTHING_KEPT
) -> TrainedRun:
    """One run over the whole horizon.

    Args:
        setting: What is promised, on what.
        method: A calibration or a baseline.
        seed: Of the data's order.
        simulate: A seed of all randomness instead of the system's entropy. NOT PRIVATE.
        keep: Where releases and the state of a calibration's run go; from a state that is there, it goes on, and what
            is measured is measured from there on.
    Raises: ArgumentError: what cannot be run, or a state whose run is over.
    """
    began, plan = time.perf_counter(), parts(setting, method)
    events = labelled(setting.stream, setting.wish.events, seed)
    measures = Measures(np.zeros(len(events), dtype=np.bool_))
    if keep.state:
        keep.claim(setting, method, seed, simulate)
    run = _run(setting, plan, events, measures, simulate, keep.state)
    users = Users(events, setting.habits, setting.learner, seed)
    with ExitStack() as stack:
        deliver: Deliver = lambda _: None  # noqa: E731
        if isinstance(run, ContinualSgd):
            stack.callback(run.close)
            if keep != NOTHING_KEPT:
                deliver = keep.sink(run, stack).take
                measures.first, measures.taken = run.rounds, run.rounds - run.backlog
                if measures.first == len(events):
                    raise expected(f"a run with events left of {len(events)}", state=one_line(keep.state))
        if setting.habits.steady:
            size = EVENTS_AT_A_TIME if keep == NOTHING_KEPT else EVENTS_A_SAVE
            _steady(run, setting.learner, events, measures, deliver, size)
        else:
            _by_users(run, users, measures, deliver)
    measures.right = measures.right[measures.first :]
    level = plan.size if isinstance(plan, BatchPlan) else plan.randbin.level
    return TrainedRun(
        setting, method, seed, level, plan.noise_per_coordinate, plan.proven, measures,
        users.deleted, users.inserted, simulate is not None, time.perf_counter() - began,
    )  # fmt: skip


def _run(
    setting: SgdSetting,
    plan: Calibration | BatchPlan,
    events: LabelledEvents,
    measures: Measures,
    simulate: int | None,
    state: str = "",
) -> Running:
    """A live run of the parts."""
    rows, initial = RowGradients(setting.learner, events), setting.learner.initial
    gradients: Gradients = rows if setting.habits.steady else PlacedGradients(rows)
    randomness = None if simulate is None else RecordedRandomness(simulate)
    noise = plan.noise
    if randomness is not None and noise.sigma:
        noise = randomness.noise(noise.sigma)
    run: Running
    if isinstance(plan, BatchPlan):
        run = BatchSgd(plan, setting, gradients, noise, measures.observe)
    else:
        more = {} if randomness is None else {"draw": randomness.draw}
        begun = partial(ContinualSgd.open, state) if state else ContinualSgd
        run = begun(
            plan.randbin,
            setting.optimised(plan.core),
            noise,
            setting.updates,
            gradients,
            initial,
            observe=measures.observe,
            **more,
        )
    if randomness is not None:
        randomness.follow(run)
    return run


def _steady(
    run: Running, learner: Model, events: LabelledEvents, measures: Measures, deliver: Deliver, size: int
) -> None:
    """Each event comes once, in order; a model is in force until the next."""
    start, model = run.rounds, run.model
    for first in range(start, len(events), size):
        end = min(first + size, len(events))
        made = run.push_all(range(first, end))
        deliver(made)
        for out in made:
            measures.right[start : out.round] = _foretold(
                learner, model, events.x[start : out.round], events.y[start : out.round]
            )
            start, model = max(start, out.round), out.model
            measures.release(out.round, model)
    measures.right[start:] = _foretold(learner, model, events.x[start:], events.y[start:])


def _foretold(learner: Model, model: Floats, x: Floats, y: Labels) -> Any:
    return learner.predict(model, x) == y


def _by_users(run: Running, users: Users, measures: Measures, deliver: Deliver) -> None:
    """Users decide round by round, and see the model that is public.

    What is kept of a run has where they are with each event. So a run that was killed goes on with the same users: who
    comes next depends on that, and on the model, which a lease has too.
    """
    if isinstance(run, ContinualSgd) and run.rounds:
        late = run.push_all([])
        deliver(late)
        for one in late:
            measures.release(one.round, one.model)
        _, *users.place = run.newest
    model = run.model
    for t in range(measures.first, len(measures.right)):
        at = users.coming(model)
        measures.right[t] = users.is_right(model, at)
        out = run.push([at, *users.place])
        if out is not None:
            deliver([out])
            model = out.model
            users.released()
            measures.release(t + 1, model)
