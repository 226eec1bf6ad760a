"""Released trajectories with and without one event, and a number for each by which a stranger may tell them apart.

Gradients have the norm of the clip: those of all events pull one way, that of the canary, the first event, the other.
It moves the first bin, and so every row of the private sums that holds that bin. Rows are worked out of models alone:
differences of models are the updates and noise, and the encoder makes rows of them. The score is their projection on
the rows of the canary, which no other number of the trajectory betters where noise is Gaussian.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from dpcert.mechanisms.learning.calibration import Calibration, Wish, sharp_calibration
from dpcert.mechanisms.learning.named_cores import named_core
from dpcert.mechanisms.learning.pipeline import ContinualSgd
from dpcert.mechanisms.learning.updates import Updates

UPDATES = Updates(1, Fraction(1), Fraction(1))
WISH = Wish(Fraction(4), Fraction(1, 100), 1_000, Fraction(1, 8))
QUARTER = Fraction(1, 4)
"""The noise of a build that takes an edit to move a bin by G / 2U, half of the gradients and twice the events of it."""


@dataclass(frozen=True)
class Audited:
    """A build whose trajectories are scored.

    Args:
        core: The private sums, by name.
        noise: The share of its noise that it has; less than 1 is a fault.
    """

    core: str
    noise: Fraction = Fraction(1)

    @cached_property
    def made(self) -> Calibration:
        """The sharp calibration of the promise."""
        found = sharp_calibration(WISH, UPDATES, named_core(self.core))
        return replace(found, sigma=max(Fraction(1), Fraction(round(found.sigma * self.noise))))

    def models(self, *, canary: bool) -> list[float]:
        """What a run releases, one component each."""
        run = ContinualSgd(self.made.randbin, self.made.core, self.made.noise, UPDATES, pulls, np.zeros(1))
        events = [-1.0 if canary else 1.0, *[1.0] * (WISH.events - 1)]
        return [float(out.model[0]) for out in run.push_all(events)]

    def score(self, models: Sequence[float]) -> float:
        """The projection of rows on those of the canary, in deviations of their noise; known pulls are left out."""
        core, pull, unit = self.made.core, UPDATES.largest, 1 << UPDATES.bits
        bits, sums = core.row_bits, [0, *(round(-model * (unit << core.row_bits)) for model in models)]
        steps = [b - a - (pull << bits) for a, b in pairwise(sums)]
        theirs, ours = core.start().inputs, core.start().inputs
        found = length = 0
        for t, step in enumerate(steps, 1):
            row = int(core.measure(theirs, t, np.array([int(t == 1)]))[0])
            found, length = found + row * int(core.measure(ours, t, np.array([step]))[0]), length + row**2
        return -found / (1 << bits) / (length**0.5 * float(self.made.sigma))


def pulls(weights: np.ndarray, events: Sequence[Any]) -> np.ndarray:  # noqa: ARG001 - the model does not matter
    return np.array(events, dtype=np.float64)[:, None]


def scores(build: Audited, runs: int) -> dict[str, Any]:
    """As many with the canary as without."""
    found = {name: [build.score(build.models(canary=name == "in")) for _ in range(runs)] for name in ("in", "out")}
    return {**found, "epsilon": float(WISH.epsilon), "delta": float(WISH.delta)}
