"""Buffered linear Toeplitz sums (BLT) for vectors: as many vectors in memory as there are buffers, whatever the rounds.

A buffer is multiplied by its decay in every round. That is rounded down, so that rows are not quite linear in the
inputs: what two runs may differ by on that account is bounded, and charged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from dpcert.audit.errors import expected
from dpcert.mechanisms.aggregators.core import Arrays, Memory, check_core, check_memory, check_words, root_above
from dpcert.mechanisms.grid_noise.sampling import Words
from dpcert.mechanisms.matrices.buffered import Buffers
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.participations import Participation
from dpcert.mechanisms.matrices.toeplitz import MOST_COEFFICIENTS

BUFFER_BITS, DECAY_BITS, SCALE_BITS = 10, 20, 16
"""Fractional bits of buffers beyond those of the inputs, of decays, and of scales."""


@dataclass(frozen=True)
class BufferedSums:
    """Prefix sums by c_0 = 1 and c_k = sum of s_j d_j^(k-1).

    Args:
        decays: d_j 2^20, whole numbers from 0 to 2^20 - 1.
        scales: s_j 2^16, as many whole numbers.
        rounds: T.
        dimension: d.
        largest: The largest size of a component of an input.
    Raises: ArgumentError: a parameter outside its domain.
    Source: arXiv 2404.16706, "buffered linear Toeplitz".
    """

    decays: tuple[int, ...]
    scales: tuple[int, ...]
    rounds: int
    dimension: int
    largest: int

    def __post_init__(self) -> None:
        check_core(self.rounds, self.dimension, self.largest, MOST_COEFFICIENTS)
        if not all(0 <= d < 1 << DECAY_BITS for d in self.decays):
            raise expected("decays of at least 0 and below 1", decays=self.decays)
        self.buffers  # noqa: B018 - raises where they do not fit each other
        most = [(self.largest << BUFFER_BITS) * ceil(r) + ceil(r) for r in self._reaches]
        row = (self.largest << self.row_bits) + sum(abs(s) * m for s, m in zip(self.scales, most, strict=True))
        check_words([row, *(m << DECAY_BITS for m in most)], largest=self.largest, decays=self.decays)
        check_memory(2 * len(self.decays) * self.dimension, dimension=self.dimension)

    @property
    def name(self) -> str:
        """With all parameters."""
        return repr(self)

    @property
    def buffers(self) -> Buffers:
        """The parameters as they are after rounding."""
        decays = tuple(Fraction(d, 1 << DECAY_BITS) for d in self.decays)
        return Buffers(decays, tuple(Fraction(s, 1 << SCALE_BITS) for s in self.scales))

    @property
    def row_bits(self) -> int:
        """Those of buffers and scales."""
        return BUFFER_BITS + SCALE_BITS

    @property
    def _reaches(self) -> list[Fraction]:
        """1 / (1 - d_j) for each buffer."""
        return [Fraction(1 << DECAY_BITS, (1 << DECAY_BITS) - d) for d in self.decays]

    @property
    def unevenness(self) -> Fraction:
        """What rounding buffers down moves a component of a row by, in one run against another, in units of rows.

        A buffer is too small by less than the sum of d_j^i over all i, whatever the inputs: by less than 1 / (1 - d_j).
        """
        return sum((abs(s) * r for s, r in zip(self.scales, self._reaches, strict=True)), Fraction(0))

    def start(self) -> Memory:
        """The buffers of the encoder, and those of the decoder with the sum of its solutions."""
        shape = len(self.decays), self.dimension
        return Memory((np.zeros(shape, dtype=np.int64),), (np.zeros(shape), np.zeros(self.dimension)))

    def measure(self, inputs: Arrays, t: int, x: Words) -> Words:  # noqa: ARG002 - all rounds are alike
        """x, and the buffers times their scales; then they decay, and take x."""
        (buffers,) = inputs
        row: Words = (x << self.row_bits) + np.array(self.scales, dtype=np.int64) @ buffers
        buffers *= np.array(self.decays, dtype=np.int64)[:, None]
        buffers >>= DECAY_BITS
        buffers += x << BUFFER_BITS
        return row

    def publish(self, outputs: Arrays, t: int, y: Floats) -> Floats:  # noqa: ARG002 - all rounds are alike
        """The inverse of a BLT is one, of the same buffers: w_t = y_t - sum of s_j r_j; r_j decays, and takes w."""
        buffers, whole = outputs
        scales, decays = np.ldexp(np.array(self.scales), -SCALE_BITS), np.ldexp(np.array(self.decays), -DECAY_BITS)
        solution: Floats = np.ldexp(y, -self.row_bits) - scales @ buffers
        buffers *= decays[:, None]
        buffers += solution
        whole += solution
        found: Floats = whole.copy()
        return found

    def shift(self, change: Fraction, participation: Participation) -> Fraction:
        """By the sensitivity of the linear encoder, and what rounding adds in all components of all rounds.

        Of that the first part is one column times the change; the second holds on every run, whatever is chosen later.
        """
        linear = column_sensitivity(self.buffers.encoder(self.rounds), participation).l2_squared.upper
        rounding = self.unevenness * root_above(Fraction(self.rounds * self.dimension))
        return change * root_above(linear) * (1 << self.row_bits) + rounding


def buffered_sums(
    decay: Sequence[Fraction], scale: Sequence[Fraction], rounds: int, dimension: int, largest: int
) -> BufferedSums:
    """The sums by buffers whose decays and scales are rounded to the nearest.

    Raises: ArgumentError: a parameter outside its domain.

    >>> buffered_sums([Fraction(1, 2)], [Fraction(1, 4)], 8, 1, 100).decays
    (524288,)
    """
    decays = tuple(round(d * (1 << DECAY_BITS)) for d in decay)
    return BufferedSums(decays, tuple(round(s * (1 << SCALE_BITS)) for s in scale), rounds, dimension, largest)
