"""What a model answers: the gradient of each event's own loss, and predictions; weights are one public vector."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, reals

Labels = NDArray[np.int64]
MOST_FEATURE = 10**6
"""The largest size of a feature: past it, products of features and weights could leave the floats."""
MOST_LABELS = 1 << 16
"""Classes of a model at most."""


class Model(Protocol):
    """A function of weights, features and labels. One row of a gradient is of its event and the weights alone."""

    @property
    def features(self) -> int:
        """Numbers of an event, its label not counted."""

    @property
    def classes(self) -> int:
        """Labels are 0 to classes - 1."""

    @property
    def dimension(self) -> int:
        """d, the weights."""

    @property
    def initial(self) -> Floats:
        """w_0, public."""

    def losses(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """The loss of each event."""

    def gradients(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """Its gradient: one row an event."""

    def predict(self, weights: Floats, x: Floats) -> Labels:
        """The most likely label of each row."""

    def chances(self, weights: Floats, x: Floats) -> Floats:
        """How likely each label is, a row an event, a column a label."""


def check_sizes(features: int, classes: int) -> None:
    """Raises: ArgumentError: no feature, or fewer than two classes."""
    if features < 1 or not 2 <= classes <= MOST_LABELS:
        raise expected(f"at least 1 feature, and from 2 to {MOST_LABELS} classes", features=features, classes=classes)


def checked_features(model: Model, x: Any) -> Floats:
    """Rows of features as floats, looked at before an event is taken.

    Raises: ArgumentError: no matrix of as many columns as the model has features, or what is no number that is finite
    and at most MOST_FEATURE in size.
    """
    try:
        rows = reals(x)
    except (TypeError, ValueError):
        raise expected("features that are numbers", features=type(x).__name__) from None
    if rows.ndim != 2 or rows.shape[1] != model.features:
        raise expected(f"{model.features} features of each event", features=f"an array of shape {rows.shape}")
    wrong = np.flatnonzero(~(np.abs(rows) <= MOST_FEATURE).all(axis=1))
    if len(wrong):
        raise expected(f"features that are finite and at most {MOST_FEATURE} in size", event=int(wrong[0]))
    return rows


def checked_labels(model: Model, y: Sequence[Any] | Labels) -> Labels:
    """Labels as whole numbers.

    Raises: ArgumentError: one that is no class of the model.
    """
    labels = np.asarray(y)
    whole = labels.ndim == 1 and (not len(labels) or labels.dtype.kind in "iub")
    if not whole or (len(labels) and not 0 <= int(labels.min()) <= int(labels.max()) < model.classes):
        raise expected(f"labels that are whole numbers from 0 to {model.classes - 1}", labels=_first(labels, model))
    found: Labels = labels.astype(np.int64)
    return found


def with_one(x: Floats) -> Floats:
    """Rows of features with a 1 behind them, for the weight that stands alone."""
    return np.column_stack([x, np.ones(len(x))])


def softmax(scores: Floats) -> Floats:
    """Chances out of scores, row by row, whatever their size."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found


def cross_entropy(scores: Floats, y: Labels) -> Floats:
    """-log of the chance of each row's label, out of scores."""
    top = scores.max(axis=1, keepdims=True)
    found: Floats = np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0] - scores[np.arange(len(y)), y]
    return found


def missed(chances: Floats, y: Labels) -> Floats:
    """Chances less 1 at each row's label: the gradient of the loss in the scores."""
    found = chances.copy()
    found[np.arange(len(y)), y] -= 1
    return found


def _first(labels: NDArray[Any], model: Model) -> object:
    """A label that is none, where there is one."""
    for label in labels.ravel().tolist():
        if type(label) not in (int, bool) or not 0 <= label < model.classes:
            return label
    return f"an array of shape {labels.shape} and {labels.dtype}"
