"""Logistic regression of two classes."""

from dataclasses import dataclass

import numpy as np

from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import Labels, check_sizes, with_one


@dataclass(frozen=True)
class Logistic:
    """P(1 | x) = 1 / (1 + e^-s), s = w x + w_last; the loss is -log of the label's chance.

    Args:
        features: Numbers of an event.
    Raises: ArgumentError: no feature.

    >>> Logistic(1).gradients(np.zeros(2), np.array([[2.0]]), np.array([1])).tolist()
    [[-1.0, -0.5]]
    """

    features: int
    classes: int = 2

    def __post_init__(self) -> None:
        check_sizes(self.features, self.classes)

    @property
    def dimension(self) -> int:
        """A weight a feature, and one that stands alone."""
        return self.features + 1

    @property
    def initial(self) -> Floats:
        """Zeros."""
        return np.zeros(self.dimension)

    def losses(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """log(1 + e^s) - s y."""
        scores = self._scores(weights, x)
        found: Floats = np.logaddexp(0, scores) - scores * y
        return found

    def gradients(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """(P(1 | x) - y) (x, 1)."""
        off = _chance(self._scores(weights, x)) - y
        found: Floats = off[:, None] * with_one(x)
        return found

    def predict(self, weights: Floats, x: Floats) -> Labels:
        """1 where s is above 0."""
        return (self._scores(weights, x) > 0).astype(np.int64)

    def chances(self, weights: Floats, x: Floats) -> Floats:
        """Of 0 and of 1."""
        one = _chance(self._scores(weights, x))
        return np.column_stack([1 - one, one])

    def _scores(self, weights: Floats, x: Floats) -> Floats:
        found: Floats = x @ weights[:-1] + weights[-1]
        return found


def _chance(scores: Floats) -> Floats:
    """1 / (1 + e^-s), whatever the size of s."""
    small = np.exp(-np.abs(scores))
    found: Floats = np.where(scores >= 0, 1, small) / (1 + small)
    return found
