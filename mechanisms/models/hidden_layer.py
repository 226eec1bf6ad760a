"""A network of one hidden layer: tanh, then softmax."""

from dataclasses import dataclass

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import Labels, check_sizes, cross_entropy, missed, softmax, with_one

START_SEED = 1
"""What the weights of every new network are drawn from: they are public, and the same for all."""


@dataclass(frozen=True)
class HiddenLayer:
    """Scores B (tanh(A (x, 1)), 1); the loss is -log of the label's chance.

    Args:
        features: Numbers of an event.
        classes: Labels are 0 to classes - 1.
        hidden: Units of the layer.
    Raises: ArgumentError: no feature or unit, or fewer than two classes.

    >>> HiddenLayer(4, 3, 5).dimension
    43
    """

    features: int
    classes: int
    hidden: int = 16

    def __post_init__(self) -> None:
        check_sizes(self.features, self.classes)
        if self.hidden < 1:
            raise expected("a hidden layer of at least 1 unit", hidden=self.hidden)

    @property
    def dimension(self) -> int:
        """hidden (features + 1) + classes (hidden + 1)."""
        return self.hidden * (self.features + 1) + self.classes * (self.hidden + 1)

    @property
    def initial(self) -> Floats:
        """Small numbers by chance below the layer, zeros above it; the same ones always."""
        below = np.random.default_rng(START_SEED).normal(size=(self.hidden, self.features + 1))
        scaled = below / np.sqrt(self.features + 1)
        return np.concatenate([scaled.ravel(), np.zeros(self.classes * (self.hidden + 1))])

    def losses(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """-log of the label's chance."""
        return cross_entropy(self._scores(weights, self._layer(weights, x)), y)

    def gradients(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """By the chain rule, from above."""
        layer = self._layer(weights, x)
        off = missed(softmax(self._scores(weights, layer)), y)
        above = self._parts(weights)[1]
        felt = (off @ above[:, :-1]) * (1 - layer**2)
        lower = felt[:, :, None] * with_one(x)[:, None, :]
        upper = off[:, :, None] * with_one(layer)[:, None, :]
        return np.concatenate([lower.reshape(len(x), -1), upper.reshape(len(x), -1)], axis=1)

    def predict(self, weights: Floats, x: Floats) -> Labels:
        """The class of the highest score, the first of several."""
        found: Labels = np.argmax(self._scores(weights, self._layer(weights, x)), axis=1).astype(np.int64)
        return found

    def chances(self, weights: Floats, x: Floats) -> Floats:
        """Of each class."""
        return softmax(self._scores(weights, self._layer(weights, x)))

    def _parts(self, weights: Floats) -> tuple[Floats, Floats]:
        """A and B."""
        split = self.hidden * (self.features + 1)
        below, above = weights[:split], weights[split:]
        return below.reshape(self.hidden, self.features + 1), above.reshape(self.classes, self.hidden + 1)

    def _layer(self, weights: Floats, x: Floats) -> Floats:
        below, _ = self._parts(weights)
        found: Floats = np.tanh(x @ below[:, :-1].T + below[:, -1])
        return found

    def _scores(self, weights: Floats, layer: Floats) -> Floats:
        _, above = self._parts(weights)
        found: Floats = layer @ above[:, :-1].T + above[:, -1]
        return found
