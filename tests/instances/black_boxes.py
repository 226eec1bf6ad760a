"""Samplers as a user would write them, good and bad."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator, default_rng


class NoisyCounter:
    """The count of ones so far, give or take 1."""

    alphabet = (0, 1)
    horizon = 2

    def reset(self, rng: Generator) -> None:
        self.rng, self.count = rng, 0

    def step(self, x: int) -> int:
        self.count += x
        return self.count + int(self.rng.integers(-1, 2))


class NoisyNumbers:
    """Every input with Gaussian noise of its own, as one function of a stream."""

    alphabet = (0.0, 1.0)

    def sample(self, inputs: tuple[float, ...], rng: Generator) -> Any:
        return np.array(inputs) + rng.normal(size=len(inputs))


@dataclass
class Faulty:
    """A sampler with a fault of some kind."""

    kind: str
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    horizon: ClassVar[int] = 1
    runs: int = 0

    def reset(self, rng: Generator) -> None:
        self.rng = rng
        self.runs += 1

    def step(self, x: int) -> Any:
        answers = {
            "raises": lambda: 1 // x,
            "a list": lambda: [x],
            "an array": lambda: np.zeros(2),
            "its own entropy": lambda: int(default_rng().integers(1 << 30)),
            "a memory": lambda: self.runs,
        }
        return answers[self.kind]()


@dataclass
class FaultyStreams:
    """The same of a sampler of whole streams."""

    kind: str
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    horizon: ClassVar[int] = 2

    def sample(self, inputs: tuple[int, ...], rng: Generator) -> Any:
        answers = {
            "too few": lambda: (1,),
            "no sequence": lambda: 1,
            "a text": lambda: "1" * len(inputs),
            "looks ahead": lambda: (sum(inputs) + int(rng.integers(2)),) * len(inputs),
        }
        return answers[self.kind]()
