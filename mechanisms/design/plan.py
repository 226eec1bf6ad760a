"""The designs of RandBin that keep one promise: what is proven of each, a live run beside it, or why there is none."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypedDict

from dpcert.audit.algebra.enclosure import logarithm
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import silent
from dpcert.audit.errors import DpcertError, expected
from dpcert.audit.kernels.label import in_full
from dpcert.mechanisms.design.certified import Certified
from dpcert.mechanisms.design.gaussian_design import MOST_SEARCHED, randbin_gaussian
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.design.parts import within_memory
from dpcert.mechanisms.design.promise import Promise
from dpcert.mechanisms.design.sharp import RandBinSharp
from dpcert.mechanisms.live.figures import LiveFigures, live_figures

MOST_PLANNED_LEVEL = 2**12
"""About the largest level U whose exact law of loads is worked out: its masses have millions of digits together."""
MOST_EXP_EPSILON = 2**1024
"""e^epsilon past which no design is worked out: its masses have as many digits."""


def choices(promise: Promise) -> tuple["Choice", ...]:
    """The designs, from the paper's on."""
    parameters = {"exp_epsilon": promise.exp_epsilon, "delta": promise.delta, "horizon": promise.events}
    in_closed_form = parameters | {"error_function": "explicit"}
    by_tails = parameters | {"error_function": "convolution"}
    return (
        Choice("randbin", "the paper's, closed-form error", in_closed_form, RandBinPaper),
        Choice("randbin", "the paper's, error by convolution", by_tails, RandBinPaper),
        Choice("randbin-sharp", "sharp", by_tails, RandBinSharp),
        Choice("randbin-gaussian", "Gaussian", parameters, _gaussian),
    )


def plannable(promise: Promise) -> None:
    """Refuses what is not worked out: masses of too many digits, too many events, and bins whose laws are too long,
    which are of about 4 ln(4 / delta) / epsilon events.

    Raises: ArgumentError: one of these.
    """
    if promise.exp_epsilon > MOST_EXP_EPSILON:
        bits = MOST_EXP_EPSILON.bit_length() - 1
        largest = f"a promise with an e^epsilon of at most 2^{bits} (MOST_EXP_EPSILON)"
        raise expected(largest, exp_epsilon=promise.exp_epsilon)
    if promise.events is None:
        raise expected("a number of events to plan for", horizon=promise.events)
    within_memory(promise.events)
    most, least = logarithm(4 / promise.delta).upper, logarithm(promise.exp_epsilon).lower
    if most is None or not least or 4 * most > MOST_PLANNED_LEVEL * least:
        bins = f"bins of some {MOST_PLANNED_LEVEL} events (MOST_PLANNED_LEVEL)"
        what = f"an epsilon large enough for {bins}, or a larger delta,"
        raise expected(what, exp_epsilon=promise.exp_epsilon, delta=promise.delta)


def _gaussian(exp_epsilon: Fraction, delta: Fraction, horizon: int) -> Certified:
    if exp_epsilon > MOST_SEARCHED:
        most = f"2^{MOST_SEARCHED.bit_length() - 1} (MOST_SEARCHED)"
        raise expected(f"an e^epsilon of at most {most}", exp_epsilon=exp_epsilon)
    return randbin_gaussian(exp_epsilon, delta, horizon)


class ChoiceDocument(TypedDict):
    """A way to keep a promise, as a plan holds it."""

    target: str
    name: str
    given: dict[str, str]


class UnmadeDocument(ChoiceDocument):
    """A design that cannot keep the promise."""

    reason: str


class LiveDocument(TypedDict):
    """What a live run showed: counts of events, bins and rounds."""

    events: int
    bins: int
    waiting: int
    least_delay: int
    mean_delay: str
    most_delay: int


class PlannedDocument(ChoiceDocument):
    """A design, and what is proven of it."""

    level: int
    error: int
    waiting: int
    delay: list[int] | None
    delta: str
    live: LiveDocument | None


class PlanDocument(TypedDict):
    """A plan, as `audit/records/schemas/plan-1.json` describes it."""

    schema: str
    exp_epsilon: str
    delta: str
    events: int
    designs: list[PlannedDocument | UnmadeDocument]
    saved: str


@dataclass(frozen=True)
class Choice:
    """One way to keep a promise.

    Attributes:
        target: As `dpcert run randbin --target` takes it.
        name: In words.
        given: The target's parameters.
        make: The mechanism from these.
    """

    target: str
    name: str
    given: Mapping[str, Any]
    make: Callable[..., Certified]

    @property
    def document(self) -> ChoiceDocument:
        """As JSON values."""
        given = {name: value if isinstance(value, str) else in_full(value) for name, value in self.given.items()}
        return {"target": self.target, "name": self.name, "given": given}


@dataclass(frozen=True)
class Unmade:
    """A design that cannot keep the promise, and why."""

    choice: Choice
    reason: str

    @property
    def document(self) -> UnmadeDocument:
        """The row as JSON values."""
        return {**self.choice.document, "reason": self.reason}


@dataclass(frozen=True)
class DesignPlan:
    """One design: what is proven of it, and what a live run showed, if one was made."""

    choice: Choice
    mechanism: Certified
    promise: Promise
    live: LiveFigures | None = None

    @property
    def name(self) -> str:
        """In words."""
        return self.choice.name

    @property
    def events(self) -> int:
        """Events that are planned for."""
        return self.promise.planned

    @cached_property
    def waiting(self) -> int:
        """The most events that ever wait."""
        return self.mechanism.waiting(self.events)

    @property
    def delay(self) -> tuple[int, int] | None:
        """The least and the most inclusion delay, in rounds; None where no bin leaves within the horizon."""
        level = self.mechanism.level
        first = 3 * level + self.mechanism.scheduler.error_function(1)
        return None if self.events < first else (2 * level, self.waiting)

    @cached_property
    def delta(self) -> Fraction:
        """At least delta at the promised e^epsilon."""
        return self.mechanism.delta_at(self.promise.exp_epsilon)

    @property
    def document(self) -> PlannedDocument:
        """The row as JSON values."""
        live = self.live
        return {
            **self.choice.document,
            "level": self.mechanism.level,
            "error": self.mechanism.error_within(self.events),
            "waiting": self.waiting,
            "delay": None if self.delay is None else list(self.delay),
            "delta": text(self.delta),
            "live": None if live is None else {
                "events": live.events, "bins": live.bins, "waiting": live.waiting, "least_delay": live.least_delay,
                "mean_delay": text(live.mean_delay), "most_delay": live.most_delay,
            },
        }  # fmt: skip


def planned(promise: Promise, live: int | None, say: Callable[[str], None] = silent) -> list[DesignPlan | Unmade]:
    """Every design, with a live run of so many events each if asked for, at most the horizon.

    Raises: ArgumentError: not one can be made.
    """
    plannable(promise)
    rows = list(_planned(promise, live, say))
    if not any(isinstance(one, DesignPlan) for one in rows):
        given = {"exp_epsilon": promise.exp_epsilon, "delta": promise.delta, "horizon": promise.events}
        raise expected("a promise that one of the designs can keep", **given)
    return rows


def _planned(promise: Promise, live: int | None, say: Callable[[str], None]) -> Iterator[DesignPlan | Unmade]:
    for choice in choices(promise):
        say(f"Designing: {choice.name}")
        try:
            design = DesignPlan(choice, choice.make(**choice.given), promise)
            kept = design.delta <= promise.delta
        except DpcertError as error:
            yield Unmade(choice, str(error))
            continue
        if not kept:
            raise AssertionError(f"{choice.name} costs more than was promised")
        if live:
            say(f"Running: {choice.name}")
            design = DesignPlan(
                choice, design.mechanism, promise, live_figures(design.mechanism, min(live, design.events))
            )
        yield design
