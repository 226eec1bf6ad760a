"""Code under independent seeds as a machine: its states, and what every seed of a round does in each of them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import gcd
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.kernel import Kernel

Place = tuple[int, int]
"""Rounds played, and which of the states that there are then."""
START: Place = (0, 0)


@frozen
class StateStep:
    """One round from a state under an input.

    Attributes:
        results: (output, number of the state after it) of each way through the round.
        of_seed: Which of them the seeds of the round lead to, in the order of their law.
    """

    results: tuple[tuple[Any, int], ...]
    of_seed: tuple[int, ...]


@frozen
class Machine:
    """Code whose states are one where they behave alike from then on.

    Attributes:
        name: The mechanism's.
        alphabet: Its inputs, as tokens.
        laws: The law of the seed of each round; the seeds are independent.
        steps: Of each round, what each state does under each input.
        runs: Ways through a round that were run, each three times.
        merged: Ways to a state that another way had led to.
    """

    name: str
    alphabet: tuple[Any, ...]
    laws: Sequence[Pmf[Any]]
    steps: Sequence[Mapping[tuple[int, Any], StateStep]]
    runs: int
    merged: int

    @property
    def horizon(self) -> int:
        """Rounds."""
        return len(self.laws)

    @property
    def states(self) -> int:
        """How many states there are, in all rounds."""
        return sum(len(of_round) for of_round in self.steps) // len(self.alphabet)

    @cached_property
    def _weights(self) -> list[tuple[int, ...]]:
        return [tuple(law.token_weights()[0].values()) for law in self.laws]

    @cached_property
    def _numbers(self) -> list[dict[Any, int]]:
        return [{seed: i for i, seed in enumerate(law.token_weights()[0])} for law in self.laws]

    def seeds(self, t: int) -> tuple[Any, ...]:
        """The seeds of round t, from 1, in their order."""
        return tuple(self._numbers[t - 1])

    def respond(self, seeds: Sequence[Any], stream: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs of the rounds under these seeds and inputs."""
        state, outputs = 0, []
        for numbers, steps, seed, x in zip(self._numbers, self.steps, seeds, stream, strict=False):
            step = steps[state, x]
            y, state = step.results[step.of_seed[numbers[seed]]]
            outputs.append(y)
        return tuple(outputs)

    def kernel(self, place: Place, x: Any) -> Kernel:
        """Every output of the next round, with the state after it."""
        t, state = place
        step = self.steps[t][state, x]
        weights: dict[tuple[Any, Place], int] = {}
        for weight, way in zip(self._weights[t], step.of_seed, strict=True):
            y, after = step.results[way]
            weights[y, (t + 1, after)] = weights.get((y, (t + 1, after)), 0) + weight
        common = gcd(*weights.values())
        return Kernel(tuple((*key, w // common) for key, w in weights.items()), sum(weights.values()) // common)

    def live(self, horizon: int | None) -> Hidden:
        """The mechanism that it is when it is run; the state is unseen."""
        return Hidden(self.name, self.alphabet, START, horizon, self.kernel)
