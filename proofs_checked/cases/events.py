"""Power and privacy worked out from every event, apart from the chain algebra that they check."""

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from dpcert.audit.algebra.pmf import Pmf

Y = TypeVar("Y", bound=Hashable)
Point = tuple[Fraction, Fraction]


def events(first: Pmf[Y], second: Pmf[Y]) -> Iterator[tuple[Y, ...]]:
    """Every set of outcomes that one of the laws produces."""
    seen = list(dict.fromkeys([*first.support, *second.support]))
    return (event for size in range(len(seen) + 1) for event in combinations(seen, size))


def mass(law: Pmf[Y], event: tuple[Y, ...]) -> Fraction:
    """P(S)."""
    return sum((law.probability(y) for y in event), Fraction(0))


def points(first: Pmf[Y], second: Pmf[Y]) -> set[Point]:
    """(P(S), Q(S)) of every event S."""
    return {(mass(first, event), mass(second, event)) for event in events(first, second)}


def knapsack(first: Pmf[Y], second: Pmf[Y], capacity: Fraction) -> Fraction:
    """The most value that fits: weights P, values Q, every item whole or left out, but for one that may be cut.

    A best packing needs no second cut: between two cut items, weight moves to the better one until one is whole.
    """
    best = Fraction(0)
    for event in events(first, second):
        room = capacity - mass(first, event)
        if room >= 0:
            left = [(first.probability(y), second.probability(y)) for y in first.support if y not in event]
            best = max(
                best, mass(second, event) + max((b * room / a for a, b in left if a > room), default=Fraction(0))
            )
    return best


def gap(first: Pmf[Y], second: Pmf[Y], exp_epsilon: Fraction) -> Fraction:
    """max_S P(S) - e^epsilon Q(S), over every event."""
    return max(p - exp_epsilon * q for p, q in points(first, second))
