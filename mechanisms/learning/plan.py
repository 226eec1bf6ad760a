"""What privacy costs continual DP-SGD before anything runs: three calibrations of one promise, and other splits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import silent
from dpcert.audit.errors import ArgumentError, DpcertError, expected
from dpcert.audit.workers.workers import THIS_PROCESS, Workers
from dpcert.mechanisms.design.plan import plannable
from dpcert.mechanisms.design.promise import promised
from dpcert.mechanisms.learning.calibration import (
    Calibration,
    MakeCore,
    Wish,
    gaussian_calibration,
    paper_calibration,
    sharp_calibration,
)
from dpcert.mechanisms.learning.expected_waiting import expected_delay, expected_releases
from dpcert.mechanisms.learning.named_cores import named_core, squared_factor
from dpcert.mechanisms.learning.objective import Objective
from dpcert.mechanisms.learning.optimisers import named_optimiser
from dpcert.mechanisms.learning.per_user import UserEvents, UserGuarantee, user_guarantee
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip

SWEPT = tuple(Fraction(k, 8) for k in range(1, 8))
"""Shares of epsilon for buffering that are tried."""
EVEN_SPLIT = Fraction(1, 2)
CALIBRATIONS: Mapping[str, Callable[..., Calibration]] = {
    "paper": paper_calibration,
    "sharp": sharp_calibration,
    "gaussian": gaussian_calibration,
}


@dataclass(frozen=True)
class SgdQuestion:
    """What is planned for.

    Args:
        epsilon, delta: The promise, for one event.
        events: T.
        split: The share of epsilon for buffering; None for the best of those that are tried.
        updates: Gradients and step sizes.
        core: The private sums, by name.
        optimiser: What is made of released sums, by name.
        user: Events of one user, where more than one is asked about.
        objective: What the best split is the best for.
        adaptive: A clip that follows gradients; the updates then have a component more, and a clip of 1.
    Raises: ArgumentError: a parameter outside its domain, or more than is worked out.
    """

    epsilon: Fraction
    delta: Fraction
    events: int
    split: Fraction | None
    updates: Updates
    core: str
    optimiser: str
    user: UserEvents
    objective: Objective
    adaptive: AdaptiveClip | None = None

    def __post_init__(self) -> None:
        wish = self.wish(EVEN_SPLIT if self.split is None else self.split)
        epsilon, delta = wish.buffering
        plannable(promised(delta, self.events, epsilon=epsilon))
        named_core(self.core)
        named_optimiser(self.optimiser)

    def wish(self, split: Fraction) -> Wish:
        """The promise, split."""
        return Wish(self.epsilon, self.delta, self.events, split)

    @property
    def make_core(self) -> MakeCore:
        """What makes the private sums."""
        return named_core(self.core)


@dataclass(frozen=True)
class CalibrationPlan:
    """One calibration, and what it costs."""

    calibration: Calibration
    question: SgdQuestion

    @property
    def name(self) -> str:
        """paper, sharp or gaussian."""
        return self.calibration.name

    @cached_property
    def waiting(self) -> int:
        """The most events that ever wait, which is also the most rounds that an event waits."""
        return self.calibration.randbin.waiting(self.question.events)

    @cached_property
    def mean_delay(self) -> Fraction:
        """About the mean inclusion delay, in rounds."""
        return expected_delay(self.calibration.randbin, self.question.events) or Fraction(self.waiting)

    @cached_property
    def releases(self) -> Fraction:
        """About the mean number of models that are released."""
        return expected_releases(self.calibration.randbin, self.question.events)

    @property
    def noise(self) -> Fraction:
        """The deviation of a row's noise in one component, in units of the model, or of an adaptive clip."""
        return self.calibration.noise_per_coordinate

    @cached_property
    def squared_model_noise(self) -> Fraction | None:
        """The largest variance of a component of a released model, about; None where it is not worked out."""
        if self.question.adaptive is not None:
            return None
        factor = squared_factor(self.calibration.core, named_optimiser(self.question.optimiser))
        return None if factor is None else factor * self.noise**2

    @cached_property
    def mu(self) -> Fraction:
        """Of the ideal sums: one hop of *paper*, both bins of the others."""
        return self.calibration.mu

    @property
    def errors(self) -> Iterator[tuple[int, int]]:
        """(i, E(i)) of the scheduler, for bins 1, 10, 100, ... and the last."""
        randbin, last = self.calibration.randbin, self.calibration.core.rounds
        known = randbin.scheduler.error_function.horizon
        last = last if known is None else min(last, known)
        number = 1
        while number < last:
            yield number, randbin.scheduler.error_function(number)
            number *= 10
        yield last, randbin.scheduler.error_function(last)

    @property
    def user(self) -> UserGuarantee:
        """What is kept for all events of one user."""
        question = self.question
        return user_guarantee(question.epsilon, self.calibration.proven, question.user.within(question.events))


@dataclass(frozen=True)
class SgdUnmade:
    """A calibration that keeps no promise of this kind, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class SweptSplit:
    """What a split costs a calibration.

    Attributes:
        name: Of the calibration.
        split: The share of epsilon for buffering.
        level: U.
        waiting: The most events that ever wait.
        noise: Of a row, in one component.
    """

    name: str
    split: Fraction
    level: int
    waiting: int
    noise: Fraction


Tried = tuple[SgdQuestion, str, Fraction]
"""A calibration by name, and the split that is tried."""


@dataclass(frozen=True)
class SgdPlan:
    """The calibrations in order, and the splits that were tried, if any."""

    question: SgdQuestion
    rows: tuple[CalibrationPlan | SgdUnmade, ...]
    swept: tuple[SweptSplit, ...]

    @property
    def made(self) -> tuple[CalibrationPlan, ...]:
        """The calibrations that keep the promise."""
        return tuple(row for row in self.rows if isinstance(row, CalibrationPlan))


def sgd_planned(
    question: SgdQuestion,
    splits: Sequence[Fraction] = (),
    workers: Workers = THIS_PROCESS,
    say: Callable[[str], None] = silent,
) -> SgdPlan:
    """The three calibrations, with the split that was asked for or the best of those tried.

    Args:
        question: What is asked.
        splits: Splits to try as well; the best one that is asked for is one of them.
        workers: Who tries them.
        say: Is told what is being done.
    Raises: ArgumentError: not one calibration keeps the promise, or has a bin leave within the horizon.
    """
    tried = [(question, name, split) for split in splits if split != question.split for name in CALIBRATIONS]
    swept = _swept(tried, workers, say)
    rows = list[CalibrationPlan | SgdUnmade]()
    for name in CALIBRATIONS:
        say(f"Calibrating: {name}")
        split = question.split or best_split(swept, name, question.objective)
        rows.append(_row(question, name, split))
    if question.split in splits:
        swept.extend(_cost(row.calibration) for row in rows if isinstance(row, CalibrationPlan))
        swept.sort(key=lambda one: (one.split, list(CALIBRATIONS).index(one.name)))
    last = rows[-1]
    if isinstance(last, SgdUnmade) and all(isinstance(row, SgdUnmade) for row in rows):
        raise ArgumentError(last.reason)  # the bins of this one are the smallest
    return SgdPlan(question, tuple(rows), tuple(swept))


def best_split(swept: Sequence[SweptSplit], name: str, objective: Objective) -> Fraction:
    """The split of those tried at which the objective is least; the even one where none was made."""
    mine = [one for one in swept if one.name == name]
    best = min(mine, key=lambda one: objective.cost(one.noise, one.waiting), default=None)
    return EVEN_SPLIT if best is None else best.split


def _row(question: SgdQuestion, name: str, split: Fraction) -> CalibrationPlan | SgdUnmade:
    try:
        return CalibrationPlan(calibrated(question, name, split, closed=True), question)
    except DpcertError as error:
        return SgdUnmade(name, str(error))


def calibrated(question: SgdQuestion, name: str, split: Fraction, *, closed: bool) -> Calibration:
    """One calibration at one split.

    Raises: ArgumentError: it keeps no such promise, or no bin leaves within the horizon.
    """
    calibration = CALIBRATIONS[name](question.wish(split), question.updates, question.make_core, closed=closed)
    first = 3 * calibration.randbin.level + calibration.randbin.scheduler.error_function(1)
    if question.events < first:
        raise expected(f"a horizon of at least {first} events, the first bin's,", horizon=question.events)
    return calibration


def _swept(trials: Sequence[Tried], workers: Workers, say: Callable[[str], None]) -> list[SweptSplit]:
    """What each trial costs, in their order, whoever makes it."""
    costs = dict[int, list[SweptSplit]]()
    if trials:
        say(f"Trying splits: 0 of {len(trials)}")
    for number, made in workers.answers(_tried, trials, lambda trial: f"a split ({text(trial[2])})"):
        costs[number] = made
        say(f"Trying splits: {len(costs)} of {len(trials)}")
    return [cost for _, made in sorted(costs.items()) for cost in made]


def _tried(one: Tried) -> list[SweptSplit]:
    """What the split costs with ideal noise, or nothing where it keeps no promise."""
    question, name, split = one
    try:
        return [_cost(calibrated(replace(question, split=split), name, split, closed=False))]
    except DpcertError:
        return []


def _cost(made: Calibration) -> SweptSplit:
    wish, randbin = made.wish, made.randbin
    return SweptSplit(made.name, wish.split, randbin.level, randbin.waiting(wish.events), made.noise_per_coordinate)
