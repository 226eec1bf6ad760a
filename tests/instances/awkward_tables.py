"""What decides a random mechanism on awkward values: tables of numbers, values and states, by the oracle's key.

What == says of the values decides nothing.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from instances.awkward_values import Maker, distinct, number
from oracles.border import Key, key

from dpcert import Pmf


@dataclass(frozen=True)
class Tables:
    """Everything that decides a random mechanism."""

    seed: Any
    inputs: tuple[Maker, ...]
    values: tuple[Maker, ...]
    states: tuple[Maker, ...]

    def weights(self, *where: Any) -> list[tuple[int, Fraction]]:
        """A law on numbers of values."""
        n = number(self.seed, *where)
        size = 1 + n % 3
        parts = [1 + n // 11**i % 3 for i in range(1, size + 1)]
        picks = [n // 13**i % len(self.values) for i in range(1, size + 1)]
        return [(i, Fraction(w, sum(parts))) for i, w in zip(picks, parts, strict=True)]

    def law(self, *where: Any) -> Pmf[Any]:
        return Pmf([(self.values[i](), w) for i, w in self.weights(*where)])

    def keys(self, *where: Any) -> list[tuple[Key, Fraction]]:
        return [(self.name(i), w) for i, w in self.weights(*where)]

    def name(self, i: int) -> Key:
        return key(self.values[i]())

    def pick(self, *where: Any) -> int:
        return number(self.seed, *where) % len(self.values)

    def state(self, *where: Any) -> Maker:
        return self.states[number(self.seed, *where) % len(self.states)]

    @property
    def alphabet(self) -> tuple[Any, ...]:
        return tuple(make() for make in self.inputs)


def tables(seed: Any) -> Tables:
    """Random tables on few values."""
    n = number(seed, "sizes")
    return Tables(
        seed,
        tuple(distinct((seed, "x"), 2 + n % 2)),
        tuple(distinct((seed, "y"), 2 + n // 2 % 4)),
        tuple(distinct((seed, "s"), 1 + n // 8 % 3)),
    )


def keys_of(values: tuple[Any, ...]) -> tuple[Key, ...]:
    return tuple(map(key, values))


@dataclass(frozen=True)
class OfTables:
    """What mechanisms and models have in common."""

    tables: Tables

    @property
    def alphabet(self) -> tuple[Any, ...]:
        return self.tables.alphabet
