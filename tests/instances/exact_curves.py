"""Exact curves for the golden rows, and the vertices that they are compared with."""

from fractions import Fraction
from typing import Any

from dpcert import HAMMING, Adjacency, Budget, PowerFunction
from dpcert.audit.algebra.chain import IDENTITY, Chain
from dpcert.audit.games.of_views import game_of
from dpcert.audit.kernels.view import view_of
from dpcert.audit.solving.adaptive import Solution, chains_of
from dpcert.audit.solving.analysis import analyse

ZERO, ONE = Fraction(0), Fraction(1)


def q(text: str) -> Fraction:
    return Fraction(text)


def through(*inner: str) -> PowerFunction:
    """The power function with these inner vertices, written "x y"."""
    points = [tuple(map(Fraction, text.split())) for text in inner]
    return PowerFunction.from_vertices([(ZERO, ZERO), *((x, y) for x, y in points), (ONE, ONE)])


def curves(mechanism: object, horizon: int, relation: Adjacency[Any] = HAMMING) -> tuple[PowerFunction, PowerFunction]:
    """(fixed-stream, adaptive), both exact."""
    found = analyse(game_of(view_of(mechanism), relation, horizon), Budget())
    assert found.fixed.exact
    assert found.adaptive.exact
    return found.fixed.lower, found.adaptive.lower


def adaptive(mechanism: object, horizon: int, relation: Adjacency[Any] = HAMMING) -> PowerFunction:
    return curves(mechanism, horizon, relation)[1]


def exact_chains(solution: Solution) -> list[Chain]:
    """The chain of every value: by its first position, which the solver has let go."""
    chains = chains_of(solution.levels, Budget(), 10**9)
    assert chains is not None
    made = [IDENTITY] * len(solution.values)
    for numbers, of_level in zip(solution.value_of, chains, strict=False):
        for number, chain in zip(numbers, of_level, strict=True):
            made[number] = chain
    return made
