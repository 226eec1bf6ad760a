"""Brute force for mechanisms on awkward values: a key of its own tells values apart, by type, repr and bits.

Nothing of the project is used here. A model is `start` and `kernel(state, x)`, which lists (probability, what is seen,
state after it) with keys in place of values; what is seen may be OVER, and then nothing follows.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import Any, Protocol

import numpy as np

Key = Any
Pair = tuple[Key, Key]
OVER = "over"
BASES = (bool, int, str, bytes, tuple, frozenset)


class Model(Protocol):
    """A mechanism by its laws."""

    @property
    def start(self) -> Key:
        """The state before round 1."""
        ...

    def kernel(self, state: Key, x: Key) -> list[tuple[Fraction, Key, Key]]:
        """(probability, what is seen, state after it)."""
        ...


def key(value: Any) -> Key:
    """What tells a value from all others, as nested tuples of strings."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    return (kind, *_parts(value))


def _parts(value: Any) -> tuple[Key, ...]:
    if isinstance(value, np.ndarray):
        return str(value.dtype), str(value.shape), *map(key, value.ravel())
    if isinstance(value, np.generic):
        return str(value.dtype), "nan" if value != value else value.tobytes().hex()
    if isinstance(value, float):
        return ("nan" if value != value else struct.pack(">d", value).hex(),)
    if isinstance(value, Decimal):
        return (repr(value.as_tuple()),)
    if isinstance(value, Fraction):
        return (f"{value.numerator}/{value.denominator}",)
    if isinstance(value, Enum):
        return repr(value), repr(value.value)
    if is_dataclass(value):
        return tuple(part for f in fields(value) for part in (f.name, key(getattr(value, f.name))))
    if isinstance(value, dict):
        return tuple(key(part) for entry in value.items() for part in entry)
    return _of_base(value)


def _of_base(value: Any) -> tuple[Key, ...]:
    if isinstance(value, (tuple, list)):
        return tuple(map(key, tuple.__iter__(value) if isinstance(value, tuple) else value))
    if isinstance(value, (set, frozenset)):
        return tuple(sorted(map(key, value)))
    base = next((b for b in BASES if isinstance(value, b)), None)
    return (repr(value) if base is None else base.__repr__(value),)


def hamming(inputs: tuple[Key, ...], differed: bool) -> Iterator[tuple[Pair, bool]]:
    """Every pair of equal inputs, and until it happened once every pair of unequal ones."""
    for one, other in product(inputs, repeat=2):
        if one == other or not differed:
            yield (one, other), differed or one != other


def zero_out(null: Key) -> Callable[[tuple[Key, ...], bool], Iterator[tuple[Pair, bool]]]:
    """Every pair of equal inputs, and once any against the null input."""

    def legal(inputs: tuple[Key, ...], differed: bool) -> Iterator[tuple[Pair, bool]]:
        for x in inputs:
            yield (x, x), differed
            if x != null and not differed:
                yield (x, null), True

    return legal


Legal = Callable[[tuple[Key, ...], bool], Iterator[tuple[Pair, bool]]]
Mass = dict[Key, Fraction]


def adaptive(model: Model, inputs: tuple[Key, ...], horizon: int, legal: Legal, slope: Fraction) -> Fraction:
    """sup over adaptive adversaries of sum max(0, P - slope Q), the larger of both orders."""

    def best(one: Mass, other: Mass, differed: bool, rounds: int, order: int) -> Fraction:
        if not rounds or not one:
            return scored(one, other, order)
        values = []
        for pair, after in legal(inputs, differed):
            seen = pushed(model, one, pair[0]), pushed(model, other, pair[1])
            total = Fraction(0)
            for v in {**seen[0], **seen[1]}:
                left = 0 if v == OVER else rounds - 1
                total += best(seen[0].get(v, {}), seen[1].get(v, {}), after, left, order)
            values.append(total)
        return max(values)

    def scored(one: Mass, other: Mass, order: int) -> Fraction:
        masses = sum(one.values(), Fraction(0)), sum(other.values(), Fraction(0))
        return max(Fraction(0), masses[order] - slope * masses[1 - order])

    sure: Mass = {model.start: Fraction(1)}
    # a world in which what was seen cannot be is left as it is: nothing more is to be gained
    return max(best(sure, dict(sure), False, horizon, order) for order in (0, 1))


def pushed(model: Model, mass: Mass, x: Key) -> dict[Key, Mass]:
    """What is seen next -> the mass of every state after it."""
    seen: dict[Key, Mass] = {}
    for state, weight in mass.items():
        for probability, v, after in model.kernel(state, x):
            states = seen.setdefault(v, {})
            states[after] = states.get(after, Fraction(0)) + weight * probability
    return seen


def fixed(model: Model, inputs: tuple[Key, ...], horizon: int, legal: Legal, slope: Fraction) -> Fraction:
    """The same over pairs of streams that are fixed beforehand."""
    pairs: list[tuple[tuple[Pair, ...], bool]] = [((), False)]
    for _ in range(horizon):
        pairs = [((*before, pair), after) for before, differed in pairs for pair, after in legal(inputs, differed)]
    worst = Fraction(0)
    for pairing, _ in pairs:
        laws = [transcripts(model, tuple(pair[world] for pair in pairing)) for world in (0, 1)]
        for order in (0, 1):
            one, other = laws[order], laws[1 - order]
            worst = max(
                worst, sum((max(Fraction(0), p - slope * other.get(v, 0)) for v, p in one.items()), Fraction(0))
            )
    return worst


def transcripts(model: Model, stream: tuple[Key, ...]) -> Mass:
    """The law of all that is seen on a stream."""
    reached: dict[tuple[Key, ...], Mass] = {(): {model.start: Fraction(1)}}
    done: Mass = {}
    for x in stream:
        following: dict[tuple[Key, ...], Mass] = {}
        for before, mass in reached.items():
            for v, after in pushed(model, mass, x).items():
                if v == OVER:
                    done[(*before, v)] = sum(after.values(), Fraction(0))
                else:
                    following[(*before, v)] = after
        reached = following
    return done | {seen: sum(mass.values(), Fraction(0)) for seen, mass in reached.items()}
