"""Buffered linear Toeplitz encoders (BLT): c_0 = 1 and c_t = sum_j s_j d_j^(t-1), buffers in place of a matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcert.audit.algebra.enclosure import ball
from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.toeplitz import MOST_COEFFICIENTS, ToeplitzEncoder, enclosed_toeplitz

MOST_BUFFERS = 1_000
"""Buffers of a BLT: libraries use fewer than ten."""


@dataclass(frozen=True)
class Buffers:
    """The parameters of a BLT.

    Args:
        decay: d_j, each of size at most 1.
        scale: s_j, as many.
    Source: arXiv 2404.16706, "buffered linear Toeplitz".

    >>> Buffers((Fraction(1, 2),), (Fraction(1, 4),)).encoder(3).values[1] == 1 << 126
    True
    """

    decay: tuple[Fraction, ...]
    scale: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if len(self.decay) != len(self.scale) or not 1 <= len(self.decay) <= MOST_BUFFERS:
            counts = {"decay": len(self.decay), "scale": len(self.scale)}
            raise expected(f"as many decays as scales, from 1 to {MOST_BUFFERS}", **counts)
        for d in self.decay:
            if abs(d) > 1:
                raise expected("decays of size at most 1", decay=d)

    def encoder(self, rounds: int) -> ToeplitzEncoder:
        """R of so many rounds, its coefficients enclosed.

        Raises: ArgumentError: no or too many rounds.
        """
        if not 1 <= rounds <= MOST_COEFFICIENTS:
            raise expected(f"from 1 to {MOST_COEFFICIENTS} rounds", rounds=rounds)
        return enclosed_toeplitz(lambda: self._coefficients(rounds), "buffers")

    def _coefficients(self, rounds: int) -> list[arb]:
        powers, decays = [ball(s) for s in self.scale], [ball(d) for d in self.decay]
        coefficients = [arb(1)]
        for _ in range(rounds - 1):
            coefficients.append(_sum(powers))
            powers = [p * d for p, d in zip(powers, decays, strict=True)]
        return coefficients


def _sum(balls: Sequence[arb]) -> arb:
    total = balls[0]
    for one in balls[1:]:
        total = total + one
    return total
