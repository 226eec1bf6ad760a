"""What a streaming factorisation of prefix sums answers: rows of R x in whole numbers, and sums of what is released.

A round takes one vector x_t and releases one row, y_t = (R x)_t + z_t, a vector as well; the sums that are published
are worked out of rows that were released, and of nothing else.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.errors import expected
from dpcert.mechanisms.grid_noise.sampling import Words
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.participations import Participation

WORD_LIMIT = 1 << 62
"""Every whole number that is worked out stays below this size, by what the parameters allow."""
NOISE_LIMIT = 1 << 60
"""A draw of noise does."""
MOST_DIMENSION = 1 << 27
"""Components of a vector, and entries of what a stream remembers: a gibibyte."""
ROOT_BITS = 64
"""Fractional bits of a square root that is rounded up."""

Arrays = tuple[NDArray[Any], ...]


class Memory(NamedTuple):
    """What a stream remembers: of its inputs, which is secret, and of the rows it released, which is public."""

    inputs: Arrays
    outputs: Arrays


class VectorCore(Protocol):
    """R and L of prefix sums, for vectors of whole numbers."""

    @property
    def name(self) -> str:
        """With all parameters."""

    @property
    def rounds(self) -> int:
        """T, the most bins."""

    @property
    def dimension(self) -> int:
        """d, the components of a vector."""

    @property
    def largest(self) -> int:
        """The largest size of a component."""

    @property
    def row_bits(self) -> int:
        """Rows are in units of 2^-row_bits of those of the inputs."""

    def start(self) -> Memory:
        """Before the first round."""

    def measure(self, inputs: Arrays, t: int, x: Words) -> Words:
        """(R x)_t without noise, for round t from 1; takes x into `inputs`."""

    def publish(self, outputs: Arrays, t: int, y: Floats) -> Floats:
        """The sum of all inputs so far, in units of the inputs, out of the row y and `outputs`, which takes it in."""

    def shift(self, change: Fraction, participation: Participation) -> Fraction:
        """At least ||R x - R x'||_2 in units of rows, for changes of norm at most `change` in units of inputs."""


def check_core(rounds: int, dimension: int, largest: int, most_rounds: int) -> None:
    """Raises: ArgumentError: a parameter outside its domain."""
    if not 1 <= rounds <= most_rounds:
        raise expected(f"from 1 to {most_rounds} rounds", rounds=rounds)
    if not 1 <= dimension <= MOST_DIMENSION:
        raise expected(f"from 1 to {MOST_DIMENSION} components", dimension=dimension)
    if largest < 1:
        raise expected("a largest component of at least 1", largest=largest)


def check_words(numbers: Sequence[int], **named: object) -> None:
    """Raises: ArgumentError: a whole number that may come up does not fit a word, with noise on it."""
    if max(numbers) + NOISE_LIMIT >= WORD_LIMIT:
        raise expected("components, rounds and bits whose sums stay below 2^61", **named)


def check_memory(entries: int, **named: object) -> None:
    """Raises: ArgumentError: more is to be remembered than fits."""
    if entries > MOST_DIMENSION:
        raise expected(f"a stream that remembers at most {MOST_DIMENSION} numbers", **named)


def root_above(square: Fraction) -> Fraction:
    """The square root, rounded up.

    >>> root_above(Fraction(9, 4))
    Fraction(3, 2)
    """
    scaled = -(-square.numerator * (1 << 2 * ROOT_BITS) // square.denominator)
    root = isqrt(scaled)
    return Fraction(root + (root * root < scaled), 1 << ROOT_BITS)


def as_floats(words: Words) -> Floats:
    """Rows as floats: for what is worked out of released rows alone."""
    return words.astype(np.float64)
