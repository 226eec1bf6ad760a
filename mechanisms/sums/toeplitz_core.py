"""The core of the Toeplitz prefix sum, with noise small enough to be audited, and the estimates decoded from it."""

from dataclasses import dataclass
from operator import mul
from typing import ClassVar

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.mechanisms.sums.toeplitz_encoder import encoder_column, nearest, worked_out


@dataclass(frozen=True)
class ToeplitzCore:
    """Z_t = sum_k r_k x_{t-k} + z_t, r the whole column near c times the root of counting; publishes prefix sums.

    Args:
        scale: c.
        noise: Integer weights of the noise values from -m to m, so 2m + 1 of them.
        alphabet: The legal inputs, whole numbers.
    Source: paper.tex, sec:prefixsum_factor.
    """

    scale: int = 2
    noise: tuple[int, ...] = (1, 2, 1)
    alphabet: tuple[int, ...] = (0, 1)
    null: ClassVar[int] = 0

    def weights(self, t: int) -> tuple[int, ...]:
        """Row t of R."""
        return encoder_column(self.scale, t)[::-1]

    def noise_law(self, t: int) -> Pmf[int]:
        """The law of z_t, the same every round."""
        del t
        return from_weights(dict(enumerate(self.noise, -(len(self.noise) // 2))))

    def publish(self, core: tuple[int, ...]) -> tuple[int, ...]:
        """Y_1, Y_2, ..., whole estimates of the prefix sums: sums of X over c, X_t = Z_t - nearest(r X / c)."""
        return tuple(nearest(total, self.scale) for total in _sums(decoded(self.scale, core)))


def decoded(scale: int, core: tuple[int, ...]) -> tuple[int, ...]:
    """X_1, X_2, ..., whole estimates of c x_1, c x_2, ..., each from the core releases so far.

    >>> decoded(2, (2, 1, 1))
    (2, 0, 0)
    """
    earlier = worked_out(scale, max(1, len(core)))[1:]
    found: list[int] = []
    for z in core:
        found.append(z - nearest(sum(map(mul, earlier, reversed(found))), scale))
    return tuple(found)


def _sums(values: tuple[int, ...]) -> tuple[int, ...]:
    total, sums = 0, []
    for value in values:
        total += value
        sums.append(total)
    return tuple(sums)
