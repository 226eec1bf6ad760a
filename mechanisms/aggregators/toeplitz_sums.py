"""Toeplitz factorisations for vectors: a rounded square root, or a band of it in memory of so many vectors.

Rows are exact sums of whole numbers. The decoder solves R w = y of the rounded encoder in floats, of released rows.
"""

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.errors import expected
from dpcert.mechanisms.aggregators.core import Arrays, Memory, check_core, check_memory, check_words, root_above
from dpcert.mechanisms.grid_noise.on_grid import rounded_encoder
from dpcert.mechanisms.grid_noise.sampling import Words
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.dyadic import MANTISSA_BITS, Floats
from dpcert.mechanisms.matrices.participations import Participation
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrices.toeplitz import MOST_COEFFICIENTS, ToeplitzEncoder

ROUNDED_BITS = 20
"""Fractional bits that coefficients are rounded to, unless others are asked for."""


@dataclass(frozen=True)
class ToeplitzSums:
    """Prefix sums by an encoder of exact coefficients.

    Args:
        encoder: R, with no radius and a first coefficient other than 0.
        dimension: d.
        largest: The largest size of a component of an input.
    Raises: ArgumentError: an encoder that is not exact, or a parameter outside its domain.
    Source: paper.tex, sec:prefixsum_factor.
    """

    encoder: ToeplitzEncoder
    dimension: int
    largest: int
    _coefficients: Words = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_core(self.rounds, self.dimension, self.largest, MOST_COEFFICIENTS)
        if self.encoder.radius or not self.encoder.values[0] or self.encoder.bits < 0:
            raise expected("exact coefficients in fractional bits, the first not 0", radius=self.encoder.radius)
        check_words([self._most], encoder=f"of {self.rounds} rounds", largest=self.largest)
        check_memory(self.width * self.dimension, dimension=self.dimension, width=self.width)
        object.__setattr__(self, "_coefficients", np.array(self.encoder.values[: self.width], dtype=np.int64))

    @property
    def name(self) -> str:
        """With a digest of the coefficients: rounds, components, the largest size of one."""
        written = ",".join(map(integer_text, (*self.encoder.values, self.encoder.bits)))
        digest = hashlib.sha256(written.encode()).hexdigest()
        numbers = map(integer_text, (self.rounds, self.dimension, self.largest))
        return f"ToeplitzSums({digest}, {', '.join(numbers)})"

    @property
    def rounds(self) -> int:
        """T."""
        return self.encoder.rounds

    @property
    def width(self) -> int:
        """Coefficients up to the last that is not 0: so many inputs are remembered."""
        return self.encoder.bandwidth

    @property
    def row_bits(self) -> int:
        """Those of the coefficients."""
        return self.encoder.bits

    @property
    def _most(self) -> int:
        """The largest size of a row, and of any sum on the way to it."""
        return self.largest * sum(map(abs, self.encoder.values))

    def start(self) -> Memory:
        """The last inputs, and the last solutions w and their sum; floats hold whole numbers where they are exact."""
        kind = np.float64 if self._most < 1 << MANTISSA_BITS else np.int64
        shape = self.width, self.dimension
        return Memory((np.zeros(shape, dtype=kind),), (np.zeros(shape), np.zeros(self.dimension)))

    def measure(self, inputs: Arrays, t: int, x: Words) -> Words:
        """The sum of c_k x_{t-k}."""
        (last,) = inputs
        last[(t - 1) % self.width] = x
        row = self._by_place(t, self._coefficients).astype(last.dtype) @ last[: min(t, self.width)]
        return np.asarray(row, dtype=np.int64)

    def publish(self, outputs: Arrays, t: int, y: Floats) -> Floats:
        """w_t = (y_t - sum of c_k w_{t-k}) / c_0, and the sum of all w."""
        last, whole = outputs
        last[(t - 1) % self.width] = 0
        before = self._by_place(t, self._coefficients).astype(np.float64) @ last[: min(t, self.width)]
        solution = (y - before) / self._coefficients[0]
        last[(t - 1) % self.width] = solution
        whole += solution
        found: Floats = whole.copy()
        return found

    def _by_place(self, t: int, coefficients: Words) -> Words:
        """The coefficient of every place of what is remembered."""
        places = np.arange(min(t, self.width))
        return coefficients[(t - 1 - places) % self.width]

    def shift(self, change: Fraction, participation: Participation) -> Fraction:
        """By the rounded encoder's own sensitivity."""
        return (
            change * root_above(column_sensitivity(self.encoder, participation).l2_squared.upper) * (1 << self.row_bits)
        )


def square_root_sums(
    rounds: int, dimension: int, largest: int, *, bandwidth: int | None = None, bits: int = ROUNDED_BITS
) -> ToeplitzSums:
    """The square root of prefix sums, or its first diagonals, rounded to so many fractional bits.

    Args:
        rounds: T.
        dimension: d.
        largest: The largest size of a component of an input.
        bandwidth: Diagonals that are kept; all without it, which remembers all T inputs.
        bits: Fractional bits of coefficients.
    Raises: ArgumentError: a parameter outside its domain.
    Source: paper.tex, sec:prefixsum_factor.

    >>> square_root_sums(100, 3, 1000, bandwidth=4).width
    4
    """
    return ToeplitzSums(rounded_encoder(square_root(rounds, bandwidth), bits), dimension, largest)
