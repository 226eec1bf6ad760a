"""What an edit changes: the run on a stream, and the run on the same stream without one event, sharing all randomness.

RandBin's neighbour-preserving simulation says which bins the other stream has under the same times; the noise of the
sums is the same in both. It is a SIMULATION, from a seed: nothing of it is private.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.aggregators.stream import VectorStream
from dpcert.mechanisms.learning.calibration import Calibration
from dpcert.mechanisms.learning.recorded import RecordedRandomness
from dpcert.mechanisms.learning.updates import Gradients, Updates, gradients_of
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.randbin.simulation import simulate
from dpcert.mechanisms.streams.named import labelled
from dpcert.mechanisms.training.measured import thinned
from dpcert.mechanisms.training.setting import SgdSetting, calibrated
from dpcert.mechanisms.training.trained import RowGradients

Pairs = Callable[[int], tuple[Any, Any]]
"""The events of round t, from 1, in either stream."""


@dataclass(frozen=True, eq=False)
class TwoReleases:
    """One bin of either stream, and the models released with it.

    Attributes:
        round: In which both left.
        events: What was in them.
        models: What was released.
    """

    round: int
    events: tuple[tuple[Any, ...], tuple[Any, ...]]
    models: tuple[Floats, Floats]

    @property
    def differ(self) -> bool:
        """Whether the bins hold other events."""
        return self.events[0] != self.events[1]

    @property
    def distance(self) -> float:
        """Of the models, in the norm."""
        return float(np.linalg.norm(self.models[0] - self.models[1]))


def without(at: int) -> Pairs:
    """Events 0, 1, 2, ... and the same without number `at`.

    >>> [without(1)(t) for t in (1, 2, 3)]
    [(0, 0), (1, 2), (2, 3)]
    """
    return lambda t: (t - 1, t - 1 if t <= at else t)


class _Side:
    """One of both runs: its sums, and how far it is."""

    def __init__(
        self, calibration: Calibration, updates: Updates, gradients: Gradients, initial: Floats, seed: int
    ) -> None:
        randomness = RecordedRandomness(seed)
        self._sums = VectorStream(calibration.core, randomness.noise(calibration.sigma))
        self._updates, self._gradients, self._initial, self.model = updates, gradients, initial, initial
        self.rounds = 0
        randomness.follow(self)

    @property
    def released(self) -> int:
        """Models released."""
        return self._sums.rounds

    def use(self, events: Sequence[Any]) -> Floats:
        """The model that comes of a bin."""
        rows = gradients_of(self._gradients, self.model, events)
        made = self._sums.add(self._updates.of(rows, self.released + 1))
        self.model = self._initial - np.ldexp(made.value, -self._updates.bits)
        return self.model


def two_runs(
    calibration: Calibration,
    updates: Updates,
    gradients: Gradients,
    initial: Floats,
    pairs: Pairs,
    rounds: int,
    seed: int,
    branch: int = 0,
) -> list[TwoReleases]:
    """Both runs over so many rounds, release by release.

    Args:
        calibration: RandBin, sums and noise.
        updates, gradients, initial: As of `ContinualSgd`.
        pairs: The events of either stream, each of them once.
        rounds: How many.
        seed: Of all randomness.
        branch: Whose bins are the mechanism's own; the other's are worked out.
    Raises: ArgumentError: streams that are no edit neighbours.
    """
    if rounds < 1:
        raise expected("at least 1 round", rounds=rounds)
    sides = [_Side(calibration, updates, gradients, initial, seed) for _ in range(2)]
    timing = _Timing()
    randomness = RecordedRandomness(seed)
    randomness.follow(timing)
    queues: tuple[list[Any], list[Any]] = ([], [])
    state, releases = calibration.randbin.simulation, []
    for t in range(1, rounds + 1):
        timing.rounds, pair = t, pairs(t)
        for queue, event in zip(queues, pair, strict=True):
            queue.append(event)
        release, state = simulate(calibration.randbin.step, branch, state, pair, randomness.draw)
        bins = release.hidden
        if bins is None or bins[0] is None or bins[1] is None:
            continue
        one, other = _slice(queues[0], bins[0]), _slice(queues[1], bins[1])
        releases.append(TwoReleases(t, (one, other), (sides[0].use(one), sides[1].use(other))))
    return releases


def _slice(queue: list[Any], of: tuple[int, int]) -> tuple[Any, ...]:
    """The events of a bin, by where it begins, counted from the newest, and how long it is."""
    start, length = of
    return tuple(queue[len(queue) - start :][:length])


@dataclass
class _Timing:
    """How far both runs are, for RandBin's draws."""

    rounds: int = 0
    released: int = 0


def edit_document(setting: SgdSetting, method: str, at: int, seed: int) -> dict[str, Any]:
    """What leaving out event number `at` (from 1) changes, as JSON values.

    Raises: ArgumentError: an event past the horizon.
    """
    rounds = setting.wish.events
    if not 1 <= at <= rounds:
        raise expected(f"an event from 1 to {rounds}", edit=at)
    calibration = calibrated(method, setting.wish, setting.updates, setting.core)
    calibration = replace(calibration, core=setting.optimised(calibration.core))
    events = labelled(setting.stream, rounds + 1, 1)
    gradients = RowGradients(setting.learner, events)
    releases = two_runs(calibration, setting.updates, gradients, setting.learner.initial, without(at - 1), rounds, seed)
    bins = [
        {"bin": number, "round": one.round, "events": len(one.events[0]), "events_without": len(one.events[1])}
        for number, one in enumerate(releases, 1)
        if one.differ
    ]
    distances = [[one.round, one.distance] for one in thinned(releases)]
    return {"method": method, "event": at, "releases": len(releases), "bins": bins, "distances": distances}
