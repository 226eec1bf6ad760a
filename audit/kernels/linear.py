"""Additive noise on weighted sums of the inputs: cores whose laws are put together here, from weights and noise."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import field
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.stretches import Stretches, checked, stretches_of, written_out
from dpcert.audit.limits import look

LISTED_ROUNDS = 4_471
"""Rounds up to which a digest has the weights one by one, some 10,000,000; past it as stretches."""
COMPARED_ROUNDS = 64
"""Rounds in which weights and stretches are held against each other, where a mechanism gives both."""

Vector = Any
"""A whole number, or a tuple of them."""
State = tuple[int, tuple[Vector, ...]]
"""(round, this round's sum and what later rounds' sums have so far)."""


@frozen
class Linear:
    """Y_t = sum_i weights(t)_i x_i + eta_t, eta_t fresh from noise_law(t); modulo `modulus` if there is one.

    The law is made here and nowhere else, of whole numbers whose sums are exact, so a common shift of both worlds'
    inputs shifts both laws alike, whatever the horizon and the alphabet. The first answer for each round is kept. A
    mechanism that gives its weights as stretches is not asked for them one by one.
    Source: paper.tex, sec:cert (lower-triangular mechanisms).
    """

    name: str
    zero: Vector
    modulus: int | None
    _weights: Callable[[int], object]
    _noise: Callable[[int], object]
    _stretches: Callable[[int], object] | None = None
    _rows: dict[int, tuple[int, ...]] = field(default_factory=dict, compare=False)
    _laws: dict[int, Pmf[Vector]] = field(default_factory=dict, compare=False)
    _kept: dict[int, Stretches] = field(default_factory=dict, compare=False)
    _distinct: dict[Pmf[Vector], Pmf[Vector]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.modulus is not None and (type(self.modulus) is not int or self.modulus < 1):
            what = f"Expected {self.name}.modulus to be a whole number of at least 1, exactly an int,"
            raise MechanismError(f"{what} but got {_typed(self.modulus)}")

    def weights(self, t: int) -> tuple[int, ...]:
        """b_t: one whole number for each of rounds 1 to t."""
        if t not in self._rows:
            self._rows[t] = self._weights_again(t) if self._stretches is None else written_out(self.stretches(t), t)
        return self._rows[t]

    @property
    def sparse(self) -> bool:
        """Whether the mechanism gives its weights as stretches."""
        return self._stretches is not None

    def stretches(self, t: int) -> Stretches:
        """The weights of round t other than 0, in stretches of rounds that it weighs alike."""
        if self._stretches is None:
            return stretches_of(self.weights(t))
        if t not in self._kept:
            self._kept[t] = made = self._stretches_again(t)
            if t <= COMPARED_ROUNDS and written_out(made, t) != (listed := self._weights_again(t)):
                what = f"Expected {self.name}.stretches({t}) to be its weights({t}) {label(listed)}"
                raise MechanismError(f"{what} but got {label(made)}")
        return self._kept[t]

    def _stretches_again(self, t: int) -> Stretches:
        """A new answer to the question for the stretches of round t."""
        if self._stretches is None:
            raise RuntimeError("no stretches to ask for")
        with answering(f"{self.name}.stretches", self._stretches):
            return checked(self.name, t, self._stretches(t))

    def noise(self, t: int) -> Pmf[Vector]:
        """The law of eta_t; equal ones are one object."""
        if t not in self._laws:
            law = self._noise_again(t)
            self._laws[t] = self._distinct.setdefault(law, law)
        return self._laws[t]

    def _weights_again(self, t: int) -> tuple[int, ...]:
        """A new answer to the question for the weights of round t."""
        with answering(f"{self.name}.weights", self._weights):
            row = self._weights(t)
            if type(row) is not tuple or len(row) != t:
                raise MechanismError(f"Expected {self.name}.weights({t}) to be {t} whole numbers but got {label(row)}")
            for b in row:
                if type(b) is not int:
                    what = f"Expected {self.name}.weights({t}) to be {t} whole numbers, each exactly an int,"
                    raise MechanismError(f"{what} but got {_typed(b)}")
        return row

    def _noise_again(self, t: int) -> Pmf[Vector]:
        """A new answer to the question for the noise of round t."""
        with answering(f"{self.name}.noise_law", self._noise):
            law = self._noise(t)
            if type(law) is not Pmf:
                raise MechanismError(f"Expected {self.name}.noise_law to return a Pmf but got {type(law).__name__}")
            for eta in law.support:
                if not self.takes(eta):
                    each = "exactly an int" if self.zero == 0 else f"exactly a tuple of {len(self.zero)} ints"
                    what = f"Expected {self.name}.noise_law({t}) to be a law of whole numbers, each {each},"
                    raise MechanismError(f"{what} but got outcome {_typed(eta)}")
        return law

    def takes(self, value: object) -> bool:
        """Whether a value is an input or a noise value of this shape, its numbers exactly of type int."""
        if type(self.zero) is int:
            return type(value) is int
        return type(value) is tuple and len(value) == len(self.zero) and all(type(c) is int for c in value)

    def changed(self, horizon: int) -> tuple[str, Any, Any] | None:
        """What is answered otherwise when rounds 1 to `horizon` are asked for again, the last one first.

        The member with its round, the first answer and the other one; None where nothing changes.
        """
        weighing: tuple[str, Callable[[int], object], Callable[[int], object]]
        weighing = ("weights", self.weights, self._weights_again)
        if self.sparse:
            weighing = ("stretches", self.stretches, self._stretches_again)
        members = (("noise_law", self.noise, self._noise_again), weighing)
        for t in range(1, horizon + 1):
            look()
            for _, first, _ in members:
                first(t)
        for t in range(horizon, 0, -1):
            look()
            for member, first, again in members:
                if (before := first(t)) != (now := again(t)):
                    return f"{member}({t})", before, now
        return None

    def told(self, rounds: int) -> Iterator[tuple[object, Pmf[Vector]]]:
        """All that laws are made of, round by round: the weights other than 0 with their rounds, and the noise."""
        for t in range(1, rounds + 1):
            look()
            if rounds > LISTED_ROUNDS:
                yield ("stretches", t, self.stretches(t)), self.noise(t)
                continue
            yield ("weights", t, tuple((i, b) for i, b in enumerate(self.weights(t), 1) if b)), self.noise(t)

    def after(self, prefix: tuple[Vector, ...]) -> Pmf[Vector]:
        """The law of round t = len(prefix)."""
        total = self.zero
        for b, x in zip(self.weights(len(prefix)), prefix, strict=True):
            total = self.plus(total, x, b)
        return self.shifted(len(prefix), total)

    def shifted(self, t: int, total: Vector) -> Pmf[Vector]:
        """The noise of round t around a sum."""
        return self.noise(t).map(lambda eta: self.plus(eta, total, 1))

    def plus(self, total: Vector, x: Vector, b: int) -> Vector:
        """total + b x, coordinate by coordinate, modulo `modulus` if there is one."""
        if isinstance(total, tuple):
            return tuple(self.plus(u, v, b) for u, v in zip(total, x, strict=True))
        return (total + b * x) if self.modulus is None else (total + b * x) % self.modulus

    def start(self, horizon: int) -> State:
        """The state before round 1 of `horizon`, in which streams with the same sums are one."""
        return 0, (self.zero,) * (horizon + 1)

    def advance(self, horizon: int) -> Callable[[State, Vector], Hashable]:
        """Adds an input to the sums of its round and of all later ones."""
        rows: list[tuple[int, ...]] = []

        def after(state: State, x: Vector) -> State:
            for t in range(len(rows) + 1, horizon + 1):
                look()
                rows.append(self.weights(t))
            t, sums = state
            return t + 1, tuple(self.plus(u, x, rows[s][t]) for s, u in enumerate(sums[1:], t))

        return after

    def law(self, state: State) -> Pmf[Vector]:
        """The law of the round that led to a state."""
        return self.shifted(state[0], state[1][0])


def _typed(value: object) -> str:
    return f"{label(value)} of type {type(value).__name__}"
