"""Continual DP-SGD as a classifier of river: `learn_one` takes an event, `predict_one` asks the public model.

Reading this module needs river, of the extra `learn`.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpcert.audit.errors import expected
from dpcert.mechanisms.idioms.learner import Learner, SgdParameters, only_predicts
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import checked_features
from dpcert.mechanisms.streams.optional import needed

_base = needed("river.base")


@dataclass(eq=False, repr=False)
class ContinualSgdOnline(SgdParameters, _base.Classifier):  # type: ignore[misc,name-defined]  # at run time
    """A classifier whose released models keep (epsilon, delta) for streams that differ in one event more or less.

    Args:
        features: The names of features, public: another one of an event is left out, one that is missing is 0.
        classes: All labels, public.
    Raises: ArgumentError: a parameter outside its domain.

    All else is said by name, as in `SgdParameters`. Scale features by what is known beforehand. `weights` and the
    rounds in which they change are what may be published.
    """

    features: Sequence[Hashable]
    classes: Sequence[Hashable]

    def __post_init__(self) -> None:
        self._numbers = {label: number for number, label in enumerate(self.classes)}
        self._live: Learner | None = Learner(self, len(self.features), len(self._numbers))
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
