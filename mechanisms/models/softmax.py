"""Softmax regression of any number of classes."""

from dataclasses import dataclass

import numpy as np

from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import Labels, check_sizes, cross_entropy, missed, softmax, with_one


@dataclass(frozen=True)
class Softmax:
    """Scores W (x, 1), a row of W a class; the loss is -log of the label's chance.

    Args:
        features: Numbers of an event.
        classes: Labels are 0 to classes - 1.
    Raises: ArgumentError: no feature, or fewer than two classes.

    >>> Softmax(1, 2).gradients(np.zeros(4), np.array([[2.0]]), np.array([1])).tolist()
    [[1.0, 0.5, -1.0, -0.5]]
    """

    features: int
    classes: int

    def __post_init__(self) -> None:
        check_sizes(self.features, self.classes)

    @property
    def dimension(self) -> int:
        """classes (features + 1)."""
        return self.classes * (self.features + 1)

    @property
    def initial(self) -> Floats:
        """Zeros."""
        return np.zeros(self.dimension)

    def losses(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """-log of the label's chance."""
        return cross_entropy(self._scores(weights, x), y)

    def gradients(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """What is missed of each class, times (x, 1)."""
        off = missed(self.chances(weights, x), y)
        found: Floats = (off[:, :, None] * with_one(x)[:, None, :]).reshape(len(x), self.dimension)
        return found

    def predict(self, weights: Floats, x: Floats) -> Labels:
        """The class of the highest score, the first of several."""
        found: Labels = np.argmax(self._scores(weights, x), axis=1).astype(np.int64)
        return found

    def chances(self, weights: Floats, x: Floats) -> Floats:
        """Of each class."""
        return softmax(self._scores(weights, x))

    def _scores(self, weights: Floats, x: Floats) -> Floats:
        rows = weights.reshape(self.classes, self.features + 1)
        found: Floats = x @ rows[:, :-1].T + rows[:, -1]
        return found
