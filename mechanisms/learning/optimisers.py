"""Optimisers that are post-processing: models worked out of private sums once they are released, and of nothing else.

They stand behind the private sums: what is measured, its noise and its sensitivity are those of the sums alone, and so
is the guarantee. Whatever looks at gradients before they are noised needs an audit of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np

from dpcert.audit.algebra.rational import integer_text, text, written
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.mechanisms.aggregators.core import Arrays, Memory, VectorCore, as_floats
from dpcert.mechanisms.grid_noise.sampling import Words
from dpcert.mechanisms.learning.rates import Schedule, constant
from dpcert.mechanisms.learning.updates import UPDATE_BITS
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.participations import Participation

OPTIMISER_NAMES = (
    "plain, momentum=B, nesterov=B, weight-decay=D, average, average=SHARE, adagrad=SIZE, rmsprop=SIZE or adam=SIZE"
)
COMBINED = (["momentum"], ["nesterov"], ["weight-decay"], ["momentum", "weight-decay"], ["nesterov", "weight-decay"])
OWN_AUDIT = "needs its own audit (dpcert audit)"


class Optimiser(Protocol):
    """Turns released steps, the differences of released sums, into how far the model has moved."""

    @property
    def name(self) -> str:
        """With all parameters."""

    @property
    def vectors(self) -> int:
        """Vectors that are remembered beside the movement."""

    def move(self, movement: Floats, memory: Arrays, step: Floats, t: int) -> None:
        """Takes the step of round t into `movement`, which is w_0 - w, and `memory`, in place."""


@dataclass(frozen=True)
class Descent:
    """m = beta m + s and w = (1 - lambda) w - eta m: momentum, decay of weights, step sizes after the release.

    Without momentum and decay it is w_0 minus the sum. With step sizes it is the workload of `momentum_sums`.

    Args:
        momentum: beta, at least 0 and below 1.
        nesterov: Whether beta m + s is taken in place of m.
        decay: lambda, at least 0 and below 1, towards 0 where `initial` is given, and towards w_0 elsewhere.
        rates: eta, bin by bin, on top of the step sizes of the updates.
        initial: w_0, component by component.
        bits: Fractional bits of updates, which `initial` is turned into.
    Raises: ArgumentError: a parameter outside its domain.
    """

    momentum: Fraction = Fraction(0)
    nesterov: bool = False
    decay: Fraction = Fraction(0)
    rates: Schedule = field(default_factory=lambda: constant(Fraction(1)))
    initial: tuple[Fraction, ...] = ()
    bits: int = UPDATE_BITS

    def __post_init__(self) -> None:
        if not 0 <= self.momentum < 1 or not 0 <= self.decay < 1:
            both = {"momentum": self.momentum, "decay": self.decay}
            raise expected("a momentum and a decay of at least 0 and below 1", **both)

    @property
    def name(self) -> str:
        """With all parameters."""
        start = ",".join(map(text, self.initial))
        numbers = text(self.momentum), self.nesterov, text(self.decay), self.rates.name, start, integer_text(self.bits)
        return f"Descent({'; '.join(map(str, numbers))})"

    @property
    def vectors(self) -> int:
        """m."""
        return 1

    def move(self, movement: Floats, memory: Arrays, step: Floats, t: int) -> None:
        """As the class says."""
        (mean,) = memory
        mean *= float(self.momentum)
        mean += step
        if self.decay:
            start = np.array([float(x) for x in self.initial]) if self.initial else np.zeros(len(movement))
            movement += float(self.decay) * (np.ldexp(start, self.bits) - movement)
        movement += float(self.rates.at(t)) * (float(self.momentum) * mean + step if self.nesterov else mean)


@dataclass(frozen=True)
class Averaged:
    """The mean of all models so far; or each new one with a share, and what was before with the rest.

    The mean is what is released, and gradients are taken at it.

    Args:
        share: Above 0 and at most 1; None for the mean of all.
    Raises: ArgumentError: a share outside its domain.
    """

    share: Fraction | None = None

    def __post_init__(self) -> None:
        if self.share is not None and not 0 < self.share <= 1:
            raise expected("a share above 0 and at most 1", share=self.share)

    @property
    def name(self) -> str:
        """With its parameter."""
        return f"Averaged({'' if self.share is None else text(self.share)})"

    @property
    def vectors(self) -> int:
        """The sum itself."""
        return 1

    def move(self, movement: Floats, memory: Arrays, step: Floats, t: int) -> None:
        """As the class says."""
        (whole,) = memory
        whole += step
        movement += (1 / t if self.share is None else float(self.share)) * (whole - movement)


@dataclass(frozen=True)
class Preconditioned:
    """Each component by the size of its own released steps: AdaGrad, RMSprop, Adam, after the noise.

    Args:
        size: How far a component moves in a step at most, about, in units of the model; above 0.
        memory: Of squared steps, at least 0 and below 1; None for the sum of them all.
        momentum: Of steps, at least 0 and below 1; means of few steps are scaled up as in Adam.
        bits: Fractional bits of updates.
    Raises: ArgumentError: a parameter outside its domain.
    """

    size: Fraction
    memory: Fraction | None = None
    momentum: Fraction = Fraction(0)
    bits: int = UPDATE_BITS

    def __post_init__(self) -> None:
        if self.size <= 0 or not 0 <= self.momentum < 1 or not 0 <= (self.memory or 0) < 1:
            given = {"size": self.size, "memory": self.memory, "momentum": self.momentum}
            raise expected("a size above 0, and a memory and a momentum of at least 0 and below 1", **given)

    @property
    def name(self) -> str:
        """With all parameters."""
        memory = "" if self.memory is None else text(self.memory)
        return f"Preconditioned({text(self.size)}; {memory}; {text(self.momentum)}; {integer_text(self.bits)})"

    @property
    def vectors(self) -> int:
        """Of steps, and of their squares."""
        return 2

    def move(self, movement: Floats, memory: Arrays, step: Floats, t: int) -> None:
        """As the class says."""
        mean, squares = memory
        first, second = float(self.momentum), 1.0 if self.memory is None else float(self.memory)
        mean *= first
        mean += (1 - first) * step
        squares *= second
        squares += (1 - second if self.memory is not None else 1) * step**2
        scaled = squares / (1 - second**t) if self.memory is not None else squares
        size = np.sqrt(scaled)
        direction = np.divide(mean / (1 - first**t), size, out=np.zeros_like(size), where=size > 0)
        movement += np.ldexp(float(self.size), self.bits) * direction


@dataclass(frozen=True)
class OptimisedSums:
    """Private sums whose releases an optimiser turns into movements of the model, w_0 - w, in units of the updates.

    Args:
        core: The private sums; rows, noise and sensitivity are its own.
        optimiser: What it does with released sums.
    """

    core: VectorCore
    optimiser: Optimiser

    @property
    def name(self) -> str:
        """Of both."""
        return f"{self.core.name} then {self.optimiser.name}"

    @property
    def rounds(self) -> int:
        """T."""
        return self.core.rounds

    @property
    def dimension(self) -> int:
        """d."""
        return self.core.dimension

    @property
    def largest(self) -> int:
        """The largest size of a component."""
        return self.core.largest

    @property
    def row_bits(self) -> int:
        """Of the sums."""
        return self.core.row_bits

    def start(self) -> Memory:
        """That of the sums, and on its public side the last sum, the movement, and what the optimiser remembers."""
        memory = self.core.start()
        more = tuple(np.zeros(self.dimension) for _ in range(2 + self.optimiser.vectors))
        return Memory(memory.inputs, (*memory.outputs, *more))

    def measure(self, inputs: Arrays, t: int, x: Words) -> Words:
        """Of the sums: the optimiser sees nothing of it."""
        return self.core.measure(inputs, t, x)

    def publish(self, outputs: Arrays, t: int, y: Floats) -> Floats:
        """The movement after round t."""
        more = 2 + self.optimiser.vectors
        last, movement, *memory = outputs[-more:]
        whole = self.core.publish(outputs[:-more], t, y)
        step = whole - last
        last[...] = whole
        self.optimiser.move(movement, tuple(memory), step, t)
        found: Floats = movement.copy()
        return found

    def shift(self, change: Fraction, participation: Participation) -> Fraction:
        """Of the sums."""
        return self.core.shift(change, participation)


def replayed(core: VectorCore, rows: Iterable[Words], shift: Fraction = Fraction(0)) -> list[Floats]:
    """What is published of rows that were released, out of these rows alone.

    Args:
        core: The sums, with an optimiser or without.
        rows: As they were released, from the first on.
        shift: The public shift of their grid.
    """
    outputs = core.start().outputs
    return [core.publish(outputs, t, as_floats(row) - float(shift)) for t, row in enumerate(rows, 1)]


def named_optimiser(name: str, initial: tuple[Fraction, ...] = ()) -> Optimiser:
    """One of OPTIMISER_NAMES, or momentum or nesterov and weight-decay with a comma between.

    Args:
        name: What is asked for.
        initial: w_0, towards 0 from which weights decay; without it they decay towards w_0.
    Raises: ArgumentError: another name: what is not post-processing of released sums needs its own audit.

    >>> named_optimiser("momentum=0.9,weight-decay=1e-3").decay
    Fraction(1, 1000)
    """
    if name in ("plain", "average"):
        return Averaged() if name == "average" else Descent()
    parts = [part.partition("=")[::2] for part in name.split(",")]
    kinds = [kind for kind, _ in parts]
    if len(kinds) == 1 and kinds[0] in ("average", "adagrad", "rmsprop", "adam"):
        return _alone(kinds[0], written(parts[0][1], kinds[0]))
    if sorted(kinds) not in COMBINED:
        raise unknown(name)
    values = {kind: written(value, kind) for kind, value in parts}
    momentum = values.get("momentum", values.get("nesterov", Fraction(0)))
    return Descent(momentum, "nesterov" in kinds, values.get("weight-decay", Fraction(0)), initial=initial)


def _alone(kind: str, value: Fraction) -> Optimiser:
    if kind == "average":
        return Averaged(value)
    if kind == "adagrad":
        return Preconditioned(value)
    slow = Fraction(999, 1000)
    return Preconditioned(value, slow, Fraction(9, 10) if kind == "adam" else Fraction(0))


def unknown(name: str) -> ArgumentError:
    """The refusal of an optimiser that is none of these."""
    known = f"an optimiser that looks at released sums alone ({OPTIMISER_NAMES}), any other {OWN_AUDIT},"
    return expected(known, optimiser=one_line(name, 60))
