"""What both idioms have in common: a live run for a promise, events as JSON values, the model that is public."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from dpcert.audit.errors import DpcertError, expected
from dpcert.mechanisms.learning.calibration import Calibration, Wish
from dpcert.mechanisms.learning.pipeline import ContinualSgd
from dpcert.mechanisms.learning.rates import named_schedule
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip, ClippedModel, charged_clip, named_clip
from dpcert.mechanisms.models.model import Labels, Model, checked_features, checked_labels
from dpcert.mechanisms.models.named import model_of, usual_model
from dpcert.mechanisms.training.setting import calibrated, optimised

AUTO = "auto"


@dataclass(frozen=True)
class EventGradients:
    """Gradients of events that are lists of features and a label, as a lease keeps them."""

    learner: Model

    def __call__(self, weights: Floats, events: Sequence[Any]) -> Floats:
        """One row an event."""
        rows = np.array([features for features, _ in events], dtype=np.float64)
        return self.learner.gradients(weights, rows, np.array([label for _, label in events]))


def exact(value: Any, name: str) -> Fraction:
    """A number as it is written: 0.1 is one tenth.

    Raises: ArgumentError: no finite number.

    >>> exact(1e-6, "delta")
    Fraction(1, 1000000)
    """
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ValueError
        return Fraction(str(value))
    except (ValueError, OverflowError):
        raise expected("a finite number", **{name: value}) from None


@dataclass(kw_only=True, eq=False, repr=False)
class SgdParameters:
    """What is asked of a run, in both idioms: their signatures, and so `get_params` and `clone`, are made of this.

    Args:
        epsilon, delta: The promise, for the whole horizon.
        horizon: Events at most.
        calibration: paper, sharp or gaussian.
        split: The share of epsilon that goes to buffering.
        core: The private sums: tree, square-root, band=B or blt=K.
        model: auto (logistic for two classes, softmax for more), logistic, softmax or hidden-layer.
        clip: The norm that gradients are clipped to; or "adaptive", or "adaptive=START": it follows them.
        learning_rate: The step size; or a schedule of them in text, "0.5,0.1@100": each from its bin on.
        optimiser: What is made of released sums: plain, momentum=B, average, adam=SIZE, ..., as of `dpcert run sgd`.
        folder: Where the run keeps its state, so that it goes on after a crash; None for in memory alone.
    """

    epsilon: Any = 1.0
    delta: Any = 1e-6
    horizon: int = 10_000
    calibration: str = "gaussian"
    split: Any = 0.5
    core: str = "tree"
    model: str = AUTO
    clip: Any = 1.0
    learning_rate: Any = 0.5
    optimiser: str = "plain"
    folder: Any = None


class Learner:
    """A live run of a calibration: events go in, looked at first; the public model answers.

    Args:
        asked: The parameters.
        features: Numbers of an event.
        classes: How many labels.
    Raises: ArgumentError: a parameter outside its domain.
    """

    def __init__(self, parameters: SgdParameters, features: int, classes: int) -> None:
        named = parameters.model
        self.model: Model = usual_model(features, classes) if named == AUTO else model_of(named, features, classes)
        if isinstance(parameters.horizon, bool) or not isinstance(parameters.horizon, (int, np.integer)):
            raise expected("a horizon that is a whole number", horizon=parameters.horizon)
        epsilon, delta, split = (exact(getattr(parameters, one), one) for one in ("epsilon", "delta", "split"))
        rate = parameters.learning_rate
        rates = named_schedule(rate) if isinstance(rate, str) else exact(rate, "learning_rate")
        clip = named_clip(parameters.clip) if isinstance(parameters.clip, str) else exact(parameters.clip, "clip")
        plain = self.model
        if isinstance(clip, AdaptiveClip):
            self.model = ClippedModel(plain, clip)
        self._horizon = int(parameters.horizon)
        wish = Wish(epsilon, delta, self._horizon, split)
        updates = Updates(self.model.dimension, charged_clip(clip), rates)
        self.calibration: Calibration = calibrated(parameters.calibration, wish, updates, parameters.core)
        made = self.calibration
        core = optimised(made.core, parameters.optimiser, plain, clip)
        parts = made.randbin, core, made.noise, updates, EventGradients(self.model), self.model.initial
        self.run = ContinualSgd(*parts) if parameters.folder is None else ContinualSgd.open(parameters.folder, *parts)

    def take(self, x: Any, y: Any) -> None:
        """Takes events in order, all or none: looked at before the first is taken.

        Raises: ArgumentError: events that are not what the model takes, or more than the horizon has.
        """
        rows, labels = checked_features(self.model, x), checked_labels(self.model, y)
        if len(rows) != len(labels):
            raise expected("as many labels as events", events=len(rows), labels=len(labels))
        if self.run.rounds + len(rows) > self._horizon:
            raise expected(f"at most {self._horizon} events, the horizon,", event=self.run.rounds + len(rows))
        made = self.run.push_all([list(event) for event in zip(rows.tolist(), labels.tolist(), strict=True)])
        if made:
            self.run.acknowledge(made[-1].number)


def predicted(model: Model, weights: Floats, x: Any) -> Labels:
    """Numbers of labels. Raises: ArgumentError: features that the model does not take."""
    return model.predict(weights, checked_features(model, x))


def only_predicts(name: str) -> DpcertError:
    """For a copy of a live run, which must not learn on: two continuations would put fresh noise on the same sums."""
    return DpcertError(f"Expected the {name} that learns but got a copy of it, which only predicts")
