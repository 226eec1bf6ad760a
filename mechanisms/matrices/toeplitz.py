"""Lower-triangular Toeplitz encoders: one coefficient a lag, given, banded, by their inverse, or enclosed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from flint import arb, arb_series, ctx

from dpcert.audit.errors import expected
from dpcert.mechanisms.matrices.dyadic import Floats, finite, scaled, scaled_fractions
from dpcert.mechanisms.matrices.encoder import Columns
from dpcert.mechanisms.matrices.gram import Gram, check_size
from dpcert.mechanisms.matrices.rounding import NormBounds

COEFFICIENT_BITS = 128
"""Fractional bits of coefficients that are no finite binary fractions."""
MOST_COEFFICIENTS = 1 << 22
"""Rounds of a Toeplitz encoder."""
MOST_INVERSE, MOST_PRECISION = 65_536, 1 << 14
"""Rounds of an encoder given by its inverse, and bits at which that is tried before it is refused."""


@dataclass(frozen=True)
class ToeplitzEncoder:
    """R[t, i] = c_{t-i} for t >= i: whole numbers over a power of two, each off by at most a radius.

    Args:
        values: c_0, c_1, ..., c_{T-1} times 2^bits.
        bits: The power of two below them.
        radius: How far any value may be off; exact where it is 0.
    Source: paper.tex, sec:prefixsum_factor.

    >>> toeplitz([Fraction(1), Fraction(1, 2)]).values
    (2, 1)
    """

    values: tuple[int, ...]
    bits: int
    radius: int = 0

    def __post_init__(self) -> None:
        if not 1 <= len(self.values) <= MOST_COEFFICIENTS:
            raise expected(f"from 1 to {MOST_COEFFICIENTS} coefficients", coefficients=f"{len(self.values)} of them")

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.values)

    @property
    def row_rounds(self) -> Sequence[int]:
        """A row a round."""
        return range(1, self.rounds + 1)

    @cached_property
    def is_nonnegative(self) -> bool:
        """Whether it is known that no coefficient is negative."""
        return min(self.values) >= self.radius

    @cached_property
    def bandwidth(self) -> int:
        """Coefficients up to the last that is not 0; T where they are known up to a radius alone."""
        if self.radius:
            return self.rounds
        return max((k + 1 for k, c in enumerate(self.values) if c), default=0)

    def columns(self, at: Sequence[int]) -> Columns:
        """Shifts of the coefficients."""
        values = list(self.values)
        return Columns([[0] * i + values[: self.rounds - i] for i in at], self.bits, self.radius)

    def squared_norms(self) -> NormBounds:
        """Running sums of squares, the first column's last."""
        return self._norms(lambda c: c * c, 2 * self.bits)

    def size_norms(self) -> NormBounds:
        """Running sums of sizes, the first column's last."""
        return self._norms(lambda c: c, self.bits)

    def _norms(self, of: Callable[[int], int], bits: int) -> NormBounds:
        lower = accumulate(of(max(0, abs(c) - self.radius)) for c in self.values)
        upper = accumulate(of(abs(c) + self.radius) for c in self.values)
        return NormBounds(list(lower)[::-1], list(upper)[::-1], bits)

    def gram(self, participations: int) -> Gram:  # noqa: ARG002 - as of the others
        """Running sums of products along each diagonal. Raises: ArgumentError: too many rounds."""
        check_size(self.rounds)
        entries = np.zeros((self.rounds, self.rounds), dtype=object)
        for lag in range(self.bandwidth):
            sums = list(accumulate(map(int.__mul__, self.values, self.values[lag:])))[::-1]
            places = np.arange(len(sums))
            entries[places, places + lag] = entries[places + lag, places] = sums
        most = max(map(abs, self.values))
        return Gram(entries, 2 * self.bits, self.rounds * self.radius * (2 * most + self.radius))

    def is_earliest_worst(self, min_separation: int, *, as_one: bool = False) -> bool:
        """Where values are at least 0 and never rise (the latter unless `as_one`), or columns so far apart do not meet.

        Of two participations the product of their columns is a sum of c_u c_{u+lag} over u from 0 on: it has more terms
        the earlier they are, and larger ones the smaller the lag is. Without products, the longest columns are the
        first ones.
        """
        if self.bandwidth <= min_separation:
            return True
        return min(self.values) >= 0 and (as_one or all(map(int.__ge__, self.values, self.values[1:])))


def toeplitz(coefficients: Sequence[Fraction] | Floats) -> ToeplitzEncoder:
    """The encoder of given coefficients, float64 or rationals over powers of two: exact.

    Raises: ArgumentError: none, too many, not finite, or not over powers of two.

    >>> toeplitz(np.array([1.0, 0.5])) == toeplitz([Fraction(1), Fraction(1, 2)])
    True
    """
    if isinstance(coefficients, np.ndarray):
        if coefficients.ndim != 1:
            raise expected("an array of one dimension", coefficients=f"an array of shape {coefficients.shape}")
        values, bits = scaled(finite(coefficients, "coefficients"))
    else:
        values, bits = scaled_fractions(coefficients, "coefficients")
    return ToeplitzEncoder(tuple(values), bits)


def inverse_toeplitz(coefficients: Floats) -> ToeplitzEncoder:
    """The encoder C whose inverse C^-1 has the given coefficients, enclosed: 1 / (a_0 + a_1 z + ...).

    Raises: ArgumentError: a_0 is 0, too many rounds, or rounding grows too fast for any precision that is tried.

    >>> inverse_toeplitz(np.array([1.0, -1.0])).values[1] == 1 << COEFFICIENT_BITS
    True
    """
    exact = toeplitz(coefficients)
    if exact.values[0] == 0:
        raise expected("a first coefficient other than 0", coefficients=0)
    if exact.rounds > MOST_INVERSE:
        raise expected(f"at most {MOST_INVERSE} coefficients of an inverse", coefficients=f"{exact.rounds} of them")
    return enclosed_toeplitz(lambda: _inverse(exact), "coefficients")


def _inverse(exact: ToeplitzEncoder) -> list[arb]:
    ctx.cap = exact.rounds
    unit = arb(2) ** -exact.bits
    found = 1 / arb_series([c * unit for c in exact.values], prec=exact.rounds)
    return [found[k] for k in range(exact.rounds)]


def enclosed_toeplitz(compute: Callable[[], list[arb]], name: str) -> ToeplitzEncoder:
    """The encoder of coefficients that `compute` encloses, at as many bits as it takes to know them well.

    Raises: ArgumentError: no precision that is tried is enough.
    """
    before = ctx.prec, ctx.cap
    try:
        ctx.prec = 2 * COEFFICIENT_BITS
        while ctx.prec <= MOST_PRECISION:
            found = compute()
            if all(map(is_settled, found)):
                return ToeplitzEncoder(tuple(map(in_units, found)), COEFFICIENT_BITS, 2)
            ctx.prec *= 2
    finally:
        ctx.prec, ctx.cap = before
    raise expected(f"coefficients that {MOST_PRECISION} bits are enough for", **{name: "an ill-conditioned inverse"})


def is_settled(ball: arb) -> bool:
    """Whether an entry is known well enough that `in_units` is off by less than 2."""
    return bool(ball.is_finite() and ball.rad() < arb(2) ** -(COEFFICIENT_BITS + 2))


def in_units(ball: arb) -> int:
    """The middle of a ball in units of the last bit that is kept, rounded down."""
    mantissa, exponent = (int(n) for n in ball.mid().man_exp())
    shift = exponent + COEFFICIENT_BITS
    return mantissa << shift if shift >= 0 else mantissa >> -shift


def banded(encoder: ToeplitzEncoder, bandwidth: int) -> ToeplitzEncoder:
    """The first coefficients, and 0 after them.

    Raises: ArgumentError: a bandwidth below 1 or past the rounds.

    >>> banded(toeplitz([Fraction(1), Fraction(1), Fraction(1)]), 2).values
    (1, 1, 0)
    """
    if not 1 <= bandwidth <= encoder.rounds:
        raise expected(f"a bandwidth from 1 to {encoder.rounds}", bandwidth=bandwidth)
    kept = encoder.values[:bandwidth]
    if encoder.radius:
        raise expected("exact coefficients to cut a band from", radius=encoder.radius)
    return ToeplitzEncoder((*kept, *[0] * (encoder.rounds - bandwidth)), encoder.bits)
