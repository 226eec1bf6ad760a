"""What is run: a stream, a promise, a model and its parameters; and the calibrations made for it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from dpcert.audit.errors import DpcertError, expected, one_line
from dpcert.mechanisms.aggregators.core import VectorCore
from dpcert.mechanisms.learning.calibration import (
    Calibration,
    Wish,
    gaussian_calibration,
    paper_calibration,
    sharp_calibration,
)
from dpcert.mechanisms.learning.clipped_steps import ClippedSteps
from dpcert.mechanisms.learning.named_cores import named_core
from dpcert.mechanisms.learning.optimisers import OptimisedSums, named_optimiser
from dpcert.mechanisms.learning.per_user import MOST_EVENTS_PER_USER, UserEvents
from dpcert.mechanisms.learning.rates import Schedule, schedule
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip, ClippedModel, charged_clip
from dpcert.mechanisms.models.model import Model
from dpcert.mechanisms.models.named import model_of, usual_model
from dpcert.mechanisms.streams.labelled import check_stream_size
from dpcert.mechanisms.streams.named import stream_named
from dpcert.mechanisms.streams.optional import needed
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
        core: tree, square-root, band=B or blt=K.
        model: A name of `MODELS`; empty for logistic regression of two classes and softmax of more.
        clip: G, or one that follows gradients.
        rate: eta, or a schedule of step sizes.
        habits: How users take part.
        optimiser: What is made of released sums, by name.
        batch: Events in a batch of the baselines; None for the smallest U of the three calibrations.
        user: Events of one user that are said to be there, where a file does not say more.
    Raises: ArgumentError: a name that there is not, a parameter outside its domain, or more events than fit in
            memory. DpcertError: a package is missing.
    """

    stream: str
    wish: Wish
    core: str = "tree"
    model: str = ""
    clip: Fraction | AdaptiveClip = Fraction(1)
    rate: Fraction | Schedule = Fraction(1, 2)
    habits: Habits = field(default_factory=Habits)
    optimiser: str = "plain"
    batch: int | None = None
    user: UserEvents = field(default_factory=lambda: UserEvents(1))

    def __post_init__(self) -> None:
        named_core(self.core)
        named_optimiser(self.optimiser)
        if self.batch is not None and not 1 <= self.batch <= self.wish.events:
            raise expected(f"batches of 1 to {self.wish.events} events", batch_size=self.batch)
        self.updates  # noqa: B018 - raises where stream, model or updates cannot be
        stream = stream_named(self.stream)
        check_stream_size(self.wish.events, stream.features)
        needed(stream.package)

    @property
    def learner(self) -> Model:
        """The model, of the stream's features and classes; with a weight more where the clip follows gradients."""
        return ClippedModel(self.plain, self.clip) if isinstance(self.clip, AdaptiveClip) else self.plain

    @property
    def plain(self) -> Model:
        """The model itself."""
        stream = stream_named(self.stream)
        if not self.model:
            return usual_model(stream.features, stream.classes)
        return model_of(self.model, stream.features, stream.classes)

    @property
    def schedule(self) -> Schedule:
        """eta, bin by bin."""
        return schedule(self.rate)

    def optimised(self, core: VectorCore) -> VectorCore:
        """The sums with the optimiser behind them; noise and sensitivity stay those of the sums."""
        return optimised(core, self.optimiser, self.plain, self.clip)

    @property
    def passes(self) -> int:
        """How often a row of a file comes at most, of users who come each time once; 1 of streams that never end."""
        rows = stream_named(self.stream).rows
        return 1 if rows is None else -(-self.wish.events // rows)

    @property
    def edits(self) -> int:
        """k, the events of a user for whom a guarantee is worked out."""
        often = self.passes if self.habits.steady else 2 * self.passes if self.passes > 1 else 1
        return max(min(often, MOST_EVENTS_PER_USER), self.user.within(self.wish.events))

    @property
    def updates(self) -> Updates:
        """Of gradients of the model."""
        return Updates(self.learner.dimension, charged_clip(self.clip), self.rate)


def optimised(core: VectorCore, optimiser: str, plain: Model, clip: Fraction | AdaptiveClip) -> VectorCore:
    """Private sums with an optimiser behind them.

    Args:
        core: The sums.
        optimiser: By name.
        plain: The model whose weights move, without what an adaptive clip adds.
        clip: G, or one that follows gradients.
    Raises: ArgumentError: an optimiser that needs its own audit.
    """
    start = tuple(Fraction(x) for x in plain.initial.tolist())
    behind = named_optimiser(optimiser, start if any(start) else ())
    if isinstance(clip, AdaptiveClip):
        return OptimisedSums(core, ClippedSteps(behind, clip))
    return core if optimiser == "plain" else OptimisedSums(core, behind)


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


@lru_cache(maxsize=256)
def batch_size(setting: SgdSetting) -> int:
    """Events in a batch of the baselines: what the setting says, or the smallest U of the calibrations there can be.

    Raises: ArgumentError: neither says any.
    """
    if setting.batch is not None:
        return setting.batch
    levels = []
    for make in CALIBRATIONS.values():
        try:
            made = make(setting.wish, setting.updates, named_core(setting.core), closed=False)
        except DpcertError:
            continue
        levels.append(made.randbin.level)
    if not levels:
        raise expected("a batch size, where no calibration keeps the promise", batch_size=None)
    return min(levels)
