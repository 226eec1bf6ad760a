"""A clip that follows gradients, as one weight more: the logarithm of the clip descends on the loss of a quantile.

Gradients are clipped at C and divided by it, and beside them stands whether they were within C: both together have a
norm of at most 1. So what enters private sums is as long as it ever is, C is a function of what was released, and the
account is that of a clip of 1 and of one component more. How large C is costs nothing else.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp

import numpy as np

from dpcert.audit.algebra.rational import text, written
from dpcert.audit.errors import expected, one_line
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.models.model import Labels, Model

OF_GRADIENT, OF_CLIP = 24 / 25, 7 / 25
"""The norms of both parts at most: their squares add up to 1."""
MOST_LOG = 20.0
"""The clip stays within e^MOST_LOG of where it began."""


@dataclass(frozen=True)
class AdaptiveClip:
    """C, of which a share of gradients is to be within: where it begins, and that share.

    Args:
        start: C of the first bin, public, above 0.
        quantile: The share, above 0 and below 1.
    Raises: ArgumentError: a parameter outside its domain.

    >>> AdaptiveClip(Fraction(2)).at(0.0)
    2.0
    """

    start: Fraction
    quantile: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        if self.start <= 0 or not 0 < self.quantile < 1:
            both = {"clip": self.start, "quantile": self.quantile}
            raise expected("a clip above 0, and a share of gradients above 0 and below 1", **both)

    @property
    def name(self) -> str:
        """With all parameters."""
        return f"adaptive={text(self.start)}:{text(self.quantile)}"

    def at(self, weight: float) -> float:
        """C, of its weight, log(C / start)."""
        return float(self.start) * exp(min(max(weight, -MOST_LOG), MOST_LOG))

    def shares(self, rows: Floats, clip: float) -> Floats:
        """Rows clipped at C and divided by it, and a last column: above 0 where they were within C, below elsewhere."""
        lengths, quantile = np.linalg.norm(rows, axis=1), float(self.quantile)
        within = ((lengths <= clip) - quantile) / max(quantile, 1 - quantile)
        scaled = rows * (OF_GRADIENT / np.maximum(lengths, clip))[:, None]
        return np.column_stack([scaled, OF_CLIP * within])


@dataclass(frozen=True)
class ClippedModel:
    """A model whose last weight is log(C / start).

    Args:
        model: Whose gradients are clipped.
        clip: How.

    Its gradients are `AdaptiveClip.shares`; what makes steps of them multiplies those of the model by C again.
    """

    model: Model
    clip: AdaptiveClip

    @property
    def features(self) -> int:
        """Of the model."""
        return self.model.features

    @property
    def classes(self) -> int:
        """Of the model."""
        return self.model.classes

    @property
    def dimension(self) -> int:
        """One more than the model has."""
        return self.model.dimension + 1

    @property
    def initial(self) -> Floats:
        """The model's, and C where it begins."""
        return np.append(self.model.initial, 0.0)

    def losses(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """Of the model."""
        return self.model.losses(weights[:-1], x, y)

    def gradients(self, weights: Floats, x: Floats, y: Labels) -> Floats:
        """Of norm at most 1, whatever the weights are."""
        return self.clip.shares(self.model.gradients(weights[:-1], x, y), self.clip.at(float(weights[-1])))

    def predict(self, weights: Floats, x: Floats) -> Labels:
        """Of the model."""
        return self.model.predict(weights[:-1], x)

    def chances(self, weights: Floats, x: Floats) -> Floats:
        """Of the model."""
        return self.model.chances(weights[:-1], x)


def named_clip(wording: str) -> Fraction | AdaptiveClip:
    """G, as somebody wrote it; or `adaptive`, from 1 on, or `adaptive=START`.

    Raises: ArgumentError: another text.

    >>> named_clip("1/2"), named_clip("adaptive=3").start
    (Fraction(1, 2), Fraction(3, 1))
    """
    name, equals, start = wording.partition("=")
    if name == "adaptive":
        if equals and not start:
            raise expected("a number, adaptive or adaptive=START", clip=one_line(wording, 60))
        return AdaptiveClip(written(start, "clip") if equals else Fraction(1))
    return written(wording, "clip")


def charged_clip(clip: Fraction | AdaptiveClip) -> Fraction:
    """The norm that what enters private sums is charged for: G itself, or 1 where gradients are divided by theirs."""
    return Fraction(1) if isinstance(clip, AdaptiveClip) else clip
