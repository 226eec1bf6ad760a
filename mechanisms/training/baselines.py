"""What the calibrations are held against: batches at fixed times under the same sums, and no privacy at all.

Batches of b events at fixed times are private where one event may be *another* (Hamming): then one batch differs. They
are not where an event may be *missing*: every event behind it moves up, and every later batch holds another one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from dpcert.mechanisms.accounting.solving import largest_mu
from dpcert.mechanisms.aggregators.core import VectorCore
from dpcert.mechanisms.aggregators.stream import VectorStream
from dpcert.mechanisms.grid_noise.sampling import GridNoise, Words, added_delta, sampled_gaussian
from dpcert.mechanisms.learning.calibration import RESERVED, CalibrationStep
from dpcert.mechanisms.learning.named_cores import named_core
from dpcert.mechanisms.learning.pipeline import ReleasedModel
from dpcert.mechanisms.learning.updates import Gradients, gradients_of
from dpcert.mechanisms.live.session import Bin
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.participations import Once
from dpcert.mechanisms.training.setting import SgdSetting

HAMMING_ONLY = (
    "batches at fixed times are private for streams in which one event is another (Hamming), not for streams in which "
    "one is missing: every later event then moves up, and every later batch differs"
)
"""What is said of that baseline wherever it stands."""


class NoNoise:
    """No noise: nothing is private."""

    sigma, shift, distance = Fraction(0), Fraction(0), None

    def sample(self, count: int) -> Words:
        """Zeros."""
        return np.zeros(count, dtype=np.int64)


@dataclass(frozen=True)
class BatchPlan:
    """Batches at fixed times.

    Attributes:
        size: b, events.
        core: The sums behind them.
        sigma: In units of rows; 0 where nothing is private.
        noise_per_coordinate: The same in units of the model.
        proven: At least delta at epsilon under Hamming changes; 1 without noise.
        steps: Why.
    """

    size: int
    core: VectorCore
    sigma: Fraction
    noise_per_coordinate: Fraction
    proven: Fraction
    steps: tuple[CalibrationStep, ...]

    @property
    def noise(self) -> GridNoise:
        """What is drawn."""
        return sampled_gaussian(self.sigma) if self.sigma else NoNoise()


def hamming_batches(setting: SgdSetting, size: int) -> BatchPlan:
    """Batches of so many events, with the noise that a replaced event needs: one batch moves, once.

    Raises: ArgumentError: a promise that no noise keeps.
    """
    wish, updates = setting.wish, setting.updates
    core = _core(setting, size)
    change, mu = updates.edit_change(size), largest_mu(wish.epsilon, wish.delta * (1 - RESERVED)).value
    sigma = Fraction(ceil(core.shift(change, Once()) / mu))
    excess = added_delta(sampled_gaussian(sigma).distance, core.rounds * core.dimension, wish.epsilon)
    proven = wish.delta * (1 - RESERVED) + excess
    steps = (
        CalibrationStep("99", "alg:dp_sgd_edit", "what a replaced event moves its one batch by, in units", change),
        CalibrationStep("88, 96", "prop:tree_zcdp_rdp", f"the private sums: mu; {HAMMING_ONLY}", mu),
        CalibrationStep("", "", "the noise of finitely many seeds, over all coordinates of all rounds", excess),
    )
    return BatchPlan(size, core, sigma, sigma / (1 << updates.bits + core.row_bits), proven, steps)


def open_batches(setting: SgdSetting, size: int) -> BatchPlan:
    """The same batches without noise."""
    return BatchPlan(size, _core(setting, size), Fraction(0), Fraction(0), Fraction(1), ())


def _core(setting: SgdSetting, size: int) -> VectorCore:
    updates = setting.updates
    return named_core(setting.core)(max(2, setting.wish.events // size), updates.dimension, updates.largest)


class BatchSgd:
    """One live run of batches at fixed times, with the face of `ContinualSgd`.

    Args:
        plan: Their size, sums and noise.
        setting: The model and its updates.
        gradients: Of events.
        noise: Other than the plan's, for simulations.
        observe: Is shown each batch.
    """

    def __init__(
        self, plan: BatchPlan, setting: SgdSetting, gradients: Gradients, noise: GridNoise, observe: Any
    ) -> None:
        self._size, self._updates, self._gradients, self._observe = plan.size, setting.updates, gradients, observe
        self._sums, self._initial = VectorStream(setting.optimised(plan.core), noise), setting.learner.initial
        self._model: Floats = self._initial
        self._events: list[Any] = []
        self.rounds = self.released = 0

    @property
    def model(self) -> Floats:
        """w, released last."""
        return self._model

    def push(self, event: Any) -> ReleasedModel | None:
        """Takes one event; the new model, if it fills a batch."""
        self._events.append(event)
        self.rounds += 1
        if len(self._events) < self._size:
            return None
        rows = gradients_of(self._gradients, self._model, self._events)
        release = self._sums.add(self._updates.of(rows, self.released + 1))
        self.released, first = release.number, self.rounds - self._size + 1
        self._model = self._initial - np.ldexp(release.value, -self._updates.bits)
        self._observe(Bin(release.number, self.rounds, first, tuple(self._events)))
        self._events = []
        return ReleasedModel(release.number, self._model, self.rounds)

    def push_all(self, events: Sequence[Any]) -> list[ReleasedModel]:
        """Takes events in order; the models that are released."""
        return [out for event in events if (out := self.push(event)) is not None]

    def close(self) -> None:
        """Ends the run."""
        self._sums.close()
