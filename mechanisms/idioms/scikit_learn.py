"""Continual DP-SGD as a classifier of scikit-learn: `partial_fit` takes events in order, `predict` asks a public model.

Reading this module needs scikit-learn, of the extra `learn`.
"""

from typing import Any, Self

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.idioms.learner import Learner, SgdParameters, only_predicts, predicted
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import Model
from dpcert.mechanisms.streams.optional import needed

_base = needed("sklearn.base")
_validation = needed("sklearn.utils.validation")
_multiclass = needed("sklearn.utils.multiclass")


class ContinualSgdClassifier(SgdParameters, _base.ClassifierMixin, _base.BaseEstimator):  # type: ignore[misc,name-defined]  # at run time
    """A classifier whose released models keep (epsilon, delta) for streams that differ in one event more or less.

    What is asked of it is said by name, as in `SgdParameters`.

    Parameters, classes and the number of features have to be public, and so has the scale of features: scale by what is
    known beforehand. `weights_`, `released_` and their times are what may be published. A copy, by pickle or otherwise,
    predicts and does not learn on.
    """

    _live: Any  # the Learner, or None in a copy
    _kept: Floats
    _count: int
    classes_: Any
    model_: Model

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Begins anew, and takes the events in order. The classes are those that are in y: they have to be public."""
        self._forget()
        rows, labels = self._rows(X, y, reset=True)
        return self._taken(rows, labels, np.unique(labels))

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Takes more events, in order.

        Args:
            X: A row of features an event.
            y: Its label.
            classes: All labels; for the first call.
        Raises: ArgumentError: events that the model does not take, or more than the horizon has; none is taken.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise expected("all classes at the first call of partial_fit", classes=None)
        all_classes = np.unique(classes) if first else self.classes_
        if not first and classes is not None and not np.array_equal(all_classes, np.unique(classes)):
            raise expected("the classes of the first call", classes=list(classes))
        rows, labels = self._rows(X, y, reset=first)
        return self._taken(rows, labels, all_classes)

    def predict(self, X: Any) -> Any:  # noqa: N803 - scikit-learn's name
        """The label of each row, by the public model."""
        rows = self._asked(X)
        return self.classes_[predicted(self.model_, self.weights_, rows)]

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """How likely each class is, by the public model."""
        rows = self._asked(X)
        return self.model_.chances(self.weights_, rows)

    @property
    def weights_(self) -> Floats:
        """w, released last."""
        _validation.check_is_fitted(self, "classes_")
        return self._kept if self._live is None else self._live.run.model

    @property
    def released_(self) -> int:
        """k, models released so far."""
        _validation.check_is_fitted(self, "classes_")
        return self._count if self._live is None else self._live.run.released

    def close(self) -> None:
        """Ends the run; with a folder it may be resumed."""
        if getattr(self, "_live", None) is not None:
            self._live.run.close()

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has: the public model, never the run."""
        state = dict(super().__getstate__())
        if state.get("_live") is not None:
            state |= {"_live": None, "_kept": self.weights_, "_count": self.released_}
        return state

    def __sklearn_tags__(self) -> Any:
        """Noise is from the system's entropy, and few events make no model."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic, tags.classifier_tags.poor_score = True, True
        return tags

    def _forget(self) -> None:
        self.close()
        for name in ("classes_", "model_", "_live", "_kept", "_count"):
            self.__dict__.pop(name, None)

    def _rows(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:  # noqa: N803 - scikit-learn's name
        """Checked as scikit-learn does."""
        rows, labels = _validation.validate_data(self, X, y, reset=reset, dtype=np.float64)
        _multiclass.check_classification_targets(labels)
        return rows, labels

    def _taken(self, rows: Any, labels: Any, classes: Any) -> Self:
        if hasattr(self, "classes_") and self._live is None:
            raise only_predicts(type(self).__name__)
        at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        if not np.array_equal(classes[at], labels):
            raise expected("labels of the classes", y=next(label for label in labels.tolist() if label not in classes))
        if not hasattr(self, "classes_"):
            if len(classes) < 2:
                raise expected("at least two classes; one class alone cannot be learned:", classes=len(classes))
            live = Learner(self, rows.shape[1], len(classes))
            live.take(rows, at)
            self.classes_, self.model_, self._live = classes, live.model, live
            return self
        self._live.take(rows, at)
        return self

    def _asked(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        _validation.check_is_fitted(self, "classes_")
        rows: Floats = _validation.validate_data(self, X, reset=False, dtype=np.float64)
        return rows
