"""Released trajectories with and without one event, and a number for each by which a stranger may tell them apart.

Gradients pull all events' way by 1; the canary, the first event, pulls the other way. It is in the first bin, and so in
every sum over the first 2^j bins; what is released of those, added up, is the score.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpcert.mechanisms.learning.calibration import Calibration, Wish, sharp_calibration
from dpcert.mechanisms.learning.pipeline import ContinualSgd
from dpcert.mechanisms.learning.updates import Updates

UPDATES = Updates(1, Fraction(1), Fraction(1))
WISH = Wish(Fraction(4), Fraction(1, 100), 300)


def made(noise: Fraction = Fraction(1)) -> Calibration:
    """The sharp calibration of the promise; a build with a fault has a share of its noise."""
    found = sharp_calibration(WISH, UPDATES)
    return replace(found, sigma=max(Fraction(1), Fraction(round(found.sigma * noise))))


def pulls(weights: np.ndarray, events: Sequence[Any]) -> np.ndarray:  # noqa: ARG001 - the model does not matter
    return np.array(events, dtype=np.float64)[:, None]


def score(parts: Calibration, *, canary: bool) -> float:
    """Of one run."""
    run = ContinualSgd(parts.randbin, parts.core, parts.noise, UPDATES, pulls, np.zeros(1))
    events = [-1.0 if canary else 1.0, *[1.0] * (WISH.events - 1)]
    models = [out.model[0] for out in run.push_all(events)]
    return float(sum(models[n - 1] + n for n in (1 << j for j in range(len(models).bit_length())) if n <= len(models)))


def scores(noise: Fraction, runs: int) -> dict[str, Any]:
    """As many with the canary as without."""
    parts = made(noise)
    found = {name: [score(parts, canary=name == "in") for _ in range(runs)] for name in ("in", "out")}
    return {**found, "epsilon": float(WISH.epsilon), "delta": float(WISH.delta)}
