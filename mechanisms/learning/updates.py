"""A bin's update: clipped gradients, averaged and scaled by the step size, and what an edit moves it by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from dpcert.audit.errors import expected
from dpcert.mechanisms.aggregators.core import root_above
from dpcert.mechanisms.grid_noise.on_grid import clipped, scaled_mean
from dpcert.mechanisms.grid_noise.sampling import Words
from dpcert.mechanisms.learning.rates import Schedule, schedule
from dpcert.mechanisms.matrices.dyadic import Floats, reals

UPDATE_BITS = 24
"""Fractional bits of updates, unless others are asked for."""

Gradients = Callable[[Floats, Sequence[Any]], Floats]
"""The gradient of each event at a model: one row an event, each of its event and the model alone."""


@dataclass(frozen=True)
class Updates:
    """How gradients become updates on a grid.

    Args:
        dimension: d, the components of a model.
        clip: G, to whose norm every gradient is clipped.
        rate: eta, the step size; or a schedule of them, bin by bin.
        bits: Fractional bits of an update.
    Raises: ArgumentError: a parameter outside its domain.
    Source: paper.tex, alg:dp_sgd_edit.

    What a schedule costs is what its largest step size would: any two adjacent bins may be those of an edit.

    >>> import numpy as np
    >>> Updates(1, Fraction(1), Fraction(1), 4).of(np.array([[0.5], [9.0]])).tolist()
    [11]
    """

    dimension: int
    clip: Fraction
    rate: Fraction | Schedule
    bits: int = UPDATE_BITS

    def __post_init__(self) -> None:
        if self.dimension < 1 or self.clip <= 0:
            raise expected("at least one component, and a clip above 0", dimension=self.dimension, clip=self.clip)
        self.schedule  # noqa: B018 - raises where a step size is not above 0
        if self.largest < 1:
            raise expected(
                f"a clip and a step size whose product is at least 2^-{self.bits}",
                clip=self.clip,
                rate=self.schedule.largest,
            )

    @property
    def schedule(self) -> Schedule:
        """eta_k, bin by bin."""
        return schedule(self.rate)

    @property
    def largest(self) -> int:
        """The norm of an update at most, and so the size of a component, in units of 2^-bits."""
        return floor(self.clip * self.schedule.largest * (1 << self.bits))

    @property
    def any_change(self) -> Fraction:
        """2 G max eta: what two updates of any two bins differ by at most, in units of 2^-bits."""
        return 2 * self.clip * self.schedule.largest * (1 << self.bits)

    def edit_change(self, level: int) -> Fraction:
        """2 G max eta / U + sqrt(d) units: what one edit moves the update of either of its two bins by at most.

        In the first bin one of at least U events is another; the second has one event more or less, of at least U with
        it. The root is what rounding both updates towards 0 may add.

        Args:
            level: U, the least size of a bin.
        Source: claims 99.

        >>> Updates(4, Fraction(1), Fraction(1), 10).edit_change(8)
        Fraction(258, 1)
        """
        return self.any_change / level + root_above(Fraction(self.dimension))

    def of(self, gradients: Floats, bin_number: int = 1) -> Words:
        """The update of a bin, in units of 2^-bits.

        Args:
            gradients: One row an event.
            bin_number: k, from 1, which decides the step size.
        Raises: ArgumentError: no matrix of one row an event, or a component that is not finite.
        """
        if gradients.ndim != 2 or gradients.shape[1] != self.dimension or not len(gradients):
            raise expected(f"a gradient of {self.dimension} components for each event", gradients=gradients.shape)
        return scaled_mean(
            clipped(gradients, self.clip, self.bits).sum(axis=0), len(gradients), self.schedule.at(bin_number)
        )


def gradients_of(function: Gradients, model: Floats, events: Sequence[Any]) -> Floats:
    """What a user's function gives for a bin: a row an event.

    Raises: ArgumentError: no numbers, or not as many rows as events.
    """
    answer = function(model.copy(), events)
    try:
        rows = reals(answer)
    except (TypeError, ValueError):
        raise expected("gradients of numbers", gradients=type(answer).__name__) from None
    if rows.ndim != 2 or len(rows) != len(events):
        raise expected(f"a gradient for each of {len(events)} events", gradients=f"an array of shape {rows.shape}")
    return rows
