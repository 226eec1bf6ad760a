"""Continual DP-SGD as it runs: events in, models out when bins leave; killed anywhere, it goes on as it was."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpcert.audit.errors import ArgumentError, expected
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.session import sample
from dpcert.mechanisms.aggregators.core import VectorCore
from dpcert.mechanisms.aggregators.stream import VectorStream
from dpcert.mechanisms.grid_noise.sampling import GridNoise
from dpcert.mechanisms.learning.updates import Gradients, Updates, gradients_of
from dpcert.mechanisms.live.session import Bin, RandBinSession
from dpcert.mechanisms.matrices.dyadic import Floats, finite
from dpcert.mechanisms.randbin.algorithm import Binning

BINS, SUMS = "bins.lease", "sums.lease"
"""What the two leases of a pipeline are called in its folder."""


@dataclass(frozen=True, eq=False)
class ReleasedModel:
    """A model that was released: its number (from 1), its components, and the round in which it was.

    The round is 0 where an earlier life of the run released it.
    """

    number: int
    model: Floats
    round: int = 0


def unseen(out: Bin) -> None:
    """Does not look at a bin."""


class ContinualSgd:
    """One live run: `push` takes an event and gives the new model when a bin leaves. Models and times alone are public.

    Args:
        randbin: What decides when events leave.
        core: The factorisation behind it, of as many bins as its horizon may have.
        noise: In units of the core's rows.
        updates: How gradients become updates.
        gradients: The user's function.
        initial: w_0, public.
        draw: Where RandBin's outcomes come from; another one than `sample` is for tests and recorded runs.
        observe: Is shown each bin once its model is released. Bins are as secret as events: this is for those who have
            the events and measure how long they waited.
    Raises: ArgumentError: parts that do not fit each other.
    Source: paper.tex, alg:dp_sgd_edit.

    Where the user's function raises, or gives what is no gradient, nothing is released and no event is lost: the bin
    waits, and the next `push` tries again before it takes its event. That it failed may tell of the events. Models that
    were released and that no call handed out stand in `undelivered`.
    """

    def __init__(
        self,
        randbin: Binning,
        core: VectorCore,
        noise: GridNoise,
        updates: Updates,
        gradients: Gradients,
        initial: Floats,
        *,
        draw: Draw = sample,
        observe: Callable[[Bin], None] = unseen,
    ) -> None:
        self._fit(randbin, core, updates, initial)
        self._bins, self._sums = RandBinSession(randbin, draw=draw), VectorStream(core, noise)
        self._updates, self._gradients, self._initial = updates, gradients, finite(initial, "initial")
        self._level, self._most, self._waiting = randbin.level, core.rounds, deque[Bin]()
        self._observe, self._unshown = observe, list[ReleasedModel]()

    @classmethod
    def open(
        cls,
        folder: str | Path,
        randbin: Binning,
        core: VectorCore,
        noise: GridNoise,
        updates: Updates,
        gradients: Gradients,
        initial: Floats,
        *,
        draw: Draw = sample,
        observe: Callable[[Bin], None] = unseen,
    ) -> "ContinualSgd":
        """A run whose state is kept in a folder: a new one, or the one that ended there, resumed once.

        A bin is on disk before its update is made, a sum before its model is handed out. So a bin that left and whose
        sum is not there is used now, and one whose sum is there is not used again. Take `undelivered` first.

        Raises: LeaseError: a lease in use, resumed before, of other parts or another version, or changed by hand.
        """
        run = cls(randbin, core, noise, updates, gradients, initial, draw=draw, observe=observe)
        place = Path(folder)
        place.mkdir(mode=0o700, exist_ok=True)
        try:
            run._bins = RandBinSession.open(place / BINS, randbin, draw=draw)
            run._sums = VectorStream.open(place / SUMS, core, noise)
            run._bins.acknowledge(min(run._sums.rounds, run._bins.bins))
        except BaseException:
            run.close()
            raise
        run._waiting.extend(run._bins.undelivered)
        return run

    @property
    def model(self) -> Floats:
        """w, the model that was released last; w_0 before the first bin."""
        return self._model(self._sums.latest)

    @property
    def rounds(self) -> int:
        """t, events taken so far."""
        return self._bins.rounds

    @property
    def released(self) -> int:
        """k, models released so far."""
        return self._sums.rounds

    @property
    def backlog(self) -> int:
        """Q_t, events taken that no released model has seen."""
        return self._bins.backlog + sum(len(out.events) for out in self._waiting)

    @property
    def newest(self) -> Any:
        """The event that was taken last, which waits still; None before the first. As secret as all events."""
        return next(reversed(self._bins.pending), None)

    @property
    def undelivered(self) -> tuple[ReleasedModel, ...]:
        """Models that were released and that nobody has: of an earlier run, unless acknowledged, and of this one."""
        earlier = (ReleasedModel(out.number, self._model(out.value)) for out in self._sums.undelivered)
        return (*earlier, *self._unshown)

    def push(self, event: Any) -> ReleasedModel | None:
        """Takes one event; the new model, if a bin left. Bins that waited from before are used first.

        Where that makes several models, the newest is handed out, and the others stand in `undelivered`.

        Raises: ArgumentError: not taken: past the horizon, or what came of the gradients of a waiting bin. Whatever the
        user's function raises.
        """
        before = self.released
        self._use_waiting()
        if self.rounds >= self.most_events:
            raise self._too_many(1)
        if self._bins.push(event) is not None and self._bins.latest is not None:
            self._waiting.append(self._bins.latest)
        self._use_waiting()
        return self._unshown.pop() if self.released > before else None

    def push_all(self, events: Sequence[Any]) -> list[ReleasedModel]:
        """Takes events in order, all or none; the models that are released, each in its round. As `push` of each.

        With a folder they are one write to the disk. A bin whose gradients fail waits, with all events behind it taken.

        Raises: as `push` does.
        """
        self._use_waiting()
        if self.rounds + len(events) > self.most_events:
            raise self._too_many(len(events))
        self._waiting.extend(self._bins.push_all(events))
        return self.retry()

    @property
    def most_events(self) -> int:
        """Events that it takes: a bin has U or more, and so many bins fit the core."""
        return (self._most + 1) * self._level - 1

    def retry(self) -> list[ReleasedModel]:
        """Uses the bins that wait, oldest first; all models of this run that no call has handed out."""
        self._use_waiting()
        models, self._unshown = self._unshown, []
        return models

    def acknowledge(self, number: int) -> None:
        """Says that all models up to `number` have arrived, so that neither this nor a later run offers them again."""
        self._sums.acknowledge(number)
        self._unshown = [model for model in self._unshown if model.number > number]

    def close(self) -> None:
        """Ends the run; with a folder, it may be resumed."""
        self._bins.close()
        self._sums.close()

    def _use_waiting(self) -> None:
        while self._waiting:
            out = self._waiting[0]
            self._unshown.append(self._used(out))
            self._waiting.popleft()
            self._observe(out)

    def _too_many(self, more: int) -> ArgumentError:
        return expected(f"at most {self.most_events} events, whose bins fit the horizon,", event=self.rounds + more)

    def _used(self, out: Bin) -> ReleasedModel:
        rows = gradients_of(self._gradients, self.model, out.events)
        made = self._sums.add(self._updates.of(rows, self._sums.rounds + 1))
        self._bins.acknowledge(out.number)
        return ReleasedModel(made.number, self._model(made.value), out.round)

    def _model(self, value: Floats) -> Floats:
        """w_0 - S: worked out of what was released alone."""
        found: Floats = self._initial - np.ldexp(value, -self._updates.bits)
        return found

    @staticmethod
    def _fit(randbin: Binning, core: VectorCore, updates: Updates, initial: Floats) -> None:
        if core.dimension != updates.dimension or np.shape(initial) != (updates.dimension,):
            shapes = {"core": core.dimension, "updates": updates.dimension, "initial": np.shape(initial)}
            raise expected("parts of one dimension", **shapes)
        if core.largest < updates.largest:
            raise expected(
                "a core that takes components as large as updates have", core=core.largest, updates=updates.largest
            )
        events = getattr(randbin, "horizon", None)
        if events is not None and events // randbin.level > core.rounds:
            raise expected(f"a core of at least {events // randbin.level} bins", rounds=core.rounds)


def trajectory(run: ContinualSgd, events: Sequence[Any]) -> list[ReleasedModel | None]:
    """What is public of so many rounds: in each the model that was released, or None."""
    return [run.push(event) for event in events]
