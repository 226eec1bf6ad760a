"""Continual DP-SGD as a classifier of river: `learn_one` takes an event, `predict_one` asks the public model.

Reading this module needs river, of the extra `learn`.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from dpcert.audit.errors import expected
from dpcert.mechanisms.idioms.learner import AUTO, Learner, only_predicts
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import checked_features
from dpcert.mechanisms.streams.optional import needed

_base = needed("river.base")


class ContinualSgdOnline(_base.Classifier):  # type: ignore[misc,name-defined]  # at run time
    """A classifier whose released models keep (epsilon, delta) for streams that differ in one event more or less.

    Args:
        features: The names of features, public: another one of an event is left out, one that is missing is 0.
        classes: All labels, public.
        epsilon, delta, horizon, calibration, split, core, model, clip, learning_rate, folder: As of
            `ContinualSgdClassifier`.
    Raises: ArgumentError: a parameter outside its domain.

    Scale features by what is known beforehand. `weights` and the rounds in which they change are what may be published.
    """

    def __init__(
        self,
        features: Sequence[Hashable],
        classes: Sequence[Hashable],
        epsilon: Any = 1.0,
        delta: Any = 1e-6,
        horizon: int = 10_000,
        calibration: str = "gaussian",
        split: Any = 0.5,
        core: str = "tree",
        model: str = AUTO,
        clip: Any = 1.0,
        learning_rate: Any = 0.5,
        folder: Any = None,
    ) -> None:
        self.features, self.classes = features, classes
        self.epsilon, self.delta, self.horizon = epsilon, delta, horizon
        self.calibration, self.split, self.core, self.model = calibration, split, core, model
        self.clip, self.learning_rate, self.folder = clip, learning_rate, folder
        self._numbers = {label: number for number, label in enumerate(classes)}
        asked = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        self._live: Learner | None = Learner(asked, len(features), len(self._numbers))
        self._model, self._kept = self._live.model, self._live.run.model

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def weights(self) -> Floats:
        """w, released last."""
        return self._kept if self._live is None else self._live.run.model

    def learn_one(self, x: Mapping[Any, Any], y: Hashable) -> None:
        """Takes one event.

        Raises: ArgumentError: an event that the model does not take, or one more than the horizon has.
        """
        if self._live is None:
            raise only_predicts(type(self).__name__)
        if y not in self._numbers:
            raise expected("a label of the classes", y=y)
        self._live.take([self._row(x)], [self._numbers[y]])

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Hashable, float]:
        """How likely each class is, by the public model."""
        chances = self._model.chances(self.weights, checked_features(self._model, [self._row(x)]))
        return dict(zip(self._numbers, chances[0].tolist(), strict=True))

    def close(self) -> None:
        """Ends the run; with a folder it may be resumed."""
        if self._live is not None:
            self._live.run.close()

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: the public model, never the run."""
        return {**vars(self), "_live": None, "_kept": self.weights}

    def _row(self, x: Mapping[Any, Any]) -> list[Any]:
        return [x.get(name, 0) for name in self.features]
