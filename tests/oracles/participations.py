"""Sensitivities by going through all patterns and all signs, in fractions: nothing shared with the package."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product

Matrix = list[list[Fraction]]
"""Rows by columns."""


def separated(rounds: int, count: int, apart: int) -> Iterator[tuple[int, ...]]:
    """All sets of at most `count` rounds (from 0), any two of them `apart` apart."""
    for size in range(1, count + 1):
        for rounds_in in combinations(range(rounds), size):
            if all(b - a >= apart for a, b in pairwise(rounds_in)):
                yield rounds_in


def largest(matrix: Matrix, patterns: Iterable[tuple[int, ...]]) -> tuple[Fraction, Fraction]:
    """The largest squared L2 norm, and the largest L1 norm, of signed sums of the columns of a pattern."""
    squared = size = Fraction(0)
    for pattern in patterns:
        for signs in product((1, -1), repeat=len(pattern)):
            change = [sum(s * row[i] for s, i in zip(signs, pattern, strict=True)) for row in matrix]
            squared = max(squared, sum((x * x for x in change), Fraction(0)))
            size = max(size, sum(map(abs, change), Fraction(0)))
    return squared, size
