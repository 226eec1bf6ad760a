"""Random cores given by tables of integer weights."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from oracles.paired import Table

from dpcert import Pmf

Prefix = tuple[int, ...]


@dataclass(frozen=True)
class RandomCore:
    """A PrefixCore given by a table of integer weights: law(prefix) is proportional to weights[prefix]."""

    alphabet: tuple[int, ...]
    weights: Mapping[Prefix, tuple[int, ...]]

    def law(self, prefix: Prefix) -> Pmf[int]:
        return Pmf(self.row(prefix))

    def row(self, prefix: Prefix) -> dict[int, Fraction]:
        weights = self.weights[prefix]
        return {y: Fraction(w, sum(weights)) for y, w in enumerate(weights)}

    def table(self) -> Table:
        return Table(self.alphabet, self.row)


def random_core(seed: int, inputs: int, outputs: int, horizon: int) -> RandomCore:
    """Small integer weights, zeros and repeated rows included, so that ties and impossible outcomes occur."""
    rng = random.Random(seed)
    prefixes: list[Prefix] = [()]
    weights: dict[Prefix, tuple[int, ...]] = {}
    rows: list[tuple[int, ...]] = []
    for _ in range(horizon):
        prefixes = [(*prefix, x) for prefix in prefixes for x in range(inputs)]
        for prefix in prefixes:
            if rows and rng.random() < 0.3:
                weights[prefix] = rng.choice(rows)
                continue
            row = tuple(rng.choice((0, 1, 1, 2, 3, 5)) for _ in range(outputs))
            weights[prefix] = row if any(row) else (1, *row[1:])
            rows.append(weights[prefix])
    return RandomCore(tuple(range(inputs)), weights)


def noisy_core(seed: int, inputs: int, outputs: int, horizon: int) -> RandomCore:
    """A random core of which few laws are far apart, so that curves have many vertices."""
    rng, usual = random.Random(seed), list(range(4, 10))
    weights: dict[tuple[int, ...], tuple[int, ...]] = {}
    for prefix in (prefix for t in range(1, horizon + 1) for prefix in product(range(inputs), repeat=t)):
        row = tuple(rng.choice([0, 1, 2, *6 * usual]) for _ in range(outputs))
        weights[prefix] = row if any(row) else (1, *row[1:])
    return RandomCore(tuple(range(inputs)), weights)
