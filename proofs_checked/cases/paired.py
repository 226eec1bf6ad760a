"""A mechanism with a hidden output, and ways to answer a pair of inputs with a pair of hidden outputs."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.pmf import Pmf

Answer = tuple[int, int, int]
"""(v, y_0, y_1)."""


class Seed(NamedTuple):
    """One round's randomness: whether v is the truth, whether y is flipped, and a bit that the mechanism never uses."""

    truth: int
    flip: int
    spare: int


SEEDS: Pmf[Seed] = (
    bernoulli(Fraction(3, 4)).product(bernoulli(Fraction(1, 4))).product(bernoulli(Fraction(1, 2)))
    .map(lambda r: Seed(r[0][0], r[0][1], r[1]))
)  # fmt: skip
Simulation = Callable[[int, Seed, int, int], Answer]
"""(b, seed, x_0, x_1) -> (v, y_0, y_1), round by round. Source: def:npp."""


def mechanism(seed: Seed, x: int) -> tuple[int, int]:
    """(v, y): v is randomised response on x, the hidden y is x through another noisy channel."""
    return (x if seed.truth else 1 - x), x ^ seed.flip


def same_seed(b: int, seed: Seed, x0: int, x1: int) -> Answer:
    """Both hidden outputs under the one seed."""
    v, _ = mechanism(seed, (x0, x1)[b])
    return v, mechanism(seed, x0)[1], mechanism(seed, x1)[1]


def copied(b: int, seed: Seed, x0: int, x1: int) -> Answer:
    """The real hidden output twice."""
    v, y = mechanism(seed, (x0, x1)[b])
    return v, y, y


def unrelated(b: int, seed: Seed, x0: int, x1: int) -> Answer:
    """The other hidden output is the spare bit."""
    v, y = mechanism(seed, (x0, x1)[b])
    return (v, seed.spare, y) if b else (v, y, seed.spare)


PAIRS: list[tuple[int, int]] = [(x0, x1) for x0 in (0, 1) for x1 in (0, 1)]
