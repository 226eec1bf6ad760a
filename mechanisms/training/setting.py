"""What is run: a stream, a promise, a model and its parameters; and the calibrations made for it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from dpcert.audit.errors import expected, one_line
from dpcert.mechanisms.learning.calibration import (
    Calibration,
    Wish,
    gaussian_calibration,
    paper_calibration,
    sharp_calibration,
)
from dpcert.mechanisms.learning.named_cores import named_core
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.models.model import Model
from dpcert.mechanisms.models.named import model_of, usual_model
from dpcert.mechanisms.streams.named import stream_named
from dpcert.mechanisms.streams.participation import Habits

CALIBRATIONS: dict[str, Callable[..., Calibration]] = {
    "paper": paper_calibration,
    "sharp": sharp_calibration,
    "gaussian": gaussian_calibration,
}
"""Calibrations by name, the paper's first."""


@dataclass(frozen=True)
class SgdSetting:
    """One promise on one stream.

    Args:
        stream: A name of `STREAMS`.
        wish: The promise, its horizon in events, and the split.
        core: tree, square-root or band=B.
        model: A name of `MODELS`; empty for logistic regression of two classes and softmax of more.
        clip: G.
        rate: eta.
        habits: How users take part.
    Raises: ArgumentError: a name that there is not, or a parameter outside its domain.
    """

    stream: str
    wish: Wish
    core: str = "tree"
    model: str = ""
    clip: Fraction = Fraction(1)
    rate: Fraction = Fraction(1, 2)
    habits: Habits = field(default_factory=Habits)

    def __post_init__(self) -> None:
        named_core(self.core)
        self.updates  # noqa: B018 - raises where stream, model or updates cannot be

    @property
    def learner(self) -> Model:
        """The model, of the stream's features and classes."""
        stream = stream_named(self.stream)
        if not self.model:
            return usual_model(stream.features, stream.classes)
        return model_of(self.model, stream.features, stream.classes)

    @property
    def updates(self) -> Updates:
        """Of gradients of the model."""
        return Updates(self.learner.dimension, self.clip, self.rate)


@lru_cache(maxsize=256)
def calibrated(name: str, wish: Wish, updates: Updates, core: str) -> Calibration:
    """The calibration of that name; kept.

    Raises: ArgumentError: another name, a promise that it cannot keep, or a horizon in which no bin can leave.
    """
    if name not in CALIBRATIONS:
        raise expected(f"a calibration of {', '.join(CALIBRATIONS)}", calibration=one_line(name))
    made = CALIBRATIONS[name](wish, updates, named_core(core))
    least = first_release(made)
    if wish.events < least:
        raise expected(
            f"a horizon of at least {least} events, before which no bin leaves ({name}),", horizon=wish.events
        )
    return made


def first_release(made: Calibration) -> int:
    """The earliest round in which a model can be released: 2 U for the empty bin, then U and E[1]."""
    return 3 * made.randbin.level + made.randbin.scheduler.error_function(1)
