"""Random cores of few states, whose positions merge; for games of many rounds."""

import random
from dataclasses import dataclass
from fractions import Fraction

from dpcert import Pmf


@dataclass(frozen=True)
class RandomMarkov:
    """A MarkovCore given by tables: where an input leads from a state, and the weights of outputs in a state."""

    alphabet: tuple[int, ...]
    after: tuple[tuple[int, ...], ...]
    weights: tuple[tuple[int, ...], ...]
    initial: int = 0

    def advance(self, state: int, x: int) -> int:
        return self.after[state][x]

    def law(self, state: int) -> Pmf[int]:
        row = self.weights[state]
        return Pmf({y: Fraction(w, sum(row)) for y, w in enumerate(row)})


def random_markov(seed: int) -> RandomMarkov:
    """Two to five states, two or three inputs and outputs; zeros and equal rows occur."""
    rng = random.Random(seed)
    states, inputs, outputs = rng.randint(2, 5), rng.randint(2, 3), rng.randint(2, 3)
    near = rng.random() < 0.5
    usual = range(40, 60) if near else (0, 1, 1, 2, 3, 5, 8)
    weights = []
    for _ in range(states):
        row = tuple(rng.choice(usual) for _ in range(outputs))
        weights.append(row if any(row) else (1, *row[1:]))
    if rng.random() < 0.3:
        weights[-1] = weights[0]
    after = tuple(tuple(rng.randrange(states) for _ in range(inputs)) for _ in range(states))
    return RandomMarkov(tuple(range(inputs)), after, tuple(weights))
