"""What N(0, sigma^2) has in cells [k - 1/2, k + 1/2], in multiples of 2^-128 rounded down: many cells at once."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, count, islice, pairwise, repeat, takewhile
from math import factorial
from typing import NamedTuple

from flint import arb, arb_series, ctx

from dpcert.audit.algebra.enclosure import ball

MASS_BITS = 128
"""Masses are multiples of 2^-MASS_BITS."""
CELL_SPARE = 64
"""Bits of precision beyond that."""
CELL_TERMS = 24
"""Terms of the Taylor polynomial of a block of cells."""
BLOCKS_A_SIGMA = 32
"""Blocks in a standard deviation."""
LEAST_BLOCK = 24
"""Cells of a block for which the polynomial is less work than the cells one by one."""


class CellBlock(NamedTuple):
    """Masses of cells as a polynomial that counts on from one to the next.

    Attributes:
        differences: The mass of the first cell, and its differences from the first to the last order.
        bits: Of which so many are fractional.
        error: By how much a mass may be off, either way, in the same units.
    """

    differences: list[int]
    bits: int
    error: int

    def masses(self, many: int) -> Iterator[int]:
        """So many, with `bits` fractional bits."""
        *lower, last = self.differences
        found: Iterator[int] = repeat(last)
        for first in reversed(lower):
            found = accumulate(found, initial=first)
        return islice(found, many)


def cell_masses(sigma: Fraction) -> list[int]:
    """Of cells 1, 2, ... as long as they are positive. Exact but where a multiple is within 2^-50 of the mass or so.

    Args:
        sigma: In widths of a cell, above 0.

    >>> [round(m / 2**118) for m in cell_masses(Fraction(1))]
    [248, 62, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    before, half = (ctx.prec, ctx.cap), int(sigma) // (2 * BLOCKS_A_SIGMA)
    ctx.prec, ctx.cap = MASS_BITS + CELL_SPARE, CELL_TERMS
    try:
        unit = 1 / (ball(2 * sigma * sigma).sqrt() * 2)
        masses = _one_by_one(unit) if 2 * half < LEAST_BLOCK else _in_blocks(unit, half)
        return list(takewhile(lambda mass: mass > 0, masses))
    finally:
        ctx.prec, ctx.cap = before


def _one_by_one(unit: arb) -> Iterator[int]:
    """Each by the tails at its ends."""
    near = _tail(unit, 1)
    for k in count(2):
        far = _tail(unit, k)
        yield _down(near - far)
        near = far


def _in_blocks(unit: arb, half: int) -> Iterator[int]:
    """Of 2 half cells at once; where a block leaves open how a mass is rounded, by the tails at its ends."""
    for first in count(1, 2 * half):
        for k, (low, high) in enumerate(_floors(_block(unit, first + half, half), 2 * half), first):
            yield low if low == high else _down(_tail(unit, k) - _tail(unit, k + 1))


def _tail(unit: arb, k: int) -> arb:
    """P(noise > k - 1/2), in multiples."""
    return ((2 * k - 1) * unit).erfc() * arb(1 << MASS_BITS - 1)


def _down(mass: arb) -> int:
    found = mass.lower().floor().unique_fmpz()
    return 0 if found is None else int(found)


def _floors(block: CellBlock, many: int) -> Iterator[tuple[int, int]]:
    """Each mass rounded down, of the least that it may be and of the largest."""
    for mass in block.masses(many):
        yield mass - block.error >> block.bits, mass + block.error >> block.bits


def _block(unit: arb, center: int, half: int) -> CellBlock:
    """Of the cells from `center - half` to `center + half - 1`."""
    bits = CELL_SPARE + CELL_TERMS * half.bit_length()
    scale = arb(1 << MASS_BITS - 1 + bits)
    series = arb_series([(2 * center - 1) * unit, 2 * unit], prec=CELL_TERMS).erfc()
    coefficients = [_ends(series[i] * scale) for i in range(CELL_TERMS)]
    error = sum((high - low) * half**i for i, (low, high) in enumerate(coefficients))
    error += _ends(_left_out(2 * half * unit) * scale)[1]
    ends = [_value(coefficients, j) for j in range(-half, CELL_TERMS - half)]
    masses = [near - far for near, far in pairwise(ends)]
    return CellBlock(_differences(masses), bits, 2 * error)


def _left_out(distance: arb) -> arb:
    """At least what erfc is off its Taylor polynomial of n terms by, at this distance from where that is made.

    Derivative n is 2 / sqrt(pi) e^(-x^2) H_(n-1)(x) in size, and |H_m(x)| <= 1.1 e^(x^2 / 2) 2^(m / 2) sqrt(m!).

    Source: H. Cramer's inequality for Hermite polynomials (Abramowitz and Stegun 22.14.17).
    """
    n = CELL_TERMS
    derivative = arb(11) / 5 / arb.pi().sqrt() * arb(2 ** (n - 1) * factorial(n - 1)).sqrt()
    return derivative * distance**n / factorial(n)


def _differences(values: list[int]) -> list[int]:
    """The first value, and its differences from the first order to the last."""
    differences = list[int]()
    while values:
        differences.append(values[0])
        values = [after - here for here, after in pairwise(values)]
    return differences


def _value(coefficients: list[tuple[int, int]], j: int) -> int:
    """At j of the polynomial of the lower ends."""
    total = 0
    for low, _ in reversed(coefficients):
        total = total * j + low
    return total


def _ends(number: arb) -> tuple[int, int]:
    """Whole numbers below and above."""
    return _whole(number.lower().floor()), _whole(number.upper().ceil())


def _whole(number: arb) -> int:
    mantissa, exponent = number.man_exp()
    return int(mantissa) << int(exponent)
