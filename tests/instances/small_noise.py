"""Toeplitz noise small enough to list every draw."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.sums.toeplitz_noise import ToeplitzNoise


@dataclass(frozen=True)
class SmallNoise(ToeplitzNoise):
    """The same with a law given by integer weights of -m to m."""

    weights: tuple[int, ...] = (1, 2, 1)

    @cached_property
    def law(self) -> Pmf[int]:
        return from_weights(dict(enumerate(self.weights, -(len(self.weights) // 2))))


def small(rounds: int, weights: tuple[int, ...] = (1, 2, 1), scale: int = 2) -> SmallNoise:
    return SmallNoise(Fraction(1), rounds, scale, weights)


def errors(noise: ToeplitzNoise, drawn: tuple[int, ...]) -> Iterator[int]:
    """Y_t - Q_t, round by round."""
    state, outcomes = noise.initial, iter(drawn)
    for _ in drawn:
        error, state = noise.step(state, lambda _: next(outcomes))
        yield error
