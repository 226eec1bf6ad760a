"""Additive noise on weighted sums of the inputs: cores whose laws are put together here, from weights and noise."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from dpcert.audit.answering import answering
from dpcert.audit.errors import MechanismError
from dpcert.audit.label import label
from dpcert.audit.pmf import Pmf

Vector = Any
"""A whole number, or a tuple of them."""
State = tuple[int, tuple[Vector, ...]]
"""(round, this round's sum and what later rounds' sums have so far)."""


@dataclass(frozen=True)
class Linear:
    """Y_t = sum_i weights(t)_i x_i + eta_t, eta_t fresh from noise_law(t); modulo `modulus` if there is one.

    The law is made here and nowhere else, so a common shift of both worlds' inputs shifts both laws alike, whatever the
    horizon and the alphabet. Source: paper.tex, sec:cert (lower-triangular mechanisms).
    """

    name: str
    zero: Vector
    modulus: int | None
    _weights: Callable[[int], object]
    _noise: Callable[[int], object]

    def weights(self, t: int) -> tuple[int, ...]:
        """b_t: one whole number for each of rounds 1 to t."""
        with answering(f"{self.name}.weights", self._weights):
            row = self._weights(t)
            if not (isinstance(row, tuple) and len(row) == t and all(isinstance(b, int) for b in row)):
                raise MechanismError(f"Expected {self.name}.weights({t}) to be {t} whole numbers but got {label(row)}")
        return row

    def noise(self, t: int) -> Pmf[Vector]:
        """The law of eta_t."""
        with answering(f"{self.name}.noise_law", self._noise):
            law = self._noise(t)
            if not isinstance(law, Pmf):
                raise MechanismError(f"Expected {self.name}.noise_law to return a Pmf but got {type(law).__name__}")
        return law

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
        rows = [self.weights(t) for t in range(1, horizon + 1)]

        def after(state: State, x: Vector) -> State:
            t, sums = state
            return t + 1, tuple(self.plus(u, x, rows[s][t]) for s, u in enumerate(sums[1:], t))

        return after

    def law(self, state: State) -> Pmf[Vector]:
        """The law of the round that led to a state."""
        return self.shifted(state[0], state[1][0])
